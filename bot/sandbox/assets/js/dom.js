// Builds elements. Text only becomes text nodes: nothing in this page parses a
// string as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * el creates an element. Props: `class`, `data` (dataset), `on` (listeners),
 * booleans such as `hidden` (set as properties); everything else is an
 * attribute, omitted if null or undefined. Children are nodes, strings, arrays
 * or nothing.
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined) continue;
    if (key === "class") node.className = value;
    else if (key === "data") setData(node, value);
    else if (key === "on") for (const [type, fn] of Object.entries(value)) node.addEventListener(type, fn);
    else if (typeof value === "boolean" && !key.startsWith("aria-")) node[key] = value;
    else node.setAttribute(key, String(value));
  }
  append(node, children);
  return node;
}

/** append adds children; it flattens arrays and skips empty ones. */
export function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child);
  }
}

/** setData sets data attributes; null and undefined remove them. */
export function setData(node, data) {
  for (const [key, value] of Object.entries(data)) {
    if (value === null || value === undefined) delete node.dataset[key];
    else node.dataset[key] = String(value);
  }
}

const paths = {
  hash: "M10 4 8 20M16 4l-2 16M4.5 9h16M3.5 15h16",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  send: "M4 12 20 4l-5 16-3.5-6.5zM11.5 13.5 20 4",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z",
  reply: "M4 18v-5a5 5 0 0 1 5-5h11M16 4l4 4-4 4",
  slash: "M7 3.5h10A3.5 3.5 0 0 1 20.5 7v10a3.5 3.5 0 0 1-3.5 3.5H7A3.5 3.5 0 0 1 3.5 17V7A3.5 3.5 0 0 1 7 3.5zM14 7.5l-4 9",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
  warning: "M12 4 2.5 20h19zM12 10v5M12 17.4v.2",
  down: "M6 9l6 6 6-6",
  bolt: "M13 3 5 13.5h6L10 21l9-11h-6z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  open: "M9 5H5v14h14v-4M13 5h6v6M19 5l-8 8",
  thread: "M5 5h14v10h-7l-4 4v-4H5zM9 10h6",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  chat: "M4 5h16v11H9l-5 4z",
  lock: "M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3",
  code: "M9 7l-5 5 5 5M15 7l5 5-5 5",
};

/** icon draws a line icon, hidden from screen readers. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", paths[name]);
  svg.append(path);
  return svg;
}
