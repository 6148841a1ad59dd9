r"""Libraries of reference managers, an entry at a time, so that a bad entry costs no other one.

    library.bib   @article{a, title = {{C57BL} mice}, author = {M{\"u}ller, Ann}, file = {PDF:files/12/a.pdf:application/pdf}}
    library.ris   TY  - JOUR …            library.json   [{"title": …, "issued": {"date-parts": [[2019]]}}] (CSL)
    library.csv   as Zotero writes it: "Key","Item Type","Publication Year","Author","Title",…,"File Attachments",…

BibTeX is split by bibtexparser, which continues at the next entry after one that it cannot read; RIS is read by rispy.
"""  # noqa: E501 - an entry is one line

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from programs.errors import UsageError
from programs.extras import require
from programs.ingest.front_matter import DEGREE, year_of
from programs.ingest.paper_formats import PAPER_ENDING
from programs.ingest.plain_line import plain_line
from programs.references import family_given
from signatures.identifiers import PMCID

Values: TypeAlias = dict[str, Any]
"""What an entry says, by the names that a metadata file has; ``file`` is a list of paths."""
Entry: TypeAlias = tuple[str, Values]
"""An entry, behind its place: "line 12", "entry 3"."""
Notes: TypeAlias = list[str]

_CITEKEY = re.compile(r"^\s*Citation Key:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_EXPORT_AGAIN: Final = "export the library again"


@dataclass(slots=True)
class Library:
    """The entries that can be used, and what is wrong with the others."""

    entries: list[Entry] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_library(text: str, ending: str) -> Library:
    """The entries of an export, in its order; what they do not say is left out.

    Raises:
        UsageError: It is not of the form that its name's ending says, or none of its entries can be read.
        MissingExtra: What reads the format is not installed.
    """
    found = Library()
    split, values_of = ENDINGS[ending]
    for place, raw in split(text):
        notes: Notes = []
        try:
            if isinstance(raw, UsageError):
                raise raw
            found.entries.append((place, _given(values_of(raw, notes))))
        except UsageError as error:
            notes.append(str(error))
        found.problems += [f"{place}: {note}" for note in notes]
    if not found.entries:
        raise UsageError(f"no entry can be read ({'; '.join(found.problems[:3]) or 'none found'}); {_EXPORT_AGAIN}")
    return found


def _given(values: Values) -> Values:
    return {name: value for name, value in values.items() if value not in (None, "", [])}


_NAMES: Final = {
    "title": ("title", "primary_title"),
    "journal": (
        *("journal", "journaltitle", "journal_name", "secondary_title", "alternate_title1", "alternate_title3"),
        *("container-title", "publication title"),
    ),
    "publisher": ("publisher",),
    "doi": ("doi", "DOI"),
    "pmcid": ("pmcid", "PMCID"),
    "url": ("url", "urls", "URL"),
    "volume": ("volume",),
    "issue": ("number", "issue"),
    "pages": ("pages", "page"),
}
"""What BibTeX, rispy, CSL and Zotero's CSV call what an entry says of the printed paper."""
_MARKED_UP: Final = ("title", "journal", "publisher")


def _printed(entry: Mapping[str, Any], *, is_latex: bool = False) -> Values:
    said = {name: next(filter(None, map(_text, map(entry.get, names))), "") for name, names in _NAMES.items()}
    return {name: plain_line(text, is_latex=is_latex) if name in _MARKED_UP else text for name, text in said.items()}


def _csl_items(text: str) -> Iterator[tuple[str, Any]]:
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON ({error}); export the library as CSL JSON") from error
    if not isinstance(items, list):
        raise UsageError("not a list of items; export the library as CSL JSON")
    return ((f"entry {number}", item) for number, item in enumerate(items, start=1))


def _csl(item: Any, notes: Notes) -> Values:  # noqa: ANN401 - whatever a file holds
    if not isinstance(item, Mapping):
        raise UsageError(f"{type(item).__name__} instead of an item")
    names = item.get("author") or []
    people = [_csl_name(each) for each in (names if isinstance(names, list) else [names])]
    if not all(people):
        notes.append("an author without a name is left out")
    printed = _printed(item)
    return {
        **printed,
        "authors": _people(people),
        "year": year_of(item.get("issued")),
        "pmcid": printed["pmcid"] or _pmcid(item.get("note")),
        "citekey": _citekey(item.get("note")) or _own_key(item.get("citation-key") or item.get("id")),
        "file": _files(item.get("file")),
    }


def _csl_name(name: object) -> str:
    """An author as "Family, Given": a particle that is never dropped begins the family name."""
    if not isinstance(name, Mapping):
        return plain_line(_text(name))
    parts = {each: plain_line(_text(value)) for each, value in name.items()}
    family = " ".join(filter(None, (parts.get("non-dropping-particle"), parts.get("family"))))
    given = " ".join(filter(None, (parts.get("given"), parts.get("dropping-particle"))))
    return family_given({"literal": "", **parts, "family": family, "given": given})


def _ris_entries(text: str) -> Iterator[tuple[str, Any]]:
    require("references", "reading RIS", "rispy")
    for number, source in enumerate(re.split(r"(?m)^(?=TY  ?-)", text)[1:], start=1):
        yield f"entry {number}", source


def _ris(source: str, _notes: Notes) -> Values:
    import rispy
    from rispy.config import LIST_TYPE_TAGS

    lines = re.sub(r"(?m)^([A-Z][A-Z0-9]) ? ?-", r"\1  -", source) + "\nER  - \n"
    try:
        entry = rispy.loads(lines, list_tags=[*LIST_TYPE_TAGS, "L1"])[0]
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise UsageError(f"not RIS ({error})") from error
    pages = [entry.get("start_page"), entry.get("end_page")]
    return {
        **_printed(entry),
        "authors": _people(map(_person, entry.get("authors") or entry.get("first_authors") or ())),
        "year": year_of([entry.get(name) for name in ("year", "publication_year", "date")]),
        "pmcid": _pmcid(entry.get("custom2")),
        "pages": "–".join(dict.fromkeys(filter(None, pages))),
        "citekey": _own_key(entry.get("id")),
        "tags": _tags(entry.get("keywords", ())),
        "file": _files(entry.get("file_attachments1")),
    }


def is_library(columns: Iterable[str]) -> bool:
    """Whether a CSV file is the export of a reference manager, and no table that somebody wrote."""
    return {"item type", "publication title"} <= set(columns)


def csv_entry(row: Mapping[str, str]) -> Values:
    """A row of Zotero's CSV, whose columns have their names in small letters."""
    return _given(
        {
            **_printed(row),
            "year": year_of(row.get("publication year") or row.get("date")),
            "authors": _people(map(_person, row.get("author", "").split(";"))),
            "pmcid": _pmcid(row.get("extra")),
            "citekey": _citekey(row.get("extra")),
            "tags": _tags(row.get("manual tags", "").split(";")),
            "file": _files(row.get("file attachments")),
        }
    )


_STRAY_FIELD = re.compile(r"^\s*[A-Za-z-]+\s*=\s*[{\"\d]", re.MULTILINE)
_BRACES = re.compile(r"[{}\"]")
_UNESCAPED = re.compile(r"\\([_&%#$~^])")


def _bibtex_entries(text: str) -> Iterator[tuple[str, Any]]:
    require("references", "reading BibTeX", "bibtexparser")
    from bibtexparser import model
    from bibtexparser.middlewares import RemoveEnclosingMiddleware
    from bibtexparser.splitter import Splitter

    logging.getLogger("bibtexparser.splitter").disabled = True  # it would print what is named here
    library, bare = Splitter(text).split(), RemoveEnclosingMiddleware()
    blocks = library.blocks
    strings: dict[str, str] = {}
    for block, behind in zip(blocks, (*blocks[1:], None), strict=True):
        place = f"line {(block.start_line or 0) + 1}"
        if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
            block = block.ignore_error_block  # noqa: PLW2901 - rows report shared keys, and fields are looked at below
        fields: Sequence[Any] = ()
        if isinstance(block, model.String):
            strings[block.key.lower()] = block.value
            fields = [bare.transform_string(block, library)]
        elif isinstance(block, model.Entry):
            for each in block.fields:
                each.value = strings.get(each.value.lower(), each.value)
            fields = bare.transform_entry(block, library).fields
        # A value is a text or the name of one, or several of these joined by "#".
        bare_values = (each.value for each in fields if each.enclosing == "no-enclosing" and "#" not in each.value)
        open_value = next(filter(_BRACES.search, bare_values), None)
        rest = (behind.raw or "") if isinstance(behind, model.ImplicitComment) else ""
        if isinstance(block, model.ParsingFailedBlock):
            yield place, UsageError(getattr(block.error, "abort_reason", "not BibTeX").strip())
        elif open_value is not None:
            yield place, UsageError(f"a comma or a brace is missing at {open_value[:40]!r}")
        elif isinstance(block, model.Entry) and rest.count("}") > rest.count("{") and _STRAY_FIELD.search(rest):
            yield place, UsageError("it has a brace too many; fields come behind its end")
        elif isinstance(block, model.Entry):
            yield place, block


def _bibtex(entry: Any, notes: Notes) -> Values:  # noqa: ANN401 - bibtexparser's types are not checked
    from bibtexparser.middlewares.names import split_multiple_persons_names

    fields: dict[str, str] = {}
    for each in entry.fields:
        name, value = each.key.lower(), str(each.value)
        if each.enclosing == "no-enclosing":
            if name in _BIBTEX_READ:
                notes.append(f"{name} = {value[:40]} is not a text or a known @string, and left out")
        elif name == "file" and name in fields:
            fields[name] += f";{value}"
        elif fields.setdefault(name, value) != value and name in _BIBTEX_READ:
            notes.append(f"{name} is given twice; the first is used")
    printed = _printed(fields, is_latex=True)
    people = split_multiple_persons_names(" ".join(fields.get("author", "").split()))
    names = {each: _bibtex_name(each) for each in people if not _is_nobody(each)}
    attached = _UNESCAPED.sub(r"\1", fields.get("file", "").replace("$\\backslash$", "\\"))
    notes += [f"author {each!r} is not one name, and is left out" for each, name in names.items() if not name]
    return {
        **printed,
        **{name: _UNESCAPED.sub(r"\1", printed[name]) for name in ("doi", "url")},
        "authors": _people(names.values()),
        "year": year_of(fields.get("year")) or year_of(fields.get("date")),
        "pages": printed["pages"].replace("--", "–"),
        "citekey": entry.key.strip(),
        "tags": _tags(re.split(r"[,;]", plain_line(fields.get("keywords", ""), is_latex=True))),
        "file": _files(
            _LATEX_SIGN.sub(lambda each: plain_line(each[0], is_latex=True), attached).translate(_NO_BRACES)
        ),
    }


_BIBTEX_READ = frozenset((*_MARKED_UP, "journaltitle", "author", "year", "date", "doi", "pmcid", "url", "file"))


def _apart(text: str, separator: str) -> list[str]:
    """The text cut at a separator, a pattern, wherever that is outside of braces."""
    depth, start, parts = 0, 0, []
    for sign in re.finditer(rf"(?<!\\)[{{}}]|{separator}", text, re.DOTALL):
        if sign[0] in ("{", "}"):
            depth = max(0, depth + (1 if sign[0] == "{" else -1))
        elif not depth:
            parts.append(text[start : sign.start()])
            start = sign.end()
    return [*parts, text[start:]]


_EXTENDED = re.compile(r'\s*"?\s*(?:family|given|prefix|suffix)(?:-i)?\s*=', re.IGNORECASE)
_LINEAGE = re.compile(r"(?:jr|sr|[iv]+|\d(?:nd|rd|th))\.?", re.IGNORECASE)
_NOBODY = frozenset({"", "others", "and others", "et al"})


def _bibtex_name(name: str) -> str:
    """One author of a BibTeX field as "Family, Given", also as biblatex writes names: "family=Berg, prefix=van den"."""
    if _EXTENDED.match(name):
        parts = dict(part.strip().strip('"').partition("=")[::2] for part in _apart(name.replace('"', ""), ","))
        known = {key.strip().lower(): plain_line(value.strip(), is_latex=True) for key, value in parts.items()}
        family = " ".join(filter(None, (known.get("prefix"), known.get("family"))))
        return family_given({"literal": "", **known, "family": family})
    return plain_line(_person(name, _inverted), is_latex=True)


def _inverted(name: str) -> str:
    """A name without a comma as "Family, Given"; one in braces is a group's."""
    from bibtexparser.middlewares.names import parse_single_name_into_parts

    if name.strip().startswith("{") and len(_apart(name.strip(), " ")) == 1:
        return name
    parts = parse_single_name_into_parts(name, strict=False)
    return ", ".join(filter(None, (" ".join([*parts.von, *parts.last]), " ".join(parts.first))))


def _person(name: str, invert: Callable[[str], str] = str) -> str:
    """A name as "Family, Given, Jr", from "Family, Jr, Given" too; empty where there is more in it."""
    parts = [part for part in map(str.strip, _apart(name, ",")) if part]
    while len(parts) > 2 and DEGREE.fullmatch(parts[-1]):
        parts.pop()
        if len(parts) == 2 and DEGREE.fullmatch(parts[1]) and " " in parts[0]:  # "Ann Adams, MD, PhD"
            parts.pop()
    if len(parts) < 2:
        return invert("".join(parts))
    if len(parts) > 2 and _LINEAGE.fullmatch(parts[1]):
        parts[1:3] = parts[2], parts[1]
    return ", ".join(parts) if len(parts) < 4 and all(map(_LINEAGE.fullmatch, parts[2:])) else ""


def _people(names: Iterable[str]) -> list[str]:
    whole = (plain_line(name) for name in names)
    return [name for name in whole if not _is_nobody(name)]


def _is_nobody(name: str) -> bool:
    return name.strip(" .").casefold() in _NOBODY


_ADDRESS = re.compile(r"\bhttps?://[^\s;]*", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([;:,\\])")
_ENDS_AS_FILE = re.compile(r"\.\w{1,5}$")
_LATEX_SIGN = re.compile(r"\{(\\[^{}]*(?:\{[^{}]*\})?)\}")  # "zinc{\_}2019.pdf"; the backslashes of Windows stay
_NO_BRACES = str.maketrans("", "", "{}")


_LONGEST_PATH = 4096


def _files(attached: object) -> list[str]:
    r"""The papers among attachments, as "Full Text:files/12/a.pdf:application/pdf;…" or as paths with ";" between.

    In names ";" and ":" are escaped, or not: what has no ending continues behind the ";".
    """
    listed = ";".join(map(str, attached)) if isinstance(attached, list | tuple) else str(attached or "")
    found, open_part = [], ""
    for item in re.split(r"(?<!\\);", _ADDRESS.sub("", listed)):
        open_part += item
        fields = [part.strip() for part in re.split(r"(?<!\\):", open_part)]
        papers = [part for part in fields if PAPER_ENDING.search(part)]
        if papers:
            path = _ESCAPED.sub(r"\1", papers[-1])
            found.append(unquote(path) if "file://" in open_part else path)
        is_whole = papers or any(map(_ENDS_AS_FILE.search, fields)) or len(open_part) > _LONGEST_PATH
        open_part = "" if is_whole else f"{open_part};"
    return found


def _text(value: object) -> str:
    """A text or a number as text; of a list the first, as Crossref gives titles."""
    first = next(iter(value), "") if isinstance(value, list) else value
    return str(first) if isinstance(first, str | int | float) and not isinstance(first, bool) else ""


def _tags(words: Iterable[str]) -> list[str]:
    return [word.strip() for word in words if word.strip()]


def _own_key(said: object) -> str:
    """A key that an entry gives itself; empty for a number or address that a program counts its entries by."""
    key = _text(said).strip()
    return "" if "://" in key or not re.search(r"[^\W\d_]", key) else key


def _citekey(text: object) -> str | None:
    """The key that Zotero keeps among an entry's remarks, "Citation Key: smith2019"."""
    found = _CITEKEY.search(str(text or ""))
    return found[1] if found else None


def _pmcid(text: object) -> str | None:
    found = PMCID.search(str(text or ""))
    return found[0] if found else None


ENDINGS: Final[Mapping[str, tuple[Callable[[str], Iterator[tuple[str, Any]]], Callable[[Any, Notes], Values]]]] = {
    ".json": (_csl_items, _csl),
    ".bib": (_bibtex_entries, _bibtex),
    ".ris": (_ris_entries, _ris),
}
