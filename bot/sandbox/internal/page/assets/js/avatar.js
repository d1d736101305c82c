// Avatars: initials on a colour that belongs to the person for good.

import { el } from "./dom.js";
import { displayName } from "./state.js";

// All of them carry the dark ink of chat.css at 4.5:1 or more.
const hues = 10;

/** hue is the person's place among the avatar colours. */
function hue(id) {
  let hash = 2166136261; // FNV-1a
  for (const c of String(id)) hash = Math.imul(hash ^ c.charCodeAt(0), 16777619);
  return (hash >>> 0) % hues;
}

/** initials are the first letters of at most two words. */
export function initials(name) {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters = words.slice(0, 2).map((word) => [...word][0]);
  return (letters.join("") || "?").toUpperCase();
}

/** avatar draws a person or a bot; the name always stands beside it, so it is silent. */
export function avatar(user, size = "normal") {
  return el("span", {
    class: `avatar avatar-${size}${user?.bot ? " avatar-bot" : ""}`,
    "aria-hidden": "true",
    data: { hue: hue(user?.id ?? "") },
  }, initials(displayName(user)));
}
