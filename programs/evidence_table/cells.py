"""The cells of a table of evidence: one paper's answers to the questions, and what their certificates prove."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from programs.certificate import by_model_alone
from programs.evidence_table.values import Value
from signatures import citation_markers

Status: TypeAlias = Literal["reported", "not reported", "failed", "not asked"]


@dataclass(frozen=True, slots=True)
class TablePaper:
    """A row's paper.

    Attributes:
        document_id: In the index.
        content: Hash of its content.
        title: Of the paper, or empty; as are those that follow.
        year: None where it is not known.
        doi: Its DOI.
        url: Its address.
    """

    document_id: str
    content: str
    title: str = ""
    year: int | None = None
    doi: str = ""
    url: str = ""

    @property
    def name(self) -> str:
        """What a reader calls it."""
        return self.title or self.document_id


@dataclass(frozen=True, slots=True)
class Cell:
    """One paper's answer to one question.

    Attributes:
        status: Whether there is a value.
        error: Why it failed; else empty.
        result: As ``programs.results.result.as_json`` gives it; empty for a cell that failed or was not asked.
    """

    status: Status
    error: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> Value | None:
        """What it says."""
        value = self.result.get("value")
        return Value(**value) if value else None

    @property
    def text(self) -> str:
        """The value, or that there is none."""
        return self.value.text if self.value else self.status

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        """The first certificate that proves it."""
        found = self.result.get("citations", ())
        return next((each for each in found if each["verdict"] == "supported" and each["quote"]), None)

    @property
    def why(self) -> str:
        """Why there is no value."""
        return self.error or " ".join(self.result.get("notes", ()))

    @property
    def warnings(self) -> Sequence[str]:
        """What a reader of the value has to know: that its paper was retracted or corrected."""
        return tuple(self.result.get("notes", ())) if self.value else ()

    @property
    def nearest(self) -> str:
        """The nearest evidence of a cell that reports nothing."""
        return "" if self.value else next((str(each["text"]) for each in self.result.get("passages", ())), "")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One paper and its cells, in the order of the columns."""

    paper: TablePaper
    cells: Sequence[Cell]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return {**asdict(self.paper), "cells": [asdict(each) for each in self.cells]}


def page_of(cell: Cell) -> int | None:
    """The page on which its quote begins, of a paper with pages."""
    quotes = cell.certificate["quotes"] if cell.certificate else []
    return next((place["page"] for quote in quotes for place in quote.get("places", ())), None)


def judged_by(cell: Cell) -> str:
    """Who says that the quote proves it."""
    found = cell.certificate
    if found is None:
        return ""
    model = next((each["name"] for each in found["judges"] if each["by"] == "model"), "")
    return f"{model} alone" if by_model_alone(found["verdict"], found["judges"]) else str(found["check"])


def quoted_by(certificates: Iterable[Mapping[str, Any]]) -> list[str]:
    """The quotes of all certificates that prove something, each once."""
    proving = (quote["quote"] for each in _proving(certificates) for quote in each["quotes"])
    return list(dict.fromkeys(proving))


def proved_sentences(certificates: Iterable[Mapping[str, Any]]) -> list[str]:
    """The sentences that are proved, without their citations, each once."""
    return list(dict.fromkeys(citation_markers.strip(each["sentence"]) for each in _proving(certificates)))


def _proving(certificates: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (each for each in certificates if each["verdict"] == "supported")
