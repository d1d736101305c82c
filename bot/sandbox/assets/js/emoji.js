// Emojis of components.

/** emojiText returns an emoji as text; the sandbox has no pictures of custom ones. */
export function emojiText(emoji) {
  if (!emoji?.name) return null;
  return emoji.id ? `:${emoji.name}:` : emoji.name;
}
