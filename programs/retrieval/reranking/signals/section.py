"""Which section a passage stands in: abstracts and results before methods."""

from __future__ import annotations

from collections.abc import Mapping

from programs.ingest.document import SectionKind

SECTION_BOOSTS: Mapping[SectionKind, float] = {
    "abstract": 0.10,
    "results": 0.10,
    "discussion": 0.07,
    "conclusion": 0.07,
    "methods": 0.03,
    "introduction": 0.03,
    "appendix": 0.0,
    "references": 0.0,
    "other": 0.0,
    "notice": 0.0,
}
LARGEST = max(SECTION_BOOSTS.values())


def section_boost(section: SectionKind, *, raw: bool = False) -> float:
    """The boost of a section, as a share of the largest one; ``raw`` gives it as the table has it."""
    boost = SECTION_BOOSTS[section]
    return boost if raw else boost / LARGEST
