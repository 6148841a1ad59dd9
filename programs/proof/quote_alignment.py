"""Where a quote that a model gives is in a passage, in the paper's own words.

    given     "fell by 12.4% (p < 0.05) in flight mice"
    passage   "Femur density fell by 12·4 % [3] (p < 0.05) in flight- mice, and recovered."
    placed    that whole sentence, since a quote may not stop before what turns it

White space, quotation marks, hyphens inside words, dashes, citation marks and letter forms may differ. A near miss is
placed on the paper's words if it only spells some of them otherwise; anything else is refused. A quote that leaves out
a "not" or "may" of its own clause is refused too.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio_alignment

from metrics.printed_citations import NUMBERED
from metrics.sentences import Span, sentences
from metrics.support.clauses import turning_words
from metrics.support.near_copies import opposed
from metrics.support.sentence_features import read
from metrics.words import words

SHORTEST = 8
"""Letters and digits that a quote must have: fewer are in any passage."""

NEAR = 90.0
"""Similarity (0 to 100, ``rapidfuzz.fuzz.partial_ratio``) from which on a quote is a near miss and not another text."""

LONGEST_NEAR = 4_000
"""Characters of a quote up to which a near miss is looked for: the time grows with the square."""

ALIKE = 0.75
"""Similarity (normalised Levenshtein) of two spellings of one word."""

_CITED = re.compile(NUMBERED)
_LEFT_OUT = re.compile(r"\s*(?:\[\s*(?:…|\.\.\.)\s*\]|…|\.\.\.)\s*")
_DASHES = frozenset("-‐‑‒–—―−﹣－")
_QUOTATION_MARKS = frozenset("\"'`´“”„‟‘’‚‛«»‹›′″")
_DROPPABLE = frozenset({"a", "an", "the", "of", "in", "for", "to", "was", "were", "is", "are", "and", "that", "also"})


@dataclass(frozen=True, slots=True)
class Placed:
    """What became of a quote: the whole sentences of the passage that hold it, in order, or why it is refused."""

    spans: tuple[Span, ...] = ()
    problem: str = ""


def place(quote: str, text: str, *, near: bool = True, start: int = 0) -> Placed:
    """Find a quote in a passage; parts around "…" may be apart, in this order.

    Where the quote is there more than once, the sentence at ``start`` is meant; ``near`` says whether a near miss
    is taken.
    """
    found = _whole(quote, text, near=near, start=start)
    parts = [part for part in _LEFT_OUT.split(quote) if part.strip()]
    if found.spans or len(parts) < 2:
        return found
    placed = [_whole(part, text, near=near) for part in parts]
    refused = next((each for each in placed if not each.spans), None)
    if refused is not None:
        return refused
    spans = dict.fromkeys(span for each in placed for span in each.spans)
    if list(spans) != sorted(spans, key=lambda span: span.start):
        return Placed(problem="the parts of the quote are in another order")
    return Placed(tuple(spans))


@lru_cache(maxsize=4096)
def sentences_of(text: str) -> tuple[Span, ...]:
    """The sentences of a passage, kept for the quotes that follow."""
    return tuple(sentences(text))


def _whole(quote: str, text: str, *, near: bool, start: int = 0) -> Placed:
    whole = [each for each in sentences_of(text) if text[each.start : each.end] == quote.strip()]
    if whole:
        return Placed((next((each for each in whole if each.start == start), whole[0]),))
    folded = _folded(quote)
    if len(folded.text) < SHORTEST:
        return Placed(problem="the quote is too short to find its place")
    span = _exact(folded.text, text) or (_near(quote, folded.text, text) if near else None)
    if span is None:
        return Placed(problem="the quote is not in the passage")
    touched = [each for each in sentences_of(text) if each.start < span.end and span.start < each.end]
    left_out = turning_words(text, span.start, span.end, touched[0].start, touched[-1].end)
    if left_out:
        return Placed(problem=f'the quote is clipped: it leaves out "{left_out}"')
    return Placed(tuple(touched))


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text as quotes are compared, and for each of its characters its offset."""

    text: str
    offsets: tuple[int, ...]


@lru_cache(maxsize=4096)
def _folded(text: str) -> _Folded:
    kept: list[str] = []
    offsets: list[int] = []
    cited = {at for match in _CITED.finditer(text) for at in range(*match.span())}
    for at, character in enumerate(text):
        if at in cited:
            continue
        for form in _form(character, text, at):
            kept.append(form)
            offsets.append(at)
    return _Folded("".join(kept), tuple(offsets))


def _form(character: str, text: str, at: int) -> str:
    """A character as it is compared; empty for one that does not count."""
    if character.isspace() or character in _QUOTATION_MARKS or unicodedata.category(character) == "Cf":
        return ""
    if character in _DASHES:
        return "" if _is_inside_word(text, at) else "-"
    if character in "·∙⋅" and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit():
        return "."
    if character.isascii():
        return character.lower()
    return unicodedata.normalize("NFKC", character).casefold().replace(" ", "")


def _is_inside_word(text: str, at: int) -> bool:
    before, after = text[max(0, at - 4) : at].rstrip()[-1:], text[at + 1 : at + 5].lstrip()[:1]
    return before.isalpha() and after.isalnum()


def _exact(folded: str, text: str) -> Span | None:
    """The first place where the folded quote is as whole words."""
    passage = _folded(text)
    at = passage.text.find(folded)
    while at >= 0:
        span = Span(passage.offsets[at], passage.offsets[at + len(folded) - 1] + 1)
        if _on_word_boundaries(text, span):
            return span
        at = passage.text.find(folded, at + 1)
    return None


def _on_word_boundaries(text: str, span: Span) -> bool:
    cut_before = span.start > 0 and _same_word(text[span.start - 1], text[span.start])
    cut_after = span.end < len(text) and _same_word(text[span.end - 1], text[span.end])
    return not cut_before and not cut_after


def _same_word(one: str, other: str) -> bool:
    """Whether two neighbouring characters belong to one word; scripts without spaces have no such neighbours."""
    return one.isalnum() and other.isalnum() and ord(one) < 0x2E80 and ord(other) < 0x2E80


def _near(quote: str, folded: str, text: str) -> Span | None:
    passage = _folded(text)
    if len(folded) > min(len(passage.text), LONGEST_NEAR):
        return None
    found = partial_ratio_alignment(folded, passage.text, score_cutoff=NEAR)
    if found is None or found.dest_start >= found.dest_end:
        return None
    span = _to_words(text, Span(passage.offsets[found.dest_start], passage.offsets[found.dest_end - 1] + 1))
    quoted, printed = (words(_CITED.sub(" ", each)) for each in (quote, text[span.start : span.end]))
    return span if _says_the_same(quoted, printed) else None


def _to_words(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start > 0 and _same_word(text[start - 1], text[start]):
        start -= 1
    while end < len(text) and _same_word(text[end - 1], text[end]):
        end += 1
    return Span(start, end)


def _says_the_same(quoted: list[str], printed: list[str]) -> bool:
    """Whether two texts differ in spelling alone, or in small words that stand for nothing."""
    for kind, first, last, start, end in SequenceMatcher(None, quoted, printed, autojunk=False).get_opcodes():
        ours, theirs = quoted[first:last], printed[start:end]
        if kind == "replace" and len(ours) == len(theirs) and all(map(_alike, ours, theirs)):
            continue
        if kind != "equal" and not _DROPPABLE.issuperset([*ours, *theirs]):
            return False
    return True


def _alike(one: str, other: str) -> bool:
    """Whether two words are spellings of one; numbers, short words and opposites never are."""
    if min(len(one), len(other)) < 4 or not (one.isalpha() and other.isalpha()) or one[:2] != other[:2]:
        return False
    if Levenshtein.normalized_similarity(one, other) < ALIKE:
        return False
    ours, theirs = read(one).tokens, read(other).tokens
    return not any(opposed(a, b) or a.direction != b.direction or a.cue != b.cue for a in ours for b in theirs)
