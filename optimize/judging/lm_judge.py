"""A language model as judge: it is asked for a label, claim by claim."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import dspy

from metrics.support import Support, check
from programs.lm.layout import ChatAdapter, layout, samples_by_schema
from programs.program import attempt
from programs.progress import tell
from signatures.judging import JudgeClaim
from signatures.passages import as_data, numbered

TRIES = 3
"""How often a claim is put to a judge whose output is not a label."""

_HASH_LENGTH = 8


_LABEL = re.compile(
    r"(\[\[ ## verdict ## \]\]\s*)[\W_]*(supported|contradicted|unverifiable)[\W_]*(?=\[\[|\Z)", re.IGNORECASE
)
"""The field of the label, with nothing else in it but the label."""


class _Labels(ChatAdapter):
    """Takes "Supported." or "**SUPPORTED**" for the label that it is, instead of asking again and again."""

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """Read the fields; raises as ChatAdapter's."""
        plain = _LABEL.sub(lambda found: f"{found[1]}{found[2].lower()}\n\n", completion)
        parsed: dict[str, Any] = super().parse(signature, plain)
        return parsed


class LMJudge:
    """Judges by ``signatures.judging.JudgeClaim``; safe to share between threads.

    The verdict and its reason are the model's. The quote beside them is the sentence nearest to the claim by the
    shipped checker: a place to look at, not what the model rested on.

    Args:
        lm: The model; better another than the one whose answers it judges.
        tries: How often a claim is put to it at most.
        options: Those of the model, as its name is to tell them: judgements under other options are others.
    """

    def __init__(self, lm: dspy.LM, tries: int = TRIES, options: str = "") -> None:
        self.lm = lm
        self._options = options
        self._tries = tries
        self._judge = dspy.Predict(JudgeClaim)

    @property
    def model(self) -> str:
        """The model's name, as a run's manifest has that of its own model."""
        return str(self.lm.model)

    @cached_property
    def name(self) -> str:
        """Model, its options, and hash of the prompt: "ollama/gpt-oss?think=low#3f0c9a1d"."""
        fields = {name: [str(each.annotation), each.json_schema_extra] for name, each in JudgeClaim.fields.items()}
        prompt = json.dumps([JudgeClaim.instructions, fields], default=str, sort_keys=True)
        named = f"{self.model}?{self._options}" if self._options else self.model
        return f"{named}#{hashlib.sha256(prompt.encode()).hexdigest()[:_HASH_LENGTH]}"

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        """Judge one claim against passages taken together; without passages the model is not asked.

        Raises:
            MalformedOutput: No try gave a label.
        """
        place = check(claim, passages, question)
        if not passages:
            return place
        tell("judge", f"Asking {self.model} whether the passages bear out: {claim}")
        shown = numbered(("", text) for text in passages)
        # A trace of its own: that of a program which is being compiled is for its own steps.
        adapter = layout(self.lm) if samples_by_schema(self.lm) else _Labels(use_json_adapter_fallback=False)
        with dspy.context(lm=self.lm, adapter=adapter, trace=[]):
            found = attempt(self._judge, self._tries, passages=shown, asked=as_data(question), claim=as_data(claim))
        score = 1.0 if found.verdict == "supported" else 0.0
        reason = str(found.reason)
        return Support(found.verdict, score, place.passage, place.quote, place.start, place.end, reason)
