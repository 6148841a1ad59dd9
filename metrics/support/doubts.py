"""Doubts that quotes have and a claim in other words leaves out.

    quote   "A pen may improve response rates by an important margin."
    claim   "A pen improves response rates by an important margin."      the quotes only say "may improve"

What the quotes say once with a doubt and once without is left alone, and so is a claim with any doubt of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from metrics.support import lexicon
from metrics.support.reading import normalised, read
from metrics.support.stemming import stem
from metrics.support.veto import Veto
from metrics.support.word_list import words

_DOUBTED = re.compile(
    r"\b(?P<doubt>may|might)\s+(?:(?:not|also|well|thus|even|simply|further)\s+)*(?:be\s+)?(?P<what>[a-z]{4,})\b"
)
_OWN_DOUBT = re.compile(
    r"\b(?:may|might|could|can|possib\w*|perhaps|potential\w*|suggest\w*|seem\w*|appear\w*|likely|probabl\w*|indicat\w*|"
    r"hypothes\w*|suspect\w*|speculat\w*|suppos\w*|caution\w*|if|whether|would)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE = frozenset(words("have show function help play need serve lead make take give include"))
_WORD = re.compile(r"[a-z]{4,}")


def dropped_doubts(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """What the quotes only hold for possible and the claim tells as a fact.

    Args:
        claim: One sentence.
        quotes: Sentences that are to prove it.
    """
    text, said = normalised("\n".join(quotes)).lower(), normalised(claim).lower()
    if _OWN_DOUBT.search(said) or any(token.word in lexicon.HEDGES for token in read(claim).tokens):
        return
    told, given = {stem(word) for word in _WORD.findall(said)}, [stem(word) for word in _WORD.findall(text)]
    for found in _DOUBTED.finditer(text):
        what = stem(found["what"])
        says_something = found["what"] not in _SAYS_LITTLE and not found["what"].endswith("ly")
        if says_something and what in told and given.count(what) == 1:
            yield Veto("doubt", f'the quotes only say "{found[0]}"')
