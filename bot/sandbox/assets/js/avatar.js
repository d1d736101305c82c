// Avatars: initials on a colour that depends on the person's id.

import { el } from "./dom.js";
import { displayName } from "./state.js";

// The dark text of chat.css has a contrast of at least 4.5:1 on each of them.
const hues = 10;

/** hue returns the index of a person's colour. */
function hue(id) {
  let hash = 2166136261; // FNV-1a
  for (const c of String(id)) hash = Math.imul(hash ^ c.charCodeAt(0), 16777619);
  return (hash >>> 0) % hues;
}

/** initials returns the first letters of at most two words. */
export function initials(name) {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.slice(0, 2).map((word) => [...word][0]);
  return (letters.join("") || "?").toUpperCase();
}

/** avatar draws a person or a bot. It is hidden from screen readers because the name is beside it. */
export function avatar(user, size = "normal") {
  return el("span", {
    class: `avatar avatar-${size}${user?.bot ? " avatar-bot" : ""}`,
    "aria-hidden": "true",
    data: { hue: hue(user?.id ?? "") },
  }, initials(displayName(user)));
}
