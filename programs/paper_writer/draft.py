"""A draft: its sections with what each was written from, the papers that it cites, and the manuscript as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict

from programs.certificate import FORM, Citation, certify, measures
from programs.ingest.document import Document
from programs.paper_writer.evidence import (
    READING_ORDER,
    CitedPaper,
    Evidence,
    PaperSection,
    cited_as,
    guidelines,
    passage_of,
)
from programs.paper_writer.section_text import as_markdown
from programs.passages.passage import Passage
from programs.proof.cited_answer import CitedAnswer
from programs.proof.proving import ModelProof
from programs.references import Item, item_of
from programs.references import bibtex as as_bibtex
from signatures.values import UnsupportedClaim

_FEW = 3
"""Authors who are all named in the list; of more, the first."""


def cited_papers(evidence: Iterable[Evidence], keys: Iterable[str]) -> tuple[CitedPaper, ...]:
    """The papers of the evidence that have one of the keys, by key."""
    return of_cited_keys({each.key: each.chunk.paper for each in evidence}, keys)


def of_cited_keys(papers: Mapping[str, CitedPaper], keys: Iterable[str]) -> tuple[CitedPaper, ...]:
    """Those of the papers whose key is cited, by key."""
    return tuple(papers[key] for key in sorted(papers.keys() & set(keys)))


def bibtex(papers: Iterable[CitedPaper]) -> str:
    """A BibTeX database of the papers; empty without papers."""
    return as_bibtex([_item(paper) for paper in papers])


def reference(paper: CitedPaper) -> str:
    """A paper as one line of a reference list, in plain text."""
    names = [name.partition(",")[0] for name in paper.authors]
    authors = ", ".join(paper.authors) if len(names) <= _FEW else f"{paper.authors[0]} et al."
    who = f"{authors or 'Anonymous'} ({paper.year or 'n.d.'})"
    where = f"https://doi.org/{paper.doi}" if paper.doi else paper.url
    parts = (who, paper.title or paper.paper_id, paper.journal, where)
    return ". ".join(part.rstrip(".") for part in parts if part)


def _item(paper: CitedPaper) -> Item:
    """A paper as the reference lists of all exports are made of, under the draft's own key."""
    known = Document(
        paper.paper_id,
        "",
        title=paper.title,
        authors=paper.authors,
        year=paper.year,
        journal=paper.journal,
        doi=paper.doi,
        url=paper.url,
    )
    return {**item_of(known), "id": paper.citation_key}


class PaperDraft(BaseModel):
    """The eight parts of a paper; headings and references are not part of them."""

    model_config = ConfigDict(frozen=True)

    title: str
    abstract: str
    introduction: str
    related_work: str
    methods: str
    results: str
    discussion: str
    conclusion: str


class SectionDraft(BaseModel):
    """A section, and what it was written from. It has what the metrics of citation ask of a prediction.

    Attributes:
        section: The section.
        text: In Markdown, without heading; citations are ``(key)`` or ``(key; key)``.
        evidence: What the model saw, best first.
        unknown_citations: What the model cited beside it; nothing of it is in the text.
        unsupported_claims: What verification could not repair.
        proofs: What the model said of the cited sentences.
        repairs: Every round of repair.
        notes: What did not go as it should, for people.
        final_prompt: The prompt that the section was written from, for debugging.
    """

    model_config = ConfigDict(frozen=True)

    section: PaperSection
    text: str
    evidence: tuple[Evidence, ...] = ()
    unknown_citations: tuple[str, ...] = ()
    unsupported_claims: tuple[UnsupportedClaim, ...] = ()
    proofs: tuple[ModelProof, ...] = ()
    repairs: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    final_prompt: str = ""

    @property
    def answer(self) -> str:
        """The text."""
        return self.text

    @property
    def answerable(self) -> bool:
        """Whether there is any."""
        return bool(self.text)

    @cached_property
    def passages(self) -> list[Passage]:
        """What citations resolve to."""
        return [passage_of(each) for each in self.evidence]

    @cached_property
    def citations(self) -> list[Citation]:
        """A certificate for every cited sentence and key."""
        papers = {each.id: each.document_id for each in self.passages}
        return [
            replace(
                each,
                document_id=papers[each.passage],
                quotes=tuple(replace(quote, document_id=papers[quote.passage]) for quote in each.quotes),
            )
            for each in certify(self._cited, self.proofs)
        ]

    @cached_property
    def _cited(self) -> CitedAnswer:
        return CitedAnswer(self.text, [cited_as(each) for each in self.evidence])

    @property
    def weak(self) -> list[Citation]:
        """Certificates whose passage does not bear the sentence out."""
        return [each for each in self.citations if each.verdict != "supported"]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values of the form that ``programs.replay.replay`` proves again from the papers."""
        return {
            "form": FORM,
            "section": self.section.value,
            "answer": self.answer,
            "answerable": self.answerable,
            "passages": [each.as_dict() for each in self.passages],
            "citations": [each.as_dict() for each in self.citations],
            "uncited": self._cited.uncited,
            "metrics": measures(self._cited, self.citations),
            "evidence": [_found(each) for each in self.evidence],
            **self.model_dump(mode="json", include={"unknown_citations", "unsupported_claims", "repairs", "notes"}),
        }


def _found(evidence: Evidence) -> dict[str, Any]:
    """How a passage became evidence; the passage itself stands among the section's passages."""
    found = evidence.model_dump(mode="json", exclude={"chunk"})
    return {"passage": evidence.chunk.chunk_id, "key": evidence.key, **found}


def draft_of(title: str, sections: Iterable[SectionDraft]) -> PaperDraft:
    """Put a draft together of its title and all seven sections."""
    return PaperDraft(title=title, **{each.section.value: each.text for each in sections})


def manuscript(draft: PaperDraft, authors: Sequence[str], papers: Sequence[CitedPaper]) -> str:
    """The draft as one Markdown document with its references."""
    parts = [f"# {as_markdown(draft.title)}"]
    if authors:
        parts.append("; ".join(map(as_markdown, authors)))
    for section in READING_ORDER:
        parts += [f"## {guidelines()[section].heading}", as_markdown(getattr(draft, section.value))]
    if papers:
        listed = (f"- **{each.citation_key}**: {as_markdown(reference(each))}" for each in papers)
        parts += ["## References", "\n".join(listed)]
    return "\n\n".join(part for part in parts if part) + "\n"
