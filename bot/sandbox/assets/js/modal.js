// Modals: dialogs with inputs.

import * as api from "./api.js";
import { el, icon } from "./dom.js";
import { markdown } from "./markdown-view.js";
import { choicesOf } from "./select.js";
import { t } from "./texts.js";

const ROW = 1, TEXT_INPUT = 4, TEXT = 10, LABEL = 18, FILE = 19, RADIO = 21, GROUP = 22, CHECKBOX = 23;
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
        el("button", { type: "button", class: "icon-button", "aria-label": t("Close"), on: { click: cancel } }, icon("close"))),
      el("div", { class: "modal-body" }, error, modal.components.map((c) => this.#part(c))),
      el("footer", { class: "modal-foot" },
        el("button", { type: "button", class: "button button-secondary", data: { testid: "modal-cancel" }, on: { click: cancel } }, t("Cancel")),
        el("button", { type: "submit", class: "button button-primary", data: { testid: "modal-send" } }, t("Send")))));
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
    const many = [RADIO, GROUP, CHECKBOX].includes(c.type) || ![TEXT_INPUT, FILE].includes(c.type) && (c.max_values ?? 1) > 1;
    const { node, values } = c.type === TEXT_INPUT ? text(c, id)
      : c.type === FILE ? files(c, id, this.#store)
      : many ? several(c, id, this.#store)
      : one(c, id, this.#store);
    this.#fields.push({ id: c.custom_id, values });
    const name = [label, c.required ? el("span", { class: "modal-required", title: t("Required") }, " *") : null];
    return el("div", { class: "modal-field", data: { modalField: c.custom_id } },
      many ? el("p", { class: "modal-label", id }, name) : el("label", { class: "modal-label", for: id }, name),
      description ? el("p", { class: "modal-description" }, description) : null, node);
  }

  async #send() {
    const error = this.#dialog.querySelector("[data-testid='modal-error']");
    const send = this.#dialog.querySelector("[data-testid='modal-send']");
    error.hidden = true;
    send.disabled = true;
    try {
      const fields = await Promise.all(this.#fields.map(async ({ id, values }) => ({ custom_id: id, values: await values() })));
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
const chosen = (c) => new Set((c.options ?? []).filter((o) => o.default).map((o) => o.value));

function one(c, id, store) {
  const start = chosen(c);
  const node = el("select", { id, class: "modal-input", "aria-required": c.required ? "true" : "false" },
    el("option", { value: "" }, c.placeholder || t("Make a choice")),
    choicesOf(c, store).map((o) => el("option", { value: o.value, selected: start.has(o.value) }, o.detail ? `${o.name} · ${o.detail}` : o.name)));
  return { node, values: () => (node.value ? [node.value] : []) };
}

/** several shows a menu with several values, a radio or checkbox group, or a single checkbox. */
function several(c, id, store) {
  const start = chosen(c);
  const choices = c.type === CHECKBOX ? [{ name: t("Yes"), value: "true" }]
    : [RADIO, GROUP].includes(c.type) ? c.options.map((o) => ({ name: o.label, value: o.value, detail: o.description }))
    : choicesOf(c, store).map(({ name, value }) => ({ name, value }));
  if (c.default) start.add("true");
  const type = c.type === RADIO ? "radio" : "checkbox";
  const boxes = choices.map((o) => ({ ...o, box: el("input", { type, name: `${id}-choice`, checked: start.has(o.value) }) }));
  const node = el("div", { class: "modal-choices", role: c.type === RADIO ? "radiogroup" : "group", "aria-labelledby": id },
    boxes.map(({ name, detail, box }) => el("label", { class: "modal-choice" }, box, detail ? `${name} · ${detail}` : name)));
  return { node, values: () => boxes.filter(({ box }) => box.checked).map(({ value }) => value) };
}

function files(c, id, store) {
  const node = el("input", {
    id, class: "modal-input", type: "file", multiple: c.max_values > 1, accept: api.accepted(c.file_types), "aria-required": c.required ? "true" : "false",
  });
  return { node, values: () => Promise.all([...node.files].map((file) => api.upload(store.me.id, file))) };
}
