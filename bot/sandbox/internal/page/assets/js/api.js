// Talking to the sandbox's page API. Every call is made as one user.

/** ApiError carries the server's sentence, fit to be shown to a person. */
export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

async function request(method, path, body, signal) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      signal,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (err) {
    if (err.name === "AbortError") throw err;
    throw new ApiError("The sandbox cannot be reached.", 0);
  }
  const text = await answer.text();
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    // Not JSON: a proxy's or the runtime's own error page. The status says enough.
  }
  if (!answer.ok) {
    throw new ApiError(value?.error ?? value?.message ?? `The sandbox answered with status ${answer.status}.`, answer.status);
  }
  return value;
}

const as = (user) => `/sandbox/users/${encodeURIComponent(user)}`;

/** loadState fetches everything that one user sees; without a user, the first one's. */
export function loadState(user, signal) {
  const query = user ? `?user=${encodeURIComponent(user)}` : "";
  return request("GET", `/sandbox/state${query}`, undefined, signal);
}

/** sendCommand starts a slash command; the answer is the interaction's id. */
export const sendCommand = async (user, body) => (await request("POST", `${as(user)}/commands`, body)).id;

/** sendComponent presses a button or submits a select; the answer is the interaction's id. */
export const sendComponent = async (user, body) => (await request("POST", `${as(user)}/components`, body)).id;

/** submitModal sends the fields of a modal; the answer is the interaction's id. */
export const submitModal = async (user, interaction, fields) => (await request("POST", `${as(user)}/modals`, { interaction, fields })).id;

/** openDirect opens direct messages with somebody or the bot; the answer is their channel's id. */
export const openDirect = async (user, target) => (await request("POST", `${as(user)}/direct`, { target_id: target })).channel_id;

/** install installs the application to a user, or uninstalls it. */
export const install = (user, installed) => request("POST", `${as(user)}/${installed ? "install" : "uninstall"}`, {});

/** loadWire fetches the last raw interactions and requests, the newest first. */
export const loadWire = async () => (await request("GET", "/sandbox/wire")).wire;

/** complete asks the bot for suggestions for the focused option. */
export const complete = async (user, body, signal) =>
  (await request("POST", `${as(user)}/autocomplete`, body, signal)).choices ?? [];

/** sendMessage says something in a channel. */
export const sendMessage = (user, body) => request("POST", `${as(user)}/messages`, body);

/** markRead clears the user's marks on a channel. */
export const markRead = (user, channel) => request("POST", `${as(user)}/read`, { channel_id: channel });

/** loadFaults fetches what the panel of faults shows. */
export const loadFaults = () => request("GET", "/sandbox/faults");

/** planFault plans a fault. */
export const planFault = (fault) => request("POST", "/sandbox/faults", fault);

/** changeFault releases what a planned fault holds, or removes it. */
export const changeFault = (id, how) => request("POST", `/sandbox/faults/${id}/${how}`, {});

/** disturbGateway does something to every connection of the bot. */
export const disturbGateway = (how) => request("POST", `/sandbox/gateway/${how}`, {});

/** moveBot removes the bot from a server or adds it again. */
export const moveBot = (how, guild) => request("POST", `/sandbox/bot/${how}`, { guild_id: guild });

/** denyChannel sets what the bot may not in a channel, as a decimal set of bits. */
export const denyChannel = (channel, permissions) => request("POST", `/sandbox/channels/${channel}/deny`, { permissions });

/** removeChannel deletes a channel. */
export const removeChannel = (channel) => request("POST", `/sandbox/channels/${channel}/remove`, {});

const retryFirst = 500;
const retryMost = 8000;

/**
 * openEvents listens to one user's events until the returned function is
 * called. It reconnects by itself, slower each time: EventSource alone gives
 * up for good when the server answers with an error.
 */
export function openEvents(user, { onEvent, onLost }) {
  let source = null;
  let timer = 0;
  let wait = retryFirst;
  let closed = false;

  const open = () => {
    source = new EventSource(`/sandbox/events?user=${encodeURIComponent(user)}`);
    source.onmessage = (event) => {
      wait = retryFirst;
      onEvent(JSON.parse(event.data));
    };
    source.onerror = () => {
      source.close();
      if (closed) return;
      onLost();
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, retryMost);
    };
  };
  open();

  return () => {
    closed = true;
    clearTimeout(timer);
    source.close();
  };
}
