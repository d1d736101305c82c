// The context menu of a message: the application's commands for it and its author.

import * as api from "./api.js";
import { el, icon } from "./dom.js";
import { displayName } from "./state.js";
import { t } from "./texts.js";

const USER = 2, MESSAGE = 3; // types of commands

const anchors = "[data-testid='message-menu']"; // its button, in a message

const log = document.getElementById("log");

let open = null; // the menu that is open

function close() {
  open?.remove();
  open = null;
}

/** menuOpen reports whether a menu is open; then the log must not scroll. */
export const menuOpen = () => open !== null;

document.addEventListener("pointerdown", (event) => open && !open.contains(event.target) && close(), true);
document.addEventListener("keydown", (event) => event.key === "Escape" && close());
window.addEventListener("resize", close);
log.addEventListener("scroll", () => open && place(), { passive: true });

/**
 * place positions the open menu beside its button, or at the nearest edge, and
 * closes it if the message is not visible. The message may have been rendered
 * again.
 */
function place() {
  const message = document.getElementById(open.message);
  const at = message?.querySelector(anchors)?.getBoundingClientRect();
  const all = message?.getBoundingClientRect();
  const sight = log.getBoundingClientRect();
  if (!at || all.bottom < sight.top || all.top > sight.bottom) {
    close();
    return;
  }
  const box = open.getBoundingClientRect();
  const top = Math.max(at.top, sight.top - at.height), below = top + at.height;
  open.style.left = `${Math.max(8, Math.min(at.right - box.width, innerWidth - box.width - 8))}px`;
  open.style.top = `${below + box.height + 8 > innerHeight ? Math.max(8, top - box.height - 4) : below + 4}px`;
}

/** messageMenu returns the button that opens the menu, as the right mouse button does. */
export function messageMenu(message, author, store, interactions) {
  return el("button", {
    type: "button",
    class: "icon-button message-more",
    "aria-label": t("More"),
    "aria-haspopup": "menu",
    data: { testid: "message-menu" },
    on: { click: () => show(message, author, store, interactions) },
  }, icon("more"));
}

document.addEventListener("contextmenu", (event) => {
  if (event.target.closest("a, img, input, textarea") || String(getSelection())) return;
  const more = event.target.closest("[data-message-id]")?.querySelector(anchors);
  if (!more) return;
  event.preventDefault();
  more.click();
});

/** own returns what a person can do with a message without a bot. */
function own(message, author, store, interactions) {
  const me = store.me.id;
  const item = (name, text, run) => el("button", { type: "button", role: "menuitem", class: "menu-item", data: { menuItem: name }, on: { click: () => { close(); run(); } } }, text);
  const change = (how, body) => api.change(me, how, message, body).catch((err) => interactions.fail(message.id, err.message));
  const start = () => {
    const name = prompt(t("Name of the thread"), excerptOf(message));
    if (name) change("thread", { name });
  };
  return [
    item("reply", t("Reply"), () => store.answer(message)),
    author.id === me ? item("edit", t("Edit"), () => store.answer(message, true)) : null,
    message.thread || store.channelInfo()?.type !== 0 ? null : item("thread", t("Start a thread"), start),
    author.id === me ? item("delete", t("Delete"), () => change("delete")) : null,
  ].filter(Boolean);
}

/** excerptOf suggests a name for a thread. */
const excerptOf = (message) => message.content.replace(/\s+/g, " ").slice(0, 40).trim() || t("Thread");

function show(message, author, store, interactions) {
  close();
  const use = async (command, target) => {
    close();
    try {
      await interactions.menuCommand(message.channel_id, command, target);
    } catch (err) {
      interactions.fail(message.id, err.message);
    }
  };
  const commands = (type, target) => store.commands.filter((c) => c.type === type).map((c) =>
    el("button", { type: "button", role: "menuitem", class: "menu-item", data: { menuItem: c.name }, on: { click: () => use(c, target) } }, c.name));
  const group = (title, items) => (items.length ? el("div", { role: "group", "aria-label": title }, el("p", { class: "menu-title" }, title), items) : null);
  const write = author.id === store.me.id ? [] : [el("button", {
    type: "button", role: "menuitem", class: "menu-item", data: { menuItem: "write", writeTo: author.id }, on: { click: () => setTimeout(close) },
  }, t("Write a direct message"))];
  open = el("div", { class: "menu", role: "menu", data: { testid: "menu" } },
    group(t("This message"), [...own(message, author, store, interactions), ...commands(MESSAGE, message.id)]),
    group(displayName(author), [...commands(USER, author.id), ...write]));
  if (!open.children.length) open.append(el("p", { class: "menu-title" }, t("There are no commands for this message.")));
  document.body.append(open);
  open.message = `message-${message.id}`;
  place();
  open?.querySelector("button")?.focus({ preventScroll: true });
  open?.addEventListener("keydown", (event) => {
    const items = [...open.querySelectorAll("button")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !items.length) return;
    event.preventDefault();
    items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
  });
}
