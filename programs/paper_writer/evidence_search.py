"""The tool ``search_evidence``: a query in, the best evidence out.

nearest passages, without those seen → a summary of each in the light of the query → the model's score of each
→ 0.4 · similarity + 0.6 · score → the best
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

import dspy
from dspy.utils.exceptions import LMError as ProviderError
from pydantic import BaseModel, ConfigDict

from programs.errors import LMError, MalformedOutput
from programs.paper_writer.evidence import Evidence, PaperSection, rank
from programs.paper_writer.library import FoundChunk
from programs.paper_writer.resources import ModelHealth, PaperWriterParameters, Resources
from programs.program import attempt
from programs.progress import report_step
from signatures.paper_writer import ScoreEvidence, SummarizeForQuery
from signatures.passages import as_data

T = TypeVar("T")
R = TypeVar("R")

_LONGEST_REASON = 200


class Outcome(BaseModel):
    """What a search brought.

    Attributes:
        evidence: Best first, at most ``top_k_final``.
        seen: Ids of the passages that were looked at.
        notes: Scores that were clamped, and calls that failed.
        failed: Whether the model failed; output of a wrong form is not a failure, and loses only that passage.
    """

    model_config = ConfigDict(frozen=True)

    evidence: tuple[Evidence, ...] = ()
    seen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class _Failed:
    """In the place of a result: why a call gave none."""

    note: str
    is_failure: bool


@dataclass(frozen=True, slots=True)
class _Scored:
    evidence: Evidence
    note: str = ""


class EvidenceSearch(dspy.Module):
    """The search as a module, so that its two prompts are compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.summarize = dspy.Predict(SummarizeForQuery)
        self.score = dspy.Predict(ScoreEvidence)

    def forward(
        self,
        query: str,
        target_section: PaperSection,
        seen: Collection[str],
        resources: Resources,
    ) -> Outcome:
        """Search for evidence.

        A call that fails costs only the passage that it was about: the others stay, and the outcome says so.

        Args:
            query: What to search for.
            target_section: The section that is to cite it.
            seen: Ids of passages that are left out.
            resources: Where to search, and what runs summaries and scores side by side.
        """
        parameters, calls, health = resources.settings, resources.calls, resources.model_health
        found = resources.library.search(query, parameters.top_k_initial, seen)
        if not found:
            return Outcome()
        report_step(
            "summarize", f"{target_section}: summarising {len(found)} passages for “{query}”", passages=len(found)
        )
        summaries = calls.map(_noting(lambda each: self._summary(each, query, parameters), health), found)
        summarised = [(each, text) for each, text in zip(found, summaries, strict=True) if isinstance(text, str)]
        report_step("score", f"{target_section}: scoring {len(summarised)} summaries", passages=len(summarised))
        scored = calls.map(
            _noting(lambda each: self._scored(*each, query, target_section, parameters), health),
            summarised,
        )
        evidence = sorted((each.evidence for each in scored if isinstance(each, _Scored)), key=rank)
        failed = [each for each in (*summaries, *scored) if isinstance(each, _Failed)]
        noted = [each.note for each in (*failed, *scored) if isinstance(each, _Failed | _Scored) and each.note]
        return Outcome(
            evidence=tuple(evidence[: parameters.top_k_final]),
            seen=tuple(each.chunk.chunk_id for each in found),
            notes=tuple(dict.fromkeys(noted)),
            failed=any(each.is_failure for each in failed),
        )

    def _summary(self, found: FoundChunk, query: str, parameters: PaperWriterParameters) -> str:
        passage = as_data(found.chunk.chunk_text)
        step = attempt(self.summarize, parameters.num_tries, passage=passage, query=as_data(query))
        return " ".join((step.summary or "").split())

    def _scored(
        self,
        found: FoundChunk,
        summary: str,
        query: str,
        target_section: PaperSection,
        parameters: PaperWriterParameters,
    ) -> _Scored:
        step = attempt(
            self.score,
            parameters.num_tries,
            summary=as_data(summary),
            source_section=found.chunk.section,
            target_section=target_section.value,
            query=as_data(query),
        )
        given, weight = step.result.score, parameters.vector_weight
        llm_score = clamped(given)
        evidence = Evidence(
            chunk=found.chunk,
            summary=summary,
            source_query=query,
            vector_score=round(found.vector_score, 4),
            llm_score=llm_score,
            combined_score=round(weight * found.vector_score + (1 - weight) * llm_score, 4),
            reason=" ".join((step.result.reason or "").split()),
        )
        note = f"The model scored {found.chunk.chunk_id} {given}, outside of 0 to 1; {llm_score} was taken"
        return _Scored(evidence, "" if given == llm_score else note)


def clamped(score: float) -> float:
    """A score in [0, 1]; what is not a number counts as 0."""
    return 0.0 if math.isnan(score) else max(0.0, min(1.0, float(score)))


def said(error: Exception) -> str:
    """An error of a model in one line."""
    return " ".join(str(error).split())[:_LONGEST_REASON]


def _noting(call: Callable[[T], R], health: ModelHealth) -> Callable[[T], R | _Failed]:
    """A call that gives a note where the model fails, and asks no model that is gone."""

    def noted(item: T) -> R | _Failed:
        if health.is_down:
            return _Failed("", is_failure=True)
        try:
            return call(item)
        except MalformedOutput as error:
            return _Failed(f"A passage was left out: {said(error)}", is_failure=False)
        except (LMError, ProviderError) as error:
            health.record(error)
            return _Failed(f"The model failed: {said(error)}", is_failure=True)

    return noted
