// The sandbox's page: connects the parts and manages the address bar.
//
// Contract for tests. These hooks are stable; everything else may change.
//   body[data-ready="true"]        state is loaded and the event stream is live;
//        [data-user-id] [data-channel-id]  the current user and channel
//   address: ?user=ID&channel=ID (both optional)
//   [data-user-id] in #people      an entry of the switcher; [data-mentions] its number
//                                  of notifications, [aria-pressed="true"] the current user
//   [data-guild-id] in #servers    a server, or "@me" for direct messages; [data-mentions], [aria-current]
//   [data-thread] in #channels     a thread, with its channel's id; [data-archived] [data-locked]
//   [data-direct] in #channels     direct messages, with the other user's id; [data-begin="true"] not begun
//   [data-testid="thread-card"]    on a message: its thread
//   [data-testid="message-menu"]   on a message: opens the context menu of it and its author,
//                                  [data-testid="menu"] with [data-menu-item="NAME"]
//   [data-testid="modal"]          a modal; [data-modal] its custom id, [data-modal-field="ID"]
//                                  around each input, "modal-send", "modal-cancel", "modal-error"
//   [data-testid="wire-open"]      opens the raw traffic: [data-testid="wire-entry"] with [data-kind]
//   [data-channel-id] in #channels an entry of the channel list; [data-mentions], [data-unread]
//   [data-testid="drawer-open"]    opens the lists in a narrow window; body[data-drawer="open"]
//   [data-testid="messages"]       the log; [data-channel-id]
//   [data-message-id]              a message, with [data-author-id] and, if it applies,
//        [data-bot] [data-ephemeral] [data-thinking] [data-failed] [data-mentions-me]
//        [data-edited] [data-highlighted] (each "true")
//   [data-testid="used"]           the line "Anna used /challenge trails"
//   [data-testid="reply"]          the line with the message that it replies to
//   [data-testid="dismiss"]        dismisses an ephemeral message
//   [data-outgoing]                a command without an answer yet; [data-failed="true"] it failed
//   button[data-custom-id]         a button or select; [data-pending="true"] until the answer,
//                                  [data-style] of a button, [data-select] (type) of a select
//   [data-mention]                 a mention, with the user's id
//   [data-jump-message]            a link to a message
//   [data-spoiler]                 "hidden" or "shown"
//   [data-testid="picture"] img    a picture; its alt is the description, and [data-described="true"]
//   [data-testid="lightbox"]       the dialog with the enlarged picture
//   [data-testid="composer"]       the textarea
//   [data-testid="composer-form"]  the form around it, [data-mode="text"|"command"]
//   [data-testid="command-form"]   the form of a command; [data-command="challenge trails"]
//   [data-option="NAME"]           a field of it, with [data-testid="option-input"] inside;
//                                  [data-required] [data-invalid="true"] [data-uploaded="true"]
//   [data-testid="more-options"]   searches the remaining options; [data-left] how many
//   [data-testid="suggestion"]     an entry of any open list: [data-name] [data-value],
//                                  [aria-selected="true"] the one that Enter picks
//   [data-testid="suggestions"]    the composer's list; [data-busy="true"] while it waits for the bot
//   [data-testid="suggestion-note"] a note instead of, or below, a list's entries
//   [data-testid="composer-error"] the error of the message or command
//   [data-testid="send"]           the send button
//   [data-testid="banner"]         [data-banner="lost"|"offline"|"removed"]
//   [data-testid="faults-open"]    opens the panel of faults, [data-testid="faults"], with
//                                  [data-testid="fault-form"] and its fields "fault-kind", "fault-route", …,
//                                  "fault-plan", [data-testid="fault"] for each planned fault ([data-kind]
//                                  [data-hits] [data-held] [data-over]), "release-ID", "remove-ID", "gateway-HOW",
//                                  "drop-shard-N-OF", "shards" ([data-shards]), "shards-recommend", "shards-require", "shards-one",
//                                  "deny-BIT", "channel-remove", "bot-remove", "bot-add", "bot-install", "faults-counts"
//   [data-testid="welcome"]        the hint in an empty channel
//   title                          "(n) #channel · name" with the user's notifications

import * as api from "./api.js";
import { Clock } from "./clock.js";
import { Composer } from "./composer.js";
import { el, icon } from "./dom.js";
import { Drawer } from "./drawer.js";
import { openEvents } from "./events.js";
import { Faults } from "./faults.js";
import { Interactions } from "./interactions.js";
import { ModalDialog } from "./modal.js";
import { MessageLog } from "./messages.js";
import { Sidebar } from "./people.js";
import { displayName, DM, isThread, Store } from "./state.js";
import { keepTime } from "./time.js";
import { Wire } from "./wire.js";
import { t, useLanguage } from "./texts.js";

const store = new Store();
const interactions = new Interactions(store);
const log = new MessageLog(document.getElementById("log"), document.getElementById("jump-present"), store, interactions);
const composer = new Composer(document.getElementById("composer"), store, interactions);
const drawer = new Drawer();
new Sidebar(store, {
  channel: (id) => {
    drawer.close();
    navigate({ channel: id });
  },
  user: (id) => {
    drawer.close();
    navigate({ user: id });
  },
  direct: (id) => {
    drawer.close();
    direct(id);
  },
  member: (guild, joins) => api.setMember(store.me.id, guild, joins).catch((err) => composer.say(err.message)),
  language: (locale) => api.setLocale(store.me.id, locale).catch((err) => composer.say(err.message)),
});
new ModalDialog(document.getElementById("modal"), store, interactions);
new Wire(store, { beforeOpen: () => drawer.close() });
new Faults(store, { beforeOpen: () => drawer.close() });
new Clock(store);
keepTime();

let closeEvents = () => {};
let session = 0; // number of the latest load; answers to earlier ones are ignored

/** loadAs listens to a user's events and shows their state, which may be loaded already. */
function loadAs(user, fresh = null) {
  closeEvents();
  const mine = ++session;
  let loading = null; // events that arrive while the state is fetched
  let loads = 0; // number of the latest fetch; a later one makes up for those before
  delete document.body.dataset.ready;
  interactions.reset();
  composer.leaveCommand();
  store.setConnection("connecting");

  const handle = (event) => {
    if (event.type === "interaction") {
      interactions.apply(event);
      store.emit("faults"); // the panel counts them
    } else if (event.type === "world") reload();
    else store.apply(event);
    if (event.type === "message" || event.type === "channel") readSoon();
  };
  const reload = async () => {
    const load = ++loads;
    loading = [];
    let state;
    try {
      state = fresh ?? await api.loadState(user);
      fresh = null;
    } catch {
      if (mine !== session || load !== loads) return;
      store.setConnection("lost");
      setTimeout(() => mine === session && load === loads && reload(), 1000);
      return;
    }
    if (mine !== session || load !== loads) return;
    await useLanguage(state.me.locale);
    if (mine !== session || load !== loads) return;
    store.load(state);
    store.setConnection("live");
    const missed = loading;
    loading = null;
    missed.forEach(handle);
    document.body.dataset.ready = "true";
    arrive();
  };
  closeEvents = openEvents(user, {
    onEvent: (event) => {
      if (mine !== session) return;
      if (event.type === "hello") {
        if (fresh?.version !== event.version) fresh = null;
        // Nothing has happened since, although the stream is another one.
        if (!fresh && !loading && store.me?.id === user && store.version === event.version && document.body.dataset.ready) return;
        reload();
      } else if (loading) {
        loading.push(event);
      } else {
        handle(event);
      }
    },
    onLost: () => {
      if (mine !== session) return;
      // Answers may have been missed.
      interactions.reset();
      delete document.body.dataset.ready;
      store.setConnection("lost");
    },
  });
}

/** readAddress reads the address bar. */
function readAddress() {
  const query = new URLSearchParams(location.search);
  return { user: query.get("user") ?? "", channel: query.get("channel") ?? "", message: /^#message-(\d+)$/.exec(location.hash)?.[1] ?? null };
}

/** navigate changes the user or channel, and the address bar. */
function navigate({ user = store.me.id, channel = store.channel, message = null }) {
  const query = new URLSearchParams({ user, channel });
  history.pushState(null, "", `?${query}${message ? `#message-${message}` : ""}`);
  followAddress();
}

/** direct opens direct messages with a person or the bot. */
async function direct(user) {
  try {
    const channel = await api.openDirect(store.me.id, user);
    // The list with the channel comes with an event.
    if (store.channels.has(channel)) navigate({ channel });
    else {
      store.channel = channel;
      const query = new URLSearchParams({ user: store.me.id, channel });
      history.pushState(null, "", `?${query}`);
    }
  } catch (err) {
    composer.say(err.message);
  }
}

/** followAddress shows the user and channel of the address bar. */
function followAddress() {
  const { user, channel } = readAddress();
  if (user !== store.me?.id) {
    store.channel = channel;
    loadAs(user);
    return;
  }
  store.show(channel);
  arrive();
}

/** arrive finishes navigation once the channel is shown. */
function arrive() {
  const { message } = readAddress();
  if (message) log.reveal(message);
  const query = new URLSearchParams({ user: store.me.id, channel: store.channel });
  history.replaceState(null, "", `?${query}${message ? `#message-${message}` : ""}`);
  document.body.dataset.userId = store.me.id;
  document.body.dataset.channelId = store.channel;
  readSoon();
}

let reading = false;

/** readSoon marks the current channel as read. */
async function readSoon() {
  const state = store.channels.get(store.channel);
  if (reading || document.hidden || !document.hasFocus() || !state || !(state.mentions || state.unread)) return;
  reading = true;
  try {
    await api.markRead(store.me.id, store.channel);
  } catch {
    // The next event or focus tries again.
  }
  reading = false;
}

function title() {
  const n = store.me ? store.mentions(store.me.id) : 0;
  const channel = store.channelInfo();
  document.title = `${n ? `(${n}) ` : ""}${channel ? `${store.label(channel)} · ` : ""}${store.me ? displayName(store.me) : "Sandbox"}`;
}

function head() {
  const channel = store.channelInfo();
  const sign = channel?.type === DM ? "chat" : isThread(channel) ? "thread" : "hash";
  const name = document.getElementById("channel-name");
  name.dataset.sign = sign;
  name.replaceChildren(icon(sign), el("span", {}, store.nameOf(channel)));
  const topic = document.getElementById("channel-topic");
  topic.replaceChildren();
  if (isThread(channel)) {
    const parent = store.channelInfo(channel.parent_id);
    topic.append(el("button", { type: "button", class: "topic-link", data: { jumpChannel: channel.parent_id } }, t("in {channel}", { channel: `#${parent?.name ?? ""}` })),
      channel.locked ? ` · ${t("locked")}` : "", channel.archived ? ` · ${t("archived")}` : "");
  } else topic.textContent = channel?.type === DM ? t("Only the two of you read this.") : channel?.topic ?? "";
  title();
}

function banners() {
  const shown = [];
  if (store.connection === "lost") shown.push(["lost", t("The connection was lost. Trying again…")]);
  else if (!store.guild.installed && store.application?.installed) shown.push(["own", t("The bot is not in this server. Its commands are here because you have installed it.")]);
  else if (!store.installed) shown.push(["removed", t("The bot was removed from this server. Its buttons and commands do nothing.")]);
  else if (!store.online) shown.push(["offline", t("No bot is connected. Commands and buttons will not be answered.")]);
  document.getElementById("banners").replaceChildren(...shown.map(([kind, text]) =>
    el("p", { class: "banner", data: { testid: "banner", banner: kind } }, icon("warning"), text)));
}

for (const topic of ["loaded", "channel"]) store.on(topic, head);
store.on("marks", title);
for (const topic of ["loaded", "online", "connection", "channel"]) store.on(topic, banners);

document.addEventListener("click", (event) => {
  const jump = event.target.closest("[data-jump-channel]");
  if (jump && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    navigate({ channel: jump.dataset.jumpChannel, message: jump.dataset.jumpMessage ?? null });
    return;
  }
  const write = event.target.closest("[data-write-to]");
  if (write) direct(write.dataset.writeTo);
  const command = event.target.closest("button[data-command]");
  if (command) composer.begin(command.dataset.command);
});
window.addEventListener("popstate", followAddress);
window.addEventListener("focus", readSoon);
document.addEventListener("visibilitychange", readSoon);

/** start chooses a user if the address bar has none. */
async function start() {
  const { user, channel } = readAddress();
  store.channel = channel;
  try {
    const state = await api.loadState(user).catch((err) => {
      if (user && err.status >= 400) return api.loadState("");
      throw err;
    });
    loadAs(state.me.id, state);
  } catch {
    store.setConnection("lost");
    setTimeout(start, 1000);
  }
}
start();
