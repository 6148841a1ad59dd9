"""The blocks of a page: headings, paragraphs, lists, tables, figures.

    <h2>Results</h2>                                   heading     Results
    <p>12 mice<sup><a href="#r3">3</a></sup> …</p>     paragraph   12 mice [3] …
    <ul><li>One</li></ul>                              verbatim    - One

What is in a line gets the names that JATS has for it, so that citations, superscripts, formulas and cells are read by
``programs.ingest.jats.inline``, as those of JATS are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import indent
from typing import Final, Literal

from lxml import etree

from programs.ingest.decoding import Element, children, descendants, href, name, raw_text
from programs.ingest.document import DocumentBuilder, verbatim
from programs.ingest.front_matter import RAISED, OpeningBlock, is_web_address
from programs.ingest.jats.inline import FEW, HTML_BLOCKS, inline_text, table_text
from programs.ingest.line_shapes import (
    heading_kind,
    is_known_heading,
    is_numbered_heading,
    numbering_level,
    split_caption,
)
from programs.ingest.tex import formula_line

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS: Final = ("ul", "ol")
_CELLS: Final = frozenset(("caption", "thead", "tbody", "tfoot", "tr", "td", "th"))
LEVEL: Final = "raised-or-lowered"
"""The attribute of what styles raise or lower: "sup" or "sub"."""
_BIBLIOGRAPHY: Final = ("doc-bibliography", "references", "reference-list", "ref-list", "reflist", "bibliography")
_REFERENCE = re.compile(r"#(?:\w*[-_:.])?(?:ref|bib|cit|cr|r|b|en)[\w:.-]*\d", re.IGNORECASE)
_NOTE = re.compile(r"#(?:foot|end)note-", re.IGNORECASE)
NUMBERS = re.compile(r"\[?\d+(?:\s*[,–-]\s*\d+)*\]?")
"""Numbers of references."""
_ENDS_CLAUSE: Final = (".", ",", ";", ":")
"""A number that is raised behind one of these is a citation."""
_LONGEST_ADDRESS = 2000  # pictures inside an address have more
_LONGEST_HEADING = 120
_TEX = re.compile(r"\\\((.{1,1000}?)\\\)")
AUTHOR_SIGNS: Final = ("author", "contrib", "byline", "creator")
"""What classes of the elements that hold authors are called by, among others."""
_BESIDE_NAMES: Final = ("aff", "institution", "orcid", "email")
_PLAIN, _UNPRINTED = "styled-content", "alt-text"
"""The names that JATS has for words of a line, and for what is not printed."""
_FLOWING: Final = (_PLAIN, "bold")
_INLINE: Final = {"sup": "sup", "sub": "sub", "br": "break", "img": "graphic", "b": "bold", "strong": "bold"}


@dataclass(frozen=True, slots=True)
class HtmlBlock(OpeningBlock):
    """A block of a page; a figure or table with label and text of its caption, and the addresses of its images."""

    caption: tuple[str, str] = ("", "")
    images: tuple[str, ...] = ()
    role: Literal["", "figure", "table", "images", "list", "implied"] = ""


def names_of(element: Element) -> str:
    """The text of an element that may hold names, without addresses, and with a mark for what is raised."""
    text = element.text or ""
    for each in element:
        if name(each) == "sup":
            text += RAISED
        elif name(each) != _UNPRINTED and not any(sign in (each.get("class") or "").lower() for sign in _BESIDE_NAMES):
            text += names_of(each)
        text += each.tail or ""
    return text


def blocks_of(page: Element) -> list[HtmlBlock]:
    """The blocks of an element, which is taken apart; a caption is before the rows that it is printed below."""
    _name_lines(page)
    found: list[HtmlBlock] = []
    images: list[HtmlBlock] = []
    under = None
    for block in _walk(page):
        if block.role == "images":
            images.append(block)
            continue
        if block.role in ("figure", "table"):
            held = (address for each in images for address in each.images)
            block = replace(block, images=(*block.images, *held))  # noqa: PLW2901
        else:
            found += [each for each in images if each.text]
        images = []
        if block.kind == "heading":
            before, under = under, heading_kind(block.text)
            if block.role == "implied" and before == under:
                continue
        if block.text.strip():
            found.append(block)
    return _captions_first([*found, *(each for each in images if each.text)])


def _captions_first(found: list[HtmlBlock]) -> list[HtmlBlock]:
    is_caption = [block.role == "table" for block in found]
    is_rows = [block.text.startswith("| ") for block in found]
    for place in range(1, len(found)):
        is_below = is_caption[place] and is_rows[place - 1] and not any(is_rows[place + 1 : place + 2])
        if is_below and not any(is_caption[max(place - 2, 0) : place - 1]):
            found[place - 1 : place + 1] = found[place], found[place - 1]
    return found


def write_blocks(builder: DocumentBuilder, blocks: Sequence[HtmlBlock]) -> None:
    """Write blocks into a document; text before the first heading is an introduction when headings follow."""
    levels: list[int] = []
    builder.add_section("", kind="introduction" if any(block.kind == "heading" for block in blocks) else "other")
    for block in blocks:
        if block.kind == "heading":
            levels = [*(level for level in levels if level < block.level), block.level]
            builder.add_section(block.text, len(levels))
        elif block.role in ("figure", "table", "images"):
            kind: Literal["figure", "table"] = "table" if block.role == "table" else "figure"
            shown = dict.fromkeys(filter(is_web_address, block.images))
            builder.add_figure(*block.caption, kind=kind, image_urls=shown)
        else:
            builder.add_paragraph(block.text, keep_lines=block.kind == "verbatim")


def _name_lines(page: Element) -> None:
    """Give what is in a line its name in JATS, and set formulas in TeX, which a script of the page would set."""
    before = ""  # the text before an element, as much of it as tells how a mark is joined to it
    walk = etree.iterwalk(page, events=("start", "end"))
    for event, element in walk:
        if event == "start":
            tag = name(element)
            if tag not in HTML_BLOCKS and tag not in _CELLS and tag != "math":
                _name(element, before)
            before = before if element.tag in _FLOWING else ""
            if tag in ("math", "pre"):
                walk.skip_subtree()
            else:
                element.text, before = _with_formulas(element.text, before)
        elif element is not page:
            element.tail, before = _with_formulas(element.tail, before if element.tag in _FLOWING else "")


def _name(element: Element, before: str) -> None:
    tag, last = name(element), element.getprevious()
    address = element.get("href", "") if tag == "a" else ""
    level = next((each for each in (tag, element.get(LEVEL)) if each in ("sup", "sub")), "")
    may_cite = _REFERENCE.match(address) or (level == "sup" and before.endswith(_ENDS_CLAUSE))
    is_citation = bool(may_cite and NUMBERS.fullmatch(" ".join(raw_text(element).split())))
    element.tag = level or ("xref" if is_citation else _INLINE.get(tag, _PLAIN))
    if is_citation:
        element.set("ref-type", "bibr")
    if tag == "img":
        element.set("href", element.get("src", "")[:_LONGEST_ADDRESS])
    elif tag == "figcaption" and next(element.iterancestors("figure"), None) is not None:
        element.tag = tag
    elif tag == "figcaption" and last is not None and name(last) == "graphic" and not last.tail:
        element.tag = _UNPRINTED
        last.set("title", inline_text(element))  # as Markdown describes an image
    elif _NOTE.match(address):
        element.tag = _UNPRINTED  # its mark is not part of a sentence


def _with_formulas(text: str | None, before: str) -> tuple[str | None, str]:
    """A text with its formulas, and what is before the text that follows it."""
    if text and "\\(" in text:
        text = _TEX.sub(lambda found: formula_line(found[1], (before + found.string[: found.start()])[-FEW:]), text)
    return text, (before + (text or ""))[-FEW:]


def _walk(element: Element) -> Iterator[HtmlBlock]:
    """The blocks inside an element; text that is between them is a paragraph."""
    run = etree.Element("p")
    run.text = element.text
    for each in list(element):
        # A link may hold whole paragraphs.
        if name(each) in HTML_BLOCKS or (name(each) != "math" and any(True for _ in descendants(each, *HTML_BLOCKS))):
            yield from _closed(run)
            run = etree.Element("p")
            run.text = each.tail
            yield from _blocks(each)
        else:
            run.append(each)
    yield from _closed(run)


def _blocks(element: Element) -> Iterator[HtmlBlock]:
    tag = name(element)
    marks = {element.get("role"), element.get("id"), *(element.get("class") or "").split()}
    if not marks.isdisjoint(_BIBLIOGRAPHY) and not any(True for _ in descendants(element, *HEADINGS)):
        yield HtmlBlock("heading", "References", 2, role="implied")
    if tag in HEADINGS:
        yield HtmlBlock("heading", inline_text(element), int(tag[1]))
    elif tag in _LISTS:
        names = "; ".join(names_of(each) for each in children(element) if name(each) not in _LISTS)
        yield HtmlBlock("verbatim", _list(element), names=names, role="list")
    elif tag == "table":
        yield from _table(element)
    elif tag == "pre":
        yield HtmlBlock("verbatim", verbatim(raw_text(element)))
    elif tag == "dl":
        yield HtmlBlock("verbatim", _definitions(element))
    elif tag == "figure":
        yield from _figure(element)
    elif tag == "p" and (level := _unmarked_level(element)):
        yield HtmlBlock("heading", inline_text(element), level)
    elif tag != "hr":
        yield from _walk(element)


def _closed(run: Element) -> Iterator[HtmlBlock]:
    """A run of text as a paragraph, or as the caption that it is, and its images; nothing where it is empty."""
    text, images = inline_text(run), list(descendants(run, "graphic"))
    if parts := split_caption(text):
        yield _captioned("table" if parts.is_table else "figure", text, images)
        return
    if text:
        yield HtmlBlock("paragraph", text, names=" ".join(names_of(run).split()))
    if images:
        block = _captioned("figure", " ".join(filter(None, (each.get("title", "") for each in images))), images)
        yield block if block.caption[0] else replace(block, role="images")


def _captioned(role: Literal["figure", "table"], text: str, images: Iterable[Element] = ()) -> HtmlBlock:
    """A figure or table with a caption, split into label and text where it has a label."""
    parts = split_caption(text)
    caption = (parts.label, parts.text) if parts else ("", text)
    text = " ".join(filter(None, caption))
    return HtmlBlock("verbatim", text, caption=caption, images=tuple(map(href, images)), role=role)


def _unmarked_level(paragraph: Element) -> int | None:
    """The level of a paragraph that is a heading in bold letters, as Word users write them; else None."""
    bold = "".join(map(raw_text, children(paragraph, "bold")))
    text = " ".join(raw_text(paragraph).split())
    if not bold or len(text) > _LONGEST_HEADING or text.replace(" ", "") != "".join(bold.split()):
        return None
    if is_numbered_heading(text):
        return 1 + (numbering_level(text) or 1)
    return 2 if is_known_heading(text) else None


def _list(element: Element) -> str:
    """One line per item, with "- " or its number before it; lists inside are indented."""
    start = element.get("start", "")
    lines = []
    for number, each in enumerate(children(element), start=int(start[:6]) if start.isdecimal() else 1):
        if name(each) in _LISTS:
            lines.append(indent(_list(each), "  "))
            continue
        blocks = list(_walk(each))
        texts = (" ".join(block.text.split()) for block in blocks if block.role != "list")
        bullet = f"{number}." if name(element) == "ol" else "-"
        lines.append(" ".join([bullet, *filter(None, texts)]))
        lines += [indent(block.text, "  ") for block in blocks if block.role == "list"]
    return "\n".join(lines)


def _definitions(element: Element) -> str:
    """One line per term: "CI: confidence interval"."""
    items: list[tuple[str, list[str]]] = []
    for each in descendants(element, "dt", "dd"):
        if name(each) == "dt":
            items.append((inline_text(each), []))
        elif items:
            items[-1][1].append(inline_text(each))
        else:
            items.append(("", [inline_text(each)]))
    return "\n".join(": ".join(filter(None, (term.rstrip(": "), " ".join(said)))) for term, said in items)


def _table(element: Element) -> Iterator[HtmlBlock]:
    """A table's cells, after its caption; one of a single cell is layout, and its content stands for it."""
    cells = list(descendants(element, "td", "th"))
    if cells and heading_kind(" ".join(raw_text(cells[0]).split())) == "references":  # laid out, with their heading
        yield HtmlBlock("heading", inline_text(cells.pop(0)), 2)
        for cell in cells:
            yield from _walk(cell)
        return
    # No cell of data holds headings or tables.
    if len(cells) == 1 or any(True for cell in cells for _ in descendants(cell, *HEADINGS, "table")):
        for cell in cells:
            if next(each for each in cell.iterancestors() if name(each) == "table") is element:
                yield from _walk(cell)
        return
    for caption in children(element, "caption"):
        yield _captioned("table", inline_text(caption))
    yield HtmlBlock("verbatim", table_text(element))


def _figure(element: Element) -> Iterator[HtmlBlock]:
    """A figure by its caption and images; a table in it keeps its cells."""
    taken, images = ["figcaption"], list(descendants(element, "graphic"))
    for caption in descendants(element, "figcaption"):
        if text := inline_text(caption):
            parts = split_caption(text)
            is_table = parts.is_table if parts else any(True for _ in descendants(element, "table"))
            yield _captioned("table" if is_table else "figure", text, images if "graphic" not in taken else ())
            taken.append("graphic")
    etree.strip_elements(element, *taken, with_tail=False)
    for each in list(children(element)):
        holder = etree.Element("div")
        holder.append(each)
        each.tail = None
        yield from _walk(holder)
