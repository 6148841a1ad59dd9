"""The sections of a paper: in which order they are written and read, what each is for, and which others it sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import yaml


class Section(StrEnum):
    """A section that is written from evidence; the title is made of three of them."""

    METHODS = "methods"
    RESULTS = "results"
    DISCUSSION = "discussion"
    INTRODUCTION = "introduction"
    RELATED_WORK = "related_work"
    CONCLUSION = "conclusion"
    ABSTRACT = "abstract"


WRITING_ORDER = tuple(Section)
READING_ORDER = (
    Section.ABSTRACT,
    Section.INTRODUCTION,
    Section.RELATED_WORK,
    Section.METHODS,
    Section.RESULTS,
    Section.DISCUSSION,
    Section.CONCLUSION,
)

SEES: Mapping[Section, tuple[Section, ...]] = {
    Section.METHODS: (),
    Section.RESULTS: (),
    Section.DISCUSSION: (Section.RESULTS,),
    Section.INTRODUCTION: (),
    Section.RELATED_WORK: (),
    Section.CONCLUSION: (Section.RESULTS, Section.DISCUSSION),
    Section.ABSTRACT: (Section.INTRODUCTION, Section.METHODS, Section.RESULTS, Section.CONCLUSION),
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
def guidelines() -> Mapping[Section, Guideline]:
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
        for section in Section
    }


def section_named(name: str) -> Section | None:
    """The section of that name, whatever its case and however its words are joined; None when there is none."""
    plain = "_".join(name.casefold().replace("_", " ").replace("-", " ").split())
    return next((section for section in Section if section.value == plain), None)
