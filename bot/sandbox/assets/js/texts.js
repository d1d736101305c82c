// The page's texts in the person's language. Their English form is the key; the
// files in assets/texts have the others. The panels of faults and of raw traffic,
// which are for people who write bots, are in English.

const languages = ["de", "fr", "es", "pt", "ja"];

let language = "en";
let texts = {};

/** useLanguage loads the texts for a locale such as "pt-BR", English if there are none. */
export async function useLanguage(locale) {
  const wanted = languages.find((l) => locale?.split("-")[0] === l) ?? "en";
  if (wanted === language) return;
  try {
    texts = wanted === "en" ? {} : await (await fetch(`/assets/texts/${wanted}.json`)).json();
  } catch {
    return; // the banner of the connection shows it
  }
  language = wanted;
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.dataset.tLabel));
}

/** parts returns a text with elements in the place of {names}. */
export function parts(text, values) {
  return (texts[text] ?? text).split(/\{(\w+)\}/).map((part, i) => (i % 2 ? values[part] ?? "" : part));
}

/** t returns a text with values in the place of {names}. */
export const t = (text, values = {}) => parts(text, values).join("");
