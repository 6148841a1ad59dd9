"""Summarizes one paper with a language model, a long one in parts.

with dspy.context(lm=programs.LM("ollama/gpt-oss")):
    Summarizer()(document=read("paper.pdf")).summary
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import ClassVar

import dspy
from dspy.utils.exceptions import ContextWindowExceededError

from programs.errors import MalformedOutput, UsageError
from programs.ingest.document import Document
from programs.program import Program, attempt
from programs.running.progress import report_step
from programs.summaries.source import body
from signatures.paper_retriever import MergeSummaries, SummarizePaper
from signatures.passages import as_data, numbered

_SHORTEST_PART = 200
"""Words below which a part is not halved again: then the model's context is the problem, not the paper."""


@dataclass(frozen=True, slots=True)
class SummarizerParameters:
    """What summarizing can be tuned by.

    Attributes:
        longest_part: Words of a paper that are read at once, at least 200; a longer paper is halved until its parts
            fit, and so is one that exceeds the model's context.
        overlap: Share of a part that the part beside it repeats, in [0, 0.5).
        num_tries: Attempts at a step whose output does not parse, at least 1.
    """

    longest_part: int = 20_000
    overlap: float = 0.1
    num_tries: int = 2

    def __post_init__(self) -> None:
        for name, least in (("longest_part", _SHORTEST_PART), ("num_tries", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, got {getattr(self, name)}")
        if not 0 <= self.overlap < 0.5:
            raise UsageError(f"overlap must be in [0, 0.5), got {self.overlap}")


class Summarizer(Program[SummarizerParameters]):
    """One paper, one summary."""

    name: ClassVar[str] = "summarizer"

    def __init__(self, parameters: SummarizerParameters | None = None) -> None:
        super().__init__(parameters or SummarizerParameters())
        self.summarize = dspy.Predict(SummarizePaper)
        self.merge = dspy.Predict(MergeSummaries)

    @property
    def recipe(self) -> str:
        """Digest of prompts and parameters; with the model's name it tells whether a summary is to be made again."""
        return hashlib.sha256(json.dumps(self.dump_state(), sort_keys=True).encode()).hexdigest()

    def run(self, document: Document) -> dspy.Prediction:
        """Summarize a paper.

        Returns:
            ``summary``, in one paragraph, and ``parts``, how many it was read in.

        Raises:
            UsageError: The paper has no text but references.
            MalformedOutput: A step's output did not parse in ``num_tries`` tries, or held no summary.
        """
        text = body(document)
        if not text.strip():
            raise UsageError(f"{document.id} has no text to summarize")
        report_step("summarize", f"Summarizing {document.id}", document=document.id)
        summary, parts = self._of(text.split(" "))
        return dspy.Prediction(summary=summary, parts=parts)

    def _of(self, words: list[str]) -> tuple[str, int]:
        """The summary of a text, parted at its spaces, and how many parts it was read in."""
        if len(words) <= self.settings.longest_part:
            try:
                step = attempt(self.summarize, self.settings.num_tries, paper=as_data(" ".join(words)))
            except ContextWindowExceededError:
                if len(words) < 2 * _SHORTEST_PART:
                    raise
            else:
                return _paragraph(step.paper_summary), 1
        middle, reach = len(words) // 2, int(len(words) * self.settings.overlap / 2)
        first, second = self._of(words[: middle + reach]), self._of(words[middle - reach :])
        return self._merged(first[0], second[0]), first[1] + second[1]

    def _merged(self, *summaries: str) -> str:
        shown = numbered(("", each) for each in summaries)
        return _paragraph(attempt(self.merge, self.settings.num_tries, summaries=shown).paper_summary)


def _paragraph(written: str | None) -> str:
    summary = " ".join((written or "").split())
    if not summary:
        raise MalformedOutput("the model wrote an empty summary; try again, or take another model")
    return summary
