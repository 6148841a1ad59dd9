"""What can be counted about a claim and a premise without reading them: shared words, numbers, negations, directions.

A small model learns from few examples to read, but not to count; a linear model on these counts knows what it misses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.support.premise import keys

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_WORD = re.compile(r"[a-z']+")
_NUMBER = re.compile(r"\d+(?:[.,·]\d+)*")
_NAME = re.compile(r"\b(?:[A-Z]{2,}[\w-]*|[A-Z][a-z]+)\b")
_NEGATION = re.compile(
    r"\b(?:no|not|never|neither|nor|without|fail\w*|lack\w*|absen\w*|unable|cannot|non|insignificant|similar|comparable|"
    r"unchanged|same|equal\w*|alike)\b|n't",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|suggest\w*|possib\w*|probabl\w*|likely|appear\w*|seem\w*|hypothes\w*|potential\w*|aim\w*|"
    r"whether|plan\w*)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:caus\w*|because|due to|led to|leads to|explain\w*|mechanism|therefore|prove\w*)\b", re.IGNORECASE
)
_WIDE = re.compile(r"\b(?:all|every|each|always|only|any|none|most|significant\w*)\b", re.IGNORECASE)
_UP_WORDS = (
    "increase increased increases increasing higher high greater more rise rose rising raised elevated enhanced "
    "improved improve improves better longer larger gain promotes stimulates activates induces positive positively "
    "up upregulated faster above"
)
_UP = frozenset(_UP_WORDS.split())
_DOWN_WORDS = (
    "decrease decreased decreases lower low less fewer reduce reduced reduces reduction fall fell drop dropped "
    "decline declined declines diminished worse shorter smaller loss inhibits suppresses blocks prevents negative "
    "negatively down downregulated slower below impaired worsened"
)
_DOWN = frozenset(_DOWN_WORDS.split())


@dataclass(frozen=True, slots=True)
class Surface:
    """A linear model on the counts.

    Attributes:
        mean: Of each count where it was fitted.
        spread: Its standard deviation there.
        weights: [counts, 3], for counts less their mean in units of their spread.
        shift: [3].
    """

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    weights: NDArray[np.float64]
    shift: NDArray[np.float64]

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Surface:
        """As `as_json` wrote it."""
        return cls(*(np.array(values[name], dtype=np.float64) for name in ("mean", "spread", "weights", "shift")))

    def as_json(self) -> dict[str, Any]:
        """Lists of numbers."""
        return {name: getattr(self, name).round(6).tolist() for name in ("mean", "spread", "weights", "shift")}

    def scores(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """Logarithms of the probabilities of supported, contradicted, unverifiable: [pairs, 3]."""
        values = (counted(pairs) - self.mean) / self.spread @ self.weights + self.shift
        values -= values.max(axis=1, keepdims=True)
        result: NDArray[np.float64] = values - np.log(np.exp(values).sum(axis=1, keepdims=True))
        return result


def counted(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    """The counts of (claim, premise) pairs: [pairs, counts]."""
    return np.array([_counts(claim, premise) for claim, premise in pairs], dtype=np.float64)


def _counts(claim: str, premise: str) -> list[float]:
    own = keys(claim)
    nearest = max(_SENTENCE.split(premise), key=lambda each: len(own & keys(each)))
    claimed, given = (_WORD.findall(text.lower()) for text in (claim, nearest))
    everywhere, there = (len(own & keys(text)) / max(1, len(own)) for text in (premise, nearest))
    return [
        everywhere,
        everywhere**2,
        there,
        everywhere - there,
        len(set(pairwise(claimed)) & set(pairwise(given))) / max(1, len(claimed) - 1),
        len(claimed) / 20,
        len(premise.split()) / 60,
        *_missing(claim, premise),
        *_directions(claimed, given, everywhere),
        *_tone(claim, nearest, everywhere),
        premise.lstrip().startswith("|") or "\n|" in premise,
    ]


def _missing(claim: str, premise: str) -> list[float]:
    """Numbers and names of the claim that the premise does not hold."""
    numbers, known = set(_NUMBER.findall(claim)), set(_NUMBER.findall(premise))
    names, lower = set(_NAME.findall(claim[1:])), premise.lower()
    absent = any(name.lower() not in lower for name in names)
    return [bool(numbers - known), len(numbers - known), bool(numbers), absent, bool(names)]


def _directions(claimed: Sequence[str], given: Sequence[str], shared: float) -> list[float]:
    up, down = (sum(word in words for word in claimed) for words in (_UP, _DOWN))
    was_up, was_down = (sum(word in words for word in given) for words in (_UP, _DOWN))
    turned = (up > down and was_down > was_up) or (down > up and was_up > was_down)
    kept = (up > down and was_up > was_down) or (down > up and was_down > was_up)
    return [up > down, down > up, turned, kept, turned * shared, kept * shared]


def _tone(claim: str, nearest: str, shared: float) -> list[float]:
    """Negations, hedges, causes and wide words of the claim against those of its nearest sentence."""
    denied, denies = (bool(_NEGATION.search(text)) for text in (claim, nearest))
    hedged, hedges = (bool(_HEDGE.search(text)) for text in (claim, nearest))
    cause = bool(_CAUSE.search(claim)) and not _CAUSE.search(nearest)
    other = denied != denies
    return [
        denied, denies, other, denied and denies, other * shared, hedged, hedges, hedges and not hedged, cause,
        bool(_WIDE.search(claim)),
    ]  # fmt: skip
