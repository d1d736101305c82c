// Interactions without an answer yet, and failed ones. The outcome may arrive
// before the server's 202, so early outcomes are kept too.

import * as api from "./api.js";
import { t } from "./texts.js";

export class Interactions {
  #store;
  #sent = new Map(); // id → {kind, channel, message?, customId?, label?, failed?}
  #seen = new Set(); // ids that this window has sent: their modals open here
  #modals = new Map(); // modals of ids that are not known yet
  #early = new Map(); // outcomes of ids that are not known yet
  #failures = new Map(); // message id → sentence

  constructor(store) {
    this.#store = store;
  }

  /** command sends a slash command; it throws the server's error. */
  async command(channel, label, body) {
    const user = this.#store.me.id;
    const id = await api.sendCommand(user, { channel_id: channel, ...body });
    this.#track(id, { kind: "command", user, channel, label });
  }

  /** menuCommand sends a command of a context menu; it throws the server's error. */
  async menuCommand(channel, command, target) {
    const user = this.#store.me.id;
    const id = await api.sendCommand(user, { channel_id: channel, type: command.type, name: command.name, target_id: target });
    this.#track(id, { kind: "command", user, channel, label: command.name });
  }

  /** modal sends a modal; it throws the server's error. */
  async modal(opener, fields, name) {
    const user = this.#store.me.id;
    const id = await api.submitModal(user, opener, fields);
    this.#track(id, { kind: "command", user, channel: this.#store.channel, label: name });
  }

  /** component presses a button or submits a select's values. */
  async component(message, component, values) {
    const user = this.#store.me.id;
    const key = `local-${message.id}`;
    const entry = { kind: "component", user, channel: message.channel_id, message: message.id, customId: component.custom_id };
    this.#failures.delete(message.id);
    this.#sent.set(key, entry);
    this.#changed(entry);
    try {
      const id = await api.sendComponent(user, {
        channel_id: message.channel_id,
        message_id: message.id,
        custom_id: component.custom_id,
        component_type: component.type,
        ...(values ? { values } : {}),
      });
      this.#sent.delete(key);
      this.#track(id, entry);
    } catch (err) {
      this.#sent.delete(key);
      this.#failures.set(message.id, err.message);
    }
    this.#changed(entry);
  }

  #track(id, entry) {
    this.#seen.add(id);
    const modal = this.#modals.get(id);
    this.#modals.delete(id);
    if (modal) this.#store.emit("modal", { id, modal });
    this.#sent.set(id, entry);
    const early = this.#early.get(id);
    this.#early.delete(id);
    if (early) this.apply({ id, state: early });
    else this.#changed(entry);
  }

  /** apply handles an interaction event of the stream. */
  apply({ id, state, modal }) {
    if (modal && this.#seen.has(id)) this.#store.emit("modal", { id, modal });
    else if (modal) this.#modals.set(id, modal);
    const entry = this.#sent.get(id);
    if (!entry) {
      this.#early.set(id, state);
      if (this.#early.size > 100) this.#early.delete(this.#early.keys().next().value);
      return;
    }
    if (state === "waiting") return;
    if (state === "failed" && entry.kind === "component") {
      this.#failures.set(entry.message, t("This interaction failed."));
      this.#sent.delete(id);
    } else if (state === "failed") {
      entry.failed = true;
    } else {
      this.#sent.delete(id);
    }
    this.#changed(entry);
  }

  /** reset drops everything, for another user or after missed events. */
  reset() {
    this.#sent.clear();
    this.#early.clear();
    this.#modals.clear();
    this.#failures.clear();
    this.#store.emit("interactions", {});
  }

  #changed(entry) {
    this.#store.emit("interactions", { channel: entry.channel, message: entry.message });
  }

  /** pending returns the custom id of a message's component without an answer yet. */
  pending(message) {
    for (const entry of this.#sent.values()) {
      if (entry.kind === "component" && entry.message === message) return entry.customId;
    }
    return null;
  }

  /** failure returns why a message's last component failed, or null. */
  failure(message) {
    return this.#failures.get(message) ?? null;
  }

  /** outbox lists the commands of a channel that have no message yet. */
  outbox(channel) {
    return [...this.#sent].filter(([, e]) => e.kind === "command" && e.channel === channel).map(([id, e]) => ({ id, ...e }));
  }

  /** fail shows an error at a message. */
  fail(message, sentence) {
    this.#failures.set(message, sentence);
    this.#changed({ channel: this.#store.channel, message });
  }

  /** drop removes a command that was answered or dismissed. */
  drop(id) {
    const entry = this.#sent.get(id);
    if (entry && this.#sent.delete(id)) this.#changed(entry);
  }
}
