"""An answer as a file in other forms: Markdown, reference lists, and a sheet of what it cites, a quote a line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from programs.references import bibtex, cited, family_given, ris
from programs.results.finds import QUOTED, printed_pages, verdict_of
from programs.results.rendering import as_markdown
from signatures import citation_markers

T = TypeVar("T")
Line: TypeAlias = Sequence[str | float | int | None]

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


def as_csv(lines: Iterable[Line]) -> str:
    """Lines as CSV, harmless to spreadsheets."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([harmless(each) for each in line] for line in lines)
    return text.getvalue()


def harmless(value: str | float | None) -> str | float | None:
    """The value with an apostrophe before what a spreadsheet would read as a formula: papers are not trusted."""
    if not isinstance(value, str) or not value.startswith(_FORMULA) or _NUMBER.fullmatch(value):
        return value
    return f"'{value}"


_QUOTE = (
    "sentence", "verdict", "probability", "judged by", "quote", "section", "pages", "paper", "key", "title", "authors",
    "year", "journal", "doi",
)  # fmt: skip


def quotes(values: Mapping[str, Any]) -> Iterator[Line]:
    """A sheet of an answer, as JSON has it: each cited sentence with each of its quotes, or else what is nearest."""
    yield _QUOTE
    passages = {each["id"]: each for each in values["passages"]}
    markers = {each["marker"] for each in values["citations"]}
    for citation in values["citations"]:
        sentence, verdict = citation_markers.strip(citation["sentence"], markers), verdict_of(citation)
        judged = (None, "") if verdict == QUOTED else (citation["score"], citation["check"])
        for quote in citation["quotes"]:
            yield [sentence, verdict, *judged, *_of_quote(quote, passages, values)]
    if not values["citations"]:
        for quote in values.get("nearest", ()):
            yield ["", "nearest", None, "", *_of_quote(quote, passages, values)]


def _of_quote(quote: Mapping[str, Any], passages: Mapping[str, Any], values: Mapping[str, Any]) -> Line:
    item = values.get("references", {}).get(quote["document_id"], {})
    passage = passages.get(quote["passage"], {})
    return [
        quote["quote"],
        quote["section"],
        printed_pages([quote]),
        quote["document_id"],
        item.get("id", ""),
        passage.get("title", ""),
        "; ".join(map(family_given, item.get("author", ()))),
        passage.get("year"),
        item.get("container-title", ""),
        passage.get("doi", ""),
    ]


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """A form of an answer or a table as a file."""

    media_type: str
    write: Callable[[T], str | bytes]


MARKDOWN, CSV = "text/markdown; charset=utf-8", "text/csv; charset=utf-8"

FORMS: Mapping[str, Form[Mapping[str, Any]]] = {
    "answer.md": Form(MARKDOWN, lambda values: as_markdown(values, proof=True)),
    "answer.bib": Form("application/x-bibtex; charset=utf-8", lambda values: bibtex(cited(values))),
    "answer.ris": Form("application/x-research-info-systems; charset=utf-8", lambda values: ris(cited(values))),
    "answer.csv": Form(CSV, lambda values: as_csv(quotes(values))),
}
"""Of an answer with its ``references``, as ``ask --output`` and the server write it, by the names of their files."""
