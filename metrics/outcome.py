"""What a prediction is before its content matters: an answer, an abstention, nothing, or a failure."""

from __future__ import annotations

from typing import Literal, TypeAlias

from metrics.abstention_phrases import is_abstention
from metrics.fields import read
from metrics.passages import passages_of
from metrics.statements import Statement, statements

Outcome: TypeAlias = Literal["answered", "abstained", "abstained_with_claims", "empty", "failed"]


def answer_of(prediction: object) -> str:
    """The text of the answer, without outer white space; empty when there is none."""
    answer = read(prediction, "answer", "")
    return answer.strip() if isinstance(answer, str) else ""


def statements_of(prediction: object) -> tuple[Statement, ...]:
    """The sentences of the answer with what they cite."""
    return statements(answer_of(prediction), passages_of(prediction))


def claims_of(prediction: object) -> tuple[Statement, ...]:
    """The sentences of the answer that say something to be proved."""
    return tuple(statement for statement in statements_of(prediction) if statement.needs_citation)


def is_answerable(example: object) -> bool:
    """Whether the gold data hold an answer to the question; examples that do not say are answerable."""
    return bool(read(example, "answerable", default=True))


def outcome(prediction: object) -> Outcome:
    """Tell answers from abstentions, and both from nothing.

    An abstention is declared (``answerable`` is False) or written ("The passages do not say."), whichever way the
    program chose. Declared together with claims it is not an abstention but a contradiction. An empty answer counts as
    an abstention only if it is declared. A prediction failed if it is missing, has an ``error``, or its answer is not
    text.
    """
    answer = read(prediction, "answer", "")
    if prediction is None or read(prediction, "error") or not isinstance(answer, str):
        return "failed"
    declared = read(prediction, "answerable", default=True) is False
    found = statements_of(prediction)
    if any(statement.needs_citation for statement in found):
        return "abstained_with_claims" if declared else "answered"
    written = any(is_abstention(statement.text) for statement in found)
    if declared or written:
        return "abstained"
    return "answered" if found else "empty"
