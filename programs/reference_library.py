"""Reads what a reference manager exports: CSL-JSON, BibTeX or RIS, as Zotero writes them, with the names of its files.

Each entry becomes values as a metadata file has them; see ``programs.ingest.metadata``.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from programs.errors import UsageError
from programs.extras import require
from programs.references import family_given

Values: TypeAlias = dict[str, Any]

_PAPER = re.compile(r"[^:;\r\n]+\.(?:pdf|nxml|xml|md|markdown|txt|json)(?=[:;]|$)", re.IGNORECASE)
"""A file among the attachments that a field lists: "Full Text:files/12/smith2019.pdf:application/pdf;…"."""
_YEAR = re.compile(r"[12]\d{3}")
_PMCID = re.compile(r"PMC\d+", re.IGNORECASE)
_LATEX_BRACES = re.compile(r"[{}]")


def read_library(text: str, ending: str) -> Iterator[Values]:
    """The entries of an export, in its order; what they do not say is left out.

    Raises:
        UsageError: It is not of the form that its name's ending tells.
        MissingExtra: What reads the format is not installed.
    """
    for values in ENDINGS[ending](text):
        yield {name: value for name, value in values.items() if value not in (None, "", [])}


def _csl_json(text: str) -> Iterator[Values]:
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"no JSON ({error}); export the library as CSL JSON") from error
    if not (isinstance(items, list) and all(isinstance(each, Mapping) for each in items)):
        raise UsageError("no list of items; export the library as CSL JSON")
    for item in items:
        parts = (item.get("issued") or {}).get("date-parts") or [[None]]
        yield {
            "title": item.get("title"),
            "authors": [family_given({"literal": "", **each}) for each in item.get("author", ())],
            "year": _year_in(parts[0][0]),
            "journal": item.get("container-title"),
            "doi": item.get("DOI"),
            "pmcid": item.get("PMCID") or _pmcid(item.get("note")),
            "url": item.get("URL"),
            "volume": item.get("volume"),
            "issue": item.get("issue"),
            "pages": item.get("page"),
            "publisher": item.get("publisher"),
            "file": _file(item.get("file")),
        }


def _bibtex(text: str) -> Iterator[Values]:
    require("references", "reading BibTeX", "pybtex")
    from pybtex.database import parse_string
    from pybtex.exceptions import PybtexError

    try:
        database = parse_string(text, "bibtex")
    except PybtexError as error:
        raise UsageError(f"no BibTeX ({error}); export the library again") from error
    for entry in database.entries.values():
        fields = {name.lower(): value for name, value in entry.fields.items()}
        yield {
            "title": _without_latex(fields.get("title", "")),
            "authors": [_without_latex(str(each)) for each in entry.persons.get("author", ())],
            "year": _year_in(fields.get("year") or fields.get("date")),
            "journal": _without_latex(fields.get("journal") or fields.get("journaltitle") or ""),
            "doi": fields.get("doi", "").replace("\\_", "_"),
            "pmcid": fields.get("pmcid"),
            "url": fields.get("url", "").replace("\\_", "_"),
            "volume": fields.get("volume"),
            "issue": fields.get("number") or fields.get("issue"),
            "pages": fields.get("pages", "").replace("--", "–"),
            "publisher": _without_latex(fields.get("publisher", "")),
            "tags": _tags(re.split(r"[,;]", _without_latex(fields.get("keywords", "")))),
            "file": _file(fields.get("file")),
        }


def _ris(text: str) -> Iterator[Values]:
    require("references", "reading RIS", "rispy")
    import rispy

    try:
        entries = rispy.loads(text)
    except (OSError, ValueError) as error:
        raise UsageError(f"no RIS ({error}); export the library again") from error
    for entry in entries:
        pages = [entry.get("start_page"), entry.get("end_page")]
        yield {
            "title": entry.get("title") or entry.get("primary_title"),
            "authors": entry.get("authors") or entry.get("first_authors"),
            "year": _year_in(entry.get("year") or entry.get("publication_year")),
            "journal": next(filter(None, map(entry.get, _RIS_JOURNALS)), None),
            "doi": entry.get("doi"),
            "pmcid": _pmcid(entry.get("custom2")),
            "url": next(iter(entry.get("urls", ())), None),
            "volume": entry.get("volume"),
            "issue": entry.get("number"),
            "pages": "–".join(dict.fromkeys(filter(None, pages))),
            "publisher": entry.get("publisher"),
            "tags": _tags(entry.get("keywords", ())),
            "file": _file(entry.get("file_attachments1")),
        }


_RIS_JOURNALS = ("journal_name", "secondary_title", "alternate_title1", "alternate_title3")
ENDINGS: Final[Mapping[str, Callable[[str], Iterator[Values]]]] = {".json": _csl_json, ".bib": _bibtex, ".ris": _ris}


def _file(attached: object) -> str | None:
    """The first paper among the attachments."""
    listed = ";".join(map(str, attached)) if isinstance(attached, list | tuple) else str(attached or "")
    found = _PAPER.search(listed)
    return found[0].strip() if found else None


def _without_latex(text: str) -> str:
    import latexcodec  # noqa: F401 - registers the codec

    decoded = codecs.decode(text, "ulatex")  # type: ignore[call-overload]  # text to text, which its stubs do not know
    return " ".join(_LATEX_BRACES.sub("", str(decoded)).split())


def _tags(words: Sequence[str]) -> list[str]:
    return [word.strip() for word in words if word.strip()]


def _year_in(text: object) -> int | None:
    found = _YEAR.search(str(text or ""))
    return int(found[0]) if found else None


def _pmcid(text: object) -> str | None:
    found = _PMCID.search(str(text or ""))
    return found[0] if found else None
