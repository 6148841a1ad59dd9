"""Whether a compiled program has seen what it is tested on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from metrics.words import words
from optimize.example import Example
from programs.program import Program

_SHORTEST = 6
"""Words; fewer stand in any paper by chance."""


def leaked(program: Program[Any], examples: Sequence[Example]) -> Iterator[str]:
    """Questions, answers and gold quotes of examples that stand in a program's prompts or demos.

    Case, punctuation and spacing do not hide a text.

    Yields:
        The example's id and the text.
    """
    shown = " ".join(_folded(text) for _, predictor in program.named_predictors() for text in _texts_of(predictor))
    for example in examples:
        for text in (example.question, example.answer, *(each.quote for each in example.evidence)):
            folded = _folded(text)
            if folded.count(" ") > _SHORTEST and folded in shown:
                yield f"{example.id}: {text[:80]!r}"


def _texts_of(predictor: Any) -> Iterator[str]:  # noqa: ANN401 - a dspy.Predict
    yield predictor.signature.instructions
    for demo in predictor.demos:
        yield from (str(demo[key]) for key in demo.keys())  # noqa: SIM118 - a dspy.Example is no mapping


def _folded(text: str) -> str:
    return f" {' '.join(words(text))} "
