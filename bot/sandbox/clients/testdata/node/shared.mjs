// What the bots of all libraries for Node have in common: their commands and
// messages, in the shape of Discord's API. ../doc.go says what a bot must do.

export const { SANDBOX_API: api, SANDBOX_TOKEN: token, SANDBOX_COMPRESS: compress } = process.env;
export const shards = Number(process.env.SANDBOX_SHARDS ?? 1);

const plain = ["reply", "defer", "buttons", "menus", "layout", "modal", "labels", "choices", "activity", "thread", "direct", "members", "react"];
const option = (type, name, more) => ({ type, name, description: name, ...more });

export const commands = [
  ...plain.map((name) => ({ type: 1, name, description: name })),
  { type: 1, name: "suggest", description: "suggest", options: [option(3, "what", { required: true, autocomplete: true })] },
  { type: 1, name: "file", description: "file", options: [option(11, "file", { required: true })] },
  {
    type: 1, name: "options", description: "options", options: [
      option(3, "text"), option(4, "whole"), option(10, "number"), option(5, "yes"), option(6, "user"), option(7, "channel"), option(8, "role"), option(9, "mentionable"),
    ],
  },
  { type: 2, name: "Inspect" },
  { type: 3, name: "Quote" },
];

// The smallest PNG: one pixel.
export const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");
export const note = Buffer.from("a note");

const row = (...components) => ({ type: 1, components });
const button = (custom_id, style) => ({ type: 2, style, label: custom_id, custom_id });
const label = (component) => ({ type: 18, label: component.custom_id, component });
const choices = ["a", "b", "c"].map((value) => ({ label: value, value }));
const media = (name) => ({ url: `attachment://${name}` });
const string = { type: 3, custom_id: "string", options: choices, max_values: 2 };
const entities = [[5, "user"], [6, "role"], [7, "mentionable"], [8, "channel"]].map(([type, custom_id]) => ({ type, custom_id }));

export const buttons = [row(
  button("update", 1), button("defer-update", 2), button("answer", 3), button("later", 4), { type: 2, style: 5, label: "link", url: "https://example.org" },
)];

export const menus = [string, ...entities].map((menu) => row(menu));

export const layout = [{
  type: 17, accent_color: 0x336699, components: [
    { type: 9, components: [{ type: 10, content: "section" }], accessory: { type: 11, media: media("pixel.png"), description: "a pixel" } },
    { type: 9, components: [{ type: 10, content: "section" }], accessory: button("press", 1) },
    { type: 14, divider: true, spacing: 2 },
    { type: 10, content: "layout" },
    { type: 12, items: [{ media: media("pixel.png") }] },
    { type: 13, file: media("note.txt") },
    row(string),
  ],
}];
export const pressed = [{ type: 10, content: "pressed" }];

export const modals = {
  modal: { custom_id: "modal", title: "modal", components: [row({ type: 4, custom_id: "text", style: 1, label: "text" })] },
  labels: {
    custom_id: "labels", title: "labels",
    components: [label({ type: 4, custom_id: "text", style: 2 }), label(string), ...entities.filter((e) => e.type !== 7).map(label)],
  },
  choices: {
    custom_id: "choices", title: "choices",
    components: [
      label({ type: 21, custom_id: "radio", options: choices }), label({ type: 22, custom_id: "group", options: choices }),
      label({ type: 23, custom_id: "checkbox" }), label({ type: 19, custom_id: "file" }),
    ],
  },
};

export const presence = { status: "idle", activity: "in the sandbox" };

/** pairs formats values by name: "a=1;b=x,y". */
export const pairs = (name, values) => `${name}: ${Object.entries(values).map(([k, v]) => `${k}=${v}`).join(";")}`;

/** fields lists the values of a submitted modal by custom_id; files by their names. */
export function fields({ components, resolved }) {
  const out = {};
  for (const top of components) {
    for (const c of top.components ?? [top.component]) {
      const files = resolved?.attachments ?? {};
      out[c.custom_id] = c.value ?? c.values?.map((v) => files[v]?.filename ?? v).join(",");
    }
  }
  return out;
}

/** camel converts the keys of an object of the API to camel case; id is the form of a final "id". */
export function camel(value, id) {
  if (Array.isArray(value)) return value.map((v) => camel(v, id));
  if (value === null || typeof value !== "object") return value;
  const key = (k) => k.replace(/_id$/, id).replace(/_([a-z])/g, (_, c) => c.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [key(k), camel(v, id)]));
}

process.on("unhandledRejection", (err) => console.error(err));
