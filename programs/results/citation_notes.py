"""What is said of a cited paper wherever it is cited: the pages that are printed, and what became of it since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def printed_pages(quotes: Iterable[Mapping[str, Any]]) -> str:
    """Pages of the file, counted from 1, as "p. 4" or "pp. 4, 5"; empty where the quotes have no places.

    Args:
        quotes: As ``Quote.as_dict`` writes them.
    """
    pages = sorted({place["page"] for quote in quotes for place in quote.get("places", ())})
    return f"{'p.' if len(pages) == 1 else 'pp.'} {', '.join(map(str, pages))}" if pages else ""


def corrected(passage: Mapping[str, Any]) -> str:
    """Of a passage as results hold it: "Retracted by 10.1000/notice"; empty where nothing is known."""
    said = "; ".join(passage.get("corrections", ()))
    return said[:1].upper() + said[1:]
