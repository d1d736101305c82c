// Autocomplete: requests the bot's suggestions for one option while the person
// types, with a delay, and ignores outdated answers.

import * as api from "./api.js";

const pause = 150; // milliseconds without a key press before a request

export class Autocomplete {
  #onChange;
  #timer = 0;
  #request = null;
  /** state is {key, busy, choices, error} of the latest request. */
  state = { key: null, busy: false, choices: [], error: null };

  constructor(onChange) {
    this.#onChange = onChange;
  }

  /**
   * ask requests suggestions. The key identifies the request (option and text);
   * repeating it does nothing. `now` skips the delay.
   */
  ask(user, key, body, now = false) {
    if (this.state.key === key) return;
    this.#abandon();
    // The old suggestions stay visible, marked as busy, until the new ones arrive.
    this.state = { key, busy: true, choices: this.state.choices, error: null };
    this.#timer = setTimeout(() => this.#send(user, key, body), now ? 0 : pause);
  }

  async #send(user, key, body) {
    const request = new AbortController();
    this.#request = request;
    let state;
    try {
      state = { key, busy: false, choices: await api.complete(user, body, request.signal), error: null };
    } catch (err) {
      state = { key, busy: false, choices: [], error: err.message };
    }
    if (this.#request !== request) return; // a later request has replaced it
    this.#request = null;
    this.state = state;
    this.#onChange();
  }

  #abandon() {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#request = null;
  }

  /** reset drops the request and its answer. */
  reset() {
    this.#abandon();
    this.state = { key: null, busy: false, choices: [], error: null };
  }
}
