// The clock of the sandbox, and the buttons that move it.

import { moveTime } from "./api.js";
import { el } from "./dom.js";
import { t } from "./texts.js";
import { nowText } from "./time.js";

const steps = [["+1 h", 3600, "move"], ["+1 day", 86400, "move"], ["Next deadline", 0, "next"]];

export class Clock {
  #store;
  #root = document.getElementById("clock");

  constructor(store) {
    this.#store = store;
    for (const topic of ["loaded", "time"]) store.on(topic, () => this.#draw());
    setInterval(() => this.#show(), 10000);
  }

  #draw() {
    const { time } = this.#store;
    this.#root.hidden = !time.move;
    const focused = document.activeElement?.dataset?.move;
    this.#root.replaceChildren(
      el("h2", { class: "label" }, t("Time here")),
      el("p", { class: "clock-now", data: { testid: "clock" } }),
      el("div", { class: "clock-steps" }, steps.filter(([, , needs]) => time[needs]).map(([text, seconds]) =>
        el("button", { type: "button", class: "button button-secondary", data: { move: seconds }, on: { click: () => this.#move(seconds) } }, t(text)))),
      el("p", { class: "clock-error", role: "alert" }));
    this.#show();
    if (focused) this.#root.querySelector(`[data-move="${focused}"]`)?.focus();
  }

  #show() {
    const now = this.#root.querySelector(".clock-now");
    if (now && now.textContent !== nowText()) now.textContent = nowText();
  }

  async #move(seconds) {
    let sentence = "";
    try {
      await moveTime(seconds);
    } catch (err) {
      sentence = err.message;
    }
    this.#root.querySelector(".clock-error").textContent = sentence;
  }
}
