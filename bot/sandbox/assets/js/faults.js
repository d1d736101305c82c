// The panel of faults: the plan, the gateway, the bot's membership and
// permissions, and the outcome.

import * as api from "./api.js";
import { append, el, icon } from "./dom.js";
import { DIRECT } from "./state.js";

// Names of the kinds of faults.
const names = {
  error: "Error of Discord's",
  "rate-limit": "Rate limit (429)",
  proxy: "Error page of a proxy",
  cut: "Connection cut",
  hold: "Answer held back",
  twice: "Event twice",
  late: "Event held back",
  swap: "Event after the next one",
  again: "Event again after a reconnect",
  refuse: "Connection refused",
  "no-hello": "No hello",
  handshake: "Handshake disturbed",
};

const classes = { request: "Requests", event: "Events", connection: "Gateway connections" };

const statuses = {
  error: ["500", "502", "503", "403", "404"],
  proxy: ["502", "503", "504", "429"],
  refuse: ["", "503", "429"],
};

const times = [["1", "1"], ["2", "2"], ["3", "3"], ["5", "5"], ["10", "10"], ["-1", "all until removed"]];
const skips = ["0", "1", "2", "3", "5"].map((n) => [n, n]);
const handshakes = [["7", "op 7, reconnect"], ["9", "op 9, invalid session"], ["9 true", "op 9, resumable"], ["11", "op 11 first"], ["1", "op 1 first"]];

/** routeText returns a route without the names of its parameters. */
const routeText = ({ method, route }) => `${method || "any"} ${route.replace(/\{[^}]*\}/g, "…")}`;

/** field returns a labelled select of values, or of pairs of value and text. */
function field(name, label, choices, wide) {
  return el("label", { class: "faults-field", data: { wide: wide ? "true" : null } }, label,
    el("select", { name, data: { testid: `fault-${name}` } },
      choices.map((c) => (Array.isArray(c) ? el("option", { value: c[0] }, c[1]) : el("option", { value: c }, c)))));
}

/** button returns a button that performs an action and reports only errors. */
function button(text, testid, run, props = {}) {
  return el("button", { type: "button", class: "button button-secondary", data: { testid }, on: { click: run }, ...props }, el("span", { class: "button-label" }, text));
}

export class Faults {
  #store;
  #dialog = document.getElementById("faults");
  #opener = document.getElementById("faults-open");
  #form = el("form", { class: "faults-part", data: { testid: "fault-form" }, novalidate: "" });
  #error = el("p", { class: "faults-error", role: "alert", hidden: true, data: { testid: "fault-error" } });
  #parts = el("div", {});
  #state = null;
  #loading = false;
  #again = false;

  constructor(store, { beforeOpen }) {
    this.#store = store;
    append(this.#opener, [icon("bolt")]);
    this.#opener.addEventListener("click", () => {
      beforeOpen();
      this.open();
    });
    const close = el("button", { type: "button", class: "icon-button", "aria-label": "Close", data: { testid: "faults-close" }, on: { click: () => this.#dialog.close() } }, icon("close"));
    append(this.#dialog, [
      el("header", { class: "faults-head" }, el("h2", {}, "Faults"), close),
      el("div", { class: "faults-body" }, this.#error, this.#form, this.#parts),
    ]);
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#opener.focus());
    this.#form.addEventListener("change", (event) => event.target.name === "kind" && this.#fields(event.target.value));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#plan();
    });
    for (const topic of ["faults", "loaded", "channel", "message", "online"]) store.on(topic, () => this.#refresh());
  }

  /** open shows the panel. */
  async open() {
    this.#error.hidden = true;
    if (!this.#dialog.open) this.#dialog.showModal();
    await this.#refresh();
  }

  /** #refresh fetches the content, again if something changed meanwhile. */
  async #refresh() {
    if (!this.#dialog.open) return;
    if (this.#loading) {
      this.#again = true;
      return;
    }
    this.#loading = true;
    do {
      this.#again = false;
      try {
        this.#state = await api.loadFaults();
        if (!this.#form.elements.kind) this.#fields("error");
        this.#draw();
      } catch (err) {
        this.#fail(err);
      }
    } while (this.#again);
    this.#loading = false;
  }

  async #do(deed) {
    this.#error.hidden = true;
    try {
      await deed();
    } catch (err) {
      this.#fail(err);
    }
    this.#refresh();
  }

  #fail(err) {
    this.#error.textContent = err.message;
    this.#error.hidden = false;
    this.#error.scrollIntoView({ block: "nearest" });
  }

  #class(kind) {
    return this.#state.kinds.find((k) => k.kind === kind)?.class;
  }

  /** #fields draws the form for one kind of fault. */
  #fields(kind) {
    const kinds = el("label", { class: "faults-field", data: { wide: "true" } }, "What goes wrong",
      el("select", { name: "kind", data: { testid: "fault-kind" } }, Object.entries(classes).map(([name, title]) =>
        el("optgroup", { label: title }, this.#state.kinds.filter((k) => k.class === name).map((k) => el("option", { value: k.kind }, names[k.kind] ?? k.kind))))));
    const rest = [];
    const of = this.#class(kind);
    if (of === "request") rest.push(field("route", "Which requests", [["", "all"], ...this.#state.routes.map((r) => [`${r.method} ${r.route}`, routeText(r)])], true));
    if (of === "event") rest.push(field("event", "Which events", [...this.#state.events, ["", "all"]], true));
    if (statuses[kind]) rest.push(field("status", "Status", statuses[kind].map((s) => [s, s || "none, closed"])));
    if (kind === "rate-limit") rest.push(field("scope", "Scope", ["user", "shared", "global"]), field("retry_after", "Retry after", [["1", "1 s"], ["5", "5 s"], ["60", "1 min"]]));
    if (kind === "handshake") rest.push(field("op", "With", handshakes, true));
    if (of === "request" && kind !== "rate-limit") rest.push(field("after", "When", [["", "before the work"], ["true", "after the work"]]));
    rest.push(field("skip", "Let through first", skips), field("count", "How many then", times));
    const plan = el("button", { type: "submit", class: "button button-primary", data: { testid: "fault-plan" } }, el("span", { class: "button-label" }, "Plan it"));
    this.#form.replaceChildren(el("h3", {}, "Plan a fault"), el("div", { class: "faults-fields" }, kinds, rest), el("div", { class: "faults-row" }, plan));
    this.#form.elements.kind.value = kind;
    this.#form.dataset.kind = kind;
  }

  #plan() {
    const get = (name) => this.#form.elements[name]?.value ?? "";
    const [method, route] = get("route") ? get("route").split(" ") : ["", ""];
    const [op, resumable] = get("op").split(" ");
    this.#do(() => api.planFault({
      kind: get("kind"), method, route, event: get("event"), skip: Number(get("skip")), count: Number(get("count")), after: get("after") === "true",
      status: Number(get("status")), scope: get("scope"), retry_after: Number(get("retry_after")), op: Number(op), resumable: resumable === "true",
    }));
  }

  #draw() {
    const focused = document.activeElement?.dataset?.testid;
    this.#parts.replaceChildren(this.#planned(), this.#gateway(), this.#channel(), this.#bot(), this.#counts());
    if (focused && !this.#dialog.contains(document.activeElement)) this.#dialog.querySelector(`[data-testid="${focused}"]`)?.focus();
  }

  #planned() {
    const { plan } = this.#state;
    return el("section", { class: "faults-part" }, el("h3", {}, "Planned"),
      plan.length ? el("ul", { class: "faults-list" }, plan.map((p) => this.#item(p))) : el("p", { class: "faults-note" }, "Nothing: Discord behaves."));
  }

  #item(p) {
    const over = p.left === 0 && p.held === 0;
    const details = [p.status || null, p.scope || null, p.kind === "handshake" && (p.op ? `op ${p.op}` : `close ${p.code}`), p.after && "after the work"].filter(Boolean).join(", ");
    const left = p.left < 0 ? "until removed" : over ? "over" : p.left === 0 ? "" : p.left === 1 ? "1 to come" : `${p.left} to come`;
    const met = [p.held ? `${p.held} held` : null, `met by ${p.hits}`, left].filter(Boolean).join(" · ");
    return el("li", { class: "faults-item", data: { testid: "fault", faultId: p.id, kind: p.kind, hits: p.hits, held: p.held, over } },
      el("div", { class: "faults-what" },
        el("b", {}, names[p.kind] ?? p.kind, details ? ` (${details})` : ""),
        p.route || p.event ? el("span", { class: "faults-where" }, p.event || routeText(p)) : null,
        el("span", { class: "faults-met", data: { held: p.held > 0 } }, met)),
      p.held ? button("Release", `release-${p.id}`, () => this.#do(() => api.changeFault(p.id, "release")), { class: "button button-success" }) : null,
      el("button", { type: "button", class: "icon-button", "aria-label": `Remove ${names[p.kind] ?? p.kind}`, data: { testid: `remove-${p.id}` }, on: { click: () => this.#do(() => api.changeFault(p.id, "remove")) } }, icon("close")));
  }

  #gateway() {
    const deeds = [["drop", "Drop"], ["silence", "Silence"], ["reconnect", "Ask to reconnect"], ["resumable", "Invalid session, resumable"], ["invalid", "Invalid session"]];
    return el("section", { class: "faults-part" }, el("h3", {}, "Gateway"),
      el("p", { class: "faults-note", data: { testid: "faults-online", online: this.#store.online } }, this.#store.online ? "A bot is connected." : "No bot is connected."),
      el("div", { class: "faults-row" }, deeds.map(([how, text]) => button(text, `gateway-${how}`, () => this.#do(() => api.changeGateway(how))))),
      this.#shards());
  }

  /** #shards drops single shards, and changes how many bots are told to start. */
  #shards() {
    const { sessions, shards } = this.#state;
    const change = (how, n) => () => this.#do(() => api.changeGateway(how, { shards: n }));
    return [
      sessions.length > 1 ? el("div", { class: "faults-row" }, sessions.map((s) =>
        button(`Drop shard ${s.shard} of ${s.shards}`, `drop-shard-${s.shard}-${s.shards}`, () => this.#do(() => api.changeGateway("drop", { shard: s.shard }))))) : null,
      el("p", { class: "faults-note", data: { testid: "shards", shards } }, shards === 1 ? "Bots are told to start one shard." : `Bots are told to start ${shards} shards.`),
      el("div", { class: "faults-row" },
        button(`Recommend ${2 * shards}`, "shards-recommend", change("recommend", 2 * shards)),
        button(`Require ${2 * shards}`, "shards-require", change("require", 2 * shards)),
        shards > 1 ? button("Recommend one", "shards-one", change("recommend", 1)) : null),
    ];
  }

  /** #channel shows the permissions that the current channel denies the bot. */
  #channel() {
    const channel = this.#store.channelInfo();
    if (!channel || channel.type) return null; // threads and direct messages have no overwrites
    const denied = BigInt(this.#state.denied[channel.id] ?? "0");
    const toggle = ({ name, bit }) => button(name, `deny-${bit}`, () =>
      this.#do(() => api.denyChannel(channel.id, String(denied ^ BigInt(bit)))),
    { class: "button button-secondary faults-toggle", "aria-pressed": String((denied & BigInt(bit)) !== 0n) });
    return el("section", { class: "faults-part" }, el("h3", {}, `The bot in #${channel.name}`),
      el("p", { class: "faults-note" }, "What is pressed is taken from it."),
      el("div", { class: "faults-row" }, this.#state.permissions.map(toggle)),
      el("div", { class: "faults-row" }, button("Delete the channel", "channel-remove", () => this.#do(() => api.removeChannel(channel.id)), { class: "button button-danger" })));
  }

  #bot() {
    const { id, name, installed } = this.#store.guild;
    const { me, application } = this.#store;
    const own = button(application.installed ? "Take it off my account" : "Install it to my account", "bot-install", () => this.#do(() => api.install(me.id, !application.installed)));
    if (id === DIRECT) return el("section", { class: "faults-part" }, el("h3", {}, "The bot"), el("div", { class: "faults-row" }, own));
    return el("section", { class: "faults-part" }, el("h3", {}, `The bot in ${name}`),
      el("div", { class: "faults-row" }, installed
        ? button("Remove the bot", "bot-remove", () => this.#do(() => api.changeBot("remove", id)), { class: "button button-danger" })
        : button("Add the bot again", "bot-add", () => this.#do(() => api.changeBot("add", id)), { class: "button button-success" }), own));
  }

  #counts() {
    const of = (state) => this.#state.interactions[state] ?? 0;
    return el("section", { class: "faults-part" }, el("h3", {}, "Interactions so far"),
      el("p", { class: "faults-note", data: { testid: "faults-counts" } },
        `${of("answered")} answered · ${of("waiting")} waiting · ${of("deferred")} thinking · ${of("failed")} failed`));
  }
}
