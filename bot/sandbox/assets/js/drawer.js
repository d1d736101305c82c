// On a narrow window the sidebar is a drawer over the chat.

import { append, icon } from "./dom.js";

export class Drawer {
  #sidebar = document.getElementById("sidebar");
  #main = document.getElementById("main");
  #backdrop = document.getElementById("backdrop");
  #opener = document.getElementById("drawer-open");
  #narrow = window.matchMedia("(max-width: 760px)");

  constructor() {
    const close = document.getElementById("drawer-close");
    append(close, [icon("close")]);
    append(this.#opener, [icon("menu")]);
    this.#opener.addEventListener("click", () => this.open());
    document.getElementById("whoami").addEventListener("click", () => this.open());
    close.addEventListener("click", () => this.close());
    this.#backdrop.addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && document.body.dataset.drawer === "open") this.close();
    });
    this.#narrow.addEventListener("change", () => this.close());
    this.close();
  }

  /** open shows the lists; in a wide window it only focuses them. */
  open() {
    if (this.#narrow.matches) {
      document.body.dataset.drawer = "open";
      this.#opener.setAttribute("aria-expanded", "true");
      this.#sidebar.inert = false;
      this.#main.inert = true;
      this.#backdrop.hidden = false;
    }
    this.#sidebar.querySelector(".person[aria-pressed=true]")?.focus();
  }

  /** close returns to the chat. */
  close() {
    const wasOpen = document.body.dataset.drawer === "open";
    delete document.body.dataset.drawer;
    this.#opener.setAttribute("aria-expanded", "false");
    this.#sidebar.inert = this.#narrow.matches;
    this.#main.inert = false;
    this.#backdrop.hidden = true;
    if (wasOpen) this.#opener.focus();
  }
}
