// The log of a channel: one element per message, rendered again only if it changed.

import { sendReaction } from "./api.js";
import { avatar } from "./avatar.js";
import { components } from "./components.js";
import { el, icon } from "./dom.js";
import { embeds } from "./embeds.js";
import { parse, plainText } from "./markdown.js";
import { markdown } from "./markdown-view.js";
import { menuOpen, messageMenu } from "./menu.js";
import { attachments } from "./media.js";
import { displayName, FLAG_COMPONENTS_V2, FLAG_EPHEMERAL, FLAG_LOADING } from "./state.js";
import { clockTime, dayName, messageTime, sameDay, timeText } from "./time.js";
import { parts, t } from "./texts.js";

// Messages of one author within this time share a header.
const together = 7 * 60 * 1000;

// How long the target of a link stays highlighted, in milliseconds.
const highlight = 2400;

// How long screen readers wait for another message, in milliseconds.
const announceAfter = 400;

// Within this distance of its end the log follows new messages, in pixels.
const near = 60;

const COMMAND = 2;
const CLICK = 3;
const CONTEXT_MENU = 23; // type of a message

export class MessageLog {
  #root;
  #store;
  #interactions;
  #jumpPresent;
  #drawn = new Map(); // key → {node, signature}
  #atEnd = true; // whether the log follows new messages
  #shown = ""; // the last shown user and channel
  #saying = 0; // timer of the next announcement
  #end = 0; // the scroll position when the log was last at its end

  constructor(root, jumpPresent, store, interactions) {
    this.#root = root;
    this.#store = store;
    this.#interactions = interactions;
    this.#jumpPresent = jumpPresent;

    root.addEventListener("scroll", () => {
      this.#atEnd = this.#beyond() < near;
      if (!this.#atEnd) return;
      this.#end = root.scrollTop;
      jumpPresent.hidden = true;
    }, { passive: true });
    jumpPresent.addEventListener("click", () => this.toEnd());
    // Loading pictures and the phone's keyboard move the end of the log.
    const follow = new ResizeObserver(() => this.#follow());
    follow.observe(root);
    this.content = el("div", { class: "log-content" });
    follow.observe(this.content);
    root.append(this.content);

    store.on("loaded", () => {
      // Loading the state again keeps the scroll position.
      if (this.#shown !== this.#place() || this.#following()) {
        this.#fresh();
        return;
      }
      const newest = [...this.#drawn.keys()].at(-1);
      this.#draw();
      if ([...this.#drawn.keys()].at(-1) !== newest) jumpPresent.hidden = false;
    });
    store.on("channel", () => this.#fresh());
    store.on("commands", () => this.#draw());
    store.on("message", ({ channel, id }) => {
      if (channel !== store.channel) return;
      const message = store.channels.get(channel)?.messages.get(id);
      const asked = message?.interaction_metadata?.id;
      if (asked) interactions.drop(asked);
      const isNew = !this.#drawn.has(id);
      this.#draw();
      this.#announce(message, isNew);
      if (isNew && !this.#follow()) {
        // Scroll to the user's own messages and the answers to them.
        if ([message?.author.id, message?.interaction_metadata?.user?.id].includes(store.me.id)) this.toEnd();
        else jumpPresent.hidden = false;
      }
    });
    store.on("interactions", () => this.#draw());
  }

  /**
   * #announce has screen readers say a new message, or an edited one that the user is
   * in, in one sentence. Of several at once they say the last.
   */
  #announce(message, isNew) {
    const inside = message && this.#drawn.get(message.id)?.node.contains(document.activeElement);
    if (!message || !(isNew || inside) || (message.flags ?? 0) & FLAG_LOADING || message.author.id === this.#store.me.id) return;
    const author = displayName(this.#store.person(message.author.id) ?? message.author);
    const sentence = `${author}: ${excerpt(message, this.#store)}`.slice(0, 200);
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => {
      document.getElementById("announcer").textContent = sentence;
    }, announceAfter);
  }

  /** toEnd scrolls to the newest message. */
  toEnd() {
    this.#root.scrollTop = this.#root.scrollHeight;
    this.#end = this.#root.scrollTop;
    this.#atEnd = true;
    this.#jumpPresent.hidden = true;
  }

  /** #beyond returns the height below the visible part of the log, in pixels. */
  #beyond() {
    return this.#root.scrollHeight - this.#root.scrollTop - this.#root.clientHeight;
  }

  /**
   * #following reports whether the newest message must stay visible. The scroll
   * event comes with the next frame, so the position is read here.
   */
  #following() {
    if (this.#atEnd && this.#root.scrollTop < this.#end && this.#beyond() >= near) this.#atEnd = false;
    return this.#atEnd;
  }

  /** #follow scrolls to the newest message, unless the user reads something else. */
  #follow() {
    if (!this.#following() || menuOpen()) return false;
    this.toEnd();
    return true;
  }

  /** reveal scrolls to a message and highlights it; it returns false if there is none. */
  reveal(id) {
    const node = this.#drawn.get(id)?.node;
    if (!node) return false;
    if (node === this.content.lastElementChild) this.toEnd(); // with its buttons, which the middle may leave out
    else {
      this.#atEnd = false;
      node.scrollIntoView({ block: "center" });
    }
    node.dataset.highlighted = "true";
    setTimeout(() => delete node.dataset.highlighted, highlight);
    return true;
  }

  /** #place identifies the user and channel. */
  #place() {
    return `${this.#store.me?.id} ${this.#store.channel}`;
  }

  #fresh() {
    this.#shown = this.#place();
    this.#root.setAttribute("aria-label", t("Messages in {channel}", { channel: this.#store.label(this.#store.channelInfo()) }));
    this.#root.dataset.channelId = this.#store.channel;
    this.#jumpPresent.hidden = true;
    this.#draw();
    this.toEnd();
  }

  #draw() {
    const store = this.#store;
    if (!store.me) return;
    const wanted = [];
    let last = null;
    for (const message of store.messages()) {
      if (!last || !sameDay(last.timestamp, message.timestamp)) {
        wanted.push({ key: `day-${message.timestamp.slice(0, 10)}`, signature: "day", make: () => divider(message.timestamp) });
      }
      const pending = this.#interactions.pending(message.id);
      const failure = this.#interactions.failure(message.id);
      const joined = continues(last, message);
      wanted.push({
        key: message.id,
        signature: JSON.stringify([message, pending, failure, joined, store.me.id, referenced(message, store)]),
        make: () => this.#message(message, { pending, failure, joined }),
      });
      last = message;
    }
    for (const entry of this.#interactions.outbox(store.channel)) {
      wanted.push({ key: entry.id, signature: `outbox ${entry.failed}`, make: () => this.#outgoing(entry) });
    }
    if (wanted.length === 0) {
      wanted.push({ key: "welcome", signature: JSON.stringify([store.me, store.commands]) + store.channel, make: () => welcome(store) });
    }
    this.#reconcile(wanted);
  }

  /** #reconcile reuses unchanged elements, so that pictures and open menus stay. */
  #reconcile(wanted) {
    const drawn = new Map();
    let place = this.content.firstChild;
    for (const { key, signature, make } of wanted) {
      const old = this.#drawn.get(key);
      const node = old?.signature === signature ? old.node : make();
      if (old && old.node !== node) {
        const focus = keepFocus(old.node, node);
        if (place === old.node) place = node; // it must not be moved afterwards, or it loses the focus
        keepPictures(old.node, node);
        old.node.replaceWith(node);
        focus();
      }
      if (node === place) place = place.nextSibling;
      else this.content.insertBefore(node, place);
      drawn.set(key, { node, signature });
    }
    let lost = false; // the focus, with a message that was deleted
    while (place) {
      const next = place.nextSibling;
      lost ||= place.contains(document.activeElement);
      place.remove();
      place = next;
    }
    const newest = this.content.querySelector(":scope > article:last-of-type");
    if (lost && newest) focusOn(newest);
    this.#drawn = drawn;
    this.#follow();
  }

  #message(message, { pending, failure, joined }) {
    const store = this.#store;
    const author = store.person(message.author.id) ?? message.author;
    const flags = message.flags ?? 0;
    const ephemeral = Boolean(flags & FLAG_EPHEMERAL);
    const thinking = Boolean(flags & FLAG_LOADING);
    const mentionsMe = message.mention_everyone || (message.mentions ?? []).some((u) => u.id === store.me.id);
    const context = {
      store,
      message,
      pending,
      onUse: (component, values) => this.#interactions.component(message, component, values),
    };

    return el("article", {
      class: "message",
      id: `message-${message.id}`,
      data: {
        messageId: message.id,
        authorId: author.id,
        bot: message.author.bot ? "true" : null,
        joined: joined ? "true" : null,
        ephemeral: ephemeral ? "true" : null,
        thinking: thinking ? "true" : null,
        failed: failure ? "true" : null,
        mentionsMe: mentionsMe ? "true" : null,
        edited: message.edited_timestamp ? "true" : null,
      },
    },
      origin(message, store),
      joined
        ? el("time", { class: "joined-time", datetime: message.timestamp }, clockTime(message.timestamp))
        : avatar(author),
      el("div", { class: "message-body" },
        joined ? null : el("header", { class: "message-head" },
          el("span", { class: "author" }, displayName(author)),
          message.author.bot ? el("span", { class: "tag" }, t("Bot")) : null,
          messageTime(message.timestamp)),
        thinking
          ? el("p", { class: "thinking" }, el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")), t("{name} is thinking…", { name: displayName(author) }))
          : content(message, context),
        failure ? el("p", { class: "failure", role: "alert" }, icon("warning"), failure) : null,
        reactions(message, store),
        message.thread ? threadCard(message.thread) : null,
        ephemeral ? this.#private(message) : null),
      ephemeral || thinking ? null : messageMenu(message, author, store, this.#interactions));
  }

  #private(message) {
    return el("footer", { class: "private" },
      icon("eye"), el("span", {}, t("Only you can see this")), el("span", { "aria-hidden": "true" }, "·"),
      el("button", {
        type: "button",
        class: "text-button",
        data: { testid: "dismiss" },
        on: { click: () => this.#store.dismiss(message.channel_id, message.id) },
      }, t("Dismiss")));
  }

  /** #outgoing shows a command until its answer arrives, or its failure. */
  #outgoing({ id, label, failed }) {
    const store = this.#store;
    const bot = store.application?.user;
    return el("article", { class: "message outgoing", data: { outgoing: id, ephemeral: "true", failed: failed ? "true" : null } },
      usedLine(store.me, label),
      avatar(bot),
      el("div", { class: "message-body" },
        el("header", { class: "message-head" }, el("span", { class: "author" }, displayName(bot)), el("span", { class: "tag" }, t("Bot"))),
        failed
          ? el("p", { class: "failure", role: "alert" }, icon("warning"), t("The bot did not answer in time."))
          : el("p", { class: "thinking" }, el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")), t("Sending…")),
        failed
          ? el("footer", { class: "private" }, icon("eye"), el("span", {}, t("Only you can see this")), el("span", { "aria-hidden": "true" }, "·"),
            el("button", { type: "button", class: "text-button", data: { testid: "dismiss" }, on: { click: () => this.#interactions.drop(id) } }, t("Dismiss")))
          : null));
  }
}

/** focusOn focuses a message, which the Tab key passes over. */
function focusOn(message) {
  message.tabIndex = -1;
  message.focus({ preventScroll: true });
}

const focusable = (node) => [...node.querySelectorAll("button, a[href], summary, [tabindex]")];

/**
 * keepFocus returns a function that focuses in a message what was focused before it
 * changed: the same button, one of the same name, the one in its place, or the
 * message. The ids of buttons change with each turn.
 */
function keepFocus(old, node) {
  const focused = document.activeElement;
  if (!old.contains(focused) || focused === old) return () => focused === old && focusOn(node);
  const place = focusable(old).indexOf(focused), id = focused.dataset.customId, name = focused.textContent;
  return () => {
    const all = focusable(node), able = all.filter((n) => !n.disabled);
    const same = able.find((n) => id && n.dataset.customId === id) ?? able.find((n) => name && n.textContent === name) ?? able.find((n) => n === all[place]);
    if (same) same.focus({ preventScroll: true });
    else focusOn(node);
  };
}

/** keepPictures shows the old pictures of a message until its new ones have come. */
function keepPictures(old, node) {
  const before = [...old.querySelectorAll(".picture img")];
  node.querySelectorAll(".picture img").forEach((img, i) => {
    if (img.complete || !before[i]) return;
    img.style.background = before[i].complete ? `url("${before[i].src}") center / 100% 100%` : before[i].style.background;
    img.addEventListener("load", () => img.style.removeProperty("background"));
  });
}

/** reactions shows the emojis below a message; pressing one adds or removes the user's. */
function reactions(message, store) {
  if (!message.reactions?.length) return null;
  return el("div", { class: "reactions" }, message.reactions.map((r) => el("button", {
    type: "button",
    class: "reaction",
    "aria-pressed": String((r.users ?? []).includes(store.me.id)),
    title: (r.users ?? []).map((id) => displayName(store.person(id))).join(", "),
    on: { click: () => sendReaction(store.me.id, message, r.emoji.name).catch(() => {}) }, // the message shows the outcome
  }, r.emoji.name, el("span", {}, r.count))));
}

function continues(last, message) {
  if (!last || origin(message, null) || (message.flags ?? 0) & FLAG_EPHEMERAL || (last.flags ?? 0) & FLAG_EPHEMERAL) return false;
  return last.author.id === message.author.id &&
    sameDay(last.timestamp, message.timestamp) &&
    new Date(message.timestamp) - new Date(last.timestamp) < together;
}

function content(message, context) {
  const edited = message.edited_timestamp ? el("span", { class: "edited", title: messageTime(message.edited_timestamp).textContent }, t("(edited)")) : null;
  const drawn = components(message.components ?? [], context);
  if ((message.flags ?? 0) & FLAG_COMPONENTS_V2) return el("div", { class: "components-v2" }, withMark(drawn, edited));
  const note = systemText(message);
  if (note) return el("p", { class: "system-note" }, note);
  const text = message.content ? withMark([markdown(message.content, context.store)], edited) : [];
  return [text, attachments(message.attachments ?? [], message), embeds(message.embeds ?? [], context.store, message), drawn, text.length ? null : edited];
}

/** systemText returns the text of a system message, or null. */
function systemText(message) {
  switch (message.type) {
    case 21:
      return t("started this thread.");
    default:
      return null;
  }
}

/** threadCard links a message to its thread. */
function threadCard(thread) {
  const n = thread.message_count ?? 0;
  return el("button", { type: "button", class: "thread-card", data: { testid: "thread-card", jumpChannel: thread.id } },
    icon(thread.thread_metadata?.locked ? "lock" : "thread"),
    el("span", { class: "thread-name" }, thread.name),
    el("span", { class: "thread-count" }, `${n === 1 ? t("1 message") : t("{n} messages", { n })}${thread.thread_metadata?.archived ? ` · ${t("archived")}` : ""}`));
}

/** withMark adds "(edited)" after the text, or below it. */
function withMark(parts, mark) {
  if (!mark) return parts;
  const last = parts.at(-1);
  if (!last?.classList.contains("markdown")) return [...parts, mark];
  (last.lastElementChild?.tagName === "P" ? last.lastElementChild : last).append(" ", mark);
  return parts;
}

/** origin returns the line above a message that shows what it replies to, or null. */
function origin(message, store) {
  const asked = message.interaction_metadata;
  if (asked?.original_response_message_id) {
    // A follow-up refers to the first answer.
    if (!store) return true;
    if (referenced(message, store)) return replyLine(message, store);
  }
  if (asked?.type === COMMAND) {
    if (!store) return true;
    return usedLine(store.person(asked.user?.id) ?? asked.user, message.interaction?.name, message.type !== CONTEXT_MENU);
  }
  if (message.message_reference?.message_id || (asked?.type === CLICK && message.referenced_message)) {
    if (!store) return true;
    return replyLine(message, store);
  }
  return null;
}

function usedLine(user, label, slash = true) {
  return el("p", { class: "origin", data: { testid: "used" } },
    el("span", { class: "origin-hook", "aria-hidden": "true" }), avatar(user, "tiny"),
    el("span", { class: "origin-text" }, parts("{name} used {command}", {
      name: el("b", {}, displayName(user)),
      command: label ? el("span", { class: "origin-command" }, slash ? `/${String(label).replace(/^\//, "")}` : label) : t("a command"),
    })));
}

/** referenced returns the current state of the message that this one replies to. */
function referenced(message, store) {
  const id = message.message_reference?.message_id ?? message.referenced_message?.id ?? message.interaction_metadata?.original_response_message_id;
  if (!id) return null;
  return store.channels.get(message.message_reference?.channel_id ?? message.channel_id)?.messages.get(id) ?? message.referenced_message ?? null;
}

function replyLine(message, store) {
  const target = referenced(message, store);
  const hook = el("span", { class: "origin-hook", "aria-hidden": "true" });
  if (!target) return el("p", { class: "origin" }, hook, el("span", { class: "origin-text" }, t("The original message was deleted.")));
  const author = store.person(target.author?.id) ?? target.author;
  return el("button", {
    type: "button",
    class: "origin origin-reply",
    data: { testid: "reply", jumpChannel: target.channel_id ?? message.channel_id, jumpMessage: target.id },
  }, hook, avatar(author, "tiny"), el("b", {}, displayName(author)), el("span", { class: "origin-text" }, excerpt(target, store)));
}

/** excerpt returns a message in one line. */
function excerpt(message, store) {
  const names = {
    user: (id) => displayName(store.person(id)),
    channel: (id) => store.channelInfo(id)?.name,
    time: timeText,
  };
  const text = message.content || firstText(message.components ?? []);
  const blocks = parse(text ?? "").map((block) => plainText([block], names));
  return blocks.join(" · ").replace(/\s+/g, " ").trim() || t("Press to see the message");
}

function firstText(list) {
  for (const c of list) {
    const text = c.type === 10 ? c.content : firstText(c.components ?? []);
    if (text) return text;
  }
  return "";
}

function divider(iso) {
  return el("div", { class: "divider", role: "separator" }, el("span", {}, dayName(iso)));
}

// What an empty channel says about commands that a bot is likely to have, in
// this order. Other commands follow.
const firstWords = { help: "begin here", rules: "how it is played", games: "what is going on" }; // translated where they are shown

/** welcome returns the hint in an empty channel, with commands of the bot. */
function welcome(store) {
  const first = Object.keys(firstWords);
  const rank = (name) => first.indexOf(name) + 1 || first.length + 1;
  const names = [...new Set(store.commands.filter((c) => (c.type ?? 1) === 1).map((c) => c.name))].sort((a, b) => rank(a) - rank(b));
  const known = names.filter((name) => name in firstWords);
  const bot = displayName(store.application?.user);
  return el("section", { class: "welcome", data: { testid: "welcome" } },
    el("h2", {}, store.label(store.channelInfo())),
    el("p", {}, parts("You are {name}. Nothing has been said here yet.", { name: el("b", {}, displayName(store.me)) })),
    el("ul", {},
      known.length ? el("li", {}, t("New here?"), " ", known.map((name, i) => [i ? ", " : "", el("b", {}, `/${name}`), `: ${t(firstWords[name])}`]), ".") : null,
      el("li", {}, parts(names.length ? "Tap a command below, or type {slash} to see all that {bot} can do." : "Type {slash} to see all that {bot} can do.", { slash: el("kbd", {}, "/"), bot: el("b", {}, bot) })),
      el("li", {}, t("You play everybody here."), " ", el("span", { class: "only-wide" }, t("Choose who you are at the lower left, or open a second window as somebody else.")),
        el("span", { class: "only-narrow" }, t("Choose who you are with the round letter at the upper right, or open a second window as somebody else.")))),
    names.length
      ? el("div", { class: "welcome-commands" }, names.slice(0, 8).map((name) =>
        el("button", { type: "button", class: name === "help" ? "button button-primary" : "button button-secondary", data: { command: name } }, `/${name}`)))
      : null);
}
