// Message components, v1 and v2, by Discord's type numbers:
// https://discord.com/developers/docs/components/reference

import { el, icon } from "./dom.js";
import { emojiText } from "./emoji.js";
import { markdown, messageLink, place } from "./markdown-view.js";
import { file, gallery, picture, veil } from "./media.js";
import { select } from "./select.js";
import { t } from "./texts.js";

const ROW = 1, BUTTON = 2, SECTION = 9, TEXT = 10, THUMBNAIL = 11, GALLERY = 12, FILE = 13, SEPARATOR = 14, CONTAINER = 17;
const SELECTS = new Set([3, 5, 6, 7, 8]);
const styles = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link", 6: "secondary" };

/**
 * components renders a message's components. The context is {store, message,
 * pending (custom id without an answer yet, or null), onUse(component,
 * values?)}.
 */
export function components(list, context) {
  return list.map((component) => render(component, context));
}

function render(c, context) {
  switch (c.type) {
    case ROW:
      return el("div", { class: "row" }, components(c.components ?? [], context));
    case BUTTON:
      return button(c, context);
    case SECTION:
      return el("div", { class: "section" },
        el("div", { class: "section-text" }, components(c.components ?? [], context)),
        c.accessory ? el("div", { class: "section-accessory" }, render(c.accessory, context)) : null);
    case TEXT:
      return markdown(c.content ?? "", context.store);
    case THUMBNAIL:
      return picture(c, context.message, "thumbnail");
    case GALLERY:
      return gallery(c.items ?? [], context.message);
    case FILE:
      return file({ url: c.file?.url, name: c.name, size: c.size, spoiler: c.spoiler }, context.message);
    case SEPARATOR:
      return el("hr", { class: "separator", data: { divider: c.divider !== false, spacing: c.spacing ?? 1 } });
    case CONTAINER:
      return container(c, context);
    default:
      if (SELECTS.has(c.type)) return select(c, context);
      return el("p", { class: "unsupported" }, t("A component of type {n} is not drawn here.", { n: c.type }));
  }
}

function container(c, context) {
  const body = el("div", { class: "container-body" }, components(c.components ?? [], context));
  const box = el("div", { class: "container" }, c.spoiler ? veil(body, t("Spoiler")) : body);
  if (Number.isInteger(c.accent_color)) {
    // Set by script, because the content policy forbids style attributes.
    box.style.setProperty("--accent-bar", `#${c.accent_color.toString(16).padStart(6, "0")}`);
    box.dataset.accent = c.accent_color;
  }
  return box;
}

function button(c, { store, message, pending, onUse }) {
  const emoji = emojiText(c.emoji);
  const face = [
    emoji ? el("span", { class: "button-emoji", "aria-hidden": c.label ? "true" : null }, emoji) : null,
    c.label ? el("span", { class: "button-label" }, c.label) : null,
  ];
  if (c.style === 5) return linkButton(c, face, store);
  const waiting = pending !== null && pending === c.custom_id;
  const node = el("button", {
    type: "button",
    class: `button button-${styles[c.style] ?? "secondary"}`,
    disabled: Boolean(c.disabled),
    "aria-busy": waiting ? "true" : null,
    "aria-disabled": pending !== null ? "true" : null,
    data: { customId: c.custom_id, style: styles[c.style] ?? null, pending: waiting ? "true" : null },
  }, face, waiting ? el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")) : null);
  node.addEventListener("click", () => {
    // One at a time in a message, as in Discord's clients.
    if (pending === null && message) onUse(c);
  });
  return node;
}

function linkButton(c, face, store) {
  const target = messageLink(c.url ?? "");
  if (target && store.channels.has(target.channel)) {
    return el("a", {
      class: "button button-link",
      href: place(store, target.channel, target.message),
      data: { jumpChannel: target.channel, jumpMessage: target.message },
    }, face);
  }
  const safe = /^https?:\/\//i.test(c.url ?? "");
  if (!safe || c.disabled) return el("button", { type: "button", class: "button button-link", disabled: true }, face);
  return el("a", { class: "button button-link", href: c.url, target: "_blank", rel: "noopener noreferrer nofollow" }, face, icon("open"));
}
