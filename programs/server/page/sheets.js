// The pages of a paper's PDF that quotes are on, drawn by the server with the quotes marked.

import { Problem, picture } from "./api.js";
import { element, fill } from "./dom.js";

const WIDTH = 1200;

/** Sections that show the pages of these quotes; nothing for a paper without pages. */
export function sheets(documentId, quotes) {
  const numbers = [...new Set(quotes.flatMap(({ places }) => (places ?? []).map(({ page }) => page)))];
  if (!numbers.length) return [];
  const figures = numbers.sort((one, other) => one - other).map((number) => sheet(documentId, number, quotes));
  return [element("h3", numbers.length > 1 ? "Pages" : "Page"), ...figures];
}

function sheet(documentId, number, quotes) {
  const figure = element("figure.sheet", { "aria-busy": "true" }, element("p.quiet", `Page ${number} is being drawn`));
  const spans = quotes.filter(({ end }) => end).map(({ start, end }) => `span=${start}-${end}`).join("&");
  const path = `api/documents/${encodeURIComponent(documentId)}/pages/${number}?width=${WIDTH}&${spans}`;
  picture(path).then(
    (address) => draw(figure, address, number, spans),
    (error) => fill(figure, element("p.quiet", message(error, number))),
  ).finally(() => figure.removeAttribute("aria-busy"));
  return figure;
}

function draw(figure, address, number, spans) {
  if (!figure.isConnected) return URL.revokeObjectURL(address);
  const image = element("img", { src: address, alt: `Page ${number} of the PDF${spans && " with the quote marked"}` });
  const link = { href: address, target: "_blank", rel: "noopener", title: "Open in a new tab, larger" };
  fill(figure, element("a", link, image), element("figcaption.quiet", `Page ${number} of the file`));
}

function message(error, number) {
  if (!(error instanceof Problem)) return `Page ${number} could not be shown.`;
  return `Page ${number} is not shown: ${error.message}. ${error.next}`;
}
