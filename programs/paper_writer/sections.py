"""The sections of a paper: in which order they are written and read, what each is for, and which others it sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import yaml


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
READING_ORDER = (
    PaperSection.ABSTRACT,
    PaperSection.INTRODUCTION,
    PaperSection.RELATED_WORK,
    PaperSection.METHODS,
    PaperSection.RESULTS,
    PaperSection.DISCUSSION,
    PaperSection.CONCLUSION,
)

SEES: Mapping[PaperSection, tuple[PaperSection, ...]] = {
    PaperSection.METHODS: (),
    PaperSection.RESULTS: (),
    PaperSection.DISCUSSION: (PaperSection.RESULTS,),
    PaperSection.INTRODUCTION: (),
    PaperSection.RELATED_WORK: (),
    PaperSection.CONCLUSION: (PaperSection.RESULTS, PaperSection.DISCUSSION),
    PaperSection.ABSTRACT: (
        PaperSection.INTRODUCTION,
        PaperSection.METHODS,
        PaperSection.RESULTS,
        PaperSection.CONCLUSION,
    ),
}
"""The sections that stand in a section's prompt, all of them before it in the order of writing. Those that see none of
each other are written side by side."""

_GUIDELINES = Path(__file__).with_name("guidelines.yaml")


@dataclass(frozen=True, slots=True)
class Guideline:
    """What a section is for.

    Attributes:
        heading: As printed.
        objective: What evidence it needs.
        write: How to write it.
        queries: Templates of default queries, filled from the concept.
        experiment_queries: Templates filled from each experiment.
    """

    heading: str
    objective: str
    write: str
    queries: tuple[str, ...] = ()
    experiment_queries: tuple[str, ...] = ()


@cache
def guidelines() -> Mapping[PaperSection, Guideline]:
    """The guidelines of all sections, from ``guidelines.yaml``."""
    listed = yaml.safe_load(_GUIDELINES.read_text(encoding="utf-8"))
    return {
        section: Guideline(
            heading=listed[section]["heading"],
            objective=listed[section]["objective"],
            write=listed[section]["write"],
            queries=tuple(listed[section].get("queries", ())),
            experiment_queries=tuple(listed[section].get("experiment_queries", ())),
        )
        for section in PaperSection
    }


def section_named(name: str) -> PaperSection | None:
    """The section of that name, whatever its case and however its words are joined; None when there is none."""
    plain = "_".join(name.casefold().replace("_", " ").replace("-", " ").split())
    return next((section for section in PaperSection if section.value == plain), None)
