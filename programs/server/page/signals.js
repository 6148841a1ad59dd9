// Scores that brought a passage up, as small bars.

import { element, spaced } from "./dom.js";

const LABELS = {
  sim: "Similarity",
  bm25: "BM25",
  keyword_overlap: "Keywords",
  sec_boost: "Section",
  length_fit: "Length",
  duplicate_penalty: "Duplicate",
  final: "Final score",
};

/** Bars for the scores within [0, 1], numbers for the others; null without any score. */
export function signals(scores) {
  const rows = Object.entries(scores).filter(([, value]) => typeof value === "number");
  return rows.length ? element("dl.signals", ...rows.map(row)) : null;
}

function row([name, value]) {
  const bar = element("span.bar", { "aria-hidden": "true" });
  bar.style.setProperty("--share", value);
  bar.classList.toggle("unscaled", value < 0 || value > 1);
  const kind = { final: ".final", duplicate_penalty: ".penalty" }[name] ?? "";
  const label = LABELS[name] ?? spaced(name);
  const number = element("span.number", Number.isInteger(value) ? value : value.toFixed(3));
  return element(`div${kind}`, element("dt", label), element("dd", bar, number));
}
