// Modals: dialogs with text inputs and menus.

import { el, icon } from "./dom.js";
import { markdown } from "./markdown-view.js";
import { choicesOf } from "./select.js";

const ROW = 1, TEXT_INPUT = 4, TEXT = 10, LABEL = 18;
const PARAGRAPH = 2; // style of a text input

export class ModalDialog {
  #dialog;
  #store;
  #interactions;
  #fields = []; // {id, values()}
  #opener = "";
  #modal = null;

  constructor(dialog, store, interactions) {
    this.#dialog = dialog;
    this.#store = store;
    this.#interactions = interactions;
    store.on("modal", ({ id, modal }) => this.#open(id, modal));
    dialog.addEventListener("input", () => {
      dialog.querySelector("[data-testid='modal-error']").hidden = true;
    });
    dialog.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
  }

  #open(id, modal) {
    this.#opener = id;
    this.#modal = modal;
    this.#fields = [];
    const error = el("p", { class: "faults-error", role: "alert", hidden: true, data: { testid: "modal-error" } });
    const cancel = () => this.#dialog.close();
    this.#dialog.dataset.modal = modal.custom_id;
    this.#dialog.replaceChildren(el("form", { class: "modal-form", novalidate: "" },
      el("header", { class: "modal-head" }, el("h2", { id: "modal-title" }, modal.title),
        el("button", { type: "button", class: "icon-button", "aria-label": "Close", on: { click: cancel } }, icon("close"))),
      el("div", { class: "modal-body" }, error, modal.components.map((c) => this.#part(c))),
      el("footer", { class: "modal-foot" },
        el("button", { type: "button", class: "button button-secondary", data: { testid: "modal-cancel" }, on: { click: cancel } }, "Cancel"),
        el("button", { type: "submit", class: "button button-primary", data: { testid: "modal-send" } }, "Send"))));
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#dialog.querySelector(".modal-body input, .modal-body textarea, .modal-body select")?.focus();
  }

  #part(c) {
    switch (c.type) {
      case TEXT:
        return el("div", { class: "modal-text" }, markdown(c.content, this.#store));
      case LABEL:
        return this.#field(c.component, c.label, c.description);
      case ROW:
        return c.components.map((input) => this.#field(input, input.label));
      default:
        return null;
    }
  }

  #field(c, label, description) {
    const id = `modal-${c.custom_id}`;
    const many = c.type !== TEXT_INPUT && (c.max_values ?? 1) > 1;
    const { node, values } = c.type === TEXT_INPUT ? text(c, id) : many ? several(c, id, this.#store) : one(c, id, this.#store);
    this.#fields.push({ id: c.custom_id, values });
    const name = [label, c.required ? el("span", { class: "modal-required", title: "Required" }, " *") : null];
    return el("div", { class: "modal-field", data: { modalField: c.custom_id } },
      many ? el("p", { class: "modal-label", id }, name) : el("label", { class: "modal-label", for: id }, name),
      description ? el("p", { class: "modal-description" }, description) : null, node);
  }

  async #send() {
    const fields = this.#fields.map(({ id, values }) => ({ custom_id: id, values: values() }));
    const error = this.#dialog.querySelector("[data-testid='modal-error']");
    const send = this.#dialog.querySelector("[data-testid='modal-send']");
    error.hidden = true;
    send.disabled = true;
    try {
      await this.#interactions.modal(this.#opener, fields, this.#modal.title);
      this.#dialog.close();
    } catch (err) {
      error.textContent = err.message;
      error.hidden = false;
      error.scrollIntoView({ block: "nearest" });
    }
    send.disabled = false;
  }
}

function text(c, id) {
  const long = c.style === PARAGRAPH;
  const node = el(long ? "textarea" : "input", {
    id, class: "modal-input", type: long ? null : "text", rows: long ? "4" : null, placeholder: c.placeholder,
    maxlength: c.max_length ?? 4000, "aria-required": c.required ? "true" : "false", autocomplete: "off",
  });
  node.value = c.value ?? "";
  return { node, values: () => [node.value] };
}

/** chosen lists the initial values of a menu. */
const chosen = (c) => new Set([...(c.options ?? []).filter((o) => o.default).map((o) => o.value), ...(c.default_values ?? []).map((v) => v.id)]);

function one(c, id, store) {
  const start = chosen(c);
  const node = el("select", { id, class: "modal-input", "aria-required": c.required ? "true" : "false" },
    el("option", { value: "" }, c.placeholder || "Make a choice"),
    choicesOf(c, store).map((o) => el("option", { value: o.value, selected: start.has(o.value) }, o.detail ? `${o.name} · ${o.detail}` : o.name)));
  return { node, values: () => (node.value ? [node.value] : []) };
}

function several(c, id, store) {
  const start = chosen(c);
  const boxes = choicesOf(c, store).map((o) => ({ value: o.value, name: o.name, box: el("input", { type: "checkbox", checked: start.has(o.value) }) }));
  const node = el("div", { class: "modal-choices", role: "group", "aria-labelledby": id },
    boxes.map(({ name, box }) => el("label", { class: "modal-choice" }, box, name)));
  return { node, values: () => boxes.filter(({ box }) => box.checked).map(({ value }) => value) };
}
