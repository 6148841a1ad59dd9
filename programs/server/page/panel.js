// The side panel: a passage with the quote highlighted, the verdict and why the passage was chosen.

import { button, element, fill, icon, outsideLink, spaced } from "./dom.js";
import { sheets } from "./pictures.js";
import { signals } from "./signals.js";
import { cut } from "./spans.js";
import { badge, explained, named, verdictOf } from "./verdicts.js";

const SHEET = matchMedia("(max-width: 62rem)");

/** A dialog beside the answer on a wide screen, a sheet over it on a narrow one. Escape closes it. */
export class Panel {
  constructor(dialog) {
    this.dialog = dialog;
    this.body = element("div.panel-body");
    this.place = element("p.panel-place");
    const action = (name, label, click) => button("icon-button", icon(name), click, { "aria-label": label });
    this.steps = [
      action("previous", "Previous citation", () => this.step(-1)),
      action("next", "Next citation", () => this.step(1)),
    ];
    const close = action("close", "Close", () => dialog.close());
    dialog.append(element("div.panel-inner", element("div.panel-bar", this.place, ...this.steps, close), this.body));
    document.addEventListener("keydown", (event) => this.pressed(event));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => this.closed());
  }

  /** Close it because what it shows goes away; the focus stays where it is. */
  leave() {
    this.opener?.classList.remove("open");
    this.opener = null;
    this.dialog.close();
  }

  /** Open a citation of a result; the focus returns to `opener` afterwards. */
  openCitation(result, citation, opener) {
    this.open(result, result.passages.find((each) => each.id === citation.passage), citation, opener);
  }

  /** Open nodes that are about no citation. */
  openNodes(place, nodes, opener) {
    this.shown(opener, null, nodes);
    fill(this.place, place);
    for (const each of this.steps) each.hidden = true;
    this.show();
  }

  /** Open a passage of a result, with the citation that proves a sentence by it where there is one. */
  open(result, passage, citation, opener) {
    this.current = result;
    this.shown(opener, citation, content(result, passage, citation));
    this.tellPlace();
    this.show();
    reveal(this.body);
  }

  shown(opener, citation, nodes) {
    this.opener?.classList.remove("open");
    this.opener = opener;
    opener?.classList.add("open");
    this.citation = citation;
    fill(this.body, ...nodes);
  }

  /** Escape closes; arrows go to the citation before or behind, in the panel and among those of the answer. */
  pressed(event) {
    if (event.key === "Escape") this.dialog.close();
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const isHere = this.dialog.open && this.dialog.contains(event.target);
    const cites = [...(event.target.closest?.(".answer")?.querySelectorAll(".cite") ?? [])];
    const at = cites.indexOf(event.target);
    if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (isHere && !this.steps[0].hidden) this.step(by);
    else if (at >= 0) cites.at((at + by) % cites.length).focus();
    else return;
    event.preventDefault();
  }

  show() {
    if (!this.dialog.open) this.dialog[SHEET.matches ? "showModal" : "show"]();
    document.body.classList.add("with-panel");
    this.dialog.querySelector("h2").focus({ preventScroll: true });
  }

  closed() {
    document.body.classList.remove("with-panel");
    this.opener?.classList.remove("open");
    this.opener?.focus();
  }

  step(by) {
    const { citations } = this.current;
    const next = citations.at((citations.indexOf(this.citation) + by) % citations.length);
    const opener = [...document.querySelectorAll(".answer .cite")].find((each) => each.citation === next);
    opener?.scrollIntoView({ block: "nearest" });
    this.openCitation(this.current, next, opener ?? this.opener);
  }

  tellPlace() {
    const { citations } = this.current;
    const number = citations.indexOf(this.citation) + 1;
    fill(this.place, number ? badge(verdictOf(this.citation)) : "Passage", number ? `${number} of ${citations.length}` : null);
    for (const each of this.steps) each.hidden = !number || citations.length < 2;
  }
}

/** Scroll so that the quote is in sight. */
function reveal(body) {
  body.scrollTop = 0;
  const quote = body.querySelector("mark")?.getBoundingClientRect();
  const frame = body.getBoundingClientRect();
  if (quote && quote.bottom > frame.bottom) body.scrollTop = quote.top - frame.top - frame.height / 4;
}

function content(result, passage, citation) {
  if (!passage) return [element("h2", { tabindex: -1 }, "The passage of this citation did not come with the answer")];
  return [
    paper(result, passage, citation),
    citation ? verdict(citation) : null,
    ...passageText(passage, citation),
    ...sheets(passage.document_id, quotesHere(passage, citation)),
    ...chosen(citation?.retrieval ?? passage.scores ?? {}, citation?.relevance_reason || passage.relevance_reason),
  ];
}

function quotesHere(passage, citation) {
  return (citation?.quotes ?? []).filter((each) => each.passage === passage.id);
}

/** What a passage of a result is cited by: its key, or its number. */
export function label(result, passage) {
  return passage.key || result.passages.indexOf(passage) + 1;
}

function paper(result, passage, citation) {
  const number = citation?.marker || label(result, passage);
  const heading = passage.heading?.toLowerCase() === passage.section ? "" : passage.heading;
  const here = quotesHere(passage, citation);
  const facts = [`[${number}]`, passage.year, spaced(passage.section), heading, passage.document_id, pages(here)];
  const address = passage.doi ? `https://doi.org/${passage.doi}` : passage.url;
  return element(
    "header.paper",
    element("p.facts", facts.filter(Boolean).join(" · ")),
    element("h2", { id: "panel-title", tabindex: -1 }, passage.title || passage.document_id),
    passage.corrections?.length ? element("p.corrections", { role: "note" }, passage.corrections.join("; ")) : null,
    address ? element("p.facts", outsideLink(address, passage.doi || passage.url)) : null,
  );
}

function verdict(citation) {
  const word = verdictOf(citation);
  const isCopy = word === "quoted";
  const score = isCopy ? null : element("span.score", `score ${citation.score.toFixed(2)}`);
  const sentence = citation.sentence.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, "");
  return element(
    `section.verdict.${word}`,
    { "aria-label": "Verdict" },
    isCopy ? "" : element("blockquote", { "aria-label": "Sentence of the answer" }, sentence),
    citation.english ? element("p.quiet", `Translated from what is proved: ${citation.english}`) : "",
    element("p.verdict-line", badge(word), score ?? ""),
    element("p", (isCopy ? "" : citation.reason) || explained(word)),
    ...proof(citation, isCopy),
  );
}

/** "p. 4" or "pp. 4, 5": the pages of the file that quotes are on; empty for a paper without pages. */
export function pages(quotes) {
  const numbers = [...new Set(quotes.flatMap(({ places }) => (places ?? []).map(({ page }) => page)))];
  if (!numbers.length) return "";
  return `${numbers.length > 1 ? "pp." : "p."} ${numbers.sort((one, other) => one - other).join(", ")}`;
}

/** The quotes that prove the sentence together with the marked one, and who judged. */
function proof({ quote: marked, quotes, judges }, isCopy) {
  const shown = (each) => [`“${each.quote}”`, pages([each])].filter(Boolean).join(" · ");
  const others = (quotes ?? []).filter(({ quote }) => quote !== marked).map((each) => element("li", shown(each)));
  const said = (judges ?? []).map(({ name, verdict }) => `${name}: ${named(verdict).toLowerCase()}`);
  return [
    others.length ? element("ul.quotes", { "aria-label": "Further quotes" }, ...others) : null,
    said.length && !isCopy ? element("p.quiet", `Judged by ${said.join("; ")}`) : null,
  ];
}

function passageText(passage, citation) {
  const parts = cut(passage, citation);
  const quote = citation?.quote ?? "";
  const text = parts ? [parts.before, element("mark", parts.quote), parts.after] : [passage.text];
  const strange = quote && !parts ? `The quote is not at its place in this passage: “${quote}”` : "";
  return [
    element("h3", "Passage"),
    strange ? element("p.warning", strange) : null,
    citation && !quote ? element("p.quiet", "No sentence of it comes near the claim.") : null,
    element(`div.passage.${citation ? verdictOf(citation) : ""}`, ...text),
  ];
}

function chosen(scores, reason) {
  const bars = signals(scores);
  if (!bars && !reason) return [];
  return [element("h3", "Why this passage"), bars, reason ? element("p.quiet", reason) : null];
}
