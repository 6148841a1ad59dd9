"""Pages and boxes of quotes: the papers give them to the passages again, and what the file says is named line by line.

Answers that were saved before quotes had places hold none, and none are asked of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from programs.ingest.document import Document
from programs.replay.faults import printable
from programs.replay.saved import SavedAnswer


def with_places(saved: SavedAnswer, papers: Mapping[str, Document]) -> SavedAnswer:
    """The answer, its passages with the places of their lines, as far as their papers are known.

    Args:
        saved: As it was read; it is given back as it is where none of its quotes says where it stands.
        papers: Documents by id.
    """
    if not any("places" in quote for citation in saved.citations for quote in _quotes(citation)):
        return saved
    passages = [
        replace(each, places=papers[each.document_id].places_of(each.start, each.end))
        if each.document_id in papers
        else each
        for each in saved.passages
    ]
    return replace(saved, passages=passages)


def laid_out(citation: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate in which every value of a place has a name of its own: "page of line 2 of quote 1"."""
    quotes = citation.get("quotes")
    if not isinstance(quotes, list):
        return dict(citation)
    rest = [
        {name: each[name] for name in each if name != "places"} if isinstance(each, Mapping) else each
        for each in quotes
    ]
    return {**citation, "quotes": rest, **dict(_named(citation))}


def _named(citation: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for number, quote in enumerate(_quotes(citation), start=1):
        places = quote.get("places", ())
        if isinstance(places, list) and places and all(isinstance(each, Mapping) for each in places):
            for line, place in enumerate(places, start=1):
                for name, value in place.items():
                    yield f"{printable(name)} of line {line} of quote {number}", value
        elif "places" in quote:
            yield f"places of quote {number}", places


def _quotes(citation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    quotes = citation.get("quotes")
    return [each for each in quotes if isinstance(each, Mapping)] if isinstance(quotes, list) else []
