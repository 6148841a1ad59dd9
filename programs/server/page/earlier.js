// The answers that were given before the one that is shown, folded together, each with everything that belongs to it.

import { count, element, fill } from "./dom.js";
import { titled } from "./form.js";
import { address } from "./recent.js";
import { report } from "./report.js";

/** A list of answers; one that was unfolded stays so while others come and go. */
export class Earlier {
  constructor(place, panel) {
    this.place = place;
    this.panel = panel;
    this.shown = new Map();
  }

  /** Show these {request, result}, the newest first. */
  show(entries) {
    const before = this.shown;
    this.shown = new Map();
    for (const entry of entries) {
      const known = before.get(address(entry.request));
      const isSame = known && JSON.stringify(known.result) === JSON.stringify(entry.result);
      this.shown.set(address(entry.request), isSame ? known : { result: entry.result, item: this.item(entry) });
    }
    fill(this.place.querySelector("ul"), ...[...this.shown.values()].map(({ item }) => item));
    this.place.hidden = !entries.length;
  }

  /** One answer, whose parts are made when it is unfolded for the first time. */
  item({ request, result }) {
    const outcome = result.answer ? count(result.citations.length, "citation") : "nothing found";
    const facts = element("span.facts", `${titled(result.program ?? "")} · ${outcome}`);
    const answer = element("article.answer", { "aria-label": `Answer to: ${request.question}` });
    const toggle = () => answer.hasChildNodes() || report(answer, { request, result }, this.panel);
    return element("li", element("details", { toggle }, element("summary", element("span", request.question), facts), answer));
  }
}
