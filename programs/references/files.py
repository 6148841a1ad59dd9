"""Reference lists as files: ``refs.bib`` by pybtex, ``refs.ris`` by rispy, ``refs.json`` as CSL-JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from programs.errors import UsageError
from programs.extras import is_installed, require
from programs.ingest.document import Document
from programs.references.items import Item, family_given, item_of

_BRACES = re.compile(r"[{}\\]")
_VERBATIM = frozenset({"doi", "url"})
"""Fields that BibTeX's styles print as they are: an escaped underscore would be a part of the address."""


def write_references(path: Path, papers: Iterable[Document]) -> None:
    """Write papers as a reference list, whose format is told by the ending of its name; a former file is replaced.

    Raises:
        UsageError: The name has another ending, or there is no such folder.
        MissingExtra: What writes the format is not installed.
    """
    path.write_text(_writer(path)([item_of(paper) for paper in papers]), encoding="utf-8")


def check_references(path: Path) -> None:
    """Make sure that a reference list can be written there, before the work whose papers it lists."""
    _writer(path)
    if path.suffix.lower() != ".json":
        require("references", f"writing {path.name}")
    if not path.parent.is_dir():
        raise UsageError(f"no folder at {path.parent} for {path}; make it first")


def csl_json(items: Sequence[Item]) -> str:
    """Items as CSL-JSON."""
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def ris(items: Sequence[Item]) -> str:
    """The references as one RIS file, an entry a paper.

    Raises:
        MissingExtra: The library that writes it is not installed.
    """
    require("references", "writing RIS")
    import rispy

    return str(rispy.dumps([_ris_entry(each) for each in items]))


def bibtex(items: Sequence[Item]) -> str:
    """Items as BibTeX; text is written as LaTeX reads it, addresses and DOIs as they are."""
    if not is_installed("pybtex"):  # which the extra of drafts brings too
        require("references", "writing BibTeX")
    from pybtex.database import BibliographyData, Entry, Person
    from pybtex.database.output.bibtex import Writer

    class VerbatimAddresses(Writer):
        def _write_field(self, stream: Any, type: str, value: str) -> None:  # noqa: A002, ANN401 - pybtex's names
            if type in _VERBATIM:
                stream.write(f",\n    {type} = {self.quote(value)}")
            else:
                super()._write_field(stream, type, value)

    entries = {
        item["id"]: Entry(
            "article" if "container-title" in item else "misc",
            fields=_bibtex_fields(item),
            persons={"author": [_person(Person, each) for each in item.get("author", ())]},
        )
        for item in items
    }
    return str(VerbatimAddresses().to_string(BibliographyData(entries))) if entries else ""


def _writer(path: Path) -> Callable[[Sequence[Item]], str]:
    writers = {".bib": bibtex, ".ris": ris, ".json": csl_json}
    if path.suffix.lower() not in writers:
        raise UsageError(f"{path} is not a reference list; give a name that ends in {', '.join(writers)}")
    return writers[path.suffix.lower()]


def _bibtex_fields(item: Item) -> dict[str, str]:
    fields = {
        "title": item.get("title"),
        "journal": item.get("container-title"),
        "year": _year(item),
        "volume": item.get("volume"),
        "number": item.get("issue"),
        "pages": item.get("page", "").replace("-", "--"),
        "publisher": item.get("publisher"),
        "issn": item.get("ISSN"),
        "doi": item.get("DOI"),
        "url": item.get("URL"),
        "pmid": item.get("PMID"),
        "pmcid": item.get("PMCID"),
        "note": item.get("note"),
    }
    return {name: _plain(value) for name, value in fields.items() if value}


def _person(person: Callable[..., Any], name: Mapping[str, str]) -> Any:  # noqa: ANN401 - pybtex ships no types
    if "literal" in name or " and " in f" {name.get('family', '')} ":
        return person(last=f"{{{_plain(family_given(name))}}}")
    return person(
        last=_plain(name["family"]), first=_plain(name.get("given", "")), lineage=_plain(name.get("suffix", ""))
    )


def _plain(text: str) -> str:
    """Text without braces and backslashes, which would part a field or never end, and without a lonely dollar sign."""
    bare = " ".join(_BRACES.sub("", text).split())
    return bare if bare.count("$") % 2 == 0 else bare.replace("$", "")


def _ris_entry(item: Item) -> dict[str, Any]:
    first, _, last = item.get("page", "").partition("-")
    entry = {
        "type_of_reference": "JOUR" if "container-title" in item else "GEN",
        "id": item["id"],
        "authors": [family_given(each) for each in item.get("author", ())],
        "title": item.get("title"),
        "journal_name": item.get("container-title"),
        "year": _year(item),
        "volume": item.get("volume"),
        "number": item.get("issue"),
        "start_page": first,
        "end_page": last,
        "publisher": item.get("publisher"),
        "issn": item.get("ISSN"),
        "doi": item.get("DOI"),
        "urls": [item["URL"]] if item.get("URL") else [],
        "custom2": item.get("PMCID"),
        "notes": [item["note"]] if item.get("note") else [],
    }
    return {name: _one_line(value) for name, value in entry.items() if value}


def _one_line(value: Any) -> Any:  # noqa: ANN401 - a text or a list of texts
    """A line of RIS is a field: a line break in a title would begin another."""
    return [_one_line(each) for each in value] if isinstance(value, list) else " ".join(value.split())


def _year(item: Item) -> str:
    return str(item["issued"]["date-parts"][0][0]) if "issued" in item else ""
