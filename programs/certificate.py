"""Certificates: for each cited sentence of an answer, the passage, the quote and its place in the paper, and a verdict.

    {"sentence": "Femur density fell by 12.4 % in flight mice [1].", "passage": "PMC1::sec2::chunk0",
     "document_id": "PMC1", "quote": "Femur density fell by 12.4% in flight mice.", "start": 812, "end": 855,
     "verdict": "supported", "score": 0.97, …}

A certificate is made and replayed by the same deterministic check, so whoever has the papers can verify an answer
without a language model: see ``programs.replay``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from metrics.citations import citation_coverage
from metrics.judgements import SupportCheck
from metrics.passages import passages_of, resolve
from metrics.statements import Statement, statements
from programs.ingest.document import SectionKind
from programs.passage import Passage
from signatures.values import UnsupportedClaim, Verdict

CHECK = SupportCheck()


@dataclass(frozen=True, slots=True)
class Citation:
    """One sentence and one passage that it cites.

    Attributes:
        sentence: As it stands in the answer, with its citations.
        marker: What the sentence writes in brackets: "1", "PMC12345".
        passage: Id of the passage.
        document_id: The paper.
        section: Kind of section the passage was found in.
        quote: The sentences of the passage nearest to the claim; empty when it shares no word with it.
        start: Offset of the quote in the document's text.
        end: Offset after it.
        verdict: Whether the passage, alone, says what the sentence says.
        score: How well, in [0, 1].
        reason: What differs, or what bears it out.
        check: Name and version of the check that gave the verdict.
        retrieval: Scores that brought the passage up.
        relevance_reason: Those scores in words.
        doi: Of the paper, or empty.
        url: Of the paper, or empty.
    """

    sentence: str
    marker: str
    passage: str
    document_id: str
    section: SectionKind
    quote: str
    start: int
    end: int
    verdict: Verdict
    score: float
    reason: str
    check: str
    retrieval: Mapping[str, float]
    relevance_reason: str
    doi: str
    url: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


def certify(answer: str, passages: Sequence[Passage]) -> list[Citation]:
    """Make the certificates of an answer, in the order of its sentences and of their citations.

    A citation that names a paper of which several passages were given is proved by the one that bears it out best.
    """
    citable = passages_of({"passages": passages})
    return [
        _best([_citation(answer, statement, marker, passages[found.number - 1]) for found in cited])
        for statement in statements(answer, citable)
        for marker in statement.cites
        if (cited := resolve(marker, citable))
    ]


def _best(citations: Sequence[Citation]) -> Citation:
    return max(citations, key=lambda each: (each.verdict == "supported", each.score))


def unresolved(answer: str, passages: Sequence[Passage]) -> list[UnsupportedClaim]:
    """Sentences that cite something that was not given."""
    citable = passages_of({"passages": passages})
    return [
        UnsupportedClaim(claim=statement.text, reason=f"it cites [{marker}], which was not given")
        for statement in statements(answer, citable)
        for marker in statement.cites
        if not resolve(marker, citable)
    ]


def uncited(answer: str, passages: Sequence[Passage]) -> list[str]:
    """Sentences that cite nothing, as they stand in the answer.

    All of them, also headings and questions, which need no proof: so each sentence of an answer is either certified or
    listed here, and none can be slipped in as a heading.
    """
    citable = passages_of({"passages": passages})
    return [answer[each.start : each.end] for each in statements(answer, citable) if not each.cites]


def measures(answer: str, passages: Sequence[Passage], citations: Sequence[Citation]) -> dict[str, Any]:
    """What can be counted on an answer without a language model.

    Returns:
        ``retrieved_k`` passages, ``grounded_ratio`` (sentences that cite / sentences that have to; None for an empty
        answer) and ``section_distribution`` (citations by kind of section).
    """
    ratio = citation_coverage({}, {"answer": answer, "passages": passages, "answerable": bool(answer)}).value
    return {
        "retrieved_k": len(passages),
        "grounded_ratio": None if ratio is None else round(ratio, 4),
        "section_distribution": dict(Counter(citation.section for citation in citations)),
    }


def _citation(answer: str, statement: Statement, marker: str, passage: Passage) -> Citation:
    support = CHECK.check(statement.text, [passage.text])
    return Citation(
        sentence=answer[statement.start : statement.end],
        marker=marker,
        passage=passage.id,
        document_id=passage.document_id,
        section=passage.section,
        quote=support.quote,
        start=passage.start + support.start,
        end=passage.start + support.end,
        verdict=support.verdict,
        score=round(support.score, 4),
        reason=support.reason,
        check=CHECK.name,
        retrieval=passage.scores,
        relevance_reason=passage.relevance_reason,
        doi=passage.doi,
        url=passage.url,
    )
