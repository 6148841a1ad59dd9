"""The result that every QA program returns, and its JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten
from typing import Any

import dspy

from programs.certificate import FORM, Citation, measures
from programs.passages.passage import Passage
from programs.proof.notes import proved
from programs.results.rendering import as_html, as_json
from programs.verification import Verified

OWN_FIELDS = frozenset({"points", "conflicts", "expansion", "queries", "notes", "papers", "value"})
"""What one program or another adds to the fields that all results have."""
_SHOWN = 80
"""Characters of an answer in a result's ``repr``."""


def said_of_papers(citations: Sequence[Citation], passages: Sequence[Passage]) -> list[str]:
    """That a cited paper was retracted or corrected, a line a paper, as the notes of every result have it."""
    cited = {each.document_id for each in citations}
    papers = {each.document_id: each for each in passages if each.corrections and each.document_id in cited}
    return [f"{paper.title or name} ({name}) was {'; '.join(paper.corrections)}." for name, paper in papers.items()]


class Result(dspy.Prediction):
    """What a QA program returns: a prediction that shows itself in a line, and in a notebook as a page."""

    def __repr__(self) -> str:
        proved = sum(each.verdict == "supported" for each in self.get("citations", ()))
        counts = (
            f"{proved} of {len(self.get('citations', ()))} citations proved, {len(self.get('passages', ()))} passages"
        )
        return f"Result({shorten(self.get('answer') or 'no answer', _SHOWN)!r}, {counts})"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values, as ``ask --output`` writes them."""
        return as_json(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def result(
    question: str,
    verified: Verified,
    *,
    dedup_count: int = 0,
    **more: Any,  # noqa: ANN401 - any field of a result
) -> Result:
    """Put a result together; its certificates are made here.

    Args:
        question: As it was asked.
        verified: The answer, the passages it was written from, and what verification found.
        dedup_count: How many candidates were dropped as duplicates.
        **more: `OWN_FIELDS`, or ``figures`` and ``topic``.

    Raises:
        TypeError: A field is not known; ``verify`` refuses answers with others.
    """
    verified, withheld = proved(verified)
    citations, passages = verified.citations, verified.cited.passages
    fields: dict[str, Any] = {
        "form": FORM,
        "question": question,
        "answer": verified.answer,
        "answerable": bool(verified.answer),
        "citations": citations,
        "passages": list(passages),
        "unsupported_claims": list(verified.unsupported_claims),
        "repairs": list(verified.repairs),
        "figures": [],
        "topic": "",
        "uncited": verified.cited.uncited,
        "metrics": {**measures(verified.cited, citations), "dedup_count": dedup_count},
    }
    if unknown := more.keys() - fields.keys() - OWN_FIELDS:
        raise TypeError(f"a result has no {', '.join(sorted(unknown))}")
    if said := [*said_of_papers(citations, passages), *more.get("notes", []), *withheld]:
        more = {**more, "notes": said}
    return Result(**{**fields, **more})
