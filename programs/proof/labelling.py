"""Answers from a fixed set of labels, chosen from the passages that the answer was written from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import dspy

from programs.errors import UsageError
from programs.passages.passage import Passage, shown
from programs.program import attempt
from programs.progress import report_step
from signatures.labelling import ChooseLabel
from signatures.passages import as_data

_OPEN = re.compile(r"not[ _]enough|insufficient|unverifiable|^nei$", re.IGNORECASE)
"""Labels that stay true when nothing was found; maybe is not one of them, which claims that something was."""


class Labelling(dspy.Module):
    """The step as a module, so that its prompt is compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.choose = dspy.Predict(ChooseLabel)

    def forward(self, passages: Sequence[Passage], question: str, choices: Sequence[str], num_tries: int = 1) -> str:
        """Choose a label.

        Args:
            passages: What there is to decide by.
            question: The question or claim.
            choices: The labels, at least two.
            num_tries: Attempts after output that is not one of them.

        Returns:
            One of the choices. Without passages the model is not asked, and it is the one that says that there is too
            little to go on, or empty where none does.

        Raises:
            UsageError: There are fewer than two different labels.
            MalformedOutput: No attempt gave one of them.
        """
        if len(set(choices)) < 2:
            raise UsageError(f"choices must be at least two different labels, got {list(choices)}")
        if not passages:
            return next((choice for choice in choices if _OPEN.search(choice)), "")
        report_step("label", f"Choosing among {', '.join(choices)}")
        signature = self.choose.signature.with_updated_fields("label", type_=Literal[tuple(choices)])
        inputs = {"passages": shown(passages), "question": as_data(question)}
        return str(attempt(self.choose, num_tries, signature=signature, **inputs).label)
