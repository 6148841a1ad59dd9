// What a search without a model found: sentences of the papers in quotation marks, by paper, the best first.

import { button, count, element } from "./dom.js";
import { pages } from "./panel.js";
import { facts } from "./sources.js";
import { isCopy } from "./verdicts.js";

const HELD = 0.5;

/** Whether no model was asked, and all that is said is copied. */
export function isSearch({ lm, uncited, citations }) {
  return (lm ?? "").split("?")[0] === "extractive" && !uncited?.length && citations.every(isCopy);
}

/** The finds of a result; `open` is called with a citation, or a passage and null, and the button that was pressed. */
export function finds(result, open) {
  const papers = new Map();
  for (const citation of result.citations) {
    const passage = result.passages.find(({ id }) => id === citation.passage);
    add(papers, passage, held(citation.quote, citation.sentence), () => {
      const made = cite(pages(citation.quotes), passage, (opener) => open(passage, citation, opener));
      made.citation = citation;
      return made;
    });
  }
  for (const { passage: id, quote, places } of result.citations.length ? [] : (result.nearest ?? [])) {
    const passage = result.passages.find((each) => each.id === id);
    add(papers, passage, quote, () => cite(pages([{ places }]), passage, (opener) => open(passage, null, opener)));
  }
  return [
    result.answer ? null : nothing(result),
    papers.size ? element("h3", "Nearest in your papers") : null,
    ...[...papers.values()].map(({ passage, found }) =>
      element("section.find", ...facts(passage, result), element("ul.prose", ...found.values())),
    ),
  ];
}

/** What a screen reader announces of them. */
export function announced({ answer, citations }) {
  const papers = new Set(citations.map(({ document_id: paper }) => paper)).size;
  return answer ? `Done: ${count(citations.length, "sentence")} quoted from ${count(papers, "paper")}.` : "Done: no sentence was picked.";
}

function nothing({ passages }) {
  const read = new Set(passages.map(({ document_id: paper }) => paper)).size;
  return element(
    "div.abstained",
    element("h3", read ? `No sentence was picked from the ${count(read, "paper")} read` : "Nothing near this"),
    element("p.quiet", "Ask in other words, check the spelling, take filters away, or choose another way to ask."),
  );
}

function add(papers, passage, text, opener) {
  if (!passage || !text) return;
  const { found } = papers.get(passage.document_id) ?? { found: new Map() };
  papers.set(passage.document_id, { passage, found });
  if (!found.has(text)) found.set(text, element("li", element("span.said.quoted", `“${text}”`), " ", opener()));
}

function cite(label, passage, click) {
  const about = { "aria-label": `Show the quote in its place: ${passage.title || passage.document_id}` };
  return button("cite.quoted", label || "in its place", (event) => click(event.currentTarget), about);
}

/** Of a quote the rows that a sentence has, as the paper has them; between them what is left out is marked. */
function held(quote, sentence) {
  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}.]+/gu) ?? [];
  const said = new Set(words(sentence));
  const rows = quote.includes(" | ") ? quote.split("\n") : [quote];
  const kept = rows.flatMap((row, at) => (words(row).filter((word) => said.has(word)).length >= HELD * words(row).length ? at : []));
  return kept.length ? kept.map((at, place) => (place && kept[place - 1] !== at - 1 ? `[…] ${rows[at]}` : rows[at])).join(" ") : quote;
}
