// Places of the parts of an answer and of a passage.

import { verdictOf } from "./verdicts.js";

/**
 * Cut a passage at the quote of a citation; null without a quote, or where another text is in its place.
 * The server counts Unicode code points, JavaScript counts UTF-16 units.
 */
export function cut(passage, citation) {
  if (!citation?.quote) return null;
  const points = Array.from(passage.text);
  const start = citation.start - passage.start;
  const end = citation.end - passage.start;
  const quote = points.slice(Math.max(start, 0), end).join("");
  if (start < 0 || quote !== citation.quote) return null;
  return { before: points.slice(0, start).join(""), quote, after: points.slice(end).join("") };
}

/** Find the sentences of a result's answer: {start, end, citations, verdict}, in order and without overlap. */
export function sentences(result) {
  const found = [];
  for (const group of grouped(result.citations)) {
    const span = vacant(result.answer, group[0].sentence, found);
    if (span) found.push({ ...span, citations: group, verdict: together(group, result.unsupported_claims) });
  }
  for (const sentence of result.uncited ?? []) {
    const span = vacant(result.answer, sentence, found);
    if (span) found.push({ ...span, citations: [], verdict: "uncited" });
  }
  return found.sort((one, other) => one.start - other.start);
}

/** Citations by sentence; the same sentence written twice is two groups. */
function grouped(citations) {
  const groups = [];
  for (const citation of citations) {
    const last = groups.at(-1);
    const isNew = last?.[0].sentence !== citation.sentence || last.some(({ marker }) => marker === citation.marker);
    if (isNew) groups.push([citation]);
    else last.push(citation);
  }
  return groups;
}

function vacant(answer, sentence, taken) {
  for (let start = answer.indexOf(sentence); start >= 0; start = answer.indexOf(sentence, start + 1)) {
    const end = start + sentence.length;
    if (!taken.some((each) => start < each.end && each.start < end)) return { start, end };
  }
  return null;
}

/** A contradiction outweighs support, support outweighs doubt; what verification gave up on is in doubt. */
function together(group, unsupported) {
  const verdicts = group.map(verdictOf);
  if (verdicts.includes("contradicted")) return "contradicted";
  const said = bare(group[0].sentence);
  if ((unsupported ?? []).some(({ claim }) => bare(claim) && said.includes(bare(claim)))) return "unverifiable";
  return ["quoted", "supported"].find((each) => verdicts.includes(each)) ?? "unverifiable";
}

function bare(text) {
  return text.replace(/\[[^\]]*\]/g, "").replace(/[\s“”"'.]+/g, " ").trim().toLowerCase();
}

/** Find the brackets of a text, {start, end, citations}, of which every part is one of these: "[1, 3]", "[pmc 123]". */
export function brackets(text, citations) {
  const cited = (part) => citations.find(({ marker }) => plain(marker) === plain(part));
  return [...text.matchAll(/[[【]+([^[\]【】\n]+)[\]】]+/g)]
    .map((match) => ({ start: match.index, end: match.index + match[0].length, citations: match[1].split(/[,;]/).map(cited) }))
    .filter((bracket) => bracket.citations.every(Boolean));
}

function plain(marker) {
  return marker.toLowerCase().replace(/†.*|[^\p{L}\p{N}]/gu, "");
}
