"""The structured values that signatures exchange with a language model."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Verdict: TypeAlias = Literal["supported", "contradicted", "unverifiable"]
"""What a passage says of a claim; a claim nobody can verify counts as unsupported."""

ProofVerdict: TypeAlias = Literal["proved", "not proved", "about the evidence"]
"""What a reader says of a sentence; one about the evidence itself ("the passages do not report…") needs no proof."""


class UnsupportedClaim(BaseModel):
    """A statement of an answer that its passages do not bear out."""

    model_config = ConfigDict(frozen=True)

    claim: str = Field(description="the statement, copied word for word from the answer")
    reason: str = Field(description="what the passages say instead, or that they do not mention it")
