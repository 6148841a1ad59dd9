// Pictures that the server makes of a paper's PDF: the pages that quotes are on, and the figures of a paper.

import { Problem, picture } from "./api.js";
import { element, fill, outsideLink, secure } from "./dom.js";

const PAGE_WIDTH = 1200;
const FIGURE_WIDTH = 900;

/** Sections that show the pages of these quotes with the quotes marked; nothing for a paper without pages. */
export function sheets(documentId, quotes) {
  const numbers = [...new Set(quotes.flatMap(({ places }) => (places ?? []).map(({ page }) => page)))];
  if (!numbers.length) return [];
  const figures = numbers.sort((one, other) => one - other).map((number) => sheet(documentId, number, quotes));
  return [element("h3", numbers.length > 1 ? "Pages" : "Page"), ...figures];
}

function sheet(documentId, number, quotes) {
  const name = `Page ${number}`;
  const place = element("figure.sheet", { "aria-busy": "true" }, element("p.quiet", `${name} is being drawn`));
  const spans = quotes.filter(({ end }) => end).map(({ start, end }) => `span=${start}-${end}`).join("&");
  const alt = `${name} of the PDF${spans && " with the quote marked"}`;
  const path = `${encodeURIComponent(documentId)}/pages/${number}?width=${PAGE_WIDTH}&${spans}`;
  draw(place, path, name, alt, element("figcaption.quiet", `${name} of the file`));
  return place;
}

/** Whether a figure has anything to show beside its caption; `isPrinted`: its paper is a PDF with places. */
export function isPictured({ image_urls: images, tileshop }, isPrinted) {
  return isPrinted || [...(images ?? []), tileshop].some(secure);
}

/** A card of a figure; an image of another site is loaded only when the reader asks for it. */
export function figure({ id, label, caption, image_urls: images, tileshop }, paper, isPrinted, name = paper) {
  const urls = (images ?? []).filter(secure);
  const links = urls.map((url, place) => outsideLink(url, urls.length > 1 ? `Image ${place + 1}` : "Image"));
  if (secure(tileshop)) links.push(outsideLink(tileshop, "Zoomable image"));
  return element(
    "figure.card",
    isPrinted ? cut(paper, id, label) : null,
    element("figcaption", element("strong", label), " ", element("span.quiet", name), element("p", caption)),
    links.length ? element("p.links", ...links) : null,
  );
}

/** The picture, which the server cuts from the page once it comes into sight. */
function cut(paper, id, label) {
  const place = element("div.cut", { "aria-busy": "true" }, element("p.quiet", `${label} is being cut from its page`));
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    const path = `${encodeURIComponent(paper)}/figures/${encodeURIComponent(id)}?width=${FIGURE_WIDTH}`;
    draw(place, path, label, `${label}, cut from its page`);
  }).observe(place);
  return place;
}

/** Put a picture in its place, with `more` below it, or else why there is none; `name` is what it shows. */
async function draw(place, path, name, alt, ...more) {
  try {
    const href = await picture(`api/documents/${path}`);
    if (!place.isConnected) return URL.revokeObjectURL(href);
    const link = { href, target: "_blank", rel: "noopener", title: "Open in a new tab, larger" };
    fill(place, element("a", link, element("img", { src: href, alt })), ...more);
  } catch (error) {
    const why = error instanceof Problem ? `is not shown: ${error.message}. ${error.next}` : "could not be shown.";
    fill(place, element("p.quiet", `${name} ${why}`));
  }
  return place.removeAttribute("aria-busy");
}
