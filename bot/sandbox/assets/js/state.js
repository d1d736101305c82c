// The state of the page for the current user. Views read the fields and listen
// for topics; only this module and interactions.js change them.
//
// Topics: "loaded" (everything has changed), "message" {channel, id}, "marks",
// "commands", "online", "faults", "wire", "connection", "channel" (another
// channel is shown), "interactions", "modal" {id, modal}, "answering" (the message
// that is replied to or edited has changed), "time".

import { loadCommands } from "./api.js";
import { t } from "./texts.js";
import { setClock } from "./time.js";

/** DIRECT is the id of direct messages in the list of guilds. */
export const DIRECT = "@me";

export const DM = 1, PUBLIC_THREAD = 11, PRIVATE_THREAD = 12;

/** isThread reports whether a channel is a thread. */
export const isThread = (channel) => channel?.type === PUBLIC_THREAD || channel?.type === PRIVATE_THREAD;

export const FLAG_EPHEMERAL = 1 << 6;
export const FLAG_LOADING = 1 << 7;
export const FLAG_COMPONENTS_V2 = 1 << 15;

/** compareIds orders snowflakes, which are decimal numbers too large for a double. */
export function compareIds(a, b) {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** displayName returns a person's name in the server. */
export function displayName(user) {
  return user?.nick || user?.global_name || user?.username || t("Unknown person");
}

const DISMISSED = "sandbox-dismissed";

export class Store extends EventTarget {
  me = null;
  users = [];
  guilds = []; // {id, name, channels (threads below theirs), installed, members, roles}
  direct = []; // direct messages, as channels
  application = null;
  others = []; // servers that the user is not in: {id, name}
  time = { move: false, next: false }; // whether the clock can be moved, and to what is due next
  answering = null; // {message, edit} that the next text replies to, or edits
  version = 0; // of the latest event or state
  #commands = {}; // ids of each server's by its id, of direct messages by their channel's
  #known = { key: "", byId: new Map() }; // all commands in a language
  online = true;
  connection = "connecting"; // "live", "lost"
  channel = ""; // the id of the channel that is shown
  channels = new Map(); // id → {messages: Map id → message, mentions, unread}
  marks = new Map(); // user id → Map channel id → number of mentions
  #dismissed = new Set(JSON.parse(sessionStorage.getItem(DISMISSED) ?? "[]"));

  on(topic, fn) {
    this.addEventListener(topic, (event) => fn(event.detail));
  }

  emit(topic, detail) {
    this.dispatchEvent(new CustomEvent(topic, { detail }));
  }

  /** load replaces the whole state. */
  load(state) {
    this.me = state.me;
    this.users = state.users ?? [];
    this.guilds = state.guilds ?? [];
    this.direct = state.direct ?? [];
    this.application = state.application;
    this.others = state.others ?? [];
    this.time = state.time ?? this.time;
    this.version = state.version;
    this.answering = null;
    setClock(state.now, this.me.locale);
    this.#learn(state.commands);
    this.online = state.online;
    this.channels = new Map();
    for (const { id } of [...this.guilds.flatMap((g) => g.channels), ...this.direct]) {
      const got = state.channels?.[id] ?? {};
      const messages = new Map((got.messages ?? []).map((m) => [m.id, m]));
      this.channels.set(id, { messages, mentions: got.mentions ?? 0, unread: Boolean(got.unread) });
    }
    if (!this.channels.has(this.channel)) this.channel = this.guilds.find((g) => g.channels.length)?.channels[0].id ?? "";
    this.marks = new Map(Object.entries(state.marks ?? {}).map(([user, counts]) => [user, new Map(Object.entries(counts))]));
    this.emit("loaded");
  }

  /** #learn sets which commands are where, and fetches those that are not known in this language. */
  async #learn({ version, places }) {
    this.#commands = places ?? {};
    const key = `${version} ${this.me.locale}`;
    if (this.#known.key !== key) {
      let all;
      try {
        all = await loadCommands(this.me.locale);
      } catch {
        return; // the banner of the connection shows it
      }
      this.#known = { key, byId: new Map(all.map((c) => [c.id, c])) };
    }
    this.emit("commands");
  }

  /** apply handles an event of the stream. */
  apply(event) {
    this.version = event.version;
    const channel = this.channels.get(event.channel_id);
    switch (event.type) {
      case "message":
        if (!channel) return;
        channel.messages.set(event.message.id, event.message);
        this.emit("message", { channel: event.channel_id, id: event.message.id });
        return;
      case "message_delete":
        if (!channel) return;
        channel.messages.delete(event.id);
        this.emit("message", { channel: event.channel_id, id: event.id });
        return;
      case "channel":
        if (!this.marks.has(event.user_id)) this.marks.set(event.user_id, new Map());
        this.marks.get(event.user_id).set(event.channel_id, event.mentions);
        if (channel && event.user_id === this.me.id) {
          channel.mentions = event.mentions;
          channel.unread = event.unread;
        }
        this.emit("marks");
        return;
      case "commands":
        this.#learn(event.commands);
        return;
      case "time":
        setClock(event.now, this.me.locale);
        this.emit("time");
        return;
      case "wire":
        this.emit("wire");
        return;
      case "online":
        this.online = event.online;
        this.emit("online");
        return;
      case "faults":
        this.emit("faults");
        return;
    }
  }

  show(channel) {
    if (!this.channels.has(channel) || channel === this.channel) return;
    const before = this.guild.id;
    this.channel = channel;
    this.answer(null);
    this.emit("channel");
    if (this.guild.id !== before || before === DIRECT) this.emit("commands");
  }

  /** guild returns the current server, or that of direct messages. */
  get guild() {
    const direct = { id: DIRECT, name: "", channels: this.direct, installed: true, members: null, roles: [] };
    if (this.direct.some((c) => c.id === this.channel)) return direct;
    return this.guilds.find((g) => g.channels.some((c) => c.id === this.channel)) ?? this.guilds[0] ?? direct;
  }

  /** commands lists the commands of every type that the user may use here. */
  get commands() {
    const { id } = this.guild;
    return (this.#commands[id === DIRECT ? this.channel : id] ?? []).map((c) => this.#known.byId.get(c)).filter(Boolean);
  }

  /** installed reports whether the bot is installed here, in the server or for the user. */
  get installed() {
    return this.guild.installed || Boolean(this.application?.installed);
  }

  /** marksIn adds up the notifications of channels. */
  marksIn(channels) {
    const sum = { mentions: 0, unread: false };
    for (const { id } of channels) {
      const state = this.channels.get(id);
      sum.mentions += state?.mentions ?? 0;
      sum.unread ||= Boolean(state?.unread);
    }
    return sum;
  }

  /** nameOf returns a channel's name; for direct messages, that of the other person. */
  nameOf(channel) {
    return channel?.type === DM ? displayName(this.person(channel.recipient_id)) : channel?.name ?? "";
  }

  /** label returns a channel's name with its prefix. */
  label(channel) {
    return channel?.type === DM ? `@${this.nameOf(channel)}` : isThread(channel) ? this.nameOf(channel) : `#${this.nameOf(channel)}`;
  }

  setConnection(connection) {
    if (connection === this.connection) return;
    this.connection = connection;
    this.emit("connection");
  }

  /** answer chooses the message that the next text replies to or edits, or none. */
  answer(message, edit = false) {
    this.answering = message && { message, edit };
    this.emit("answering");
  }

  /** mentions returns the number of a user's notifications in all channels. */
  mentions(user) {
    let sum = 0;
    for (const n of this.marks.get(user)?.values() ?? []) sum += n;
    return sum;
  }

  /** messages lists the visible messages of a channel, oldest first. */
  messages(channel = this.channel) {
    const all = [...(this.channels.get(channel)?.messages.values() ?? [])];
    return all.filter((m) => !this.#dismissed.has(m.id)).sort((a, b) => compareIds(a.id, b.id));
  }

  /** dismiss hides an ephemeral message in this window, as Discord's clients do. */
  dismiss(channel, id) {
    this.#dismissed.add(id);
    sessionStorage.setItem(DISMISSED, JSON.stringify([...this.#dismissed].slice(-500)));
    this.emit("message", { channel, id });
  }

  /** person returns a user or the bot by id. */
  person(id) {
    if (this.application?.user?.id === id) return this.application.user;
    return this.users.find((u) => u.id === id) ?? null;
  }

  channelInfo(id = this.channel) {
    for (const { channels } of [...this.guilds, { channels: this.direct }]) {
      const found = channels.find((c) => c.id === id);
      if (found) return found;
    }
    return null;
  }
}
