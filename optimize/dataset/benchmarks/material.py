"""What the reader of a benchmark hands over: questions with their places, papers, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from optimize.dataset.benchmarks.tables import Source
from optimize.dataset.example import Example
from programs.ingest.document import Document


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question before the data set is checked.

    Attributes:
        place: File and line, for messages.
        split: One of ``optimize.dataset.example.SPLITS``.
        example: The question with its gold data.
    """

    place: str
    split: str
    example: Example


@dataclass(frozen=True, slots=True)
class Material:
    """A benchmark in the form of this project.

    Attributes:
        lines: Its questions.
        documents: Its papers by id; evidence is quoted from their texts.
        notes: What was left out, with its number, and what a reader of results has to know.
        revisions: Commits of the hub's data sets that it was read from, by their ids.
    """

    lines: tuple[QuestionRecord, ...]
    documents: Mapping[str, Document]
    notes: tuple[str, ...] = field(default=())
    revisions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """An entry of the registry.

    Attributes:
        name: As on the command line.
        read: Makes its material.
    """

    name: str
    read: Callable[[Source], Material]
