// The notification counts of the other users. The events are for the users
// whom windows show, so the counts of the others are fetched after every event
// that may have changed them.

import * as api from "./api.js";
import { marksOf } from "./state.js";

const pause = 120; // milliseconds, to combine several events
const round = 5000; // milliseconds; another window may read or write

export class MarksWatch {
  #store;
  #timer = 0;
  #running = false;
  #again = false;

  constructor(store) {
    this.#store = store;
    store.on("message", () => this.soon());
    store.on("loaded", () => this.soon());
    document.addEventListener("visibilitychange", () => this.soon());
    window.addEventListener("focus", () => this.soon());
    setInterval(() => this.soon(), round);
  }

  /** soon fetches the counts after a short delay, once for many calls. */
  soon() {
    if (document.hidden || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#fetch();
    }, pause);
  }

  async #fetch() {
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = true;
    for (const user of this.#store.users) {
      if (user.id === this.#store.me.id) continue;
      try {
        const marks = marksOf(await api.loadState(user.id));
        if (user.id !== this.#store.me.id) this.#store.setMarks(user.id, marks);
      } catch {
        break; // the banner of the connection shows it
      }
    }
    this.#running = false;
    if (this.#again) {
      this.#again = false;
      this.soon();
    }
  }
}
