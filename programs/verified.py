"""An answer after its sentences were checked, with what was repaired and what was refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from metrics.visible_text import visible
from programs.certificate import Citation, Decided, certify
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof
from signatures.values import UnsupportedClaim


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
        english: Of sentences that are translations, by how the answer has them, what is proved.
    """

    cited: CitedAnswer
    unsupported_claims: tuple[UnsupportedClaim, ...] = ()
    repairs: tuple[Repair, ...] = ()
    proofs: tuple[ModelProof, ...] = ()
    decided: Decided = field(default_factory=dict, compare=False, repr=False)
    english: Mapping[str, str] = field(default_factory=dict)

    @property
    def answer(self) -> str:
        """The text of the answer."""
        return self.cited.text

    @cached_property
    def citations(self) -> list[Citation]:
        """The certificates of the answer."""
        return certify(self.cited, self.proofs, self.decided, self.english)

    def withheld(self) -> Verified:
        """Nothing in the answer's place."""
        return Verified(self.cited.rewritten(""), (), self.repairs)


def unverified(answer: str, passages: Sequence[Passage]) -> Verified:
    """An answer that no model is to verify: citations of passages that were not given are taken out and admitted."""
    cited = CitedAnswer(visible(answer).strip(), passages)
    return Verified(cited.without_invented(), tuple(cited.unresolved))
