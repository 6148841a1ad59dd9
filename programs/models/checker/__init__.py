"""The checker: does this text prove this claim? A small cross-encoder that is shipped with the project.

    checker = SmallChecker()
    checker.judge([("Relapses fell by half.", "Relapses were halved (p = 0.01).")])
    # [PremiseJudgement(supported=0.93, contradicted=0.02, neither=0.05)]

Beside this file: `model.onnx` (int8), `tokenizer.json`, `manifest.json` (hashes, the linear model on counts,
calibration, thresholds) and `README.md`, the model card. Made by `python -m optimize checker`. Nothing is loaded before
the first judgement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metrics.support.claim_check import GuardedCheck
from metrics.support.premise import keys
from metrics.support.verdict import PremiseJudgement
from programs.models import PairModel
from programs.models.checker.numbers_in_words import with_numbers_in_words
from signatures.values import Verdict

# A small model learns from few examples to read, but not to count; a linear model on counts knows what it misses.

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
    """A linear model: weights [counts, 3] for counts less their mean in units of their spread, and a shift [3].

    ``mean`` and ``spread``, the standard deviation, are those of each count where the model was fitted.
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


SHIPPED = Path(__file__).parent
LONGEST = 20_000
"""Characters of a text that are looked at; far more than the model's window holds."""


def pair_read(claim: str, premise: str) -> tuple[str, str]:
    """What the network reads of a claim and a premise, whose numbers come with words that say what they mean."""
    return claim[:LONGEST], with_numbers_in_words(premise[:LONGEST])


@dataclass(frozen=True, slots=True)
class CheckerCalibration:
    """How logits become probabilities, and from which ones on a verdict is given.

    Attributes:
        scale: Of the model's three logits: supported, contradicted, unverifiable.
        surface: Of the three scores that counts give (`surface`).
        shift: Added to both.
        supported: Probability from which on "supported" is said; above 1 it is never said.
        contradicted: The same for "contradicted".
    """

    scale: tuple[float, ...]
    surface: tuple[float, ...]
    shift: tuple[float, ...]
    supported: float
    contradicted: float

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> CheckerCalibration:
        """As the manifest holds it."""
        scale, surface, shift = (tuple(map(float, values[name])) for name in ("scale", "surface", "shift"))
        return cls(scale, surface, shift, float(values["supported"]), float(values["contradicted"]))

    def verdict(self, judgement: PremiseJudgement) -> Verdict:
        """The verdict that a judgement is sure enough of."""
        if judgement.supported >= max(self.supported, judgement.contradicted, judgement.neither):
            return "supported"
        if judgement.contradicted >= max(self.contradicted, judgement.supported, judgement.neither):
            return "contradicted"
        return "unverifiable"


def calibrated(
    logits: NDArray[np.float64], scores: NDArray[np.float64], calibration: CheckerCalibration
) -> NDArray[np.float64]:
    """Probabilities [pairs, 3] of the model's logits and the counts' scores, [pairs, 3] each."""
    values = logits * np.array(calibration.scale) + scores * np.array(calibration.surface)
    values += np.array(calibration.shift)
    found = np.exp(values - values.max(axis=1, keepdims=True))
    result: NDArray[np.float64] = found / found.sum(axis=1, keepdims=True)
    return result


class SmallChecker(PairModel):
    """A checker from a folder; safe to share between threads, the same pair always gets the same judgement."""

    shipped = SHIPPED
    again = "install the package again, or make the checker with `python -m optimize checker`"

    @cached_property
    def calibration(self) -> CheckerCalibration:
        """Scales, shifts and thresholds, from the manifest."""
        return self.value("calibration", CheckerCalibration.from_json)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[PremiseJudgement]:
        """Judge (claim, premise) pairs.

        What exceeds the model's window is cut, the longer text first. An empty claim or premise is judged "neither".
        """
        asked = [at for at, (claim, premise) in enumerate(pairs) if claim.strip() and premise.strip()]
        found = [PremiseJudgement(0.0, 0.0, 1.0)] * len(pairs)
        if asked:
            these = [pairs[at] for at in asked]
            rows = calibrated(self.logits(these), self.surface.scores(these), self.calibration)
            for at, row in zip(asked, rows, strict=True):
                found[at] = PremiseJudgement(*map(float, row))
        return found

    def verdict(self, judgement: PremiseJudgement) -> Verdict:
        """The verdict that a judgement is sure enough of; "unverifiable" below the thresholds."""
        return self.calibration.verdict(judgement)

    def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """The model's raw scores [pairs, 3]: supported, contradicted, unverifiable."""
        return self.pair_logits([pair_read(*pair) for pair in pairs])

    @cached_property
    def surface(self) -> Surface:
        """The linear model on counts, from the manifest."""
        return self.value("surface", Surface.from_json)


@cache
def shipped_judge() -> GuardedCheck:
    """The judge where no other is named: this checker under guards, the same each time; nothing is loaded yet."""
    return GuardedCheck(SmallChecker())
