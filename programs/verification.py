"""Verification of drafts: prove every sentence, fix what is not proved, prove again, admit what is left.

A model gives the quotes that prove each numbered sentence; ``programs.proof`` trusts none of them. What is not proved
is repaired, and of the repaired answer only the sentences that changed are proved again. The loop ends when all is
proved, when a round repairs nothing, or after ``max_iterations`` fixes; the last fix is verified like every other. A
clean answer costs one call, each repair at most two more; for sentences that a model left out it is asked once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import dspy

from metrics.abstentions import is_abstention, speaks_of_evidence
from metrics.statements import Statement
from metrics.visible_text import visible
from programs.certificate import Citation, Decided, certify
from programs.passages import Passage, asked_from
from programs.program import RETRY_TEMPERATURE, attempt, reader_name
from programs.progress import report_step
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof, placed
from signatures import citation_markers
from signatures.passages import as_data
from signatures.values import UnsupportedClaim
from signatures.verification import FixAnswer, ProveAnswer

MOST_QUOTED = 600
"""Characters of quotes that a repair is shown of a claim that they did not prove."""
MORE_THAN_MISSING = "only a sentence that says, in one clause, what the passages do not report needs no quote"
"""Why a sentence that a model holds to be about the evidence is not taken for one."""

_FULL_STOPS = ".!?…。！？"


@dataclass(frozen=True, slots=True)
class Repair:
    """One round of repair, from 1: the claims that it set out to repair, and those still unsupported after it."""

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


@dataclass(frozen=True)
class Verified:
    """An answer after verification.

    Attributes:
        cited: The answer with citations of given passages only; its text is empty when nothing supported was left.
        unsupported_claims: What could not be repaired.
        repairs: Every round.
        proofs: What the model said of the sentences, those of earlier rounds too.
        decided: What was decided on them; a sentence that is here is not proved again.
    """

    cited: CitedAnswer
    unsupported_claims: tuple[UnsupportedClaim, ...] = ()
    repairs: tuple[Repair, ...] = ()
    proofs: tuple[ModelProof, ...] = ()
    decided: Decided = field(default_factory=dict, compare=False, repr=False)

    @property
    def answer(self) -> str:
        """The text of the answer."""
        return self.cited.text

    @cached_property
    def citations(self) -> list[Citation]:
        """The certificates of the answer."""
        return certify(self.cited, self.proofs, self.decided)

    def withheld(self) -> Verified:
        """Nothing in the answer's place."""
        return Verified(self.cited.rewritten(""), (), self.repairs)


def unverified(answer: str, passages: Sequence[Passage]) -> Verified:
    """An answer that no model is to verify: citations of passages that were not given are taken out and admitted."""
    cited = CitedAnswer(visible(answer).strip(), passages)
    return Verified(cited.without_invented(), tuple(cited.unresolved))


class Verification(dspy.Module):
    """The loop as a module, so that its two prompts are compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.prove = dspy.Predict(ProveAnswer)
        self.fix = dspy.Predict(FixAnswer)

    def forward(
        self, passages: Sequence[Passage], question: str, answer: str, max_iterations: int = 3, num_tries: int = 1
    ) -> Verified:
        """Verify and repair an answer with ``[n]`` citations of its passages, in the order of their numbers.

        After ``max_iterations`` rounds of repair at most; 0 only verifies.
        """
        proving = _Proving(self.prove, passages, question, num_tries)
        cited, claims = proving.prove(CitedAnswer(visible(answer).strip(), passages))
        repairs: list[Repair] = []
        for number in range(1, max_iterations + 1):
            if not claims:
                break
            report_step("repair", f"Repairing {len(claims)} unsupported claims, round {number}", claims=len(claims))
            step = attempt(
                self.fix,
                num_tries,
                **proving.asked,
                answer=as_data(cited.text),
                unsupported_claims=[proving.with_quotes(each) for each in claims],
            )
            fixed, remaining = proving.prove(cited.rewritten(visible(step.fixed_answer or "").strip()))
            repairs.append(Repair(number, claims, cited.text, fixed.text, remaining))
            repaired_nothing = _same_claims(claims, remaining)
            cited, claims = fixed, remaining
            if repaired_nothing:
                break
        proofs = tuple(proving.proofs.values())
        return Verified(cited.without_invented(), claims, tuple(repairs), proofs, proving.decided)


class _Proving:
    """The proofs of one answer through its repairs; each sentence is asked for once."""

    def __init__(self, predictor: dspy.Module, passages: Sequence[Passage], question: str, num_tries: int) -> None:
        self.asked = asked_from(passages, question)
        self.proofs: dict[str, ModelProof] = {}
        self.decided: Decided = {}
        self._predictor = predictor
        self._num_tries = num_tries
        self._asked_again = False

    def prove(self, answer: CitedAnswer) -> tuple[CitedAnswer, tuple[UnsupportedClaim, ...]]:
        """Prove what is new in an answer.

        Returns:
            The answer, in which sentences that cite nothing now cite the passages that prove them; and what is not
            proved, with the reason.
        """
        if not answer.text:
            return answer, ()
        report_step("verify", "Proving every sentence by its passages")
        self._ask(answer, self._unasked(answer))
        if not self._asked_again and (left := self._unasked(answer)):
            self._asked_again = True
            self._ask(answer, left, again=True)
        for each in self._unasked(answer):
            self.proofs[each.text] = ModelProof(
                each.text, "not proved", reason="the model gave no proof of it", model=reader_name()
            )
        answer = self._with_citations(answer)
        return answer, (*self._unproved(answer), *answer.unresolved)

    def with_quotes(self, claim: UnsupportedClaim) -> UnsupportedClaim:
        """A claim whose reason names the quotes that were given for it and did not prove it, if there were any."""
        proof = self.proofs.get(claim.claim)
        if proof is None or proof.verdict != "proved" or not proof.quotes:
            return claim
        quoted = " ".join(f"“{quote}”" for _, quote in proof.quotes)
        return UnsupportedClaim(claim=claim.claim, reason=f"{claim.reason}; quoted: {as_data(quoted[:MOST_QUOTED])}")

    def _unasked(self, answer: CitedAnswer) -> list[Statement]:
        return [
            each for each in answer.statements if (each.needs_citation or each.cites) and each.text not in self.proofs
        ]

    def _ask(self, answer: CitedAnswer, sentences: Sequence[Statement], *, again: bool = False) -> None:
        """Ask for the proofs of sentences; entries of other numbers say nothing."""
        if not sentences:
            return
        listed = "\n".join(f"{each.number}. {' '.join(answer.written(each).split())}" for each in sentences)
        anew = {"config": {"rollout_id": self._num_tries, "temperature": RETRY_TEMPERATURE}} if again else {}
        step = attempt(
            self._predictor,
            self._num_tries,
            **self.asked,
            **anew,
            answer=as_data(answer.text),
            sentences=as_data(listed),
        )
        by_number = {each.number: each for each in sentences}
        for said in step.proofs or ():
            if said.number in by_number:
                sentence = by_number[said.number]
                proof = ModelProof.of(sentence.text, said, reader_name())
                self.proofs.setdefault(sentence.text, _believed(proof, cites=bool(sentence.cites)))

    def _with_citations(self, answer: CitedAnswer) -> CitedAnswer:
        """The answer with citations behind sentences that cite nothing and were proved by quotes."""
        parts, position = [], 0
        for each in answer.statements:
            proof = self.proofs.get(each.text)
            if proof is None or each.cites or proof.verdict != "proved":
                continue
            quoted = {quote.passage for quote in placed(proof.quotes, answer.given)[0]}
            markers = dict.fromkeys(known.marker for known in answer.given.citable if known.id in quoted)
            sentence = answer.written(each)
            bare = sentence.rstrip(_FULL_STOPS)
            space = "" if sentence.endswith("。") or not markers else " "
            parts += [
                answer.text[position : each.start],
                bare,
                space,
                citation_markers.render(markers),
                sentence[len(bare) :],
            ]
            position = each.end
        return answer.rewritten("".join([*parts, answer.text[position:]]))

    def _unproved(self, answer: CitedAnswer) -> list[UnsupportedClaim]:
        """Sentences that need proof and have no certificate that proves them; citations of nothing given apart."""
        certificates = certify(answer, self.proofs.values(), self.decided)
        proved = {each.sentence for each in certificates if each.verdict == "supported"}
        reasons = {each.sentence: each.reason for each in certificates}
        found = []
        for each in answer.statements:
            proof, sentence = self.proofs.get(each.text), answer.written(each)
            if proof is None or proof.verdict == "about the evidence" or sentence in proved:
                continue
            if sentence in reasons or not each.cites:
                reason = reasons.get(sentence) or proof.reason or "its quotes are in no passage"
                found.append(UnsupportedClaim(claim=each.text, reason=reason))
        return found


def _believed(proof: ModelProof, *, cites: bool) -> ModelProof:
    """A sentence is about the evidence only if it names it and denies something: else it is not proved.

    One that cites a passage tells what it says, unless it plainly tells what the passages do not hold.
    """
    is_about_evidence = is_abstention if cites else speaks_of_evidence
    if proof.verdict != "about the evidence" or is_about_evidence(proof.sentence):
        return proof
    return ModelProof(proof.sentence, "not proved", reason=MORE_THAN_MISSING, model=proof.model)


def _same_claims(before: Sequence[UnsupportedClaim], after: Sequence[UnsupportedClaim]) -> bool:
    """Whether every claim is still there: such a round repaired nothing."""
    return {claim.claim.strip() for claim in before} <= {claim.claim.strip() for claim in after}
