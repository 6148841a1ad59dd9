"""Sections of a paper, and the evidence for them: passages of indexed papers, with summary and relevance to a query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, Field, TypeAdapter

from programs.ingest.document import Chunk, Document
from programs.passages import Passage
from programs.references import OF_METADATA, text_of
from signatures.passages import labelled


class PaperSection(StrEnum):
    """A section that is written from evidence; the title is made of three of them."""

    METHODS = "methods"
    RESULTS = "results"
    DISCUSSION = "discussion"
    INTRODUCTION = "introduction"
    RELATED_WORK = "related_work"
    CONCLUSION = "conclusion"
    ABSTRACT = "abstract"


WRITING_ORDER = tuple(PaperSection)

SEES: Mapping[PaperSection, tuple[PaperSection, ...]] = {
    PaperSection.DISCUSSION: (PaperSection.RESULTS,),
    PaperSection.CONCLUSION: (PaperSection.RESULTS, PaperSection.DISCUSSION),
    PaperSection.ABSTRACT: (
        PaperSection.INTRODUCTION,
        PaperSection.METHODS,
        PaperSection.RESULTS,
        PaperSection.CONCLUSION,
    ),
}
"""The sections that are in a section's prompt, all of them before it in the order of writing. Those that see none of
each other are written side by side."""

_GUIDELINES = Path(__file__).with_name("guidelines.yaml")


@dataclass(frozen=True, slots=True)
class Guideline:
    """What a section is for: heading, what evidence it needs, how to write it, and templates of default queries."""

    heading: str
    objective: str
    write: str
    queries: tuple[str, ...] = ()
    experiment_queries: tuple[str, ...] = ()


@cache
def guidelines() -> Mapping[PaperSection, Guideline]:
    """The guidelines of all sections, from ``guidelines.yaml``."""
    listed = yaml.safe_load(_GUIDELINES.read_text(encoding="utf-8"))
    return TypeAdapter(dict[PaperSection, Guideline]).validate_python(listed)


def section_named(name: str) -> PaperSection | None:
    """The section of that name, whatever its case and however its words are joined; None when there is none."""
    plain = "_".join(name.casefold().replace("_", " ").replace("-", " ").split())
    return next((section for section in PaperSection if section.value == plain), None)


_OF_THE_PAPER = ("title", "authors", "year", "journal", "doi", "url", "pmcid")


class CitedPaper(BaseModel, frozen=True):
    """An indexed paper as it is cited, by a key that no other has; authors are "Family, Given" in printed order."""

    paper_id: str
    citation_key: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    journal: str = ""
    doi: str = ""
    url: str = ""
    pmcid: str = ""
    metadata: Mapping[str, str] = Field(default_factory=dict)

    @classmethod
    def of(cls, document: Document, key: str) -> CitedPaper:
        """A document as it is cited by a key; of its metadata what a reference says, such as volume and pages."""
        said = {each: text_of(document.metadata, each) for each in (*OF_METADATA, "pages")}
        return cls(
            paper_id=document.id,
            citation_key=key,
            metadata={name: text for name, text in said.items() if text},
            **{name: getattr(document, name) for name in _OF_THE_PAPER},
        )


class Evidence(BaseModel, frozen=True):
    """What a passage contributes in the light of the query that found it: ``summary``, sentences of its paper.

    Attributes:
        chunk: The passage, without scores.
        vector_score: Cosine similarity to the query, in [0, 1].
        llm_score: The model's judgement, in [0, 1], for which it gave the reason.
        combined_score: Their weighted mean.
    """

    paper: CitedPaper
    chunk: Passage
    summary: str = ""
    source_query: str
    vector_score: float
    llm_score: float = 0.0
    combined_score: float = 0.0
    reason: str = ""

    @property
    def key(self) -> str:
        """What the draft cites it by."""
        return self.chunk.key

    @property
    def passage(self) -> Passage:
        """The passage that a citation of it resolves to."""
        scores = {name: getattr(self, f"{name}_score") for name in ("vector", "llm", "combined")}
        return replace(self.chunk, scores=scores, relevance_reason=self.reason)


class Search(BaseModel, frozen=True):
    """A query, and what became of it."""

    query: str
    target_section: str
    outcome: str


class Gathered(BaseModel):
    """What was gathered for a section.

    Attributes:
        for_others: What its agent found for other sections; this and ``evidence`` best first.
        searches: Every query in order, refused ones with the reason.
        notes: What did not go as it should, for people.
        complete: Off when a failing model ended it early; such a section is gathered again when the draft is resumed.
        final_prompt: The agent's last prompt with all results in it, for debugging.
    """

    section: PaperSection
    evidence: tuple[Evidence, ...] = ()
    for_others: dict[PaperSection, tuple[Evidence, ...]] = Field(default_factory=dict)
    searches: tuple[Search, ...] = ()
    notes: tuple[str, ...] = ()
    complete: bool = True
    final_prompt: str = ""


def merged(*lists: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Evidence of several searches, best first; of a chunk that came up twice the higher score stays."""
    best: dict[str, Evidence] = {}
    for each in (evidence for listed in lists for evidence in listed):
        known = best.get(each.chunk.id)
        if known is None or each.combined_score > known.combined_score:
            best[each.chunk.id] = each
    return tuple(sorted(best.values(), key=rank))


def rank(evidence: Evidence) -> tuple[float, str]:
    """Sorts the best first, ties by id."""
    return -evidence.combined_score, evidence.chunk.id


def shown(evidence: Sequence[Evidence]) -> str:
    """Evidence as it is in a prompt: key, section of its paper, summary; without one it has nothing to say."""
    return labelled((each.key, each.chunk.section, each.summary) for each in evidence if each.summary)


def cited_as(evidence: Evidence) -> Passage:
    """The same for whatever looks for citations in a text: a paper's id can be a word, so only its key cites it."""
    return replace(evidence.passage, document_id="")


def passage_of(document: Document, chunk: Chunk, key: str) -> Passage:
    """The passage that a citation of a chunk resolves to, by the key of its paper."""
    found = Passage.of(
        document, chunk.start, chunk.end, id=chunk.id, section=chunk.section, heading=chunk.heading, key=key
    )
    return replace(found, corrections=(), authors=(), repeated=())
