// The events of the user whom this window shows. A browser opens at most six
// connections to a host, over all its windows, so a shared worker holds one
// stream for all of them.

import { Stream } from "./stream.js";

let user = "";
let receive = () => {};
let follow = shared() ?? own();

/** shared returns a function that follows `user` through the worker, null if the browser has none. */
function shared() {
  if (!window.SharedWorker || !navigator.locks) return null; // such as Chrome on Android
  const worker = new SharedWorker("/assets/js/worker.js", { type: "module" });
  worker.port.onmessage = ({ data }) => receive(data);
  worker.onerror = () => {
    follow = own();
    if (user) follow();
  };
  const lock = crypto.randomUUID();
  const held = new Promise((resolve) => {
    navigator.locks.request(lock, () => {
      resolve();
      return new Promise(() => {}); // until the window closes
    });
  });
  return () => held.then(() => worker.port.postMessage({ user, lock }));
}

/** own returns a function that follows `user` by a stream of this window. */
function own() {
  const stream = new Stream((event) => receive(event));
  return () => {
    if (stream.follow([user])) receive({ type: "hello", version: stream.version, to: [user] });
  };
}

/** openEvents listens to a user's events until the returned function is called. */
export function openEvents(id, { onEvent, onLost }) {
  user = id;
  receive = (event) => {
    if (event.type === "lost") onLost();
    else if (event.to.includes(id)) onEvent(event);
  };
  follow();
  return () => {
    receive = () => {};
  };
}
