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

What is left over becomes metadata. Only text is needed: ``sections`` or ``abstract``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from programs.errors import IngestError, NoText, UnsafeFile, UnsupportedFormat
from programs.ingest.decoding import decode
from programs.ingest.document import Document, DocumentBuilder
from programs.ingest.front_matter import family_first, is_web_address, pmc_address, split_authors, year_of
from programs.ingest.line_shapes import SectionKind, classify

_PMCID = re.compile(r"\s*(?:PMC)?\s*(\d+)\s*", re.IGNORECASE)
_PARAGRAPH_END = re.compile(r"\n\s*\n")


def _named(*names: str, default: Any) -> Any:  # noqa: ANN401 - as the field is
    return Field(default=default, validation_alias=AliasChoices(*names))


_OneOrMore = BeforeValidator(lambda value: value if isinstance(value, list) else [value])
_Texts: TypeAlias = Annotated[list[str], _OneOrMore]


class _Part(BaseModel):
    """What the file holds at a place; null is as nothing."""

    model_config = ConfigDict(coerce_numbers_to_str=True, extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, values: object) -> object:
        return {name: each for name, each in values.items() if each is not None} if isinstance(values, dict) else values


class _Figure(_Part):
    label: str = _named("label", "figure_label", default="")
    caption: str = _named("caption", "figure_caption", default="")
    image_urls: list[str] = _named("image_urls", "figure_image_urls", default=[])
    tileshop: str = _named("tileshop", "figure_tileshop", default="")


class _Section(_Part):
    title: str = _named("title", "heading", default="")
    text: _Texts = _named("text", "paragraphs", default=[])
    sections: list[_Section] = []
    figures: list[_Figure] = []


class _Author(_Part):
    given: str = ""
    family: str = ""
    name: str = ""


class _Article(_Part):
    pmcid: str = ""
    title: str = ""
    authors: str | list[str | _Author] = ""
    year: str = _named("year", "date", default="")
    journal: str = ""
    doi: str = ""
    url: str = ""
    abstract: Annotated[list[str | _Section], _OneOrMore] = []
    sections: list[_Section] = []
    figures: list[_Figure] = []
    references: list[str] = []


def read(path: str | Path) -> Document:
    """The article in a JSON file; errors name the place of what is wrong.

    Its id is its PMCID, else the name of its folder, else the file's own.
    """
    path = Path(path)
    article = _load(path)
    builder = DocumentBuilder()
    if any(article.abstract) and not any(classify(each.title) == "abstract" for each in article.sections):
        builder.add_section("Abstract", kind="abstract")
        for part in article.abstract:
            _write_section(part, builder, 2, "abstract")
    for section in article.sections:
        _write_section(section, builder, 1)
    if article.figures:
        builder.add_section("Figures and tables", kind="other")
        _write_figures(article.figures, builder)
    if article.references:
        builder.add_section("References", kind="references")
        for each in article.references:
            builder.add_paragraph(each)
    if builder.is_empty:
        raise NoText(path, "its abstract and sections are blank", "get its full text, or its PDF")
    folder = path.parent.name
    found = _PMCID.fullmatch(article.pmcid) or (_PMCID.fullmatch(folder) if folder.upper().startswith("PMC") else None)
    pmcid = f"PMC{found[1]}" if found else ""
    left_over = (article.model_extra or {}).items()
    return builder.build(
        id=pmcid or (folder if path.stem == "article" and folder else path.stem),
        title=article.title,
        authors=tuple(_authors(article.authors)),
        year=year_of(article.year),
        journal=article.journal,
        doi=article.doi.removeprefix("https://doi.org/"),
        pmcid=pmcid,
        url=_address(article.url) or (pmc_address(pmcid) if pmcid else ""),
        source=path.name,
        metadata={
            key: [str(each) for each in value] if isinstance(value, list) else value
            for key, value in left_over
            if value not in ("", []) and _is_filtered(value)
        },
    )


def _write_section(
    section: _Section | str, builder: DocumentBuilder, level: int, kind: SectionKind | None = None
) -> None:
    if isinstance(section, str):
        section = _Section.model_validate({"text": section})
    else:
        builder.add_section(section.title, level, kind)
    for text in section.text:
        for paragraph in _PARAGRAPH_END.split(text):
            builder.add_paragraph(paragraph)
    _write_figures(section.figures, builder)
    for inner in section.sections:
        _write_section(inner, builder, level + 1, kind)


def _write_figures(figures: Iterable[_Figure], builder: DocumentBuilder) -> None:
    for each in figures:
        urls = filter(None, map(_address, each.image_urls))
        builder.add_figure(each.label, each.caption, image_urls=urls, tileshop=_address(each.tileshop))


def _load(path: Path) -> _Article:
    """The file's JSON object; it must hold sections or an abstract."""
    try:
        article = json.loads(decode(path))
    except RecursionError as error:
        raise UnsafeFile(path, "it nests too deeply", "get the article from its publisher") from error
    except ValueError as error:
        raise IngestError(path, f"not JSON ({error})", "download the file again; it may be cut off") from error
    if not isinstance(article, dict):
        raise UnsupportedFormat(path, "JSON, but not an article: it is not an object", "put each article into its file")
    if not article.get("abstract") and not article.get("sections"):
        found = ", ".join(sorted(map(str, article))) or "nothing"
        reason = f'JSON, but not an article: it has no "sections" and no "abstract" (it has {found[:200]})'
        raise UnsupportedFormat(path, reason, "add the text under one of these names")
    try:
        return _Article.model_validate(article)
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg'].partition(' or instance')[0]}"
        raise IngestError(path, reason, "correct it, or convert the article to JATS or Markdown") from error


def _authors(authors: str | list[str | _Author]) -> Iterator[str]:
    """Names from a line, a list of lines, or a list of objects with family and given names."""
    if isinstance(authors, str):
        yield from split_authors(authors)
        return
    for author in authors:
        if isinstance(author, str):
            yield family_first(author)
        else:
            yield ", ".join(filter(None, (author.family, author.given))) or family_first(author.name)


def _address(text: str) -> str:
    return text.strip() if is_web_address(text.strip()) else ""


def _is_filtered(value: object) -> bool:
    """Whether the index can filter by a value: a number, a text, a list of these."""
    of_list = value if isinstance(value, list) else [value]
    return all(isinstance(each, str | int | float) for each in of_list)
