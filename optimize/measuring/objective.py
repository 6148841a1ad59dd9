"""What optimizers maximise, in the form that DSPy asks for.

objective(example, prediction)      Score; dspy.Evaluate adds them up, BootstrapFewShot compares with its threshold
objective.with_feedback(…)          dspy.Prediction(score, feedback), for GEPA and SIMBA
"""

from __future__ import annotations

from dataclasses import dataclass, field

import dspy

from metrics.catalogue import METRICS
from metrics.judgements import Ledger
from metrics.optimizer_calls import GOOD_ENOUGH
from metrics.score import Score
from optimize.measuring.scoring import measured
from programs.errors import UsageError

GROUNDED_UTILITY = "grounded_utility"


@dataclass(frozen=True, slots=True)
class Objective:
    """A program's first metric, with judgements that are kept.

    Attributes:
        metric: Its name.
        ledger: What the judge said; shared, so that nothing is judged twice.
        threshold: From which score on, in (0, 1], an optimizer may take a run as an example to follow.
    """

    metric: str = GROUNDED_UTILITY
    ledger: Ledger = field(default_factory=Ledger)
    threshold: float = GOOD_ENOUGH

    def __post_init__(self) -> None:
        if METRICS[self.metric].embedded:  # it rewards an echo of the question
            raise UsageError(f"{self.metric} is a diagnostic, no objective; maximise another metric")
        if not 0 < self.threshold <= 1:  # DSPy takes 0 for "no threshold", with which every run is a success
            raise UsageError(f"the threshold lies in (0, 1], got {self.threshold}")

    def __call__(self, example: object, prediction: object, trace: object = None) -> Score:
        """Score one prediction; DSPy passes a trace that is not needed."""
        return measured(self.metric, example, prediction, self.ledger)

    def with_feedback(
        self,
        example: object,
        prediction: object,
        trace: object = None,
        pred_name: str | None = None,
        pred_trace: object = None,
    ) -> dspy.Prediction:
        """Score and feedback: what the claim ledger found wrong, sentence by sentence.

        The feedback is on the whole answer, whichever predictor it is asked for: a passage that was not found and a
        sentence that it does not prove are failures of the steps together.
        """
        return dspy.Prediction(**self(example, prediction).as_fields())
