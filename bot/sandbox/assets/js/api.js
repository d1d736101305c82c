// Client of the sandbox's page API. Every call is made as one user.

/** ApiError carries the server's sentence for the person. */
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
    // Not JSON: an error page of a proxy or the runtime. The status is enough.
  }
  if (!answer.ok) {
    throw new ApiError(value?.error ?? value?.message ?? `The sandbox answered with status ${answer.status}.`, answer.status);
  }
  return value;
}

const as = (user) => `/sandbox/users/${encodeURIComponent(user)}`;

/** loadState fetches everything that a user sees; without a user, what the first one sees. */
export function loadState(user, signal) {
  const query = user ? `?user=${encodeURIComponent(user)}` : "";
  return request("GET", `/sandbox/state${query}`, undefined, signal);
}

/** loadCommands fetches all commands in a language. */
export const loadCommands = (locale) => request("GET", `/sandbox/commands?locale=${encodeURIComponent(locale)}`);

/** moveTime moves the clock forward by seconds, or to what is due next for 0. */
export const moveTime = (seconds) => request("POST", "/sandbox/time", { seconds });

/** sendCommand uses a slash command and returns the interaction's id. */
export const sendCommand = async (user, body) => (await request("POST", `${as(user)}/commands`, body)).id;

/** sendComponent presses a button or submits a select, and returns the interaction's id. */
export const sendComponent = async (user, body) => (await request("POST", `${as(user)}/components`, body)).id;

/** submitModal submits a modal and returns the interaction's id. */
export const submitModal = async (user, interaction, fields) => (await request("POST", `${as(user)}/modals`, { interaction, fields })).id;

/** openDirect opens direct messages with a person or the bot and returns their channel's id. */
export const openDirect = async (user, target) => (await request("POST", `${as(user)}/direct`, { target_id: target })).channel_id;

/** install installs the application to a user, or uninstalls it. */
export const install = (user, installed) => request("POST", `${as(user)}/${installed ? "install" : "uninstall"}`, {});

/** loadTraffic fetches the latest raw interactions and requests, newest first. */
export const loadTraffic = async () => (await request("GET", "/sandbox/wire")).wire;

/** complete requests suggestions for the focused option. */
export const complete = async (user, body, signal) =>
  (await request("POST", `${as(user)}/autocomplete`, body, signal)).choices ?? [];

/** sendMessage sends a message to a channel. */
export const sendMessage = (user, body) => request("POST", `${as(user)}/messages`, body);

/** change edits or deletes a message of a user, or starts a thread from one: "edit" {content}, "delete", "thread" {name}. */
export const change = (user, how, message, body = {}) =>
  request("POST", `${as(user)}/${how}`, { channel_id: message.channel_id, message_id: message.id, ...body });

/** setMember has a user join a server or leave it. */
export const setMember = (user, guild, member) => request("POST", `${as(user)}/${member ? "join" : "leave"}`, { target_id: guild });

/** setLocale sets the language of a user. */
export const setLocale = (user, locale) => request("POST", `${as(user)}/locale`, { name: locale });

/** upload stores a file for an option or a modal of a user and returns its id. */
export async function upload(user, file) {
  let binary = "";
  for (const byte of new Uint8Array(await file.arrayBuffer())) binary += String.fromCharCode(byte);
  return (await request("POST", `${as(user)}/uploads`, { filename: file.name, data: btoa(binary) })).id;
}

/** accepted turns file_types ("image", ".pdf") into the accept attribute of a file input. */
export const accepted = (types) => (types ?? []).map((t) => (t.startsWith(".") ? t : `${t}/*`)).join(",") || null;

/** sendReaction adds a user's reaction to a message, or takes it back. */
export const sendReaction = (user, message, emoji) =>
  request("POST", `${as(user)}/reactions`, { channel_id: message.channel_id, message_id: message.id, name: emoji });

/** markRead marks a channel as read. */
export const markRead = (user, channel) => request("POST", `${as(user)}/read`, { channel_id: channel });

/** loadFaults fetches the content of the panel of faults. */
export const loadFaults = () => request("GET", "/sandbox/faults");

/** planFault plans a fault. */
export const planFault = (fault) => request("POST", "/sandbox/faults", fault);

/** changeFault releases what a planned fault holds, or removes it. */
export const changeFault = (id, how) => request("POST", `/sandbox/faults/${id}/${how}`, {});

/** changeGateway drops, silences or otherwise disturbs the bot's connections. The
 *  details can be {shard} or {shards}. */
export const changeGateway = (how, details = {}) => request("POST", `/sandbox/gateway/${how}`, details);

/** changeBot removes the bot from a server or adds it. */
export const changeBot = (how, guild) => request("POST", `/sandbox/bot/${how}`, { guild_id: guild });

/** denyChannel sets the permissions that a channel denies the bot, as a decimal bit set. */
export const denyChannel = (channel, permissions) => request("POST", `/sandbox/channels/${channel}/deny`, { permissions });

/** removeChannel deletes a channel. */
export const removeChannel = (channel) => request("POST", `/sandbox/channels/${channel}/remove`, {});
