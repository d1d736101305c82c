// The stream of users' events. It reconnects with growing delays, because
// EventSource gives up when the server answers with an error.

const retryFirst = 500;
const retryMost = 8000;

/** Stream calls receive with each event, and with {type: "lost"} when the connection is lost. */
export class Stream {
  #receive;
  #users = "";
  #sources = []; // open connections; the last one is for #users
  #live = false; // whether the last one has said hello
  version = 0; // of the latest event
  #timer = 0;
  #wait = retryFirst;

  constructor(receive) {
    this.#receive = receive;
  }

  /**
   * follow listens to these users from now on and reports whether it did
   * already. If not, all of them get a hello, on which their windows load the
   * state. The old connection stays open until then, so nothing is missed.
   */
  follow(users) {
    const wanted = [...new Set(users)].sort().join();
    if (wanted === this.#users && !this.#timer) return this.#live;
    this.#users = wanted;
    if (wanted) this.#open();
    else this.#close();
    return false;
  }

  #open() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#live = false;
    const source = new EventSource(`/sandbox/events?${new URLSearchParams(this.#users.split(",").map((id) => ["user", id]))}`);
    this.#sources.push(source);
    source.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      this.version = event.version;
      if (event.type === "hello" && source === this.#sources.at(-1)) {
        this.#close(source);
        this.#live = true;
        this.#wait = retryFirst;
      }
      this.#receive(event);
    };
    source.onerror = () => {
      source.close();
      if (source !== this.#sources.at(-1)) return;
      this.#close();
      this.#receive({ type: "lost" });
      this.#timer = setTimeout(() => this.#open(), this.#wait);
      this.#wait = Math.min(this.#wait * 2, retryMost);
    };
  }

  /** #close closes all connections but one. */
  #close(kept) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#live = false;
    for (const source of this.#sources) if (source !== kept) source.close();
    this.#sources = kept ? [kept] : [];
  }
}
