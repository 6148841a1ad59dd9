"""What optimizers maximise, in the form that DSPy asks for.

objective(example, prediction)      Score; dspy.Evaluate adds them up, BootstrapFewShot compares with its threshold
"""

from __future__ import annotations

from dataclasses import dataclass, field

from metrics.grounded_utility import grounded_utility
from metrics.judgements import Ledger
from metrics.score import Score
from programs.errors import UsageError

GOOD_ENOUGH = 0.6
"""A run becomes a demo from this score on. Supported, cited and complete by half, an answer is worth 0.7; an abstention
from an answerable question 0.2."""


@dataclass(frozen=True, slots=True)
class Objective:
    """``grounded_utility`` with judgements that are kept.

    Attributes:
        ledger: What the judge said; shared, so that nothing is judged twice.
        threshold: From which score on, in (0, 1], an optimizer may take a run as an example to follow.
    """

    ledger: Ledger = field(default_factory=Ledger)
    threshold: float = GOOD_ENOUGH

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:  # DSPy takes 0 for "no threshold", with which every run is a success
            raise UsageError(f"the threshold lies in (0, 1], got {self.threshold}")

    def __call__(self, example: object, prediction: object, trace: object = None) -> Score:
        """Score one prediction; DSPy passes a trace that is not needed."""
        return grounded_utility(example, prediction, self.ledger)
