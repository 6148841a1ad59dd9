"""The blocks of a page as JATS, so that paragraphs, tables, captions and superscripts read the same from both.

    <h2>Results</h2>                                 <sec><title>Results</title>
    <p>12 mice<sup><a href="#r3">3</a></sup> …</p>   <p>12 mice<sup><xref ref-type="bibr">3</xref></sup> …</p></sec>

Blocks come in one list, headings among them; sections are made of it when title and authors have been taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Final, Literal

from lxml import etree

from programs.ingest.decoding import Element, children, descendants, name, raw_text
from programs.ingest.front_matter import RAISED, OpeningBlock
from programs.ingest.jats.inline import FEW, definitions_text, inline_text, line_of, list_text, table_text
from programs.ingest.line_shapes import (
    heading_kind,
    is_known_heading,
    is_numbered_heading,
    numbering_level,
    split_caption,
)
from programs.ingest.tex import formula_line

_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS: Final = ("ul", "ol")
_CONTAINERS: Final = frozenset(
    "html body div section article main header hgroup center fieldset details summary address dd dt li".split()  # noqa: SIM905
)
BLOCKS: Final = frozenset((*_HEADINGS, *_LISTS, *_CONTAINERS, "p", "table", "pre", "blockquote", "dl", "figure", "hr"))
"""Elements that begin and end lines."""
LEVEL: Final = "raised-or-lowered"
"""The attribute of what styles raise or lower: "sup" or "sub"."""
_IMAGES: Final = "images"
"""The mark of a figure that is images alone, until it is known whether a caption of theirs follows."""
_BIBLIOGRAPHY: Final = ("doc-bibliography", "references", "reference-list", "ref-list", "reflist", "bibliography")
_UNPRINTED: Final = frozenset(["wbr", "hr"])
_REFERENCE = re.compile(r"#(?:\w*[-_:.])?(?:ref|bib|cit|cr|r|b|en)[\w:.-]*\d", re.IGNORECASE)
_NOTE = re.compile(r"#(?:foot|end)note-", re.IGNORECASE)
NUMBERS = re.compile(r"\[?\d+(?:\s*[,–-]\s*\d+)*\]?")
"""Numbers of references."""
_ENDS_CLAUSE: Final = (".", ",", ";", ":")
"""A number that is raised behind one of these is a citation."""
_CAPTIONED: Final = ("fig", "table-wrap")
_LONGEST_ADDRESS = 2000  # pictures inside an address have more

_TEX = re.compile(r"\\\((.{1,1000}?)\\\)")


@dataclass(frozen=True, slots=True)
class HtmlBlock(OpeningBlock):
    """A block of a page, also as JATS, a heading as its title."""

    element: Element = field(kw_only=True)
    names: str = ""


AUTHOR_SIGNS: Final = ("author", "contrib", "byline", "creator")
"""What classes of the elements that hold authors are called by, among others."""
_BESIDE_NAMES: Final = ("aff", "institution", "orcid", "email")


def names_of(element: Element) -> str:
    """The text of an element that may hold names, without addresses, and with a mark for what is raised."""
    text = element.text or ""
    for each in element:
        if name(each) == "sup":
            text += RAISED
        elif not _is_beside_names(each):
            text += names_of(each)
        text += each.tail or ""
    return text


def _is_beside_names(element: Element) -> bool:
    return any(sign in (element.get("class") or "").lower() for sign in _BESIDE_NAMES)


def blocks_of(page: Element) -> list[HtmlBlock]:
    """The blocks of an element, in reading order; a caption is before the rows that it is printed below."""
    found: list[HtmlBlock] = []
    images: list[HtmlBlock] = []
    under = None
    for block in map(_block, _walk(page)):
        if block.element.get(_IMAGES):
            images.append(block)
            continue
        if name(block.element) in _CAPTIONED:
            for each in images:
                _illustrate(block.element, each.element)
        else:
            found += [each for each in images if each.text]
        images = []
        if block.kind == "heading":
            kind = heading_kind(block.text)
            if block.element.get("implied") and under == kind:
                continue
            under = kind
        if block.text:
            found.append(block)
    return _captions_first([*found, *(each for each in images if each.text)])


def _captions_first(found: list[HtmlBlock]) -> list[HtmlBlock]:
    is_caption = [name(block.element) == "table-wrap" for block in found]
    is_rows = [block.text.startswith("| ") for block in found]
    for place in range(1, len(found)):
        is_below = is_caption[place] and is_rows[place - 1] and not any(is_rows[place + 1 : place + 2])
        if is_below and not any(is_caption[max(place - 2, 0) : place - 1]):
            found[place - 1 : place + 1] = found[place], found[place - 1]
    return found


def body_of(blocks: Sequence[HtmlBlock]) -> Element:
    """A JATS ``body`` of the blocks; sections are in the section before them that has a higher heading."""
    body = etree.Element("body")
    open_sections: list[tuple[int, Element]] = []
    for block in blocks:
        if block.kind != "heading":
            (open_sections[-1][1] if open_sections else body).append(block.element)
            continue
        while open_sections and open_sections[-1][0] >= block.level:
            open_sections.pop()
        section = etree.SubElement(open_sections[-1][1] if open_sections else body, "sec")
        section.append(block.element)
        open_sections.append((block.level, section))
    return body


def _block(element: Element) -> HtmlBlock:
    tag = name(element)
    if tag == "title":
        return HtmlBlock("heading", inline_text(element), int(element.get("level", "1")), element=element)
    lines = {"def-list": definitions_text, "table": table_text, "preformat": raw_text}
    if tag in lines:
        return HtmlBlock("verbatim", lines[tag](element).strip(), element=element)
    if tag == "list":
        names = "; ".join(map(names_of, children(element, "list-item")))
        return HtmlBlock("verbatim", list_text(element).strip(), element=element, names=names)
    kind: Literal["paragraph", "verbatim"] = "paragraph" if tag == "p" else "verbatim"
    return HtmlBlock(kind, inline_text(element), element=element, names=" ".join(names_of(element).split()))


def _walk(element: Element) -> Iterator[Element]:
    """The blocks inside an element; text that is between them is a paragraph."""
    run = etree.Element("p")
    _add(run, element.text)
    for each in element:
        # A link may hold whole paragraphs.
        if name(each) in BLOCKS or (name(each) != "math" and any(True for _ in descendants(each, *BLOCKS))):
            yield from _closed(run)
            run = etree.Element("p")
            yield from _converted(each)
        else:
            _add_inline(run, each)
        _add(run, each.tail)
    yield from _closed(run)


def _converted(element: Element) -> Iterator[Element]:
    tag = name(element)
    if _is_bibliography(element):
        implied = etree.Element("title", level="2", implied="yes")
        implied.text = "References"
        yield implied
    if tag in _HEADINGS:
        yield _heading(element, int(tag[1]))
    elif tag in _LISTS:
        yield _list(element)
    elif tag == "table":
        yield from _table(element)
    elif tag == "pre":
        preformat = etree.Element("preformat")
        preformat.text = raw_text(element)
        yield preformat
    elif tag == "dl":
        yield _definitions(element)
    elif tag == "figure":
        yield from _figure(element)
    elif tag == "p" and (level := _unmarked_level(element)):
        yield _heading(element, level)
    elif tag != "hr":
        yield from _walk(element)


def _is_bibliography(element: Element) -> bool:
    """Whether an element is marked as the list of references and has no heading that says so."""
    marks = {element.get("role"), element.get("id"), *(element.get("class") or "").split()}
    return not marks.isdisjoint(_BIBLIOGRAPHY) and not any(True for _ in descendants(element, *_HEADINGS))


def _closed(run: Element) -> Iterator[Element]:
    """A run of text as a paragraph, or as the caption that it is, and its images; nothing where it is empty."""
    text = inline_text(run)
    caption = split_caption(text)
    if caption is not None:
        figure = _captioned("table-wrap" if caption.is_table else "fig", text)
        _illustrate(figure, run)
        yield figure
        return
    if text:
        yield run
    images = list(descendants(run, "graphic"))
    if images:
        figure = _captioned("fig", " ".join(filter(None, (each.get("title", "") for each in images))))
        _illustrate(figure, run)
        if not line_of(figure, "label"):
            figure.set(_IMAGES, "yes")
        yield figure


def _illustrate(figure: Element, holder: Element) -> None:
    """Give a figure the images that another element holds."""
    for each in descendants(holder, "graphic"):
        etree.SubElement(figure, "graphic", {"href": each.get("href", "")})


def _heading(element: Element, level: int) -> Element:
    title = etree.Element("title", level=str(level))
    _add_content(title, element)
    return title


def _unmarked_level(paragraph: Element) -> int | None:
    """The level of a paragraph that is a heading in bold letters, as Word users write them; else None."""
    bold = "".join(raw_text(each) for each in paragraph if name(each) in ("b", "strong"))
    text = " ".join(raw_text(paragraph).split())
    if not bold or len(text) > 120 or text.replace(" ", "") != "".join(bold.split()):
        return None
    if is_numbered_heading(text):
        return 1 + (numbering_level(text) or 1)
    return 2 if is_known_heading(text) else None


def _list(element: Element) -> Element:
    converted = etree.Element("list", {"list-type": "order" if name(element) == "ol" else "bullet"})
    first = element.get("start", "") if name(element) == "ol" else ""
    for each in element:
        if name(each) in _LISTS:
            converted.append(_list(each))
        elif name(each):
            item = etree.SubElement(converted, "list-item")
            if first.isdecimal():
                etree.SubElement(item, "label").text = f"{int(first[:6]) + len(converted) - 1}."
            for block in _walk(each):
                if name(block) in ("p", "list"):
                    item.append(block)
                elif text := _block(block).text:
                    etree.SubElement(item, "p").text = text
    return converted


def _definitions(element: Element) -> Element:
    converted = etree.Element("def-list")
    item: Element | None = None
    for each in descendants(element, "dt", "dd"):
        if item is None or name(each) == "dt":
            item = etree.SubElement(converted, "def-item")
        _add_content(etree.SubElement(item, "term" if name(each) == "dt" else "def"), each)
    return converted


def _table(element: Element) -> Iterator[Element]:
    """A table's cells, after its caption; one of a single cell is layout, and its content stands for it."""
    cells = list(descendants(element, "td", "th"))
    if cells and heading_kind(" ".join(raw_text(cells[0]).split())) == "references":  # laid out, with their heading
        yield _heading(cells.pop(0), 2)
        for cell in cells:
            yield from _walk(cell)
        return
    # No cell of data holds headings or tables.
    if len(cells) == 1 or any(True for cell in cells for _ in descendants(cell, *_HEADINGS, "table")):
        for cell in cells:
            if next(each for each in cell.iterancestors() if name(each) == "table") is element:
                yield from _walk(cell)
        return
    for caption in children(element, "caption"):
        yield _captioned("table-wrap", _line(caption))
    yield _cells(element)


def _cells(element: Element) -> Element:
    converted = etree.Element(name(element))
    for attribute in ("colspan", "rowspan"):
        if value := element.get(attribute):
            converted.set(attribute, value)
    if name(element) in ("td", "th"):
        _add_content(converted, element)
        return converted
    for each in children(element, "thead", "tbody", "tfoot", "tr", "td", "th"):
        converted.append(_cells(each))
    return converted


def _figure(element: Element) -> Iterator[Element]:
    """A figure by its caption and images; a table in it keeps its cells."""
    taken = ["figcaption"]
    for caption in descendants(element, "figcaption"):
        text = _line(caption)
        parts = split_caption(text)
        is_table = parts.is_table if parts else any(True for _ in descendants(element, "table"))
        if text:
            figure = _captioned("table-wrap" if is_table else "fig", text)
            for image in descendants(element, "img") if "img" not in taken else ():
                _add_inline(figure, image)
            taken.append("img")
            yield figure
    for each in children(element):
        if name(each) != "figcaption":
            holder = etree.Element("div")
            holder.append(_copy(each))
            etree.strip_elements(holder, *taken, with_tail=False)
            yield from _walk(holder)


def _copy(element: Element) -> Element:
    copied = deepcopy(element)
    copied.tail = None
    return copied


def _captioned(tag: str, text: str) -> Element:
    """A figure or table with a caption, split into label and text where it has a label."""
    figure, parts = etree.Element(tag), split_caption(text)
    etree.SubElement(figure, "label").text = parts.label if parts else ""
    etree.SubElement(etree.SubElement(figure, "caption"), "p").text = parts.text if parts else text
    return figure


def _line(element: Element) -> str:
    paragraph = etree.Element("p")
    _add_content(paragraph, element)
    return inline_text(paragraph)


def _add_content(target: Element, source: Element) -> None:
    _add(target, source.text)
    for each in source:
        _add_inline(target, each)
        _add(target, each.tail)


def _add_inline(target: Element, element: Element) -> None:
    """Add an element of a line to a JATS element, with the JATS name of what it is for."""
    tag, before = name(element), _text_before(target)
    address = element.get("href", "") if tag == "a" else ""
    if _NOTE.match(address):
        return  # its mark is not part of a sentence
    level = tag if tag in ("sup", "sub") else "" if tag in BLOCKS else element.get(LEVEL, "")
    if level:
        target = etree.SubElement(target, level)
    may_cite = _REFERENCE.match(address) or (level == "sup" and before.endswith(_ENDS_CLAUSE))
    if may_cite and NUMBERS.fullmatch(" ".join(raw_text(element).split())):
        target = etree.SubElement(target, "xref", {"ref-type": "bibr"})
    if tag == "br":
        etree.SubElement(target, "break")
    elif tag == "math":
        target.append(_copy(element))
    elif tag == "img":
        etree.SubElement(target, "graphic", {"href": element.get("src", "")[:_LONGEST_ADDRESS]})
    elif tag == "figcaption" and (last := _last(target)) is not None and name(last) == "graphic" and not last.tail:
        last.set("title", _line(element))  # as Markdown describes an image
    elif tag in BLOCKS:
        _add(target, " ")
        _add_content(target, element)
        _add(target, " ")
    elif _is_beside_names(element):
        _add_content(etree.SubElement(target, "named-content", {"class": element.get("class") or ""}), element)
    elif tag and tag not in _UNPRINTED:
        _add_content(target, element)


def _last(target: Element) -> Element | None:
    """The last element inside; lxml would count all of them for ``len``."""
    return next(target.iterchildren(reversed=True), None)


def _text_before(target: Element) -> str:
    """The text at the end of an element, as much of it as tells how a mark is joined to it."""
    last = _last(target)
    return ((target.text if last is None else last.tail) or "")[-FEW:]


def _add(target: Element, text: str | None) -> None:
    if not text:
        return
    if "\\(" in text:  # TeX that a script of the page would set
        before = _text_before(target)
        text = _TEX.sub(lambda found: formula_line(found[1], (before + found.string[: found.start()])[-FEW:]), text)
    if (last := _last(target)) is not None:
        last.tail = (last.tail or "") + text
    else:
        target.text = (target.text or "") + text
