r"""Reads ``articles/{PMCID}/article.json``, the form in which crawlers keep articles of PubMed Central.

    {
      "pmcid": "PMC12345",
      "title": "Low pH shortens yeast lifespan",
      "authors": ["Lovelace, Ada", {"given": "Alan", "family": "Turing"}],
      "year": 2014, "journal": "J Yeast", "doi": "10.1/x", "url": "https://…",
      "abstract": "One text, or a list of paragraphs, or sections as below",
      "sections": [
        {"title": "Methods", "text": "First paragraph.\n\nSecond one.",
         "sections": [{"heading": "Strains", "paragraphs": ["One paragraph.", "Another."]}],
         "figures": [{"label": "Figure 1", "caption": "…"}]}
      ],
      "figures": [{"label": "Figure 2", "caption": "…", "image_urls": ["https://…"], "tileshop": "https://…"}],
      "references": ["1. Smith J. …"],
      "organism": ["Saccharomyces cerevisiae"]
    }

There is no published schema, so the names that crawlers use for the same thing are all understood; they are the tables
below. Sections may also be a mapping from heading to text. What is left over becomes metadata. Only text is needed:
``sections`` or ``abstract``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from programs.errors import IngestError, NoText, UnsafeFile, UnsupportedFormat
from programs.ingest.decoding import decode
from programs.ingest.document import Document, DocumentBuilder, MetadataValue
from programs.ingest.front_matter import family_first, is_web_address, pmc_address, split_authors
from programs.ingest.line_shapes import SectionKind, classify

_HEADING: Final = ("title", "heading", "section_title", "name", "label")
_TEXT: Final = ("text", "paragraphs", "content", "body", "p")
_SECTIONS: Final = ("sections", "subsections", "children")
_BODY: Final = (*_SECTIONS, "body", "text", "content", "paragraphs")
_FIGURES: Final = ("figures", "figs", "tables")
_LABEL: Final = ("label", "figure_label", "id")
_CAPTION: Final = ("caption", "figure_caption", "text", "description", "title")
_IMAGES: Final = ("image_urls", "images", "figure_image_urls", "image_url", "image", "url", "src")
_TILESHOP: Final = ("tileshop", "figure_tileshop", "tileshop_url")
_REFERENCES: Final = ("references", "refs", "bibliography")
_AUTHORS: Final = ("authors", "author")
_FIELDS: Final = ("pmcid", "pmc_id", "title", "year", "date", "journal", "doi", "url", "abstract")
_KNOWN: Final = frozenset((*_FIELDS, *_BODY, *_FIGURES, *_REFERENCES, *_AUTHORS))

# The sections of real papers nest about six levels deep.
_MAX_DEPTH = 40

_PMCID = re.compile(r"(?:PMC)?\s*(\d+)", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d")
_PARAGRAPH_END = re.compile(r"\n\s*\n")


def read(path: str | Path) -> Document:
    """The article in a JSON file; errors name the place of what is wrong.

    Its id is its PMCID, else the name of its folder, else the file's own.
    """
    path = Path(path)
    article = _load(path)
    builder = DocumentBuilder()
    _Writer(path, builder).write(article)
    if builder.is_empty:
        raise NoText(path, "its abstract and sections are blank", "get its full text, or its PDF")
    pmcid, year = _pmcid(article, path), _YEAR.search(_text(_first(article, ("year", "date"))))
    return builder.build(
        id=pmcid or (path.parent.name if path.stem == "article" and path.parent.name else path.stem),
        title=_text(article.get("title")),
        authors=_authors(path, _first(article, _AUTHORS)),
        year=int(year[0]) if year else None,
        journal=_text(article.get("journal")),
        doi=_text(article.get("doi")).removeprefix("https://doi.org/"),
        pmcid=pmcid,
        url=_address(article.get("url")) or (pmc_address(pmcid) if pmcid else ""),
        source=path.name,
        metadata=dict(_left_over(article)),
    )


class _Writer:
    """Writes an article's parts into a builder; errors name the place of what is wrong."""

    def __init__(self, path: Path, builder: DocumentBuilder) -> None:
        self._path = path
        self._builder = builder

    def write(self, article: Mapping[str, Any]) -> None:
        """Abstract, sections, figures, references."""
        body = _first(article, _BODY)
        if article.get("abstract") and not _has_abstract(body):
            self._builder.add_section("Abstract", kind="abstract")
            self._write_content(article["abstract"], "abstract", 2, "abstract")
        if body is not None:
            self._write_content(body, "sections", 1)
        if figures := [each for key in _FIGURES for each in self._list(article.get(key), key)]:
            self._builder.add_section("Figures and tables", kind="other")
            self._write_figures(figures, "figures")
        if references := self._list(_first(article, _REFERENCES), "references"):
            self._builder.add_section("References", kind="references")
            for each in references:
                printed = _first(each, ("text", "citation", "raw")) if isinstance(each, Mapping) else each
                if printed is None and isinstance(each, Mapping):
                    printed = ". ".join(_text(value) for value in each.values() if value)
                self._builder.add_paragraph(_text(printed))

    def _write_content(self, content: object, place: str, level: int, kind: SectionKind | None = None) -> None:
        """Text, or a list of texts and sections, or a mapping from heading to text."""
        if place.count("[") > _MAX_DEPTH:
            raise _too_deep(self._path)
        if isinstance(content, str):
            for paragraph in _PARAGRAPH_END.split(content):
                self._builder.add_paragraph(paragraph)
        elif isinstance(content, Mapping):
            sections = [{"title": heading, "text": text} for heading, text in content.items()]
            is_section = any(key in content for key in (*_TEXT, *_SECTIONS))
            self._write_content([content] if is_section else sections, place, level, kind)
        elif isinstance(content, Sequence):
            for position, each in enumerate(content):
                if isinstance(each, Mapping):
                    self._write_section(each, f"{place}[{position}]", level, kind)
                else:
                    self._write_content(each, f"{place}[{position}]", level, kind)
        else:
            raise self._wrong(place, "text, a list or an object", content)

    def _write_section(self, section: Mapping[str, Any], place: str, level: int, kind: SectionKind | None) -> None:
        heading, text, inner = (_first(section, names) for names in (_HEADING, _TEXT, _SECTIONS))
        if text is None and inner is None and heading is None:
            raise self._wrong(place, f"an object with one of {', '.join(_TEXT)}", section)
        if heading is not None or inner is not None:
            self._builder.add_section(_text(heading), level, kind)
        if text is not None:
            self._write_content(text, f"{place}.text", level + 1, kind)
        self._write_figures(self._list(_first(section, _FIGURES), f"{place}.figures"), f"{place}.figures")
        if inner is not None:
            self._write_content(inner, f"{place}.sections", level + 1, kind)

    def _write_figures(self, figures: Sequence[object], place: str) -> None:
        for position, figure in enumerate(figures):
            if not isinstance(figure, Mapping):
                raise self._wrong(f"{place}[{position}]", "an object with label and caption", figure)
            self._builder.add_figure(
                _text(_first(figure, _LABEL)),
                _text(_first(figure, _CAPTION)),
                image_urls=_addresses(_first(figure, _IMAGES)),
                tileshop=_address(_first(figure, _TILESHOP)),
            )

    def _list(self, value: object, place: str) -> Sequence[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._wrong(place, "a list", value)
        return value

    def _wrong(self, place: str, wanted: str, received: object) -> IngestError:
        reason = f'"{place}" is {_type_name(received)}, not {wanted}'
        return IngestError(self._path, reason, "correct it, or convert the article to JATS or Markdown")


def _load(path: Path) -> dict[str, Any]:
    """The file's JSON object; it must hold text under one of the known names."""
    try:
        article = json.loads(decode(path))
    except RecursionError as error:
        raise _too_deep(path) from error
    except ValueError as error:
        raise IngestError(path, f"not JSON ({error})", "download the file again; it may be cut off") from error
    if not isinstance(article, dict):
        reason = f"JSON, but not an article: {_type_name(article)} instead of an object"
        raise UnsupportedFormat(path, reason, "put each article into its own file")
    if not any(article.get(key) for key in ("abstract", *_BODY)):
        found = ", ".join(sorted(map(str, article))) or "nothing"
        reason = f'JSON, but not an article: it has no "sections" and no "abstract" (it has {found[:200]})'
        raise UnsupportedFormat(path, reason, "add the text under one of these names")
    return article


def _too_deep(path: Path) -> UnsafeFile:
    return UnsafeFile(path, "it nests too deeply", "get the article from its publisher")


def _first(values: Mapping[str, Any], names: Sequence[str]) -> Any:  # noqa: ANN401 - JSON
    """The first value under one of the names that is neither null nor empty."""
    return next((values[name] for name in names if values.get(name) not in (None, "", [], {})), None)


def _has_abstract(body: object) -> bool:
    """Whether the sections begin with the abstract, so that it is not read twice."""
    if isinstance(body, Mapping):
        headings: list[object] = list(body)
    else:
        sections = body if isinstance(body, list) else []
        headings = [_first(each, _HEADING) for each in sections if isinstance(each, Mapping)]
    return any(classify(_text(heading)) == "abstract" for heading in headings)


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def _pmcid(article: Mapping[str, Any], path: Path) -> str:
    own = _PMCID.fullmatch(_text(_first(article, ("pmcid", "pmc_id"))))
    if own is None and path.parent.name.upper().startswith("PMC"):
        own = _PMCID.fullmatch(path.parent.name)
    return f"PMC{own[1]}" if own else ""


def _authors(path: Path, authors: object) -> Iterator[str]:
    """Names from a line, a list of lines, or a list of objects with family and given names."""
    if authors is None:
        return
    if isinstance(authors, str):
        yield from split_authors(authors)
        return
    if not isinstance(authors, list):
        raise IngestError(path, f'"authors" is {_type_name(authors)}, not a list', "correct it or leave it out")
    for author in authors:
        if isinstance(author, Mapping):
            family = _text(_first(author, ("family", "surname", "last", "last_name", "lastname")))
            given = _text(_first(author, ("given", "given-names", "first", "first_name", "forename")))
            yield ", ".join(filter(None, (family, given))) or family_first(_text(_first(author, ("name", "full_name"))))
        else:
            yield family_first(_text(author))


def _addresses(images: object) -> tuple[str, ...]:
    if isinstance(images, Mapping):
        return _addresses(_first(images, _IMAGES))
    if isinstance(images, list):
        return tuple(address for image in images for address in _addresses(image))
    address = _address(images)
    return (address,) if address else ()


def _address(value: object) -> str:
    text = _text(value)
    return text if is_web_address(text) else ""


def _left_over(article: Mapping[str, Any]) -> Iterator[tuple[str, MetadataValue]]:
    """Whatever else is known and can be filtered by: numbers, texts, lists of texts."""
    for key, value in article.items():
        if key in _KNOWN or value in (None, "", []):
            continue
        if isinstance(value, str | int | float | bool):
            yield key, value
        elif isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
            yield key, [str(each) for each in value]


def _type_name(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")
