// One paper: who wrote it, where it is printed, its first page and its figures.

import { get } from "./api.js";
import { element, outsideLink, spaced } from "./dom.js";
import { figure, isPictured, sheets } from "./pictures.js";

/** What a reader is shown of a paper by its id; `removal` is a button or null; throws a Problem. */
export async function paperContent(id, removal) {
  const paper = await get(`api/documents/${encodeURIComponent(id)}`);
  const { metadata, pages, sections } = paper;
  const printed = [metadata.volume, metadata.pages].filter(Boolean).join(": ");
  const facts = [paper.year, paper.journal, printed, `cited as ${paper.key}`, paper.id === paper.key ? "" : paper.id];
  const address = paper.doi ? `https://doi.org/${paper.doi}` : paper.url;
  const figures = paper.figures.filter((each) => each.kind === "figure" && isPictured(each, pages > 0));
  const headings = sections.filter(({ heading, level }) => heading && level === 1).map(({ heading }) => element("li", heading));
  return [
    element(
      "header.paper",
      element("p.facts", facts.filter(Boolean).join(" · ")),
      element("h2", { id: "panel-title", tabindex: -1 }, paper.title || paper.id),
      paper.authors.length ? element("p.authors", paper.authors.map(spoken).join(", ")) : null,
      address ? element("p.facts", outsideLink(address, paper.doi || paper.url)) : null,
    ),
    element("p.links", element("a", { href: `./#paper=${encodeURIComponent(paper.id)}` }, "Ask this paper"), removal),
    headings.length ? element("ul.headings", { "aria-label": "Sections" }, ...headings) : null,
    ...(pages ? sheets(paper.id, [{ places: [{ page: 1 }] }]) : []),
    figures.length ? element("h3", "Figures") : null,
    figures.length ? element("section.cards", ...figures.map((each) => figure(each, paper.id, pages > 0, ""))) : null,
  ];
}

/** "Smith, Ann" → "Ann Smith". */
function spoken(author) {
  const [family, ...given] = author.split(",").map((part) => part.trim());
  return spaced([...given, family].join(" "));
}
