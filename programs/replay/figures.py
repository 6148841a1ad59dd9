"""Whether the figures of an answer are figures of its papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from programs.ingest.document import Document
from programs.replay.faults import Fault, differences, printable
from programs.results.figures import NamedFigure


def figure_faults(figures: Sequence[Mapping[str, Any]], papers: Mapping[str, Document]) -> Iterator[Fault]:
    """Figures that no paper of the passages has, that differ from what it has, or that stand twice."""
    seen = []
    for number, found in enumerate(figures, start=1):
        name = (found.get("document_id"), found.get("id"))
        what = f"figure {number} ({printable(name[0])}::{printable(name[1])})"
        known = _figure(*name, papers)
        if known is None:
            yield Fault(what, "no paper of the passages has it")
        elif name in seen:
            yield Fault(what, "it stands in the file more than once")
        else:
            yield from differences(what, known.as_dict(), found)
        seen.append(name)


def _figure(document_id: object, figure_id: object, papers: Mapping[str, Document]) -> NamedFigure | None:
    """By the names in the file, which may be of any type."""
    for paper in papers.values():
        for figure in paper.figures:
            if (paper.id, figure.id) == (document_id, figure_id) and figure.kind == "figure":
                return NamedFigure.of(paper, figure)
    return None
