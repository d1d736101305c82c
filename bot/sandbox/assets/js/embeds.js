// Embeds, the older form of rich content.

import { el } from "./dom.js";
import { markdown } from "./markdown-view.js";
import { picture } from "./media.js";

/** embeds renders the embeds of a message. */
export function embeds(list, store, message) {
  return list.map((embed) => {
    const safe = /^https?:\/\//i.test(embed.url ?? "");
    const title = embed.title
      ? el("p", { class: "embed-title" }, safe
        ? el("a", { class: "link", href: embed.url, target: "_blank", rel: "noopener noreferrer nofollow" }, embed.title)
        : embed.title)
      : null;
    const box = el("div", { class: "container embed" },
      el("div", { class: "container-body" },
        embed.author?.name ? el("p", { class: "embed-author" }, embed.author.name) : null,
        title,
        embed.description ? markdown(embed.description, store) : null,
        embed.fields?.length
          ? el("dl", { class: "embed-fields" }, embed.fields.map((field) =>
            el("div", { data: { inline: field.inline ? "true" : null } }, el("dt", {}, field.name), el("dd", {}, markdown(field.value, store)))))
          : null,
        embed.image ? picture({ media: embed.image, description: embed.title }, message, "single") : null,
        embed.footer?.text ? el("p", { class: "subtext" }, embed.footer.text) : null));
    if (Number.isInteger(embed.color)) box.style.setProperty("--accent-bar", `#${embed.color.toString(16).padStart(6, "0")}`);
    return box;
  });
}
