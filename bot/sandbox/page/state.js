// What the page knows, as seen by the user it is. Views read the fields and
// listen for topics; only this module and interactions.js change anything.
//
// Topics: "loaded" (everything is new), "message" {channel, id}, "marks",
// "commands", "online", "faults", "connection", "channel" (another channel is shown),
// "interactions".

export const FLAG_EPHEMERAL = 1 << 6;
export const FLAG_LOADING = 1 << 7;
export const FLAG_COMPONENTS_V2 = 1 << 15;

/** compareIds orders snowflakes, which are decimal numbers too large for a double. */
export function compareIds(a, b) {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** displayName is how a person is called in the server. */
export function displayName(user) {
  return user?.nick || user?.global_name || user?.username || "Unknown person";
}

const DISMISSED = "sandbox-dismissed";

export class Store extends EventTarget {
  me = null;
  users = [];
  guild = { id: "", name: "Sandbox", channels: [] };
  application = null;
  commands = [];
  online = true;
  installed = true; // the bot is in the server
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

  /** load replaces everything by the server's state. */
  load(state) {
    this.me = state.me;
    this.users = state.users ?? [];
    this.guild = state.guild;
    this.application = state.application;
    this.commands = state.commands ?? [];
    this.online = state.online;
    this.installed = state.installed;
    this.channels = new Map();
    for (const { id } of this.guild.channels) {
      const got = state.channels?.[id] ?? {};
      const messages = new Map((got.messages ?? []).map((m) => [m.id, m]));
      this.channels.set(id, { messages, mentions: got.mentions ?? 0, unread: Boolean(got.unread) });
    }
    if (!this.channels.has(this.channel)) this.channel = this.guild.channels[0]?.id ?? "";
    this.setMarks(this.me.id, marksOf(state));
    this.emit("loaded");
  }

  /** apply takes in one event of the server's stream. */
  apply(event) {
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
        if (!channel) return;
        channel.mentions = event.mentions;
        channel.unread = event.unread;
        this.#marksFor(this.me.id).set(event.channel_id, event.mentions);
        this.emit("marks");
        return;
      case "commands":
        this.commands = event.commands ?? [];
        this.emit("commands");
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
    this.channel = channel;
    this.emit("channel");
  }

  setConnection(connection) {
    if (connection === this.connection) return;
    this.connection = connection;
    this.emit("connection");
  }

  #marksFor(user) {
    if (!this.marks.has(user)) this.marks.set(user, new Map());
    return this.marks.get(user);
  }

  /** setMarks notes the server's mention counts of one user. */
  setMarks(user, counts) {
    const old = this.marks.get(user);
    this.marks.set(user, counts);
    if (!old || [...counts].some(([channel, n]) => old.get(channel) !== n)) this.emit("marks");
  }

  /** mentions is the number of a user's notifications over all channels. */
  mentions(user) {
    let sum = 0;
    for (const n of this.marks.get(user)?.values() ?? []) sum += n;
    return sum;
  }

  /** messages lists what is shown in a channel, oldest first. */
  messages(channel = this.channel) {
    const all = [...(this.channels.get(channel)?.messages.values() ?? [])];
    return all.filter((m) => !this.#dismissed.has(m.id)).sort((a, b) => compareIds(a.id, b.id));
  }

  /** dismiss hides a private answer in this window, as Discord's clients do. */
  dismiss(channel, id) {
    this.#dismissed.add(id);
    sessionStorage.setItem(DISMISSED, JSON.stringify([...this.#dismissed].slice(-500)));
    this.emit("message", { channel, id });
  }

  /** person finds a user or the bot by id. */
  person(id) {
    if (this.application?.user?.id === id) return this.application.user;
    return this.users.find((u) => u.id === id) ?? null;
  }

  channelInfo(id = this.channel) {
    return this.guild.channels.find((c) => c.id === id) ?? null;
  }
}

/** marksOf reads one user's mention counts from a state. */
export function marksOf(state) {
  return new Map(Object.entries(state.channels ?? {}).map(([id, c]) => [id, c.mentions ?? 0]));
}
