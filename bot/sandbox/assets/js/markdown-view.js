// Renders the tree of markdown.js. Names, texts and addresses are untrusted, so
// they only become text nodes and validated attributes.

import { el } from "./dom.js";
import { parse } from "./markdown.js";
import { displayName } from "./state.js";
import { timestamp } from "./time.js";

const tags = { bold: "strong", italic: "em", underline: "u", strike: "s" };

/** markdown renders a text as blocks in one element. */
export function markdown(text, store) {
  return el("div", { class: "markdown" }, parse(text).map((block) => renderBlock(block, store)));
}

function renderBlock(block, store) {
  const children = () => renderInline(block.children, store);
  switch (block.type) {
    case "heading":
      // The page's own headings are h1 and h2.
      return el(`h${block.level + 2}`, { class: `md-h${block.level}` }, children());
    case "subtext":
      return el("p", { class: "subtext" }, children());
    case "quote":
      return el("blockquote", {}, block.children.map((child) => renderBlock(child, store)));
    case "codeblock":
      return el("pre", { tabindex: "0", "aria-label": "Code" }, el("code", { data: { language: block.language || null } }, block.text));
    case "list":
      return renderList(block, store);
    default:
      return el("p", {}, children());
  }
}

function renderList(list, store) {
  return el(list.ordered ? "ol" : "ul", list.ordered ? { start: list.start } : {},
    list.items.map((item) => el("li", {}, renderInline(item.children, store), item.lists.map((inner) => renderList(inner, store)))));
}

function renderInline(nodes, store) {
  return nodes.map((node) => {
    switch (node.type) {
      case "text":
        return document.createTextNode(node.text);
      case "code":
        return el("code", {}, node.text);
      case "spoiler":
        return spoiler(renderInline(node.children, store));
      case "link":
        return link(node, store);
      case "user":
        return userPill(node.id, store);
      case "channel":
        return channelPill(node.id, store);
      case "everyone":
        return el("span", { class: "pill pill-me" }, `@${node.name}`);
      case "command":
        return el("button", { type: "button", class: "pill pill-command", data: { command: node.name.slice(1) } }, node.name);
      case "emoji":
        return document.createTextNode(`:${node.name}:`);
      case "time":
        return timestamp(node.unix, node.style);
      default:
        return el(tags[node.type], {}, renderInline(node.children, store));
    }
  });
}

function userPill(id, store) {
  const mine = id === store.me?.id;
  const user = store.person(id);
  return el("span", { class: mine ? "pill pill-me" : "pill", data: { mention: id } }, user ? `@${displayName(user)}` : "@unknown-user");
}

function channelPill(id, store) {
  const channel = store.channelInfo(id);
  if (!channel) return el("span", { class: "pill" }, "#unknown");
  return el("a", { class: "pill", href: place(store, id), data: { jumpChannel: id } }, store.label(channel));
}

/** spoiler hides inline content until it is clicked. */
function spoiler(children) {
  const inner = el("span", { class: "spoiler-text" }, children);
  inner.inert = true;
  const node = el("span", { class: "spoiler", role: "button", tabindex: "0", "aria-label": "Spoiler, press to show", data: { spoiler: "hidden" } }, inner);
  const show = () => {
    if (node.dataset.spoiler === "shown") return;
    node.dataset.spoiler = "shown";
    inner.inert = false;
    for (const name of ["role", "tabindex", "aria-label"]) node.removeAttribute(name);
  };
  node.addEventListener("click", show);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    show();
  });
  return node;
}

const messagePath = /^\/channels\/(\d+|@me)\/(\d+)(?:\/(\d+))?\/?$/;

/** messageLink parses a link to a channel or message, of any host. */
export function messageLink(url) {
  let parsed;
  try {
    parsed = new URL(url, location.origin);
  } catch {
    return null;
  }
  const known = parsed.origin === location.origin || /(^|\.)discord(app)?\.com$/.test(parsed.hostname);
  const m = known ? messagePath.exec(parsed.pathname) : null;
  return m ? { guild: m[1], channel: m[2], message: m[3] ?? null } : null;
}

/** place returns the page's address of a channel or message. */
export function place(store, channel, message) {
  const query = new URLSearchParams({ user: store.me?.id ?? "", channel });
  return `?${query}${message ? `#message-${message}` : ""}`;
}

function link(node, store) {
  const children = renderInline(node.children, store);
  const target = messageLink(node.url);
  if (target && store.channels.has(target.channel)) {
    const bare = node.children.length === 1 && node.children[0].text === node.url;
    return el("a", {
      class: bare ? "pill" : "link",
      href: place(store, target.channel, target.message),
      data: { jumpChannel: target.channel, jumpMessage: target.message },
    }, bare ? `#${store.channelInfo(target.channel)?.name ?? "channel"}${target.message ? " › message" : ""}` : children);
  }
  let url;
  try {
    url = new URL(node.url);
  } catch {
    return el("span", {}, children);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") return el("span", {}, children);
  return el("a", { class: "link", href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, children);
}
