// The passages of an answer under the papers that they are from.

import { button, count, element, outsideLink, spaced } from "./dom.js";
import { label } from "./panel.js";

const BEGINNING = 90;

/** What is cited, paper by paper, and folded below it what was only read. */
export function sources(result, panel) {
  const cited = new Set(result.citations.map((citation) => citation.passage));
  const list = (passages) => element("ul.sources", ...byPaper(passages).map((each) => paper(each, result, panel)));
  const used = result.passages.filter(({ id }) => cited.has(id));
  const others = result.passages.filter(({ id }) => !cited.has(id));
  const title = `${count(others.length, "passage")} read but not cited`;
  return [
    used.length ? element("section", element("h3", "Sources"), list(used)) : null,
    others.length ? element("details", element("summary", title), list(others)) : null,
  ];
}

/** Passages in groups of one paper, in the order in which each paper comes first. */
function byPaper(passages) {
  const groups = new Map();
  for (const each of passages) groups.set(each.document_id, [...(groups.get(each.document_id) ?? []), each]);
  return [...groups.values()];
}

/** A paper's name and what was said of it afterwards, once, above its passages. */
function paper(passages, result, panel) {
  return element(
    "li.from",
    ...facts(passages[0], result),
    element("ul", ...passages.map((each) => element("li", passageButton(each, result, panel)))),
  );
}

/** A paper's title, authors, year, journal, DOI and key, and what was said of it afterwards. */
export function facts({ title, authors = [], year, document_id: id, corrections }, { references }) {
  const { id: key = id, DOI: doi, "container-title": journal } = references?.[id] ?? {};
  const families = authors.map((each) => each.split(",")[0]);
  const by = families.length > 2 ? `${families[0]} et al.` : families.join(" and ");
  const said = [by, year, journal, title ? key : ""].filter(Boolean).join(" · ");
  return [
    element("h4.title", element("a", { href: `papers.html#${encodeURIComponent(id)}` }, title || id)),
    said || doi ? element("p.facts", said, said && doi ? " · " : "", doi ? outsideLink(`https://doi.org/${doi}`, doi) : "") : null,
    corrections?.length ? element("p.corrections", { role: "note" }, corrections.join("; ")) : null,
  ];
}

function passageButton(passage, result, panel) {
  const citation = result.citations.find((each) => each.passage === passage.id) ?? null;
  const said = (citation?.quote || passage.text).replace(/\s+/g, " ").trim();
  const beginning = said.length > BEGINNING ? `${said.slice(0, BEGINNING).replace(/\s\S*$/, "")} …` : said;
  const content = [
    element("span.number", label(result, passage)),
    element("span.beginning", beginning),
    element("span.facts", spaced(passage.section)),
  ];
  return button("source", content, (event) => panel.open(result, passage, citation, event.currentTarget));
}
