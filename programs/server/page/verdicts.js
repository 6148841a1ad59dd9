// A verdict in words and in a drawing, so that none is shown by colour alone.

import { element, icon } from "./dom.js";

const WORDS = {
  supported: ["Supported", "The passage says what the sentence says."],
  contradicted: ["Contradicted", "The passage says something else."],
  unverifiable: ["Not proved", "The passage could not be shown to say it."],
  uncited: ["Uncited", "The sentence names no source."],
};

/** Every verdict, the best first. */
export const VERDICTS = Object.keys(WORDS);

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
  return icon(["supported", "contradicted"].includes(verdict) ? verdict : "unverifiable");
}
