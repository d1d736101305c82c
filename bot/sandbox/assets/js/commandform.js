// The form of a command: its name, a field for each chosen option, and the
// search for further options.

import { Autocomplete } from "./autocomplete.js";
import { ATTACHMENT, INTEGER, matches, payload } from "./commands.js";
import { el, icon } from "./dom.js";
import { Field } from "./field.js";
import { t } from "./texts.js";

export class CommandForm {
  node;
  entry;
  #store;
  #list;
  #on;
  #fields = [];
  #finder;
  #autocomplete;
  #current = null; // the focused field

  /** on: {leave(), submit(), error(sentence or null)}; rest is the text typed after the name. */
  constructor(entry, rest, store, list, on) {
    this.entry = entry;
    this.#store = store;
    this.#list = list;
    this.#on = on;
    this.#autocomplete = new Autocomplete(() => this.#list.open && this.#suggest());
    this.#finder = el("input", {
      type: "text",
      class: "field-input finder",
      role: "combobox",
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      "aria-label": t("Add an option"),
      enterkeyhint: "send",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      data: { testid: "more-options" },
      on: {
        focus: () => {
          this.#current = null;
          this.#offer();
        },
        click: () => this.#offer(),
        input: () => {
          on.error(null);
          this.#offer();
        },
        keydown: (event) => this.#finderKey(event),
      },
    });
    this.node = el("div", { class: "command-form", data: { testid: "command-form", command: entry.name } },
      el("span", { class: "command-name" }, `/${entry.name}`),
      el("button", { type: "button", class: "field-remove command-leave", "aria-label": t("Leave the command"), on: { click: () => on.leave() } }, icon("close")),
      this.#finder);
    for (const spec of entry.options.filter((o) => o.required)) this.#add(spec);
    this.#label();
    if (rest && this.#fields.length === 0 && entry.options.length > 0) this.#add(entry.options[0]);
    if (rest && this.#fields.length > 0) this.#fields[0].text = rest;
  }

  /** start focuses the first field. */
  start() {
    const first = this.#fields[0];
    if (!first) return this.#finder.focus();
    first.input.focus();
    if (first.input.type === "text") first.input.setSelectionRange(first.text.length, first.text.length);
  }

  /** close stops requesting suggestions. */
  close() {
    this.#autocomplete.reset();
    this.#list.hide();
  }

  #left() {
    const taken = new Set(this.#fields.map((f) => f.spec.name));
    return this.entry.options.filter((o) => !taken.has(o.name));
  }

  #label() {
    const n = this.#left().length;
    const more = n === 0 ? "" : n === 1 ? t("+1 more option") : t("+{n} more options", { n });
    this.#finder.placeholder = more;
    // Without fields the form takes the focus, so that Enter sends.
    this.#finder.hidden = n === 0 && this.#fields.length > 0;
    this.#finder.readOnly = n === 0;
    this.#finder.size = Math.max(4, this.#finder.placeholder.length);
    this.#finder.dataset.left = n;
    this.#finder.setAttribute("aria-label", n === 0 ? t("/{name}, press Enter to send", { name: this.entry.name }) : t("Add an option"));
  }

  #add(spec) {
    const field = new Field(spec, this.#store, {
      focus: (f) => {
        if (this.#current !== f) this.#autocomplete.reset();
        this.#current = f;
        this.#suggest(true);
      },
      click: () => this.#list.open || this.#suggest(true),
      input: () => {
        this.#on.error(null);
        this.#suggest();
      },
      keydown: (f, event) => this.#fieldKey(f, event),
      remove: (f) => this.#remove(f),
    });
    this.#fields.push(field);
    this.#finder.before(field.node);
    this.#label();
    return field;
  }

  #remove(field) {
    const index = this.#fields.indexOf(field);
    this.#fields.splice(index, 1);
    field.node.remove();
    this.#label();
    this.#on.error(null);
    const before = this.#fields[index - 1];
    if (before) before.input.focus();
    else this.#finder.focus();
  }

  #fieldKey(field, event) {
    if (this.#list.key(event)) return;
    if (event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      this.#on.submit();
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.#on.leave();
    } else if (event.key === "Backspace" && field.text === "") {
      event.preventDefault();
      if (!field.spec.required) this.#remove(field);
      else if (field === this.#fields[0]) this.#on.leave();
      else this.#fields[this.#fields.indexOf(field) - 1].input.focus();
    } else if (event.key === "ArrowDown" && !this.#list.open) {
      event.preventDefault();
      this.#suggest(true);
    }
  }

  #finderKey(event) {
    if (this.#list.key(event)) return;
    if (event.isComposing) return;
    const number = /^\d+$/.test(this.#finder.value.trim()) && this.#left().find((o) => o.type === INTEGER && !o.choices?.length);
    if (event.key === "Enter" && number) { // "/board 12": the number is an option's value, not its name
      event.preventDefault();
      const field = this.#add(number);
      field.text = this.#finder.value.trim();
      this.#finder.value = "";
      field.input.focus();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.#on.submit();
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.#on.leave();
    } else if (event.key === "Backspace" && this.#finder.value === "") {
      event.preventDefault();
      const last = this.#fields.at(-1);
      if (last) last.input.focus();
      else this.#on.leave();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.#offer(0);
    }
  }

  /** #offer lists the remaining options. None is highlighted before the person types, so that Enter sends. */
  #offer(active = this.#finder.value ? 0 : -1) {
    const left = this.#left();
    if (left.length === 0) {
      this.#list.hide();
      return;
    }
    const items = matches(left, this.#finder.value, (o) => [o.name]).map((spec) => ({
      name: spec.name, value: spec.name, detail: spec.description, spec,
    }));
    this.#list.show(this.#finder, {
      title: t("More options"),
      detail: t("Leave them out, or choose one to fill in."),
      items,
      active,
      note: items.length === 0 ? t("No option has that name.") : null,
    });
  }

  /** #suggest shows the current field's description and suggestions. */
  #suggest(fresh = false) {
    const field = this.#current;
    if (!field || !field.node.isConnected) return;
    const { spec } = field;
    if (spec.type === ATTACHMENT) {
      this.#list.hide();
      return;
    }
    const head = { title: spec.name, detail: spec.description + range(spec) };
    if (!spec.autocomplete) {
      const items = field.localItems();
      const active = items.length > 0 && field.text !== "" ? 0 : -1;
      const note = field.suggests && items.length === 0 ? (field.text ? t("Nothing fits what is typed.") : t("There is nothing to choose from.")) : null;
      this.#list.show(field.input, { ...head, items, active, note });
      return;
    }
    const key = `${spec.name}\n${field.text}`;
    this.#autocomplete.ask(this.#store.me.id, key, { channel_id: this.#store.channel, ...payload(this.entry, this.#values(field)) }, fresh);
    const { busy, choices, error } = this.#autocomplete.state;
    const items = choices.map((c) => ({ name: c.name, value: c.value }));
    this.#list.show(field.input, {
      ...head,
      items,
      // Enter must pick neither from an outdated list, which belongs to another
      // text, nor what nobody has typed or moved to.
      active: !busy && items.length > 0 && field.text !== "" ? 0 : -1,
      busy,
      note: error ? t("No suggestions: {reason}", { reason: error }) : busy && items.length === 0 ? t("Asking the bot…") : !busy && items.length === 0 ? t("The bot has no suggestion for this.") : null,
    });
  }

  /** #values returns the valid options, with the focused one for autocomplete. */
  #values(focused = null) {
    const options = [];
    for (const field of this.#fields) {
      const { name, type } = field.spec;
      if (field === focused) {
        options.push({ name, type, value: field.text, focused: true });
        continue;
      }
      const { value } = field.check();
      if (value !== undefined) options.push({ name, type, value });
    }
    return options;
  }

  /** pick chooses an item of the open list. */
  pick(item) {
    if (item.spec) {
      this.#finder.value = "";
      this.#add(item.spec).input.focus();
      return;
    }
    const field = this.#current;
    if (!field) return;
    field.pick(item);
    this.#on.error(null);
    this.#autocomplete.reset();
    this.#list.hide();
    const next = this.#fields.find((f) => f !== field && f.spec.required && f.text.trim() === "");
    if (next) next.input.focus();
    // A text with autocomplete may continue; other fields are finished.
    else if (!field.spec.autocomplete && !this.#finder.hidden) this.#finder.focus();
  }

  /** body returns the request, or null after showing an error. */
  body() {
    // An early client dropped such text and sent the rest (discord-api-docs
    // #2626): nobody wants that, so nothing is sent.
    const loose = this.#finder.value.trim();
    if (loose !== "") {
      this.#finder.focus();
      this.#on.error(t("No option is called “{text}”. Choose one of the list, or delete it.", { text: loose }));
      return null;
    }
    let first = null;
    for (const field of this.#fields) {
      const { error } = field.check();
      field.error(error ?? null);
      if (error && !first) first = { field, error };
    }
    if (first) {
      this.#list.hide();
      first.field.input.focus();
      this.#on.error(first.error);
      return null;
    }
    return payload(this.entry, this.#values());
  }
}

/** range describes the limits of a number or text. */
function range(spec) {
  const { min_value: min, max_value: max, min_length: shortest, max_length: longest } = spec;
  if (spec.choices?.length) return "";
  if (min !== undefined && max !== undefined) return ` (${t("{min} to {max}", { min, max })})`;
  if (min !== undefined) return ` (${t("at least {n}", { n: min })})`;
  if (max !== undefined) return ` (${t("at most {n}", { n: max })})`;
  if (shortest) return ` (${t("at least {n} characters", { n: shortest })})`;
  if (longest && longest < 100) return ` (${t("at most {n} characters", { n: longest })})`;
  return "";
}
