"""Judgements of claims: made once, kept by what they depend on, and the only thing that grounding metrics count.

    {"claim": "Femur density fell by 12.4 %.", "verdict": "supported", "passage": "PMC2654319::sec2::chunk0",
     "quote": "Femur density fell by 12.4% in flight mice.", "start": 118, "end": 161, "judge": "words/1", …}

A judge is asked for a label, never for a number. The default one is the checker under guards (``metrics.support``); one
that asks a language model has the same shape. A ledger can be filled from ``judgements.jsonl``, so that nothing is
asked twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from metrics.passages import Citable
from metrics.support import Support
from metrics.support.claim_check import GuardedCheck, default_check
from metrics.support.guards import vetoes
from metrics.support.verdict import Judge
from signatures.values import Verdict

LIKELY_ENOUGH = 0.4  # the checker's probability from which on a fact counts as stated; see ``GuardedFactCheck``


@dataclass(frozen=True, slots=True)
class GuardedFactCheck:
    """The checker as judge of gold facts: is a fact in an answer, in other words perhaps?

    A certificate must not accept what a passage does not quite say; a gold fact is worded by the author of the
    question, and an answer words it differently. So a fact counts as stated from a lower probability on, unless a guard
    objects. On the bundled train and val questions that finds 84 % of the English facts in their gold quotes and 7.8 %
    in quotes for other questions on the paper; on the dev questions, on which nothing was chosen, 76 % and 3.6 %.

    Attributes:
        judge: The checker under guards.
    """

    judge: GuardedCheck

    @property
    def name(self) -> str:
        """The checker's, as judge of facts."""
        return f"fact-check/3+{self.judge.name}"

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """Judge by the checker, and take a near miss for stated."""
        found = self.judge.check(claim, passages, question)
        near = found.verdict == "unverifiable" and found.score >= LIKELY_ENOUGH and not vetoes(claim, passages)
        return replace(found, verdict="supported") if near else found


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge found passages to say of a claim.

    Attributes:
        claim: The sentence, without citations.
        verdict: supported, contradicted or unverifiable.
        passage: Id of the passage that decided, or its number when it has none; empty if no passage is near the claim.
        quote: The sentences of that passage that decided, character by character.
        start: Offset of the quote in the passage.
        end: Offset after it.
        reason: What differs, or what supports the claim.
        judge: Name and version of the judge.
        key: SHA-256 (hex) of everything the verdict depends on: claim, passages, question and judge.
    """

    claim: str
    verdict: Verdict
    passage: str
    quote: str
    start: int
    end: int
    reason: str
    judge: str
    key: str

    @property
    def supported(self) -> bool:
        """Whether a passage says it. An unverifiable claim is not supported."""
        return self.verdict == "supported"

    @property
    def shortcoming(self) -> str:
        """The reason as the end of a sentence on the passage: "which does not say 15 %"."""
        reason = self.reason.strip().rstrip(".")
        if reason.startswith("the passage "):
            return f"which {reason.removeprefix('the passage ')}"
        return f"which does not support it: {reason}" if reason else "which does not support it"

    def as_dict(self) -> dict[str, Any]:
        """The judgement as a line of ``judgements.jsonl``."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Judgement:
        """Read what ``as_dict`` wrote."""
        return cls(**values)


class Ledger:
    """The judgements of a run; asks its judge only what it does not hold.

    Args:
        judge: By default the checker under guards.
        judgements: Judgements made before, by this judge or another; those of another are kept, not used.
    """

    def __init__(self, judge: Judge | None = None, judgements: Iterable[Judgement] = ()) -> None:
        self.judge: Judge = judge or default_check()
        self._by_key = {judgement.key: judgement for judgement in judgements}

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """Everything that was judged, in the order in which it was first asked."""
        return tuple(self._by_key.values())

    def consult(self, claim: str, passages: Sequence[Citable], question: str = "") -> Judgement:
        """The judgement of a claim against passages taken together; without passages it is unverifiable."""
        return self._judged(self.judge, claim, passages, question)

    def consult_fact(self, fact: str, answer: Citable, question: str = "") -> Judgement:
        """Whether an answer states a gold fact, by the judge's way with facts where it has one."""
        judge = GuardedFactCheck(self.judge) if isinstance(self.judge, GuardedCheck) else self.judge
        return self._judged(judge, fact, [answer], question)

    def _judged(self, judge: Judge, claim: str, passages: Sequence[Citable], question: str) -> Judgement:
        key = judgement_key(claim, passages, question, judge.name)
        return self._by_key.get(key) or self._ask(judge, claim, passages, question, key)

    def _ask(self, judge: Judge, claim: str, passages: Sequence[Citable], question: str, key: str) -> Judgement:
        said = judge.check(claim, [passage.text for passage in passages], question)
        passage = "" if said.passage is None else passages[said.passage].label
        found = (said.verdict, passage, said.quote, said.start, said.end, said.reason)
        return self._by_key.setdefault(key, Judgement(claim, *found, judge.name, key))


def judgement_key(claim: str, passages: Sequence[Citable], question: str, judge: str) -> str:
    """SHA-256 (hex) over everything that a verdict depends on; ids of passages are names and do not count."""
    content = json.dumps([claim, [passage.text for passage in passages], question, judge], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
