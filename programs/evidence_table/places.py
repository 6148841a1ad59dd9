"""Where a cell's proof stands, and who judged it, for whatever shows a table."""

from __future__ import annotations

from programs.certificate import by_model_alone
from programs.evidence_table.cells import Cell


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
