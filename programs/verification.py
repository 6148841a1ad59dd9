"""Verification, shared by all programs: find unsupported claims, fix them, verify again, and admit what is left.

The loop ends when nothing is unsupported, when a round repairs nothing, or after ``max_iterations`` fixes. The last fix
is verified like every other. A clean answer costs one call, each repair two more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import dspy

from metrics.passages import citable_ids, passages_of, resolve
from programs.certificate import unresolved
from programs.passage import Passage, shown
from programs.program import attempt
from programs.progress import tell
from signatures import citations
from signatures.passages import as_data
from signatures.values import UnsupportedClaim
from signatures.verification import FindUnsupportedClaims, FixAnswer

_NO_CLAIM = frozenset({"", "none", "n/a", "na", "nothing", "no claims", "no unsupported claims", "empty", "null", "-"})
"""What models write in a list that should be empty; taken for a claim, it would set off a repair of nothing."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One round of repair.

    Attributes:
        round: From 1.
        unsupported: The claims that the round set out to repair.
        before: The answer before it.
        after: The answer after it.
        remaining: The claims still unsupported in ``after``.
    """

    round: int
    unsupported: tuple[UnsupportedClaim, ...]
    before: str
    after: str
    remaining: tuple[UnsupportedClaim, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        values = asdict(self)
        for name in ("unsupported", "remaining"):
            values[name] = [claim.model_dump() for claim in getattr(self, name)]
        return values


@dataclass(frozen=True, slots=True)
class Verified:
    """An answer after verification.

    Attributes:
        answer: With citations of given passages only; empty when nothing supported was left.
        unsupported_claims: What could not be repaired.
        repairs: Every round.
    """

    answer: str
    unsupported_claims: tuple[UnsupportedClaim, ...]
    repairs: tuple[Repair, ...]


def unverified(answer: str, passages: Sequence[Passage]) -> Verified:
    """An answer that no model is to verify: citations of passages that were not given are taken out and admitted."""
    return Verified(_without_invented(answer, passages), tuple(unresolved(answer, passages)), ())


class Verification(dspy.Module):
    """The loop as a module, so that its two prompts are compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.find = dspy.ChainOfThought(FindUnsupportedClaims)
        self.fix = dspy.Predict(FixAnswer)

    def forward(
        self, passages: Sequence[Passage], question: str, answer: str, max_iterations: int = 3, num_tries: int = 1
    ) -> Verified:
        """Verify and repair an answer.

        Args:
            passages: What it was written from, in the order of their numbers.
            question: What was asked.
            answer: With ``[n]`` citations.
            max_iterations: Rounds of repair at most; 0 only verifies.
            num_tries: Attempts at a step whose output does not parse.
        """
        asked = {"passages": shown(passages), "question": as_data(question)}
        claims = self._unsupported(passages, answer, num_tries, asked)
        repairs: list[Repair] = []
        for number in range(1, max_iterations + 1):
            if not claims:
                break
            tell("repair", f"Repairing {len(claims)} unsupported claims, round {number}", claims=len(claims))
            step = attempt(self.fix, num_tries, **asked, answer=as_data(answer), unsupported_claims=list(claims))
            fixed = (step.fixed_answer or "").strip()
            remaining = self._unsupported(passages, fixed, num_tries, asked) if fixed else ()
            repairs.append(Repair(number, claims, answer, fixed, remaining))
            repaired_nothing = _same_claims(claims, remaining)
            answer, claims = fixed, remaining
            if repaired_nothing:
                break
        return Verified(_without_invented(answer, passages), claims, tuple(repairs))

    def _unsupported(
        self, passages: Sequence[Passage], answer: str, num_tries: int, asked: dict[str, str]
    ) -> tuple[UnsupportedClaim, ...]:
        tell("verify", "Checking every sentence against its passages")
        found = attempt(self.find, num_tries, **asked, answer=as_data(answer)).unsupported_claims or []
        named = [claim for claim in found if claim.claim.strip(" .*\"'").casefold() not in _NO_CLAIM]
        return (*named, *unresolved(answer, passages))


def _same_claims(before: Sequence[UnsupportedClaim], after: Sequence[UnsupportedClaim]) -> bool:
    """Whether every claim is still there: such a round repaired nothing."""
    return {claim.claim.strip() for claim in before} <= {claim.claim.strip() for claim in after}


def _without_invented(answer: str, passages: Sequence[Passage]) -> str:
    """Take out citations of passages that were not given, which the claims already name."""
    citable = passages_of({"passages": passages})
    kept, position = [], 0
    for marker in citations.find(answer, citable_ids(citable)):
        given = [each for each in marker.ids if resolve(each, citable)]
        if len(given) < len(marker.ids):
            before = answer[position : marker.start]
            kept += [before if given else before.rstrip(), citations.render(given)]
            position = marker.end
    return "".join([*kept, answer[position:]])
