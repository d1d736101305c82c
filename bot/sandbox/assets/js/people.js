// The sidebar: servers, channels with their threads and notifications, direct
// messages, and the users to choose from.

import { avatar } from "./avatar.js";
import { el, icon } from "./dom.js";
import { DIRECT, displayName, DM, isThread } from "./state.js";
import { t } from "./texts.js";

/** badge returns a number of notifications, or nothing. */
function badge(n) {
  if (!n) return null;
  return el("span", { class: "badge", data: { testid: "badge" } }, n > 99 ? "99+" : String(n), el("span", { class: "sr" }, ` ${n === 1 ? t("notification") : t("notifications")}`));
}

// The languages that a person's client can have: those of the page, and some in which it is in English.
const locales = ["en-US", "de", "fr", "es-ES", "pt-BR", "ja"];
const others = ["da", "it", "ko", "nl", "pl", "ru", "sv-SE", "tr", "uk", "zh-CN"];

/** languageName returns the name of a language in that language. */
function languageName(locale) {
  const name = new Intl.DisplayNames([locale], { type: "language" }).of(locale);
  return name[0].toLocaleUpperCase(locale) + name.slice(1);
}

/** initials returns the initials of a server's name without articles. */
function initials(name) {
  const words = name.split(/\s+/).filter(Boolean);
  const telling = words.filter((w) => !/^the$/i.test(w));
  return (telling.length ? telling : words).slice(0, 2).map((w) => [...w][0].toLocaleUpperCase()).join("");
}

/** Sidebar draws the lists. on: {channel(id), user(id), direct(userID), member(guildID, joins), language(locale)}. */
export class Sidebar {
  #store;
  #on;
  #servers = document.getElementById("servers");
  #channels = document.getElementById("channels");
  #label = document.getElementById("channels-label");
  #people = document.getElementById("people");
  #others = document.getElementById("others");
  #leave = document.getElementById("leave");
  #language = document.getElementById("language");
  #guild = document.getElementById("guild-name");
  #whoami = document.getElementById("whoami");
  #open = document.getElementById("drawer-open");
  #last = new Map(); // guild id → its last shown channel

  constructor(store, on) {
    this.#store = store;
    this.#on = on;
    for (const topic of ["loaded", "marks", "channel"]) store.on(topic, () => this.#draw());
    store.on("message", () => this.#draw());
    this.#leave.addEventListener("click", () => on.member(store.guild.id, false));
    const option = (locale) => el("option", { value: locale, lang: locale }, languageName(locale));
    this.#language.append(...locales.map(option), el("hr"), ...others.map(option));
    this.#language.addEventListener("change", () => on.language(this.#language.value));
  }

  #draw() {
    const store = this.#store;
    if (!store.me) return;
    const { guild } = store;
    this.#last.set(guild.id, store.channel);
    this.#guild.textContent = guild.id === DIRECT ? t("Direct messages") : guild.name;
    this.#label.textContent = guild.id === DIRECT ? t("Conversations") : t("Channels");
    const places = [{ id: DIRECT, name: t("Direct messages"), channels: store.direct }, ...store.guilds];
    this.#redraw(this.#servers, places, (g) => [g.id === guild.id, store.marksIn(g.channels)], (g) => this.#server(g));
    this.#redraw(this.#channels, guild.id === DIRECT ? this.#conversations() : guild.channels, (c) => {
      const state = store.channels.get(c.id);
      return [c.id === store.channel, state?.mentions, state?.unread, store.nameOf(c)];
    }, (c) => (c.type === DM ? this.#conversation(c) : this.#channel(c)));
    this.#redraw(this.#people, store.users, (u) => [u.id === store.me.id, store.mentions(u.id), store.me.locale], (u) => this.#person(u));
    this.#redraw(this.#others, store.others, () => store.me.locale, (g) => el("li", {}, el("button", {
      type: "button", class: "server server-join", title: t("Join {name}", { name: g.name }), "aria-label": t("Join {name}", { name: g.name }),
      data: { join: g.id }, on: { click: () => this.#on.member(g.id, true) },
    }, el("span", { "aria-hidden": "true" }, "+"))));
    this.#leave.hidden = guild.id === DIRECT || guild.owner === store.me.id || !guild.members?.includes(store.me.id);
    this.#leave.textContent = t("Leave this server");
    this.#language.value = [...this.#language.options].some((o) => o.value === store.me.locale) ? store.me.locale : "en-US";
    this.#language.setAttribute("aria-label", t("Language of {name}", { name: displayName(store.me) }));

    this.#whoami.replaceChildren(avatar(store.me, "small"), el("span", { class: "whoami-name" }, displayName(store.me)));
    this.#whoami.setAttribute("aria-label", t("You are {name}. Switch people", { name: displayName(store.me) }));
    const elsewhere = store.users.reduce((sum, u) => sum + store.mentions(u.id), 0);
    this.#open.replaceChildren(icon("menu"), ...[badge(elsewhere)].filter(Boolean));
  }

  /** #server returns the entry of a server, or of direct messages. */
  #server(guild) {
    const store = this.#store;
    const current = guild.id === store.guild.id;
    const { mentions, unread } = store.marksIn(guild.channels);
    const face = guild.id === DIRECT ? icon("chat") : el("span", { "aria-hidden": "true" }, initials(guild.name));
    return el("li", {}, el("button", {
      type: "button",
      class: "server",
      title: guild.name,
      "aria-label": guild.name,
      "aria-current": current ? "true" : null,
      data: { guildId: guild.id, mentions, unread: unread ? "true" : "false" },
      on: { click: () => this.#enter(guild) },
    }, face, badge(mentions)));
  }

  #enter(guild) {
    const last = this.#last.get(guild.id);
    const channel = guild.channels.find((c) => c.id === last) ?? guild.channels[0];
    if (channel) this.#on.channel(channel.id);
    else if (guild.id === DIRECT) this.#on.direct(this.#store.application.user.id);
  }

  /** #conversations lists the direct messages, then those that can be begun. */
  #conversations() {
    const store = this.#store;
    const begun = new Set(store.direct.map((c) => c.recipient_id));
    const others = [store.application.user, ...store.users].filter((u) => u.id !== store.me.id && !begun.has(u.id));
    return [...store.direct, ...others.map((u) => ({ id: `new-${u.id}`, type: DM, recipient_id: u.id, begin: true }))];
  }

  #conversation(channel) {
    const store = this.#store;
    const state = store.channels.get(channel.id);
    const user = store.person(channel.recipient_id);
    return el("li", {}, el("button", {
      type: "button",
      class: "channel conversation",
      "aria-current": channel.id === store.channel ? "page" : null,
      data: {
        channelId: channel.begin ? null : channel.id, direct: channel.recipient_id, begin: channel.begin ? "true" : null,
        mentions: state?.mentions ?? 0, unread: state?.unread ? "true" : "false",
      },
      on: { click: () => (channel.begin ? this.#on.direct(channel.recipient_id) : this.#on.channel(channel.id)) },
    }, avatar(user, "small"), el("span", { class: "channel-label" }, displayName(user)), badge(state?.mentions)));
  }

  #channel(channel) {
    const store = this.#store;
    const state = store.channels.get(channel.id);
    const thread = isThread(channel);
    return el("li", {}, el("button", {
      type: "button",
      class: thread ? "channel thread" : "channel",
      "aria-current": channel.id === store.channel ? "page" : null,
      data: {
        channelId: channel.id, mentions: state?.mentions ?? 0, unread: state?.unread ? "true" : "false",
        thread: thread ? channel.parent_id : null, archived: channel.archived ? "true" : null, locked: channel.locked ? "true" : null,
      },
      on: { click: () => this.#on.channel(channel.id) },
    }, icon(channel.locked ? "lock" : thread ? "thread" : "hash"), el("span", { class: "channel-label" }, channel.name),
      channel.archived ? el("span", { class: "channel-note" }, t("archived")) : null,
      state?.unread ? el("span", { class: "sr" }, ` ${t("unread")}`) : null, badge(state?.mentions)));
  }

  #person(user) {
    const store = this.#store;
    const me = user.id === store.me.id;
    const mentions = store.mentions(user.id);
    return el("li", {}, el("button", {
      type: "button",
      class: "person",
      "aria-pressed": me ? "true" : "false",
      data: { userId: user.id, mentions },
      on: { click: () => this.#on.user(user.id) },
    }, avatar(user), el("span", { class: "person-text" },
      el("span", { class: "person-name" }, displayName(user)),
      el("span", { class: "person-handle" }, me ? t("{name} · you", { name: user.username }) : user.username)), badge(mentions)));
  }

  /**
   * #redraw replaces only the entries that have changed. An entry that is
   * replaced between press and release is not clicked.
   */
  #redraw(root, things, look, make) {
    while (root.children.length > things.length) root.lastChild.remove();
    things.forEach((thing, i) => {
      const signature = JSON.stringify([thing, look(thing)]);
      const old = root.children[i];
      if (old?.dataset.look === signature) return;
      const node = make(thing);
      node.dataset.look = signature;
      if (!old) {
        root.append(node);
        return;
      }
      const focused = old.contains(document.activeElement);
      old.replaceWith(node);
      if (focused) node.querySelector("button").focus();
    });
  }
}
