// Pictures, galleries and files, and the dialog that shows a picture large.

import { el, icon } from "./dom.js";
import { t } from "./texts.js";

/**
 * resolve converts the URL of a media item to one that this page may load: the
 * path for files of the sandbox (the page may use another loopback name), and
 * the message's attachment for attachment://name.
 */
export function resolve(url, message) {
  if (!url) return null;
  if (url.startsWith("attachment://")) {
    const name = decodeURIComponent(url.slice("attachment://".length));
    const found = (message?.attachments ?? []).find((a) => a.filename === name);
    return found ? resolve(found.url, null) : null;
  }
  let parsed;
  try {
    parsed = new URL(url, location.origin);
  } catch {
    return null;
  }
  if (parsed.pathname.startsWith("/attachments/")) return parsed.pathname + parsed.search;
  if (parsed.protocol === "data:" && /^data:image\//.test(url)) return url;
  return parsed.origin === location.origin ? parsed.href : null;
}

const nameOf = (url) => decodeURIComponent((url ?? "").split(/[?#]/)[0].split("/").pop() || "file");

/**
 * picture returns a picture as a button that enlarges it. The alternative text
 * is the description, or else the file name, which is marked.
 */
export function picture({ media, description, spoiler }, message, kind) {
  const src = resolve(media?.url, message);
  const alt = description || nameOf(media?.url);
  if (!src) {
    return el("span", { class: "media-missing" }, t("Picture not shown, it is on another host: {name}", { name: alt }));
  }
  const img = el("img", { src, alt, decoding: "async", data: { described: description ? "true" : "false" } });
  if (media.width > 0 && media.height > 0) {
    // Reserve the space, so that nothing moves when the picture arrives.
    img.width = media.width;
    img.height = media.height;
    img.style.setProperty("--width", media.width);
    img.style.setProperty("--height", media.height);
  }
  const button = el("button", {
    type: "button",
    class: `picture picture-${kind}`,
    data: { testid: "picture" },
    "aria-label": `Enlarge: ${alt}`,
    on: { click: () => enlarge(src, alt) },
  }, img);
  img.addEventListener("error", () => {
    button.replaceWith(el("span", { class: "media-missing", role: "img", "aria-label": alt }, t("Picture missing: {name}", { name: alt })));
  });
  return spoiler ? veil(button, t("Spoiler")) : button;
}

/** veil hides a block until it is clicked. */
export function veil(content, label) {
  content.inert = true;
  const box = el("div", { class: "veil", data: { spoiler: "hidden" } }, content);
  const show = el("button", { type: "button", class: "veil-button" }, label);
  show.addEventListener("click", () => {
    box.dataset.spoiler = "shown";
    content.inert = false;
    show.remove();
  });
  box.append(show);
  return box;
}

/** gallery lays out one to ten pictures. */
export function gallery(items, message) {
  const shown = items.slice(0, 10);
  return el("div", { class: "gallery", data: { count: shown.length } },
    shown.map((item) => picture(item, message, shown.length === 1 ? "single" : "tile")));
}

const sizes = ["bytes", "KB", "MB"];

function sizeText(bytes) {
  if (!Number.isFinite(bytes)) return "";
  let unit = 0;
  for (; bytes >= 1024 && unit < sizes.length - 1; unit++) bytes /= 1024;
  return `${unit === 0 ? bytes : bytes.toFixed(1)} ${sizes[unit]}`;
}

/** file returns a card with a link to an attached file. */
export function file({ url, name, size, description, spoiler }, message) {
  const href = resolve(url, message);
  const attached = (message?.attachments ?? []).find((a) => a.url === url || `attachment://${a.filename}` === url);
  const title = name || attached?.filename || nameOf(url);
  const card = el(href ? "a" : "div", href ? { class: "file", href, download: title } : { class: "file" },
    icon("file"),
    el("span", { class: "file-text" },
      el("span", { class: "file-name" }, title),
      el("span", { class: "file-size" }, sizeText(size ?? attached?.size), description ? ` · ${description}` : "")));
  return spoiler ? veil(card, t("Spoiler")) : card;
}

/** attachments renders the files of a message without components v2. */
export function attachments(list, message) {
  const isPicture = (a) => a.content_type?.startsWith("image/") || /\.(png|jpe?g|gif|webp)$/i.test(a.filename ?? "");
  const hidden = (a) => (a.filename ?? "").startsWith("SPOILER_");
  const pictures = list.filter(isPicture);
  const files = list.filter((a) => !isPicture(a));
  return [
    pictures.length ? gallery(pictures.map((a) => ({ media: a, description: a.description, spoiler: hidden(a) })), message) : null,
    files.map((a) => file({ url: a.url, name: a.filename, size: a.size, description: a.description, spoiler: hidden(a) }, message)),
  ];
}

/** enlarge opens the dialog with one picture and its description. */
function enlarge(src, alt) {
  const dialog = document.getElementById("lightbox");
  const close = el("button", { type: "button", class: "icon-button lightbox-close", "aria-label": t("Close") }, icon("close"));
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(
    el("figure", {}, el("img", { src, alt }), el("figcaption", {}, alt)),
    el("a", { class: "icon-button lightbox-open", href: src, target: "_blank", rel: "noopener", "aria-label": t("Open in its own tab") }, icon("open")),
    close,
  );
  dialog.onclick = (event) => {
    if (event.target === dialog || event.target.tagName === "FIGURE") dialog.close();
  };
  dialog.onclose = () => dialog.replaceChildren();
  dialog.showModal();
  close.focus();
}
