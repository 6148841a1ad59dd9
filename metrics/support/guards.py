"""Guards: what is certainly wrong with a claim against the quotes that are to prove it.

    quote   "Femur density did not fall by more than 12 % in flight mice."
    claim   "Femur density fell by 21 % in flight mice."               numbers: 21 % stands nowhere
    claim   "Femur density did fall by more than 12 % in flight mice." near copy: the quote negates

A guard speaks only where it is right. A number must stand in the quotes, or follow from two of theirs
(``held_numbers``). In near copies every changed word is looked at (``near_copies``); in free paraphrases of short
quotes a number's measure and place (``measures``, ``places``), and directions and denials (``courses``), where it is
plain what they are of. On development data at least 0.95 of what each rule refuses is wrong (``bench.guards``:
labelled claims, and copies altered by a program).
Silence proves nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from metrics.sentences import sentences
from metrics.support import lexicon
from metrics.support.additions import additions
from metrics.support.comparisons import exchanged_sides
from metrics.support.courses import wrong_courses
from metrics.support.denials import dropped_doubts, wrong_denials
from metrics.support.disguises import disguises
from metrics.support.held_numbers import unheld_numbers
from metrics.support.measures import wrong_measures
from metrics.support.names import unheld_names
from metrics.support.near_copies import WORD, altered
from metrics.support.places import misplaced_numbers, wrong_orders
from metrics.support.quotations import misquoted
from metrics.support.reading import normalised
from metrics.support.significance import wrong_significance
from metrics.support.veto import Veto

GUARDS = "guards/9"

MOST_WORDS = 400
"""Words that a sentence has at most; a longer one is not a statement that quotes could prove."""

MOST_QUOTED = 80
"""Words of quotes up to which a claim in other words is compared with them."""

SHARED = 3
"""Letters at the beginning that two words of one origin share at least."""

_LATIN = re.compile(r"[A-Za-z]{2}")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u2e80-\uffff]")


def vetoes(claim: str, quotes: Sequence[str], titles: Sequence[str] = (), given: Sequence[str] = ()) -> list[Veto]:
    """What is certainly wrong with a claim.

    Args:
        claim: One sentence without citations.
        quotes: Whole sentences of passages that are to prove it together, at least one.
        titles: Of their papers, which may tell whom or what the quotes speak of.
        given: All texts that the claim was written from, titles too, where they are known: a name that none of them
            holds is refused.

    Returns:
        Every objection, those of the nearest sentence last; empty when no guard speaks.
    """
    if _is_quoted(claim, quotes):
        return []
    claimed = list(WORD.finditer(normalised(claim)))
    if len(claimed) > MOST_WORDS:
        return [Veto("length", f"it has {len(claimed)} words, more than one sentence can prove")]
    found = [*unheld_numbers(claim, quotes), *_unrelated(claim, quotes), *wrong_measures(claim, quotes)]
    found += [*_in_other_words(claim, quotes), *unheld_names(claim, given)]
    found += [*additions(claim, quotes, titles), *misquoted(claim, quotes), *disguises(claim, quotes)]
    return [*found, *altered(claim, quotes)]


def _is_quoted(claim: str, quotes: Sequence[str]) -> bool:
    """Whether the claim is whole sentences of one quote, character by character but for white space."""
    own = " ".join(claim.split()).rstrip(". ")
    for text in (" ".join(quote.split()) for quote in quotes):
        found = sentences(text)
        for start in {0, *(span.start for span in found)} if own and own in text else ():
            if any(text[start:end].rstrip(". ") == own for end in {len(text), *(span.end for span in found)}):
                return True
    return False


def _in_other_words(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What is wrong with a paraphrase of a few sentences; in longer texts more is said than can be told apart."""
    if sum(len(quote.split()) for quote in quotes) <= MOST_QUOTED:
        yield from misplaced_numbers(claim, quotes)
        yield from wrong_orders(claim, quotes)
        yield from exchanged_sides(claim, quotes)
        yield from wrong_courses(claim, quotes)
        yield from wrong_denials(claim, quotes)
        yield from wrong_significance(claim, quotes)
        yield from dropped_doubts(claim, quotes)


def _unrelated(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """A claim in Latin letters that shares no beginning of a word, no name and no number with the quotes.

    True translations share some: names, numbers, words of the same origin.
    """
    ours = _beginnings(claim)
    if ours and _LATIN.search(claim) and not _OTHER_SCRIPT.search(claim) and not ours & _beginnings("\n".join(quotes)):
        yield Veto("unrelated", "the quotes share no word with it")


def _beginnings(text: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKD", normalised(text)).lower()
    said = "".join(each for each in plain if not unicodedata.combining(each))
    return frozenset(
        each[:SHARED]
        for each in WORD.findall(said)
        if each[0].isdigit() or (len(each) >= SHARED and each not in lexicon.STOP_WORDS)
    )
