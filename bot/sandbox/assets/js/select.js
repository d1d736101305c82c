// Select menus of messages.

import { avatar } from "./avatar.js";
import { el, icon } from "./dom.js";
import { emojiText } from "./emoji.js";
import { Listbox } from "./listbox.js";
import { displayName } from "./state.js";
import { t } from "./texts.js";

const STRING = 3, USER = 5, ROLE = 6, MENTIONABLE = 7, CHANNEL = 8;

/** choicesOf returns a select's choices as items of a listbox. */
export function choicesOf(c, store) {
  switch (c.type) {
    case STRING:
      return (c.options ?? []).map((o) => ({
        name: o.label,
        value: o.value,
        detail: o.description,
        lead: o.emoji ? el("span", { class: "option-emoji", "aria-hidden": "true" }, emojiText(o.emoji)) : null,
      }));
    case USER:
      return people(store);
    case MENTIONABLE:
      return [...people(store), ...roles(store)];
    case CHANNEL:
      return store.guild.channels
        .filter((channel) => !c.channel_types?.length || c.channel_types.includes(channel.type ?? 0))
        .map((channel) => ({ name: store.label(channel), value: channel.id }));
    case ROLE:
      return roles(store);
    default:
      return [];
  }
}

/** people returns the members as items. */
function people(store) {
  const { members } = store.guild;
  const here = store.users.filter((u) => !members || members.includes(u.id));
  return [...here, store.application?.user].filter(Boolean).map((user) => ({
    name: displayName(user), value: user.id, detail: user.username, lead: avatar(user, "small"),
  }));
}

/** roles returns the server's roles as items. */
function roles(store) {
  return store.guild.roles.map((role) => ({ name: role.name.startsWith("@") ? role.name : `@${role.name}`, value: role.id, detail: t("Role"), lead: roleDot(role) }));
}

/** roleDot returns a dot in a role's colour. */
export function roleDot(role) {
  const dot = el("span", { class: "role-dot", "aria-hidden": "true" });
  if (role.color) dot.style.setProperty("--role", `#${role.color.toString(16).padStart(6, "0")}`);
  return dot;
}

const hints = { [STRING]: "Make a choice", [USER]: "Choose a person", [MENTIONABLE]: "Choose a person or role", [CHANNEL]: "Choose a channel", [ROLE]: "Choose a role" };

/** select draws one menu; its choice is sent with context.onUse(component, values). */
export function select(c, { store, pending, onUse }) {
  const most = c.max_values ?? 1;
  const least = c.min_values ?? 1;
  const multiple = most > 1;
  const choices = choicesOf(c, store);
  let picked = new Set((c.options ?? []).filter((o) => o.default).map((o) => o.value));
  let sent = [...picked].join(" ");
  const waiting = pending !== null && pending === c.custom_id;

  const face = el("span", { class: "select-face" });
  const button = el("button", {
    type: "button",
    class: "select",
    role: "combobox",
    "aria-haspopup": "listbox",
    "aria-expanded": "false",
    disabled: Boolean(c.disabled) || choices.length === 0,
    "aria-busy": waiting ? "true" : null,
    "aria-disabled": pending !== null ? "true" : null,
    data: { customId: c.custom_id, select: c.type, pending: waiting ? "true" : null },
  }, face, waiting ? el("span", { class: "dots", "aria-hidden": "true" }, el("i"), el("i"), el("i")) : icon("down"));
  const panel = el("div", { class: "select-panel" });
  const done = el("button", { type: "button", class: "button button-primary select-done", hidden: true }, t("Done"));
  const node = el("div", { class: "select-box" }, button, panel, done);

  const drawFace = () => {
    const names = choices.filter((item) => picked.has(item.value)).map((item) => item.name);
    const hint = c.placeholder || t(hints[c.type] ?? "Make a choice");
    face.textContent = names.join(", ") || hint;
    face.classList.toggle("select-hint", names.length === 0);
    button.setAttribute("aria-label", names.length ? `${hint}: ${names.join(", ")}` : hint);
  };
  const close = () => {
    list.hide();
    done.hidden = true;
  };
  const submit = () => {
    close();
    const values = choices.map((item) => item.value).filter((value) => picked.has(value));
    // Discord's clients send nothing if the choice is unchanged (discord-api-docs #4801).
    const now = values.join(" ");
    if (now === sent || values.length < least) return;
    sent = now;
    drawFace();
    onUse(c, values);
  };
  const list = new Listbox(panel, (item) => {
    if (!multiple) {
      picked = new Set([item.value]);
      submit();
      return;
    }
    if (picked.has(item.value)) picked.delete(item.value);
    else if (picked.size < most) picked.add(item.value);
    drawFace();
    open(choices.indexOf(item));
  });
  const open = (active) => {
    if (pending !== null) return;
    const items = choices.map((item) => Object.assign(item, { selected: picked.has(item.value) }));
    const first = active ?? Math.max(0, items.findIndex((item) => item.selected));
    list.show(button, { items, active: first, multiple, note: multiple ? t("Choose {n}.", { n: least === most ? most : t("{min} to {max}", { min: least, max: most }) }) : null });
    done.hidden = !multiple;
    done.disabled = picked.size < least;
    // A menu at the end of the log opens below the visible part.
    node.scrollIntoView({ block: "nearest" });
  };

  button.addEventListener("click", () => (list.open ? close() : open()));
  button.addEventListener("keydown", (event) => {
    if (list.open) {
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        close();
        return;
      }
      if (event.key === "Tab") return close();
      if (event.key === " ") {
        event.preventDefault();
        list.key(new KeyboardEvent("keydown", { key: "Enter" }));
        return;
      }
      list.key(event);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      open();
    }
  });
  node.addEventListener("focusout", (event) => {
    if (!node.contains(event.relatedTarget)) close();
  });
  done.addEventListener("mousedown", (event) => event.preventDefault());
  done.addEventListener("click", submit);
  drawFace();
  return node;
}
