// Slash commands as data: searching them, and validating options before they
// are sent, as Discord's clients do. No DOM here.

import { t } from "./texts.js";

export const SUBCOMMAND = 1, GROUP = 2, STRING = 3, INTEGER = 4, BOOLEAN = 5, USER = 6, CHANNEL = 7, ROLE = 8, MENTIONABLE = 9, NUMBER = 10, ATTACHMENT = 11;

/**
 * entries lists every command that can be sent, with subcommands separately:
 * {path: ["challenge", "trails"], name: "challenge trails", description,
 * options}. Required options come first.
 */
export function entries(commands) {
  const found = [];
  const walk = (node, path, description) => {
    const subs = (node.options ?? []).filter((o) => o.type === SUBCOMMAND || o.type === GROUP);
    if (subs.length > 0) {
      for (const sub of subs) walk(sub, [...path, sub], sub.description);
      return;
    }
    const options = [...(node.options ?? [])].sort((a, b) => Boolean(b.required) - Boolean(a.required));
    found.push({ path, name: path.map((p) => p.name).join(" "), description, options });
  };
  for (const command of commands) {
    if ((command.type ?? 1) === 1) walk(command, [command], command.description);
  }
  // Subcommands stay in their order.
  return found.sort((a, b) => (a.path[0].name === b.path[0].name ? 0 : a.path[0].name < b.path[0].name ? -1 : 1));
}

const plain = (text) => text.toLocaleLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replace(/\s+/g, " ").trim();

/** matches returns the items whose name contains a typed text, prefixes first. */
export function matches(items, text, names) {
  const wanted = plain(text);
  if (wanted === "") return items;
  const rank = (item) => {
    let best = 3;
    for (const name of names(item)) {
      const own = plain(name ?? "");
      if (own.startsWith(wanted)) best = Math.min(best, 0);
      else if (own.split(/[\s_-]/).some((word) => word.startsWith(wanted))) best = Math.min(best, 1);
      else if (own.includes(wanted)) best = Math.min(best, 2);
    }
    return best;
  };
  return items.map((item) => [rank(item), item]).filter(([r]) => r < 3).sort((a, b) => a[0] - b[0]).map(([, item]) => item);
}

/** typedOut returns the entry whose full name and a space were typed, and the rest of the text. */
export function typedOut(list, text) {
  const typed = text.slice(1);
  const entry = list.find((e) => typed.toLocaleLowerCase().startsWith(`${e.name} `));
  return entry ? { entry, rest: typed.slice(entry.name.length + 1) } : null;
}

/** payload nests the options below their subcommand, as Discord does. */
export function payload(entry, options) {
  let nested = options;
  for (const node of entry.path.slice(1).reverse()) nested = [{ name: node.name, type: node.type, options: nested }];
  return { name: entry.path[0].name, options: nested };
}

/**
 * check validates the text of an option. `picked` is the suggestion that was
 * picked for this text, or null. It returns {value}, {error: sentence}, or {}
 * if the option is empty.
 */
export function check(spec, text, picked, store) {
  const trimmed = text.trim();
  if (trimmed === "") return spec.required ? { error: missing(spec) } : {};
  if (spec.choices?.length) {
    const choice = picked ?? spec.choices.find((c) => plain(c.name) === plain(trimmed));
    return choice ? { value: choice.value } : { error: t("Choose one of the list for “{name}”.", { name: spec.name }) };
  }
  switch (spec.type) {
    case STRING:
      return checkString(spec, text);
    case INTEGER:
    case NUMBER:
      return checkNumber(spec, picked ? String(picked.value) : trimmed);
    case BOOLEAN: {
      const value = picked ? picked.value : { true: true, yes: true, false: false, no: false }[plain(trimmed)];
      return value === undefined ? { error: t("“{name}” is either True or False.", { name: spec.name }) } : { value };
    }
    case USER:
    case MENTIONABLE: {
      const user = picked ? picked.value : findPerson(trimmed, store);
      return user ? { value: user } : { error: t("Nobody here is called “{text}”: choose somebody of the list for “{name}”.", { name: spec.name, text: trimmed }) };
    }
    case CHANNEL: {
      const id = picked ? picked.value : findChannel(trimmed, store);
      return id ? { value: id } : { error: t("There is no channel “{text}”: choose one of the list for “{name}”.", { name: spec.name, text: trimmed }) };
    }
    case ROLE: {
      const wanted = plain(trimmed.replace(/^@/, ""));
      const role = picked ? picked.value : store.guild.roles.find((r) => plain(r.name.replace(/^@/, "")) === wanted)?.id;
      return role ? { value: role } : { error: t("There is no role “{text}”: choose one of the list for “{name}”.", { name: spec.name, text: trimmed }) };
    }
    default: // ATTACHMENT
      return picked ? { value: picked.value } : { error: t("The file is not uploaded yet.") };
  }
}

function missing(spec) {
  switch (spec.type) {
    case ATTACHMENT:
      return t("Choose a file for “{name}”.", { name: spec.name });
    case USER:
    case MENTIONABLE:
      return t("Choose somebody for “{name}”.", { name: spec.name });
    case CHANNEL:
      return t("Choose a channel for “{name}”.", { name: spec.name });
    default:
      return spec.choices?.length ? t("Choose one of the list for “{name}”.", { name: spec.name }) : t("Fill in “{name}”.", { name: spec.name });
  }
}

function checkString(spec, text) {
  const length = [...text].length;
  if (spec.min_length && length < spec.min_length) return { error: t("“{name}” needs at least {n} characters.", { name: spec.name, n: spec.min_length }) };
  if (spec.max_length && length > spec.max_length) return { error: t("“{name}” can have at most {n} characters.", { name: spec.name, n: spec.max_length }) };
  return { value: text };
}

function checkNumber(spec, text) {
  const whole = spec.type === INTEGER;
  const value = (whole ? /^[+-]?\d{1,16}$/ : /^[+-]?(\d+\.?\d*|\.\d+)$/).test(text) ? Number(text) : NaN;
  const { min_value: min, max_value: max } = spec;
  const range = min !== undefined && max !== undefined ? t("{min} to {max}", { min, max }) : min !== undefined ? t("at least {n}", { n: min }) : max !== undefined ? t("at most {n}", { n: max }) : "";
  const inside = (min === undefined || value >= min) && (max === undefined || value <= max);
  return Number.isFinite(value) && inside ? { value } : { error: t(whole ? "“{name}” must be a whole number." : "“{name}” must be a number.", { name: spec.name }) + (range && ` (${range})`) };
}

function findPerson(text, store) {
  const id = /^<@!?(\d+)>$/.exec(text)?.[1];
  if (id) return store.person(id) ? id : null;
  const wanted = plain(text.replace(/^@/, ""));
  const everybody = [...store.users, store.application?.user].filter(Boolean);
  const named = everybody.filter((u) => [u.nick, u.global_name, u.username].some((name) => name && plain(name) === wanted));
  return named.length === 1 ? named[0].id : null;
}

function findChannel(text, store) {
  const id = /^<#(\d+)>$/.exec(text)?.[1];
  const wanted = plain(text.replace(/^#/, ""));
  return store.guild.channels.find((c) => c.id === id || plain(c.name) === wanted)?.id ?? null;
}
