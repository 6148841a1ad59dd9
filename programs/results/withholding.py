"""Answers that are withheld: no sentence of theirs is proved, or they hold too little of the question.

An answer can be proved sentence by sentence and still be beside the point. ``least_coverage`` of a program is how
much of the question it has to hold, by ``metrics.words``; 0, the default, withholds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from metrics.words import question_coverage
from programs.errors import UsageError
from programs.verification import Verified

_WITHHELD = "An answer was withheld: "
"""How the note of a withheld answer begins, in results and in saved ones."""


def is_withheld(notes: Iterable[str]) -> bool:
    """Whether the notes of a result without an answer say that there was one."""
    return any(each.startswith(_WITHHELD) for each in notes)


def check_least_coverage(value: float) -> None:
    """Refuse a value that is not a share.

    Raises:
        UsageError: It is not in [0, 1].
    """
    if not 0 <= value <= 1:
        raise UsageError(f"least_coverage must be in [0, 1], got {value}")


def proved(verified: Verified) -> tuple[Verified, list[str]]:
    """An answer of which a sentence at least is proved, or nothing in its place, and a note that says why.

    Args:
        verified: The answer as it was verified; an empty one stays as it is.
    """
    if not verified.answer or any(each.verdict == "supported" for each in verified.citations):
        return verified, []
    reason = next((each.reason for each in verified.citations if each.reason), "no sentence cites a passage")
    note = f"{_WITHHELD}none of its sentences is proved ({reason}). The passages are what was found instead."
    return verified.withheld(), [note]


def relevant(verified: Verified, question: str, least_coverage: float) -> tuple[Verified, list[str]]:
    """An answer, or nothing in its place, and a note that says why.

    Args:
        verified: The answer as it was verified.
        question: What was asked; in another language than English it is not judged, since papers are quoted in their
            own.
        least_coverage: Share of the question's content words that answer and quotations have to hold.
    """
    if not least_coverage or not verified.answer:
        return verified, []
    found = question_coverage(question, [verified.answer, *(citation.quote for citation in verified.citations)])
    if found >= least_coverage:
        return verified, []
    note = f"{_WITHHELD}it holds {found:.2f} of the question's words; least_coverage={least_coverage:g}."
    return verified.withheld(), [note]
