"""Comparisons whose sides a claim exchanges, whatever word they compare by.

    quote   "Carbon ions were 2.9 times as effective as X-rays."
    claim   "X-rays were 2.9 times as effective as carbon ions."     the sides are exchanged

Both sentences must compare by the same word, deny nothing, and what stands before it in the claim must stand behind it
in the quotes, and the other way round. "As effective as" without a number says the same both ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.sentences import sentences
from metrics.support import lexicon
from metrics.support.reading import normalised, read
from metrics.support.veto import Veto

_COMPARES = re.compile(
    r"\b(?:times|-?fold|twice|half|thrice)\s(?:as\s(?P<as>[a-z]+)\sas|(?P<times>[a-z]+)\sthan)\b"
    r"|\b(?:more|less)\s(?P<more>[a-z]+)\sthan\b|\b(?P<than>[a-z]{2,}er)\sthan\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[;:()]|,\s|\b(?:and|but|whereas|while|although|because|since|when|if)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What is compared with what, by stems, and the words by which it is."""

    by: str
    one: frozenset[str]
    other: frozenset[str]


def exchanged_sides(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Comparisons of the quotes that the claim turns around.

    Args:
        claim: One sentence.
        quotes: Sentences that are to prove it.
    """
    texts = [quote[span.start : span.end] for quote in quotes for span in sentences(quote)]
    given = [each for text in texts for each in _comparisons(text)]
    for own in _comparisons(claim):
        same = [each for each in given if each.by == own.by]
        if same and all(_crossed(own, each) for each in same):
            yield Veto("exchange", f'the quotes have the sides of "{own.by}" the other way round', opposed=True)


def _crossed(own: _Comparison, given: _Comparison) -> bool:
    turned = own.one <= given.other and own.other <= given.one
    return turned and not own.one & given.one and not own.other & given.other


def _comparisons(sentence: str) -> list[_Comparison]:
    plain = normalised(sentence)
    if any(token.cue for token in read(plain).tokens):
        return []
    found = list(_COMPARES.finditer(plain))
    if len(found) != 1:
        return []
    before, after = _ENDS.split(plain[: found[0].start()])[-1], _ENDS.split(plain[found[0].end() :], maxsplit=1)[0]
    one, other = _things(before), _things(after)
    return [_Comparison(found[0][0].lower(), one, other)] if one and other else []


def _things(text: str) -> frozenset[str]:
    tokens = read(f"the {text}").tokens
    return frozenset(
        each.key
        for each in tokens
        if each.quantity is None and each.weight >= 1 and each.word not in lexicon.STOP_WORDS
    )
