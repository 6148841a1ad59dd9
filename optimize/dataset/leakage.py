"""Whether a compiled program has seen what it is tested on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from metrics.words import words
from optimize.dataset.example import Example
from programs.program import Program

_SHORTEST = 6
"""Words; fewer stand in any paper by chance."""


def leaked(program: Program[Any], examples: Sequence[Example]) -> Iterator[str]:
    """Questions, answers, facts and gold quotes of examples that stand in a program's prompts or demos.

    Case, punctuation and spacing do not hide a text.

    Yields:
        The example's id and the text.
    """
    shown = " ".join(_folded(text) for _, predictor in program.named_predictors() for text in _texts_of(predictor))
    for example in examples:
        quotes = (each.quote for each in example.evidence)
        for text in (example.question, example.answer, *example.answers, *example.nuggets, *quotes):
            folded = _folded(text)
            if folded.count(" ") > _SHORTEST and folded in shown:
                yield f"{example.id}: {text[:80]!r}"


def _texts_of(predictor: Any) -> Iterator[str]:  # noqa: ANN401 - a dspy.Predict
    yield predictor.signature.instructions
    for field in predictor.signature.fields.values():
        yield from _strings(field.json_schema_extra or {})
    for demo in predictor.demos:
        yield from _strings(demo.toDict() if hasattr(demo, "toDict") else demo)


def _strings(value: object) -> Iterator[str]:
    """The texts in a value, each as it is: ``str`` of a list would escape a no-break space."""
    if isinstance(value, Mapping):
        yield from _strings(list(value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, BaseModel):
        yield from _strings(value.model_dump())
    else:
        yield str(value)


def _folded(text: str) -> str:
    return f" {' '.join(words(text))} "
