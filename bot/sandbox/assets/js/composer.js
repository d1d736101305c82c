// The composer: plain text, the list of commands after a slash, and the form of
// a command.

import * as api from "./api.js";
import { CommandForm } from "./commandform.js";
import { entries, matches, typedOut } from "./commands.js";
import { el, icon } from "./dom.js";
import { Listbox } from "./listbox.js";
import { displayName } from "./state.js";
import { t } from "./texts.js";

export class Composer {
  #root;
  #store;
  #interactions;
  #entries = [];
  #form = null; // the CommandForm, in command mode
  #list;
  #text;
  #slot;
  #hint; // what the placeholder says
  #error;
  #send;
  #about; // the message that the text replies to or edits
  #busy = false;

  constructor(root, store, interactions) {
    this.#root = root;
    this.#store = store;
    this.#interactions = interactions;

    const popup = el("div", { class: "composer-popup", data: { testid: "suggestions" } });
    this.#list = new Listbox(popup, (item) => this.#pick(item));
    this.#error = el("p", { class: "composer-error", role: "alert", hidden: true, data: { testid: "composer-error" } });
    this.#text = el("textarea", {
      class: "composer-text",
      id: "composer-input",
      rows: "1",
      maxlength: "2000",
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      enterkeyhint: "send",
      data: { testid: "composer" },
      on: {
        input: () => this.#typed(),
        keydown: (event) => this.#key(event),
        focus: () => this.#offer(),
      },
    });
    // A placeholder gets no ellipsis in Chromium, so its text stands beneath.
    this.#hint = el("span", { class: "composer-hint", "aria-hidden": "true" });
    this.#slot = el("div", { class: "composer-slot" }, this.#text, this.#hint);
    this.#send = el("button", { type: "submit", class: "icon-button composer-send", "aria-label": t("Send"), data: { testid: "send" } }, icon("send"));
    const slash = el("button", {
      type: "button",
      class: "icon-button composer-slash",
      "aria-label": t("Show the commands"),
      on: { click: () => this.#slash() },
    }, icon("slash"));
    // A tap on a button of the composer must not close the phone's keyboard.
    for (const button of [this.#send, slash]) button.addEventListener("mousedown", (event) => event.preventDefault());
    this.#about = el("p", { class: "composer-about", hidden: true, data: { testid: "answering" } });
    root.append(popup, this.#error, this.#about, el("div", { class: "composer-box" }, slash, this.#slot, this.#send));

    root.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    root.addEventListener("focusout", (event) => {
      if (!root.contains(event.relatedTarget)) this.#list.hide();
    });
    this.#swallowEnter();
    store.on("loaded", () => this.#reload());
    store.on("commands", () => this.#reload());
    store.on("channel", () => this.#place());
    store.on("answering", () => this.#answering());
  }

  /**
   * #swallowEnter ignores the key press after a handled key down: the focus may
   * have moved to a field where it would submit the form or break the line.
   */
  #swallowEnter() {
    let handled = false;
    this.#root.addEventListener("keydown", (event) => {
      if (event.key === "Enter") handled = event.defaultPrevented;
    });
    this.#root.addEventListener("keypress", (event) => {
      if (event.key === "Enter" && handled) event.preventDefault();
    });
    this.#root.addEventListener("keyup", () => {
      handled = false;
    });
  }

  #reload() {
    this.#entries = entries(this.#store.commands);
    this.#place();
  }

  #place() {
    const channel = this.#store.channelInfo();
    const hint = channel ? t("Message {channel}", { channel: this.#store.label(channel) }) : t("Message");
    this.#text.placeholder = this.#hint.textContent = hint;
    this.#text.setAttribute("aria-label", hint);
    this.#root.dataset.mode = this.#form ? "command" : "text";
  }

  /** #answering shows what the text replies to or edits. */
  #answering() {
    const { answering } = this.#store;
    this.#about.hidden = !answering;
    if (!answering) return;
    const name = displayName(this.#store.person(answering.message.author.id) ?? answering.message.author);
    this.#about.replaceChildren(el("span", {}, answering.edit ? t("Editing your message") : t("Replying to {name}", { name })),
      el("button", { type: "button", class: "text-button", data: { testid: "answer-cancel" }, on: { click: () => this.#drop() } }, t("Cancel")));
    if (this.#form) this.leaveCommand();
    if (answering.edit) this.#text.value = answering.message.content;
    this.#grow();
    this.#text.focus();
  }

  #drop() {
    if (this.#store.answering?.edit) this.#text.value = "";
    this.#store.answer(null);
    this.#grow();
    this.#text.focus();
  }

  /** say shows an error. */
  say(sentence) {
    this.#say(sentence);
  }

  /** leaveCommand returns to plain text, for another person. */
  leaveCommand(text = "") {
    this.#form?.close();
    this.#form = null;
    this.#list.hide();
    this.#say(null);
    this.#slot.replaceChildren(this.#text, this.#hint);
    this.#text.value = text;
    this.#grow();
    this.#place();
  }

  /** begin opens the form of a command, or the list of its subcommands. */
  begin(name) {
    const entry = this.#entries.find((e) => e.name === name);
    if (entry) {
      this.#command(entry);
      return;
    }
    this.leaveCommand(`/${name}`);
    this.#text.focus();
    this.#offer();
  }

  #command(entry, rest = "") {
    this.#form?.close();
    this.#list.hide();
    this.#say(null);
    this.#text.value = "";
    this.#form = new CommandForm(entry, rest, this.#store, this.#list, {
      leave: () => {
        this.leaveCommand();
        this.#text.focus();
      },
      submit: () => this.#submit(),
      error: (sentence) => this.#say(sentence),
    });
    this.#slot.replaceChildren(this.#form.node);
    this.#place();
    this.#form.start();
  }

  #slash() {
    if (this.#form) this.leaveCommand();
    if (!this.#text.value.startsWith("/")) this.#text.value = `/${this.#text.value}`;
    this.#text.focus();
    this.#typed();
  }

  #typed() {
    this.#say(null);
    this.#grow();
    const text = this.#text.value;
    const full = text.startsWith("/") ? typedOut(this.#entries, text) : null;
    if (full) {
      this.#command(full.entry, full.rest);
      return;
    }
    this.#offer();
  }

  /** #offer lists the commands that match the text after the slash. */
  #offer() {
    const text = this.#text.value;
    if (!/^\/[^\n]*$/.test(text)) {
      this.#list.hide();
      return;
    }
    const bot = this.#store.application?.user;
    const items = matches(this.#entries, text.slice(1), (e) => [e.name]).map((entry) => ({
      name: `/${entry.name}`,
      value: entry.name,
      detail: entry.description,
      hint: bot?.global_name || bot?.username,
      entry,
    }));
    let note = null;
    if (items.length === 0) {
      note = this.#entries.length === 0 ? t("There are no commands: no bot has registered any.") : t("No command is called {name}.", { name: text });
    }
    this.#list.show(this.#text, { title: t("Commands"), items, active: 0, note });
  }

  #pick(item) {
    if (item.entry) this.#command(item.entry);
    else this.#form?.pick(item);
  }

  #key(event) {
    if (this.#list.key(event) || event.isComposing) return;
    if (event.key === "Escape" && this.#store.answering) this.#drop();
    else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#submit();
    }
  }

  async #submit() {
    if (this.#busy) return;
    this.#busy = true;
    this.#send.disabled = true;
    try {
      if (this.#form) await this.#submitCommand();
      else await this.#submitText();
    } catch (err) {
      this.#say(err.message);
    } finally {
      this.#busy = false;
      this.#send.disabled = false;
    }
  }

  async #submitCommand() {
    const form = this.#form;
    const body = form.body();
    if (!body) return;
    this.#list.hide();
    await this.#interactions.command(this.#store.channel, form.entry.name, body);
    // The person may have moved on meanwhile.
    if (this.#form !== form) return;
    const focused = this.#root.contains(document.activeElement);
    this.leaveCommand();
    if (focused) this.#text.focus();
  }

  async #submitText() {
    const content = this.#text.value.trim();
    if (content === "") return;
    if (content.startsWith("/")) {
      this.#say(t("There is no command {name}. Type / to see them all.", { name: content.split(/\s/)[0] }));
      return;
    }
    this.#list.hide();
    this.#text.value = "";
    this.#grow();
    const { answering, me, channel } = this.#store;
    try {
      if (answering?.edit) await api.change(me.id, "edit", answering.message, { content });
      else await api.sendMessage(me.id, { channel_id: channel, content, message_id: answering?.message.id });
      this.#store.answer(null);
    } catch (err) {
      if (this.#text.value === "") this.#text.value = content;
      this.#grow();
      throw err;
    }
  }

  #grow() {
    this.#text.rows = Math.min(6, this.#text.value.split("\n").length);
  }

  #say(sentence) {
    this.#error.hidden = !sentence;
    this.#error.textContent = sentence ?? "";
  }
}
