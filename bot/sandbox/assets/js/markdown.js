// Parses Discord's dialect of Markdown to a tree, which markdown-view.js renders.
//
// Blocks: {type: "paragraph"|"heading"|"subtext"|"quote"|"list"|"codeblock"}
// Inline: {type: "text"|"bold"|"italic"|"underline"|"strike"|"spoiler"|"code"|
//          "link"|"user"|"channel"|"everyone"|"command"|"emoji"|"time"}

// Deeper nesting stays text, to bound the work.
const deepest = 12;

/** parse parses a message into blocks. */
export function parse(text) {
  return parseBlocks(text.replace(/\r\n?/g, "\n"), 0);
}

const fence = /```(?:([\w+#-]{1,20})\n)?\n?([\s\S]*?[^\n])\n*```/y;
const heading = /(#{1,3}) +(\S[^\n]*)(?:\n|$)/y;
const subtext = /-# +(\S[^\n]*)(?:\n|$)/y;
const longQuote = />>> +([\s\S]+)$/y;
const quote = /(?:> [^\n]*(?:\n|$))+/y;
const list = /(?: *(?:[-*]|\d{1,9}\.) +\S[^\n]*(?:\n|$)(?: +(?![-*] |\d{1,9}\. )\S[^\n]*(?:\n|$))*)+/y;

function at(regexp, text, index) {
  regexp.lastIndex = index;
  return regexp.exec(text);
}

function parseBlocks(text, depth) {
  const blocks = [];
  let i = 0;
  let lineStart = true;
  let plain = ""; // lines of the paragraph so far

  const flush = () => {
    // The line break before a block belongs to the block.
    const body = plain.replace(/\n$/, "");
    if (body !== "") blocks.push({ type: "paragraph", children: parseInline(body, depth) });
    plain = "";
  };
  const take = (match, block) => {
    flush();
    blocks.push(block);
    i += match[0].length;
    lineStart = true;
  };

  while (i < text.length) {
    let m;
    if (text.startsWith("```", i) && (m = at(fence, text, i))) {
      take(m, { type: "codeblock", language: m[1] ?? "", text: m[2] });
      if (text[i] === "\n") i++;
      continue;
    }
    if (lineStart && depth < deepest) {
      if ((m = at(heading, text, i))) {
        take(m, { type: "heading", level: m[1].length, children: parseInline(m[2], depth + 1) });
        continue;
      }
      if ((m = at(subtext, text, i))) {
        take(m, { type: "subtext", children: parseInline(m[1], depth + 1) });
        continue;
      }
      if ((m = at(longQuote, text, i))) {
        take(m, { type: "quote", children: parseBlocks(m[1], depth + 1) });
        continue;
      }
      if ((m = at(quote, text, i))) {
        take(m, { type: "quote", children: parseBlocks(m[0].replace(/^> /gm, ""), depth + 1) });
        continue;
      }
      if ((m = at(list, text, i))) {
        flush();
        blocks.push(...parseLists(m[0], depth + 1));
        i += m[0].length;
        continue;
      }
    }
    plain += text[i];
    lineStart = text[i] === "\n";
    i++;
  }
  flush();
  return blocks;
}

const listLine = /^( *)([-*]|\d{1,9}\.) +(.*)$/;

/** parseLists nests items by indentation; numbers after bullets start a new list. */
function parseLists(text, depth) {
  const lists = [];
  const stack = [{ indent: -1, list: null }];
  for (const line of text.split("\n")) {
    const m = listLine.exec(line);
    if (!m) {
      const item = stack.at(-1).list?.items.at(-1);
      if (item && line.trim()) item.children.push({ type: "text", text: "\n" }, ...parseInline(line.trim(), depth));
      continue;
    }
    const indent = m[1].length;
    while (stack.length > 1 && indent < stack.at(-1).indent) stack.pop();
    const ordered = /\d/.test(m[2]);
    if (stack.length === 2 && indent === stack[1].indent && stack[1].list.ordered !== ordered) stack.pop();
    if (indent > stack.at(-1).indent && stack.length <= deepest) {
      const made = { type: "list", ordered, start: ordered ? parseInt(m[2], 10) : 1, items: [] };
      if (stack.length > 1) stack.at(-1).list.items.at(-1).lists.push(made);
      else lists.push(made);
      stack.push({ indent, list: made });
    }
    stack.at(-1).list.items.push({ children: parseInline(m[3], depth), lists: [] });
  }
  return lists;
}

const mention = /<(?:@!?(\d{1,20})|#(\d{1,20})|t:(-?\d{1,13})(?::([tTdDfFR]))?|(\/[^:<>\n]{1,100}):(\d{1,20})|a?:(\w{2,32}):\d{1,20})>/y;
const masked = /\[((?:\\.|[^\[\]\\\n])+)\]\(<?((?:https?:\/\/|\/channels\/)[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?: +"[^"\n]*")?\)/y;
const bareLink = /https?:\/\/[^\s<>]*[^\s<>.,:;"'!?)\]*_~|]/y;
const quietLink = /<(https?:\/\/[^\s<>]+)>/y;
const everyone = /@(everyone|here)\b/y;

// In order of precedence: longer delimiters first.
const delimiters = [
  ["**", "bold"],
  ["__", "underline"],
  ["~~", "strike"],
  ["||", "spoiler"],
  ["*", "italic"],
  ["_", "italic"],
];

/** parseInline parses a line or paragraph. */
export function parseInline(text, depth = 0) {
  const nodes = [];
  let plain = "";
  let i = 0;
  const push = (node, length) => {
    if (plain) nodes.push({ type: "text", text: plain });
    plain = "";
    nodes.push(node);
    i += length;
  };

  while (i < text.length) {
    const c = text[i];
    let m;
    if (c === "\\" && /[^\sA-Za-z0-9]/.test(text[i + 1] ?? "")) {
      plain += text[i + 1];
      i += 2;
      continue;
    }
    if (c === "`") {
      const span = codeSpan(text, i);
      if (span) {
        push({ type: "code", text: span.text }, span.length);
        continue;
      }
    }
    if (c === "<") {
      if ((m = at(mention, text, i))) {
        push(mentionNode(m), m[0].length);
        continue;
      }
      if ((m = at(quietLink, text, i))) {
        push({ type: "link", url: m[1], children: [{ type: "text", text: m[1] }] }, m[0].length);
        continue;
      }
    }
    if (c === "[" && depth < deepest && (m = at(masked, text, i))) {
      push({ type: "link", url: m[2], children: parseInline(m[1], deepest) }, m[0].length);
      continue;
    }
    if (c === "h" && !/\w/.test(text[i - 1] ?? "") && (m = at(bareLink, text, i))) {
      push({ type: "link", url: m[0], children: [{ type: "text", text: m[0] }] }, m[0].length);
      continue;
    }
    if (c === "@" && (m = at(everyone, text, i))) {
      push({ type: "everyone", name: m[1] }, m[0].length);
      continue;
    }
    const styled = depth < deepest ? delimited(text, i, depth) : null;
    if (styled) {
      push(styled.node, styled.length);
      continue;
    }
    plain += c;
    i++;
  }
  if (plain) nodes.push({ type: "text", text: plain });
  return nodes;
}

function mentionNode(m) {
  if (m[1]) return { type: "user", id: m[1] };
  if (m[2]) return { type: "channel", id: m[2] };
  if (m[3]) return { type: "time", unix: m[3], style: m[4] };
  if (m[5]) return { type: "command", name: m[5] };
  return { type: "emoji", name: m[7] };
}

/** codeSpan parses the code between two equal runs of backticks. */
function codeSpan(text, start) {
  let run = 1;
  while (text[start + run] === "`") run++;
  const mark = "`".repeat(run);
  for (let i = start + run; (i = text.indexOf(mark, i)) >= 0; ) {
    let end = i + run;
    while (text[end] === "`") end++;
    if (end - i === run && i > start + run) {
      return { text: text.slice(start + run, i).replace(/^ (.*\S.*) $/s, "$1"), length: end - start };
    }
    i = end;
  }
  return null;
}

function delimited(text, start, depth) {
  for (const [mark, type] of delimiters) {
    if (!text.startsWith(mark, start)) continue;
    const from = start + mark.length;
    // As in Discord, *text* needs a character after the asterisk, and _text_ must not start within a word.
    if (mark === "*" && /\s|^$/.test(text[from] ?? "")) continue;
    if (mark === "_" && /\w/.test(text[start - 1] ?? "")) continue;
    const end = closing(text, from, mark);
    if (end < 0) continue;
    const node = { type, children: parseInline(text.slice(from, end), depth + 1) };
    return { node, length: end + mark.length - start };
  }
  return null;
}

/** closing finds the closing delimiter, skipping escapes and code. */
function closing(text, from, mark) {
  for (let i = from; i < text.length; i++) {
    if (text[i] === "\\") {
      i++;
      continue;
    }
    if (text[i] === "`") {
      const span = codeSpan(text, i);
      if (span) i += span.length - 1;
      continue;
    }
    if (!text.startsWith(mark, i) || i === from) continue;
    if (mark.length === 1) {
      if (text[i + 1] === mark) {
        i++; // a double delimiter belongs to bold or underline
        continue;
      }
      if (mark === "_" && /\w/.test(text[i + 1] ?? "")) continue;
      if (mark === "*" && /\s/.test(text[i - 1])) continue;
    } else if (text[i + 2] === mark[0] && mark !== "||") {
      continue; // ***: close the inner, single delimiter first
    }
    return i;
  }
  return -1;
}

/** plainText returns a tree's text without formatting, for excerpts. */
export function plainText(nodes, names = {}) {
  return nodes.map((node) => {
    if (node.text !== undefined) return node.text;
    if (node.type === "user") return `@${names.user?.(node.id) ?? "somebody"}`;
    if (node.type === "channel") return `#${names.channel?.(node.id) ?? "channel"}`;
    if (node.type === "everyone") return `@${node.name}`;
    if (node.type === "spoiler") return "[spoiler]";
    if (node.type === "emoji") return `:${node.name}:`;
    if (node.type === "command") return node.name;
    if (node.type === "time") return names.time?.(node.unix, node.style) ?? "";
    if (node.type === "list") return node.items.map((item) => plainText(item.children, names)).join(" ");
    return plainText(node.children ?? [], names);
  }).join("");
}
