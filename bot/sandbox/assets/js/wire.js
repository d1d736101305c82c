// The panel of raw traffic: interactions as sent to the bot, and its requests
// with their responses, newest first.

import * as api from "./api.js";
import { append, el, icon } from "./dom.js";

export class Wire {
  #store;
  #dialog = document.getElementById("wire");
  #opener = document.getElementById("wire-open");
  #list = el("ol", { class: "wire-list", data: { testid: "wire-list" } });
  #drawn = new Map(); // id → element; entries never change
  #loading = false;
  #again = false;

  constructor(store, { beforeOpen }) {
    this.#store = store;
    append(this.#opener, [icon("code")]);
    this.#opener.addEventListener("click", () => {
      beforeOpen();
      this.open();
    });
    append(this.#dialog, [
      el("header", { class: "faults-head" }, el("h2", {}, "Raw traffic"),
        el("button", { type: "button", class: "icon-button", "aria-label": "Close", data: { testid: "wire-close" }, on: { click: () => this.#dialog.close() } }, icon("close"))),
      el("div", { class: "faults-body" }, el("p", { class: "faults-note wire-note" }, "What went to the bot, and what it asked for. The newest is first."), this.#list),
    ]);
    this.#dialog.addEventListener("click", (event) => event.target === this.#dialog && this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#opener.focus());
    store.on("wire", () => this.#refresh());
  }

  /** open shows the panel. */
  async open() {
    if (!this.#dialog.open) this.#dialog.showModal();
    await this.#refresh();
  }

  /** #refresh fetches the traffic, again if something changed meanwhile. */
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
        this.#draw(await api.loadTraffic());
      } catch {
        break; // the banner of the connection shows it
      }
    } while (this.#again);
    this.#loading = false;
  }

  #draw(entries) {
    const drawn = new Map();
    for (const e of entries) drawn.set(e.id, this.#drawn.get(e.id) ?? entry(e));
    this.#drawn = drawn;
    this.#list.replaceChildren(...(drawn.size ? drawn.values() : [el("li", { class: "faults-note" }, "Nothing has happened yet.")]));
  }
}

function entry(e) {
  const asked = e.kind === "interaction";
  const status = asked ? "to the bot" : e.status || "cut";
  return el("li", {}, el("details", { class: "wire-entry", data: { testid: "wire-entry", kind: e.kind, status: e.status ?? null } },
    el("summary", {},
      el("span", { class: "wire-status", data: { kind: asked ? "interaction" : e.status >= 200 && e.status < 300 ? "good" : "bad" } }, String(status)),
      el("span", { class: "wire-title" }, e.title.replace(/\{[^}]*\}/g, "…")),
      el("time", { class: "wire-time", datetime: e.at }, e.at.slice(11, 23))),
    body(asked ? "Interaction" : "Request", e.sent),
    e.files?.length ? el("p", { class: "faults-note" }, `Files: ${e.files.join(", ")}`) : null,
    asked ? null : body("Answer", e.answered)));
}

function body(title, value) {
  if (value === undefined) return null;
  return [el("h3", { class: "wire-part" }, title), el("pre", { class: "wire-json", tabindex: "0" }, JSON.stringify(value, null, 2))];
}
