// Formats times: message times, Discord's <t:unix:style>, and relative times
// that update themselves.

import { el } from "./dom.js";
import { t } from "./texts.js";

let locale = "en-GB";
let ahead = 0; // of this machine's clock, in milliseconds

/** setClock sets the time in milliseconds, and the language in which times are shown. */
export function setClock(now, language) {
  ahead = now - Date.now();
  // Other English locales than the sandbox's default keep their date formats.
  const wanted = language === "en-US" ? (navigator.language?.startsWith("en") ? navigator.language : "en-GB") : language;
  if (wanted !== locale) {
    locale = wanted;
    build();
  }
  refresh();
}

const now = () => Date.now() + ahead;

let styles, gutter, relative;

function build() {
  const format = (options) => new Intl.DateTimeFormat(locale, options);
  styles = {
    t: format({ hour: "2-digit", minute: "2-digit" }),
    T: format({ hour: "2-digit", minute: "2-digit", second: "2-digit" }),
    d: format({ day: "2-digit", month: "2-digit", year: "numeric" }),
    D: format({ day: "numeric", month: "long", year: "numeric" }),
    f: format({ day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" }),
    F: format({ weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" }),
  };
  gutter = format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }); // only four digits fit beside a message
  relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
}
build();

const units = [
  ["year", 31536000],
  ["month", 2592000],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

function relativeText(ms) {
  const seconds = Math.trunc((ms - now()) / 1000);
  const [unit, size] = units.find(([, s]) => Math.abs(seconds) >= s) ?? units.at(-1);
  return relative.format(Math.round(seconds / size), unit); // as Discord does: a challenge of a day does not begin with 23 hours
}

/** timeText returns the current text of <t:unix:style>. */
export const timeText = (unix, style) => timestamp(unix, style).textContent;

/** timestamp returns the element for <t:unix:style>. */
export function timestamp(unix, style = "f") {
  const ms = Number(unix) * 1000;
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return document.createTextNode("Invalid date");
  const isRelative = style === "R";
  return el("time", {
    class: "timestamp",
    datetime: date.toISOString(),
    title: styles.F.format(date),
    data: isRelative ? { relative: ms } : {},
  }, isRelative ? relativeText(ms) : (styles[style] ?? styles.f).format(date));
}

const startOfDay = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** messageTime returns the time beside an author's name. */
export function messageTime(iso) {
  const date = new Date(iso);
  const days = Math.round((startOfDay(new Date(now())) - startOfDay(date)) / 86400000);
  const clock = styles.t.format(date);
  const text = days === 0 ? t("Today at {time}", { time: clock }) : days === 1 ? t("Yesterday at {time}", { time: clock }) : `${styles.d.format(date)} ${clock}`;
  return el("time", { class: "message-time", datetime: iso, title: styles.F.format(date) }, text);
}

/** clockTime returns the short time of a message that continues the one above. */
export const clockTime = (iso) => gutter.format(new Date(iso));

/** dayName returns the text of a date divider. */
export const dayName = (iso) => styles.D.format(new Date(iso));

/** sameDay reports whether two times are on the same local day. */
export const sameDay = (a, b) => startOfDay(new Date(a)) === startOfDay(new Date(b));

/** nowText returns the present time. */
export const nowText = () => styles.f.format(new Date(now()));

/** refresh updates the relative times on the page, which screen readers do not hear. */
function refresh() {
  for (const node of document.querySelectorAll("time[data-relative]")) {
    const text = relativeText(Number(node.dataset.relative));
    if (node.textContent !== text) node.textContent = text;
  }
}

/** keepTime updates the relative times once a second. */
export const keepTime = () => setInterval(refresh, 1000);
