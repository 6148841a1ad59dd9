"""What the certificates of a cell prove, where the proof stands, and who judged it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from programs.certificate import by_model_alone
from programs.evidence_table.cells import Cell
from signatures import citation_markers


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
