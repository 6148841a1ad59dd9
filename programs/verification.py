"""Verification, shared by all programs: prove every sentence, fix what is not proved, prove again, admit what is left.

A model gives the quotes that prove each numbered sentence; ``programs.proof`` trusts none of them. What is not proved
is repaired, and of the repaired answer only the sentences that changed are proved again. The loop ends when all is
proved, when a round repairs nothing, or after ``max_iterations`` fixes; the last fix is verified like every other. A
clean answer costs one call, each repair at most two more; for sentences that a model left out it is asked once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import dspy

from metrics.abstention_phrases import speaks_of_evidence
from metrics.passages import citable_ids, passages_of, resolve
from metrics.statements import Statement, statements
from metrics.visible_text import visible
from programs.certificate import certify, unresolved
from programs.passages.passage import Passage, papers_of, shown
from programs.program import RETRY_TEMPERATURE, attempt
from programs.proof.proving import ModelProof, placed
from programs.running.progress import tell
from signatures import citations
from signatures.passages import as_data
from signatures.values import UnsupportedClaim
from signatures.verification import FixAnswer, ProveAnswer

_FULL_STOPS = ".!?…。！？"


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
        proofs: What the model said of the sentences, those of earlier rounds too.
    """

    answer: str
    unsupported_claims: tuple[UnsupportedClaim, ...]
    repairs: tuple[Repair, ...]
    proofs: tuple[ModelProof, ...] = ()


def unverified(answer: str, passages: Sequence[Passage]) -> Verified:
    """An answer that no model is to verify: citations of passages that were not given are taken out and admitted."""
    answer = visible(answer).strip()
    return Verified(_without_invented(answer, passages), tuple(unresolved(answer, passages)), ())


class VerificationLimits(Protocol):
    """What a program's parameters say of verification."""

    @property
    def verify(self) -> bool:
        """Whether to verify and repair."""

    @property
    def max_iterations(self) -> int:
        """Rounds of repair at most; 0 only verifies."""

    @property
    def num_tries(self) -> int:
        """Attempts at a step whose output does not parse, at least 1."""


class Verification(dspy.Module):
    """The loop as a module, so that its two prompts are compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.prove = dspy.Predict(ProveAnswer)
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
        proving = _Proving(self.prove, passages, question, num_tries)
        answer, claims = proving.prove(visible(answer).strip())
        repairs: list[Repair] = []
        for number in range(1, max_iterations + 1):
            if not claims:
                break
            tell("repair", f"Repairing {len(claims)} unsupported claims, round {number}", claims=len(claims))
            step = attempt(
                self.fix, num_tries, **proving.asked, answer=as_data(answer), unsupported_claims=list(claims)
            )
            fixed = visible(step.fixed_answer or "").strip()
            fixed, remaining = proving.prove(fixed)
            repairs.append(Repair(number, claims, answer, fixed, remaining))
            repaired_nothing = _same_claims(claims, remaining)
            answer, claims = fixed, remaining
            if repaired_nothing:
                break
        return Verified(_without_invented(answer, passages), claims, tuple(repairs), tuple(proving.proofs.values()))

    def within(self, limits: VerificationLimits, passages: Sequence[Passage], question: str, answer: str) -> Verified:
        """Verify as far as a program's parameters say; an empty answer, and one that is not to be, asks no model."""
        if not answer or not limits.verify:
            return unverified(answer, passages)
        verified: Verified = self(
            passages, question, answer, max_iterations=limits.max_iterations, num_tries=limits.num_tries
        )
        return verified


class _Proving:
    """The proofs of one answer through its repairs; each sentence is asked for once."""

    def __init__(self, predictor: dspy.Module, passages: Sequence[Passage], question: str, num_tries: int) -> None:
        self.asked = {
            "passages": shown(passages),
            "papers": papers_of(passages),
            "question": as_data(question),
        }
        self.proofs: dict[str, ModelProof] = {}
        self._predictor = predictor
        self._passages = passages
        self._citable = passages_of({"passages": passages})
        self._num_tries = num_tries
        self._asked_again = False

    def prove(self, answer: str) -> tuple[str, tuple[UnsupportedClaim, ...]]:
        """Prove what is new in an answer.

        Returns:
            The answer, in which sentences that cite nothing now cite the passages that prove them; and what is not
            proved, with the reason.
        """
        if not answer:
            return answer, ()
        tell("verify", "Proving every sentence by its passages")
        self._ask(answer, self._unasked(answer))
        if not self._asked_again and (left := self._unasked(answer)):
            self._asked_again = True
            self._ask(answer, left, again=True)
        for each in self._unasked(answer):
            self.proofs[each.text] = ModelProof(each.text, "not proved", reason="the model gave no proof of it")
        answer = self._with_citations(answer)
        return answer, (*self._unproved(answer), *unresolved(answer, self._passages))

    def _unasked(self, answer: str) -> list[Statement]:
        found = statements(answer, self._citable)
        return [each for each in found if (each.needs_citation or each.cites) and each.text not in self.proofs]

    def _ask(self, answer: str, sentences: Sequence[Statement], *, again: bool = False) -> None:
        """Ask for the proofs of sentences; entries of other numbers say nothing."""
        if not sentences:
            return
        listed = "\n".join(f"{each.number}. {_line(answer, each)}" for each in sentences)
        anew = {"config": {"rollout_id": self._num_tries, "temperature": RETRY_TEMPERATURE}} if again else {}
        step = attempt(
            self._predictor,
            self._num_tries,
            **self.asked,
            **anew,
            answer=as_data(answer),
            sentences=as_data(listed),
        )
        by_number = {each.number: each.text for each in sentences}
        for said in step.proofs or ():
            if said.number in by_number:
                text = by_number[said.number]
                self.proofs.setdefault(text, _believed(ModelProof.of(text, said, _model())))

    def _with_citations(self, answer: str) -> str:
        """The answer with citations behind sentences that cite nothing and were proved by quotes."""
        parts, position = [], 0
        for each in statements(answer, self._citable):
            proof = self.proofs.get(each.text)
            if proof is None or each.cites or proof.verdict != "proved":
                continue
            quoted = {quote.passage for quote in placed(proof.quotes, self._passages)[0]}
            markers = dict.fromkeys(known.marker for known in self._citable if known.id in quoted)
            sentence = answer[each.start : each.end]
            bare = sentence.rstrip(_FULL_STOPS)
            space = "" if sentence.endswith("。") or not markers else " "
            parts += [answer[position : each.start], bare, space, citations.render(markers), sentence[len(bare) :]]
            position = each.end
        return "".join([*parts, answer[position:]])

    def _unproved(self, answer: str) -> list[UnsupportedClaim]:
        """Sentences that need proof and have no certificate that proves them; citations of nothing given apart."""
        certificates = certify(answer, self._passages, self.proofs.values())
        proved = {each.sentence for each in certificates if each.verdict == "supported"}
        reasons = {each.sentence: each.reason for each in certificates}
        found = []
        for each in statements(answer, self._citable):
            proof, sentence = self.proofs.get(each.text), answer[each.start : each.end]
            if proof is None or proof.verdict == "about the evidence" or sentence in proved:
                continue
            if sentence in reasons or not each.cites:
                reason = reasons.get(sentence) or proof.reason or "its quotes stand in no passage"
                found.append(UnsupportedClaim(claim=each.text, reason=reason))
        return found


def _line(answer: str, statement: Statement) -> str:
    """A sentence on one line, with its citations."""
    return " ".join(answer[statement.start : statement.end].split())


def _model() -> str:
    return str(getattr(dspy.settings.lm, "model", ""))


def _believed(proof: ModelProof) -> ModelProof:
    """A sentence is about the evidence only if it names it and denies something: else it is not proved."""
    if proof.verdict != "about the evidence" or speaks_of_evidence(proof.sentence):
        return proof
    return ModelProof(proof.sentence, "not proved", reason="no passage was quoted for it", model=proof.model)


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
