// The worker that all windows of the page share: it holds their one stream of
// events. A window sends {user, lock}, where it holds the lock until it closes.

import { Stream } from "./stream.js";

const windows = new Map(); // port → user
const stream = new Stream((event) => {
  for (const port of windows.keys()) port.postMessage(event);
});
const follow = () => stream.follow(windows.values());

self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data: { user, lock } }) => {
    if (!windows.has(port)) {
      navigator.locks.request(lock, () => {
        windows.delete(port);
        follow();
      });
    }
    windows.set(port, user);
    if (follow()) port.postMessage({ type: "hello", version: stream.version, to: [user] });
  };
};
