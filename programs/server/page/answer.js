// The answer: its sentences underlined by verdict, its citations as buttons.

import { button, element } from "./dom.js";
import { blocks, emphasised } from "./markdown.js";
import { brackets, sentences } from "./spans.js";
import { mark, named, verdictOf } from "./verdicts.js";

/** Render the answer of a result; `open` is called with a citation and the button that was pressed. */
export function answerText(result, open) {
  const found = sentences(result);
  const titles = new Map(result.passages.map((passage) => [passage.id, passage.title || passage.document_id]));
  const cite = (citation) => citationButton(citation, titles.get(citation.passage) ?? "", open);
  const inline = (start, end) => stretch(result.answer, start, end, found, cite);
  return element("div.prose", ...blocks(result.answer, inline));
}

/** How many sentences have each verdict. */
export function tally(result) {
  const counts = new Map();
  for (const { verdict } of sentences(result)) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return counts;
}

/** The nodes of a stretch of the answer, which may begin and end inside a sentence. */
function stretch(answer, start, end, found, cite) {
  const made = [];
  let position = start;
  for (const sentence of found.filter((each) => each.start < end && each.end > start)) {
    const from = Math.max(sentence.start, position);
    const to = Math.min(sentence.end, end);
    made.push(...emphasised(answer.slice(position, from)));
    made.push(sentenceSpan(answer.slice(from, to), sentence, to === sentence.end, cite));
    position = to;
  }
  return [...made, ...emphasised(answer.slice(position, end))];
}

function sentenceSpan(text, sentence, isLast, cite) {
  const parts = linked(text, sentence.citations, isLast, (said) => words(said, sentence), cite);
  if (!["quoted", "supported"].includes(sentence.verdict) && isLast) parts.push(element("span.tag", named(sentence.verdict).toLowerCase()));
  return element("span.sentence", ...parts);
}

/**
 * Put buttons, which `cite` makes, in place of the brackets of a text; `between` makes the nodes of the rest.
 * With `all`, citations that no bracket names get their buttons at the end.
 */
export function linked(text, citations, all, between, cite) {
  const found = brackets(text, citations);
  const shown = found.flatMap((bracket) => bracket.citations);
  const parts = [];
  let position = 0;
  for (const bracket of found) {
    parts.push(...between(text.slice(position, bracket.start)), ...bracket.citations.map(cite));
    position = bracket.end;
  }
  const missing = all ? citations.filter((citation) => !shown.includes(citation)) : [];
  return [...parts, ...between(text.slice(position)), ...missing.map(cite)];
}

/** Underline what is said, not the spaces and stops around citations. */
function words(text, sentence) {
  const [, before, said, after] = /^(\s*)(.*?)(\s*)$/s.exec(text);
  if (!/[\p{L}\p{N}]/u.test(said)) return [text];
  return [before, element(`span.said.${sentence.verdict}`, ...emphasised(said)), after];
}

function citationButton(citation, title, open) {
  const verdict = verdictOf(citation);
  const label = `Source ${citation.marker}, ${named(verdict).toLowerCase()}: ${title}`;
  const content = [mark(verdict), citation.marker];
  const click = (event) => open(citation, event.currentTarget);
  const made = button(`cite.${verdict}`, content, click, { "aria-label": label, title });
  made.citation = citation;
  return made;
}
