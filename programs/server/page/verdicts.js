// A verdict in words and in a drawing, so that none is shown by colour alone.

import { element, icon } from "./dom.js";

const WORDS = {
  quoted: ["Quoted", "The sentence is the paper's own; whether it answers is for you to judge."],
  supported: ["Supported", "The sentence is in other words, and was judged to say what the passage says."],
  contradicted: ["Contradicted", "The passage says something else."],
  unverifiable: ["Not proved", "The passage could not be shown to say it."],
  uncited: ["Uncited", "The sentence names no source."],
};

/** Every verdict, the best first. */
export const VERDICTS = Object.keys(WORDS);

/** A citation's verdict for people: that of a copy, which is nothing but words in quotation marks, is "quoted". */
export function verdictOf(citation) {
  return citation.verdict === "supported" && isCopy(citation) ? "quoted" : citation.verdict;
}

/** Whether a cited sentence is nothing but words in quotation marks. */
export function isCopy({ sentence }) {
  return /^\s*(?:[-*•]\s+)?“[^“”]+”(?:[\s.,;]*\[[^[\]]*\])*[\s.]*$/u.test(sentence);
}

/** The verdict's name for people. */
export function named(verdict) {
  return WORDS[verdict]?.[0] ?? verdict;
}

/** What the verdict means. */
export function explained(verdict) {
  return WORDS[verdict]?.[1] ?? "";
}

/** A badge: drawing and words. */
export function badge(verdict, words = named(verdict)) {
  return element(`span.badge.${verdict}`, mark(verdict), words);
}

/** The drawing alone. */
export function mark(verdict) {
  return icon(["quoted", "supported", "contradicted"].includes(verdict) ? verdict : "unverifiable");
}
