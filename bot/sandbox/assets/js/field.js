// The field of a command's option: a pill with the option's name and an input.

import * as api from "./api.js";
import { avatar } from "./avatar.js";
import { ATTACHMENT, BOOLEAN, CHANNEL, check, INTEGER, matches, MENTIONABLE, NUMBER, ROLE, USER } from "./commands.js";
import { el, icon } from "./dom.js";
import { choicesOf } from "./select.js";
import { displayName } from "./state.js";
import { t } from "./texts.js";

export class Field {
  spec;
  input;
  node;
  #picked = null; // {name, value} of the picked suggestion
  #store;

  /** on: {focus, click, input, keydown, remove}, each called with the field first. */
  constructor(spec, store, on) {
    this.spec = spec;
    this.#store = store;
    const numeric = spec.type === INTEGER || spec.type === NUMBER;
    const file = spec.type === ATTACHMENT;
    this.input = el("input", {
      type: file ? "file" : "text",
      accept: file ? api.accepted(spec.file_types) : null,
      class: "field-input",
      id: `option-${spec.name}`,
      role: this.suggests ? "combobox" : null,
      "aria-autocomplete": this.suggests ? "list" : null,
      "aria-expanded": this.suggests ? "false" : null,
      "aria-required": spec.required ? "true" : "false",
      "aria-description": spec.description,
      inputmode: numeric && !spec.choices?.length ? (spec.min_value >= 0 && spec.type === INTEGER ? "numeric" : "text") : null,
      enterkeyhint: "send",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      size: "6",
      data: { testid: "option-input" },
      on: {
        focus: () => on.focus(this),
        click: () => on.click(this),
        input: () => {
          this.#picked = null;
          this.#fit();
          this.error(null);
          on.input(this);
        },
        change: () => file && this.#upload(),
        keydown: (event) => on.keydown(this, event),
      },
    });
    this.input.setAttribute("autocorrect", "off");
    this.node = el("div", {
      class: "field",
      data: { option: spec.name, type: spec.type, required: spec.required ? "true" : "false" },
    },
      el("label", { class: "field-name", for: this.input.id }, spec.name),
      this.input,
      spec.required ? null : el("button", {
        type: "button",
        class: "field-remove",
        "aria-label": t("Leave out {name}", { name: spec.name }),
        on: { click: () => on.remove(this) },
      }, icon("close")));
    this.node.addEventListener("click", (event) => {
      if (event.target === this.node) this.input.focus();
    });
  }

  get suggests() {
    const { spec } = this;
    return Boolean(spec.choices?.length || spec.autocomplete || [BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE].includes(spec.type));
  }

  get text() {
    return this.input.value;
  }

  /** #upload sends the chosen file, so that the option can name it. */
  async #upload() {
    const [file] = this.input.files;
    if (!file) return;
    try {
      const value = await api.upload(this.#store.me.id, file);
      if (this.input.files[0] !== file) return; // another one was chosen meanwhile
      this.#picked = { name: file.name, value };
      this.node.dataset.uploaded = "true";
    } catch (err) {
      this.error(err.message);
    }
  }

  set text(value) {
    if (this.input.type === "file") return; // the browser's alone to set
    this.input.value = value;
    this.#picked = null;
    this.#fit();
  }

  get picked() {
    return this.#picked;
  }

  /** pick chooses a suggestion and shows its name. */
  pick(item) {
    this.input.value = item.name;
    this.#fit();
    this.error(null);
    // For the bot's suggestions of a string option the shown name is sent, as
    // Discord's clients often do (discord-api-docs #4012, #4595, #7206). For
    // numbers, people, channels and fixed choices the value is sent.
    this.#picked = this.spec.autocomplete && ![INTEGER, NUMBER].includes(this.spec.type) ? null : { name: item.name, value: item.value };
    this.input.setSelectionRange(item.name.length, item.name.length);
    this.input.scrollLeft = this.input.scrollWidth;
  }

  #fit() {
    // Fallback for browsers without field-sizing.
    this.input.size = Math.min(Math.max(6, [...this.input.value].length + 1), 60);
  }

  /** check returns the option's value or an error. */
  check() {
    return check(this.spec, this.text, this.#picked, this.#store);
  }

  /** error marks the field as invalid or valid. */
  error(sentence) {
    this.node.dataset.invalid = sentence ? "true" : "false";
    if (sentence) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  /** localItems returns the suggestions for the typed text that do not come from the bot. */
  localItems() {
    const store = this.#store;
    // After a pick the whole list is offered again, for another choice.
    const typed = this.#picked ? "" : this.text;
    const { spec } = this;
    if (spec.choices?.length) {
      return matches(spec.choices, typed, (c) => [c.name]).map((c) => ({ name: c.name, value: c.value }));
    }
    switch (spec.type) {
      case BOOLEAN:
        return matches([{ name: "True", value: true }, { name: "False", value: false }], typed, (c) => [c.name]);
      case USER:
      case MENTIONABLE: {
        // The user themselves comes last.
        const others = store.users.filter((u) => u.id !== store.me.id);
        const everybody = [...others, store.application?.user, store.me].filter(Boolean);
        return matches(everybody, typed.replace(/^@/, ""), (u) => [displayName(u), u.username]).map((u) => ({
          name: displayName(u),
          value: u.id,
          detail: u.id === store.me.id ? t("{name} · you", { name: u.username }) : u.username,
          lead: avatar(u, "small"),
        }));
      }
      case CHANNEL: {
        const allowed = store.guild.channels.filter((c) => !spec.channel_types?.length || spec.channel_types.includes(c.type ?? 0));
        return matches(allowed, typed.replace(/^#/, ""), (c) => [c.name]).map((c) => ({ name: store.label(c), value: c.id }));
      }
      case ROLE:
        return matches(choicesOf({ type: 6 }, store), typed.replace(/^@/, ""), (r) => [r.name.replace(/^@/, "")]);
      default:
        return [];
    }
  }
}
