// The sidebar: channels with their marks, and the people one can be.

import { avatar } from "./avatar.js";
import { el, icon } from "./dom.js";
import { displayName } from "./state.js";

/** badge is a number of notifications, or nothing. */
function badge(n) {
  if (!n) return null;
  return el("span", { class: "badge", data: { testid: "badge" } }, n > 99 ? "99+" : String(n), el("span", { class: "sr" }, n === 1 ? " notification" : " notifications"));
}

/** Sidebar draws the lists. on: {channel(id), user(id)}. */
export class Sidebar {
  #store;
  #on;
  #channels = document.getElementById("channels");
  #people = document.getElementById("people");
  #guild = document.getElementById("guild-name");
  #whoami = document.getElementById("whoami");
  #open = document.getElementById("drawer-open");

  constructor(store, on) {
    this.#store = store;
    this.#on = on;
    for (const topic of ["loaded", "marks", "channel"]) store.on(topic, () => this.#draw());
    store.on("message", () => this.#draw());
  }

  #draw() {
    const store = this.#store;
    if (!store.me) return;
    this.#guild.textContent = store.guild.name;
    this.#redraw(this.#channels, store.guild.channels, (c) => {
      const state = store.channels.get(c.id);
      return [c.id === store.channel, state?.mentions, state?.unread];
    }, (c) => this.#channel(c));
    this.#redraw(this.#people, store.users, (u) => [u.id === store.me.id, store.mentions(u.id)], (u) => this.#person(u));

    this.#whoami.replaceChildren(avatar(store.me, "small"), el("span", { class: "whoami-name" }, displayName(store.me)));
    this.#whoami.setAttribute("aria-label", `You are ${displayName(store.me)}. Switch people`);
    const elsewhere = store.users.reduce((sum, u) => sum + store.mentions(u.id), 0);
    this.#open.replaceChildren(icon("menu"), ...[badge(elsewhere)].filter(Boolean));
  }

  #channel(channel) {
    const store = this.#store;
    const state = store.channels.get(channel.id);
    const current = channel.id === store.channel;
    return el("li", {}, el("button", {
      type: "button",
      class: "channel",
      "aria-current": current ? "page" : null,
      data: { channelId: channel.id, mentions: state?.mentions ?? 0, unread: state?.unread ? "true" : "false" },
      on: { click: () => this.#on.channel(channel.id) },
    }, icon("hash"), el("span", { class: "channel-label" }, channel.name),
      state?.unread ? el("span", { class: "sr" }, " unread") : null, badge(state?.mentions)));
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
      el("span", { class: "person-handle" }, me ? `${user.username} · you` : user.username)), badge(mentions)));
  }

  /**
   * #redraw replaces only the entries that look different now. An entry that
   * was replaced between finger down and finger up would never be clicked.
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
