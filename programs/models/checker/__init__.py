"""The checker: does this text prove this claim? A small cross-encoder that is shipped with the project.

    checker = SmallChecker()
    checker.judge([("Relapses fell by half.", "Relapses were halved (p = 0.01).")])
    # [PremiseJudgement(supported=0.93, contradicted=0.02, neither=0.05)]

Beside this file: `model.onnx` (int8), `tokenizer.json`, `manifest.json` (hashes, the linear model on counts,
calibration, thresholds) and `README.md`, the model card. Made by `python -m optimize checker`. Nothing is loaded before
the first judgement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metrics.support.verdict import PremiseJudgement
from programs.models.checker.numbers_in_words import with_numbers_in_words
from programs.models.checker.surface import Surface
from programs.models.pair_model import PairModel
from signatures.values import Verdict

AGAIN = "install the package again, or make the checker with `python -m optimize checker`"
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


class SmallChecker:
    """A checker from a folder; safe to share between threads, the same pair always gets the same judgement."""

    def __init__(self, folder: Path = SHIPPED) -> None:
        """Choose the folder; its files are read and their hashes compared at the first use.

        Args:
            folder: With `model.onnx`, `tokenizer.json` and `manifest.json`.
        """
        self._model = PairModel(folder, AGAIN)

    @property
    def name(self) -> str:
        """Name and the first digits of the SHA-256 of the weights.

        Raises:
            ModelUnusable: The manifest cannot be read.
        """
        return self._model.name

    @property
    def calibration(self) -> CheckerCalibration:
        """Scales, shifts and thresholds, from the manifest."""
        values = self._model.value("calibration")
        try:
            scale, surface, shift = (tuple(map(float, values[name])) for name in ("scale", "surface", "shift"))
            return CheckerCalibration(scale, surface, shift, float(values["supported"]), float(values["contradicted"]))
        except (KeyError, TypeError, ValueError) as error:
            raise self._model.unusable(f"the checker's calibration cannot be read ({error})") from error

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[PremiseJudgement]:
        """Judge (claim, premise) pairs.

        Args:
            pairs: Any number, texts of any length; what exceeds the model's window is cut, the longer text first. An
                empty claim or premise is judged "neither".

        Raises:
            ModelUnusable: A file is missing, was altered, or is not a model this version runs.
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
        return self._model.logits([pair_read(*pair) for pair in pairs])

    @cached_property
    def surface(self) -> Surface:
        """The linear model on counts, from the manifest."""
        values = self._model.value("surface")
        try:
            return Surface.from_json(values)
        except (KeyError, TypeError, ValueError) as error:
            raise self._model.unusable(f"the checker's counts cannot be read ({error})") from error
