"""Who decides on a sentence: the first line of ``PRECEDENCE`` that fits what guards, model and checker say of it.

docs/architecture.md shows the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from metrics.support.verdict import IN_OTHER_WORDS, Veto
from signatures.values import Verdict

SURE = 0.6  # probability from which on the checker's word counts for a sentence whose proof by a model fell through
SURELY = f"supported, by {SURE} or more"

ModelWord: TypeAlias = Literal["proved", "not proved", "fell through", "none"]
"""What a model said, if its quotes are where the sentence cites; else its proof fell through."""


class Line(NamedTuple):
    """Who says what, and what is then decided."""

    guard: str  # certain, in other words, silent
    model: str
    checker: str
    verdict: Literal["refused", "supported", "contradicted", "unverifiable"]  # refused: as the guard says
    why: str


PRECEDENCE = (
    Line("certain", "any", "any", "refused", "nobody outvotes what a rule on copies or numbers is certain of"),
    Line("in other words", "proved", "supported", "supported", "two who read the meaning outvote a rule on words"),
    Line("in other words", "proved", "any", "refused", "a model alone does not"),
    Line("in other words", "any", "contradicted", "refused", "the checker says so too"),
    Line("in other words", "any", "any", "unverifiable", "of quotes that were merely found the rule is not certain"),
    Line("silent", "proved", "any", "supported", "a model reads what the checker cannot; alone, it is called so"),
    Line("silent", "any", "contradicted", "contradicted", "no one holds it for proved"),
    Line("silent", "not proved", "any", "unverifiable", "a model's no is kept"),
    Line("silent", "fell through", SURELY, "supported", "the checker found another proof itself"),
    Line("silent", "fell through", "any", "unverifiable", "a guess repairs no proof"),
    Line("silent", "none", "supported", "supported", "the checker's word"),
    Line("silent", "none", "any", "unverifiable", "no one holds it for proved"),
)
"""The first line that fits decides."""


def decided(model: ModelWord, objections: Sequence[Veto], checker: Verdict, probability: float) -> Verdict:
    """What becomes of a sentence; ``probability`` is the checker's that it is proved."""
    said = {checker, SURELY} if checker == "supported" and probability >= SURE else {checker}
    guard = level(objections)
    line = next(
        each
        for each in PRECEDENCE
        if each.guard == guard and each.model in ("any", model) and (each.checker == "any" or each.checker in said)
    )
    if line.verdict == "refused":
        return "contradicted" if any(each.opposed for each in objections) else "unverifiable"
    return line.verdict


def level(objections: Sequence[Veto]) -> str:
    """How certain guards are: rules on paraphrases alone may be outvoted."""
    if all(each.rule in IN_OTHER_WORDS for each in objections):
        return "in other words" if objections else "silent"
    return "certain"
