"""The programs of the suite, by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One program.

    Attributes:
        name: What ``--program`` takes.
        summary: What it does, in one line.
        available: Whether this version can run it.
    """

    name: str
    summary: str
    available: bool


PROGRAMS = (
    Entry("main_points", "one paper, one question: points, matched passages, answer, repair", available=False),
    Entry("rag_fusion", "a corpus: reworded queries, fused lists, PMCID citations, figures", available=False),
    Entry("multi_signal", "a corpus: tag expansion, eight ranking signals, strict citations", available=False),
    Entry("paper_retriever", "a collection: the right papers first, then their passages", available=False),
    Entry("paper_writer", "a draft: evidence gathered per section, cited and checked", available=False),
)
