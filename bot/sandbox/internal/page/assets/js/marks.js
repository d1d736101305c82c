// The notification marks of the people one is not at the moment.
//
// One event stream a person would be simpler, but a browser opens six
// connections to a host at most, over all its windows, and then every other
// request waits for ever. So there is one stream, for who one is, and the
// others' counts are fetched again whenever something happened that can have
// changed them.

import * as api from "./api.js";
import { marksOf } from "./state.js";

const pause = 120; // milliseconds: several events make one round
const round = 5000; // another window can read or write unseen by this one

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

  /** soon fetches the counts shortly, once for many calls. */
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
        break; // the connection's own banner says so
      }
    }
    this.#running = false;
    if (this.#again) {
      this.#again = false;
      this.soon();
    }
  }
}
