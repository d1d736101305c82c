// A list of choices, controlled by touch and by the keys of another element (a
// combobox's input, a select's button).

import { el, icon } from "./dom.js";
import { t } from "./texts.js";

let instances = 0;

/**
 * Items are {name, detail?, lead? (node), value?, selected?}. onPick gets the
 * item with all its properties.
 */
export class Listbox {
  #root;
  #onPick;
  #prefix = `list-${++instances}`;
  #items = [];
  #active = -1;
  #owner = null;

  constructor(root, onPick) {
    this.#root = root;
    this.#onPick = onPick;
    root.hidden = true;
    root.classList.add("listbox");
    // The owner keeps the focus; a tap must not take it and close the list.
    root.addEventListener("mousedown", (event) => event.preventDefault());
  }

  get open() {
    return !this.#root.hidden;
  }

  get active() {
    return this.open ? this.#items[this.#active] ?? null : null;
  }

  /** show draws the list for an owner. `active` is the index to highlight, or -1. */
  show(owner, { title, detail, note, items, active = 0, multiple = false, busy = false }) {
    if (this.#owner && this.#owner !== owner) this.#release();
    this.#owner = owner;
    this.#items = items;
    const listId = `${this.#prefix}-options`;
    const options = items.map((item, i) => this.#option(item, i, multiple));
    const parts = [];
    if (title) {
      parts.push(el("div", { class: "listbox-head" },
        el("span", { class: "listbox-title" }, title),
        detail ? el("span", { class: "listbox-detail" }, detail) : null));
    }
    parts.push(el("div", {
      class: "listbox-options",
      role: "listbox",
      id: listId,
      "aria-label": title || t("Suggestions"),
      "aria-multiselectable": multiple ? "true" : null,
      "aria-busy": busy ? "true" : "false",
      hidden: items.length === 0,
    }, options));
    if (note) parts.push(el("div", { class: "listbox-note", role: "status", data: { testid: "suggestion-note" } }, note));
    this.#root.replaceChildren(...parts);
    this.#root.hidden = false;
    this.#root.dataset.busy = busy;
    owner.setAttribute("aria-expanded", "true");
    owner.setAttribute("aria-controls", listId);
    this.#highlight(Math.min(active, items.length - 1));
  }

  #option(item, index, multiple) {
    const node = el("div", {
      class: "option",
      role: "option",
      id: `${this.#prefix}-${index}`,
      "aria-selected": "false",
      data: { testid: "suggestion", name: item.name, value: item.value ?? item.name, picked: item.selected ? "true" : null },
    },
      item.lead ?? null,
      el("span", { class: "option-text" },
        el("span", { class: "option-name" }, item.name),
        item.detail ? el("span", { class: "option-detail" }, item.detail) : null),
      multiple || item.selected ? el("span", { class: "option-check" }, item.selected ? icon("check") : null) : null,
      item.hint ? el("span", { class: "option-hint" }, item.hint) : null);
    node.addEventListener("click", () => this.#onPick(item));
    node.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" && this.#active !== index) this.#highlight(index, false);
    });
    return node;
  }

  #highlight(index, scroll = true) {
    const nodes = this.#root.querySelectorAll(".option");
    nodes[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = index;
    const node = nodes[index];
    if (!node) {
      this.#owner?.removeAttribute("aria-activedescendant");
      return;
    }
    node.setAttribute("aria-selected", "true");
    this.#owner?.setAttribute("aria-activedescendant", node.id);
    if (scroll) node.scrollIntoView({ block: "nearest" });
  }

  hide() {
    if (!this.open) return;
    this.#root.hidden = true;
    this.#items = [];
    this.#active = -1;
    this.#release();
  }

  #release() {
    this.#owner?.setAttribute("aria-expanded", "false");
    this.#owner?.removeAttribute("aria-activedescendant");
    this.#owner = null;
  }

  /** key handles a key of the owner and reports whether the list used it. */
  key(event) {
    if (!this.open || event.isComposing) return false;
    const n = this.#items.length;
    switch (event.key) {
      case "ArrowDown":
        if (n === 0) return false;
        this.#highlight((this.#active + 1) % n);
        break;
      case "ArrowUp":
        if (n === 0) return false;
        this.#highlight(this.#active <= 0 ? n - 1 : this.#active - 1);
        break;
      case "Enter":
      case "Tab":
        if (event.shiftKey || !this.active) return false;
        this.#onPick(this.active);
        break;
      case "Escape":
        this.hide();
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  }
}
