// Suggestions from the bot for one option at a time: asked for as one types,
// never more often than needed, and an answer that was overtaken is dropped.

import * as api from "./api.js";

const pause = 150; // milliseconds without a key before the bot is asked

export class Autocomplete {
  #onChange;
  #timer = 0;
  #request = null;
  /** state is {key, busy, choices, error}: what is known about the last question. */
  state = { key: null, busy: false, choices: [], error: null };

  constructor(onChange) {
    this.#onChange = onChange;
  }

  /**
   * ask requests suggestions. The key names the question (option and text):
   * asking the same again does nothing. `now` skips the pause.
   */
  ask(user, key, body, now = false) {
    if (this.state.key === key) return;
    this.#abandon();
    // The old suggestions stay in sight, marked as busy, until the new ones come.
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
    if (this.#request !== request) return; // overtaken by a later question
    this.#request = null;
    this.state = state;
    this.#onChange();
  }

  #abandon() {
    clearTimeout(this.#timer);
    this.#request?.abort();
    this.#request = null;
  }

  /** reset forgets the question and its answer. */
  reset() {
    this.#abandon();
    this.state = { key: null, busy: false, choices: [], error: null };
  }
}
