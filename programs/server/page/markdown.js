// The Markdown that answers use, as nodes: paragraphs, lists, headings, **bold** and *italic*. All else stays text.

import { element } from "./dom.js";

const ITEM = /^([ \t]*)([-*•+‣]|\d{1,2}[.)])[ \t]+/;
const HEADING = /^#{1,6}[ \t]+/;
const EMPHASIS = /\*\*(?=\S)([^*\n]+?)\*\*|(?<![\w*])\*(?=\p{L})([^*\n]{1,80}?)(?<=[\p{L}.])\*(?![\w*])/gu;

/** Render a text as blocks; `inline` makes the nodes of a stretch of it, from its two offsets. */
export function blocks(text, inline) {
  const made = [];
  let list = null;
  for (const line of lines(text)) {
    const item = ITEM.exec(line.text);
    if (!item) list = null;
    if (item) {
      list = listFor(list, item[2], made);
      list.append(element("li", ...inline(line.start + item[0].length, line.end)));
    } else if (HEADING.test(line.text)) {
      const marks = HEADING.exec(line.text)[0].length;
      made.push(element("h3", ...inline(line.start + marks, line.end)));
    } else {
      made.push(element("p", ...inline(line.start, line.end)));
    }
  }
  return made;
}

/** Lines with their offsets; lines that only continue a paragraph or a list item are joined to it. */
function lines(text) {
  const found = [];
  let start = 0;
  let open = false;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    const blank = !line.trim();
    if (open && !blank && !ITEM.test(line) && !HEADING.test(line)) {
      found.at(-1).end = end;
    } else if (!blank) {
      found.push({ start, end });
    }
    open = !blank && !HEADING.test(line);
    start = end + 1;
  }
  return found.map((line) => ({ ...line, text: text.slice(line.start, line.end) }));
}

function listFor(list, bullet, made) {
  const tag = /\d/.test(bullet) ? "ol" : "ul";
  if (list?.localName === tag) return list;
  const started = element(tag, tag === "ol" ? { start: Number.parseInt(bullet, 10) } : {});
  made.push(started);
  return started;
}

/** Text with its emphasis as elements. */
export function emphasised(text) {
  const made = [];
  let position = 0;
  for (const match of text.matchAll(EMPHASIS)) {
    made.push(text.slice(position, match.index), element(match[1] ? "strong" : "em", match[1] ?? match[2]));
    position = match.index + match[0].length;
  }
  return [...made, text.slice(position)].filter((each) => each !== "");
}
