// Everything that is under a question once it is answered.

import { answerText, linked, tally } from "./answer.js";
import { button, count, element, fill } from "./dom.js";
import { answerExports, printed } from "./exports.js";
import { announced, finds, isSearch } from "./finds.js";
import { label } from "./panel.js";
import { figure, isPictured } from "./pictures.js";
import { address } from "./recent.js";
import { sources } from "./sources.js";
import { badge, mark, named, VERDICTS } from "./verdicts.js";

/** Show the result of a request in a place; the panel opens its citations and passages. */
export function report(place, { request, result }, panel, heading = null) {
  const open = (citation, opener) => panel.openCitation(result, citation, opener);
  fill(
    place,
    heading,
    ...said(result, panel, open),
    listed("ul.notes", "", result.notes, (note) => element("li", note)),
    listed("section.unproved", "Could not be proved", result.unsupported_claims, unproved),
    listed("section.conflicts", "The papers disagree", result.conflicts, (each) => conflict(each, result, panel)),
    ...(isSearch(result) ? [] : sources(result, panel)),
    ...(result.answer && !isSearch(result) ? figures(result) : []),
    repairs(result.repairs ?? []),
    searched(result),
    footer(request, result),
  );
}

/** What a screen reader announces when the answer is there. */
export function announcement(result) {
  if (isSearch(result)) return announced(result);
  if (!result.answer) return "Done: the papers do not answer this question.";
  const parts = [...tally(result)].map(([verdict, number]) => `${number} ${named(verdict).toLowerCase()}`);
  return `Answer ready. Sentences: ${parts.join(", ")}.`;
}

function said(result, panel, open) {
  if (isSearch(result)) return finds(result, (passage, citation, opener) => panel.open(result, passage, citation, opener));
  return result.answer ? [summary(result), answerText(result, open)] : [abstained(result)];
}

function listed(selector, title, items, made) {
  if (!items?.length) return null;
  return element(selector, title ? element("h3", title) : null, ...items.map(made));
}

function summary(result) {
  const counts = tally(result);
  const shown = VERDICTS.filter((verdict) => counts.has(verdict));
  const badges = shown.map((verdict) => badge(verdict, `${counts.get(verdict)} ${named(verdict).toLowerCase()}`));
  return element("p.summary", { "aria-label": "Sentences by verdict" }, result.topic || null, ...badges);
}

function abstained({ passages }) {
  const read = `${count(passages.length, "passage was", "passages were")} read, and none holds the answer; nothing was made up.`;
  return element(
    "div.abstained",
    element("h3", "The papers do not answer this"),
    element("p", passages.length ? read : "No passage came near the question, so nothing was answered."),
    element("p.quiet", "Ask in other words, take filters away, or choose another program."),
  );
}

function unproved({ claim, reason }) {
  return element("div.item", mark("unverifiable"), element("div", element("p", claim), element("p.quiet", reason)));
}

function conflict({ statement, passages }, result, panel) {
  const markers = passages.map((number) => ({ marker: String(label(result, result.passages[number - 1])) }));
  const parts = linked(statement, markers, true, (text) => [text], ({ marker }) => passageButton(marker, result, panel));
  return element("div.item", mark("contradicted"), element("p", ...parts));
}

/** A passage by what it is cited by. */
function passageButton(name, result, panel) {
  const passage = result.passages.find((each) => String(label(result, each)) === name);
  const click = (event) => panel.open(result, passage, null, event.currentTarget);
  return button("cite", name, click, { "aria-label": `Source ${name}: ${passage.title}` });
}

/** Figures of papers that the answer cites, as far as there is a picture; folded below those that were only read. */
function figures(result) {
  const [cited, pdfs] = [new Set(result.citations.map(({ document_id: paper }) => paper)), new Set(printed(result))];
  const pictured = (result.figures ?? []).filter((each) => isPictured(each, pdfs.has(each.document_id)));
  const [used, others] = [true, false].map((is) => pictured.filter((each) => cited.has(each.document_id) === is));
  const title = `${count(others.length, "figure")} of papers that are not cited`;
  const name = (paper) => result.references?.[paper]?.id ?? paper;
  const card = (each) => figure(each, each.document_id, pdfs.has(each.document_id), name(each.document_id));
  return [
    listed("section.cards", "Figures", used, card),
    others.length ? folded(title, listed("section.cards", "", others, card)) : null,
  ];
}

function folded(title, ...content) {
  return element("details", element("summary", title), ...content);
}

function repairs(rounds) {
  const version = (title, text) => element("div", element("h4", title), element("p", text));
  const shown = rounds.map(({ unsupported, before, after }) =>
    element(
      "div.repair",
      ...unsupported.map(unproved),
      element("div.versions", version("Before", before), version("After", after || "Nothing was left.")),
    ),
  );
  return rounds.length ? folded(`The answer was repaired: ${count(rounds.length, "round")}`, ...shown) : null;
}

function searched({ queries, expansion }) {
  const rows = { Queries: queries, "Terms recognised": expansion?.matched, "Terms added": expansion?.added };
  const found = Object.entries(rows).filter(([, words]) => words?.length);
  const listing = found.flatMap(([name, words]) => [
    element("dt", name),
    element("dd", ...words.map((word) => element("span.term", String(word)))),
  ]);
  return found.length ? folded("What was searched for", element("dl.searched", ...listing)) : null;
}

function footer(request, result) {
  const { latency_ms: time, lm_calls: calls, tokens } = result.metrics;
  const isModel = result.lm !== "extractive";
  const facts = [
    typeof time === "number" ? `${(time / 1000).toFixed(1)} s` : "",
    isModel && typeof calls === "number" ? count(calls, "model call") : "",
    isModel && tokens?.total ? count(tokens.total, "token") : "",
  ];
  return element(
    "footer",
    element("p.facts", facts.filter(Boolean).join(" · ")),
    element("a.facts", { href: address(request), title: "Brings up this question with its program and filters" }, "Link"),
    answerExports(result),
  );
}
