// Figures with their captions: the picture cut from the paper's PDF, or links to those that the source names.

import { Problem, picture } from "./api.js";
import { element, fill, outsideLink, secure } from "./dom.js";

const WIDTH = 900;

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
    const path = `api/documents/${encodeURIComponent(paper)}/figures/${encodeURIComponent(id)}?width=${WIDTH}`;
    picture(path).then(
      (address) => fill(place, link(address, label)),
      (error) => fill(place, element("p.quiet", said(error, label))),
    ).finally(() => place.removeAttribute("aria-busy"));
  }).observe(place);
  return place;
}

function link(address, label) {
  const to = { href: address, target: "_blank", rel: "noopener", title: "Open in a new tab, larger" };
  return element("a", to, element("img", { src: address, alt: `${label}, cut from its page` }));
}

function said(error, label) {
  return error instanceof Problem ? `${label} is not shown: ${error.message}. ${error.next}` : `${label} could not be shown.`;
}
