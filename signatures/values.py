"""The structured values that signatures exchange with a language model."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

Verdict: TypeAlias = Literal["supported", "contradicted", "unverifiable"]
"""What a passage says of a claim; a claim nobody can verify counts as unsupported."""

ProofVerdict: TypeAlias = Literal["proved", "not proved", "about the evidence"]
"""What a reader says of a sentence; one about the evidence itself ("the passages do not report…") needs no proof."""


class UnsupportedClaim(BaseModel):
    """A statement of an answer that its passages do not bear out."""

    model_config = ConfigDict(frozen=True)

    claim: str = Field(description="the statement, copied word for word from the answer")
    reason: str = Field(description="what the passages say instead, or that they do not mention it")


class ProposedQuote(BaseModel):
    """Words of a passage that a model gives as proof, as it wrote them: nothing says yet that they stand there."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    passage: str = Field(default="", description="number or id of the passage, without brackets")
    quote: str = Field(description="copied character for character from that passage, whole sentences")

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, value: Any) -> Any:  # noqa: ANN401 - whatever the model wrote
        """Take "[2] Femur density fell." for an object of its two parts, as small models write it."""
        if not isinstance(value, str):
            return value
        label, found, text = value.partition("]")
        labelled = bool(found) and label.startswith("[")
        return {"passage": label[1:], "quote": text.strip()} if labelled else {"quote": value}


class SentenceProof(BaseModel):
    """What a model says of one sentence of an answer: by which quotes it is proved, or why it is not."""

    model_config = ConfigDict(frozen=True)

    number: int = Field(description="number of the sentence")
    quotes: tuple[ProposedQuote, ...] = Field(default=(), description="the quotes that prove it together; else []")
    verdict: ProofVerdict = Field(description="proved, not proved or about the evidence")
    reason: str = Field(default="", description="if not proved: which part is not, in a few words; else empty")

    @model_validator(mode="before")
    @classmethod
    def _read_verdict(cls, value: Any) -> Any:  # noqa: ANN401 - whatever the model wrote
        """Read the verdict whatever its case and underscores; where none is given, quotes claim a proof."""
        if not isinstance(value, dict):
            return value
        said = str(value.get("verdict") or ("proved" if value.get("quotes") else "not proved"))
        plain = " ".join(said.replace("_", " ").replace("-", " ").casefold().split())
        known = {**value, "verdict": _SPELLINGS.get(plain, plain)}
        return {name: each for name, each in known.items() if each is not None}


_SPELLINGS = {
    "supported": "proved",
    "proven": "proved",
    "unproved": "not proved",
    "unproven": "not proved",
    "not proven": "not proved",
    "unsupported": "not proved",
    "not supported": "not proved",
    "contradicted": "not proved",
    "about evidence": "about the evidence",
}
"""What models write for one of the three verdicts."""
