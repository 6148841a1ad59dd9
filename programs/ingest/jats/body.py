"""Writes an article's abstract, body and back matter into a document, in the order in which they are read.

What is anchored inside a paragraph but not part of its sentences (figures, tables, boxes, footnotes) follows it; lists
and displayed formulas divide it. Figures that the file keeps apart (``floats-group``) follow the paragraph that first
mentions them. A table's cells follow its caption as lines of text, so that the evidence in them is found and quoted.

An entry of the reference list becomes one line: "3. Smith J, Doe A. Cold and yeast. J Biol. 2019. 12. 3. 45. 51". A
mixed citation carries its own punctuation and stays as printed; an element citation has none, so full stops part it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, Literal
from urllib.parse import quote

from programs.ingest.decoding import Element, child, children, descendants, href, name, raw_text
from programs.ingest.document import DocumentBuilder
from programs.ingest.front_matter import is_web_address, pmc_address
from programs.ingest.jats.inline import (
    caption_text,
    definitions_text,
    formula_text,
    has_text,
    inline_text,
    line_of,
    list_text,
    read_paragraph,
    sentences_joined,
    table_text,
)
from programs.ingest.line_shapes import SectionKind

_CITATIONS = ("mixed-citation", "element-citation", "citation", "nlm-citation", "citation-alternatives", "note", "p")
_NAMES = ("name", "string-name", "collab", "etal", "anonymous")


def reference_text(reference: Element) -> str:
    """The label and the citations of a ``ref``; empty when it holds none."""
    label = line_of(reference, "label").rstrip(".")
    text = "; ".join(filter(None, map(_citation, children(reference, *_CITATIONS)))) or inline_text(reference)
    return f"{label}. {text}" if label and text and not text.startswith(label) else text


def _citation(citation: Element) -> str:
    """The citation as printed when it has text between its elements, else its elements one after the other."""
    if name(citation) == "citation-alternatives":
        return next(filter(None, map(_citation, children(citation))), "")
    if (citation.text or "").strip() or any((each.tail or "").strip() for each in citation):
        return inline_text(citation)
    groups = (*children(citation, "person-group"), citation)
    people = (each for group in groups for each in children(group, *_NAMES))
    names = (inline_text(each) or ("et al" if name(each) == "etal" else "") for each in people)
    rest = (inline_text(each) for each in children(citation) if name(each) not in (*_NAMES, "person-group", "label"))
    return ". ".join(part.rstrip(".") for part in (", ".join(filter(None, names)), *rest) if part)


_SHOWN = re.compile(r"\.(?:jpe?g|png|gif|svg|webp)$", re.IGNORECASE)
_PRINT = re.compile(r"\.(?:tiff?|eps)$", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def image_urls(element: Element, pmcid: str) -> tuple[str, ...]:
    """Where the images inside a figure or table can be seen, each once, in order.

    PubMed Central shows the images of its articles as JPEG under a fixed address, whatever form the publisher sent.
    Without a PMCID the name of a file has no address; anything but an http(s) address is left out.
    """
    urls = []
    for target in map(href, descendants(element, "graphic")):
        if is_web_address(target):
            urls.append(target)
        elif target and pmcid and not _SCHEME.match(target):
            shown = target if _SHOWN.search(target) else f"{_PRINT.sub('', target)}.jpg"
            urls.append(f"{pmc_address(pmcid)}bin/{quote(shown)}")
    return tuple(dict.fromkeys(urls))


# PubMed Central's own words beside each supplementary file; they say nothing about the paper.
_BOILERPLATE = re.compile(r"\(?Click here for additional data file\.?\)?", re.IGNORECASE)
_FIGURE_LABEL = re.compile(r"(?:supp\w*\.?\s+)?(?:fig|table)", re.IGNORECASE)

# What parts of an article are for, and their headings where they are printed without one.
_PARTS: Final[Mapping[str, tuple[SectionKind | None, str]]] = {
    "ack": ("other", "Acknowledgements"),
    "app": ("appendix", "Appendix"),
    "app-group": ("appendix", ""),
    "bio": ("other", ""),
    "boxed-text": (None, ""),
    "fn-group": ("other", "Footnotes"),
    "glossary": ("other", "Abbreviations"),
    "notes": (None, ""),
    "ref-list": ("references", "References"),
    "sec": (None, ""),
}
_FIGURES = ("fig", "table-wrap", "supplementary-material", "media")
_GROUPS = ("fig-group", "table-wrap-group", "floats-group")
_CONTAINERS = ("disp-quote", "speech", "statement")
_WITH_LINES = frozenset(
    """list def-list disp-formula disp-formula-group table array code preformat verse-group""".split()  # noqa: SIM905
)
_MAIN_ABSTRACTS = (None, "normal", "section", "structured")
# Parts of an element that are written together with it, or are not printed.
_WRITTEN_WITH_OWNER = frozenset(
    """title label subtitle caption object-id permissions sec-meta alt-text long-desc graphic""".split()  # noqa: SIM905
)


class BodyWriter:
    """Writes elements into a builder; ``floats`` are figures and tables that are apart from the text, by id."""

    def __init__(self, builder: DocumentBuilder, pmcid: str, floats: Mapping[str, Element]) -> None:
        self._builder = builder
        self._pmcid = pmcid
        self._floats = dict(floats)
        self._level = 0
        self._opened = 0

    def write_abstracts(self, meta: Element) -> None:
        """The article's abstracts: the main one first, then summaries and translations."""
        abstracts = children(meta, "abstract", "trans-abstract")
        for abstract in sorted(abstracts, key=lambda each: each.get("abstract-type") not in _MAIN_ABSTRACTS):
            kind = abstract.get("abstract-type")
            heading = "Abstract" if kind in _MAIN_ABSTRACTS else str(kind).replace("-", " ").capitalize()
            self._write_section(abstract, _heading(abstract) or heading, "abstract")

    def write_part(self, part: Element) -> None:
        """Body or back matter; text before the first heading of a body is an introduction when headings follow."""
        is_headed = name(part) == "body" and child(part, "sec") is not None
        kind: SectionKind = "introduction" if is_headed else "other"
        self._builder.add_section("", kind=kind)
        self._write_blocks(part, kind)

    def write_remaining_floats(self) -> None:
        """Figures and tables that the file keeps apart and no paragraph has mentioned."""
        if self._floats:
            self._builder.add_section("Figures and tables", kind="other")
        for key in list(self._floats):
            self._write_block(self._floats.pop(key))

    def _write_section(self, section: Element, heading: str, kind: SectionKind | None) -> None:
        self._level += 1
        self._opened += 1
        hint = section.get("sec-type", "").replace("-", " ")
        self._write_blocks(section, self._builder.add_section(heading, self._level, kind, hint=hint))
        self._level -= 1

    def _write_blocks(self, parent: Element, kind: SectionKind) -> None:
        """The blocks of an element; text after one of its subsections opens a section without heading, of its kind."""
        mine = self._opened
        for block in children(parent):
            if name(block) in _WRITTEN_WITH_OWNER:
                continue
            if self._opened != mine and name(block) not in _PARTS:
                self._builder.add_section("", max(self._level, 1), kind)
                self._opened = mine
            self._write_block(block)

    def _write_block(self, block: Element) -> None:
        tag = name(block)
        if tag in _PARTS:
            kind, heading = _PARTS[tag]
            self._write_section(block, _heading(block) or heading, kind)
        elif tag == "p":
            content = read_paragraph(block)
            for part in content.parts:
                if isinstance(part, str):
                    self._builder.add_paragraph(part)
                else:
                    self._write_block(part)
            for each in content.floats:
                self._write_block(each)
            self._write_mentioned(block)
        elif tag in ("fig", "table-wrap"):
            self._write_figure(block)
        elif tag in _GROUPS:
            self._write_group(block)
        elif tag in ("supplementary-material", "media"):
            self._write_supplement(block)
        elif tag in _CONTAINERS:
            for each in children(block):
                self._write_block(each)
        else:
            self._builder.add_paragraph(_RENDERERS.get(tag, inline_text)(block), keep_lines=tag in _WITH_LINES)
            for paragraph in descendants(block, "p") if tag == "list" else ():
                for each in read_paragraph(paragraph).floats:
                    self._write_block(each)
            self._write_mentioned(block)

    def _write_mentioned(self, block: Element) -> None:
        """Figures and tables kept apart that a block is the first to mention."""
        for mention in descendants(block, "xref"):
            for key in mention.get("rid", "").split():
                if (element := self._floats.pop(key, None)) is not None:
                    self._write_block(element)

    def _write_figure(self, block: Element) -> None:
        """A figure or table: its caption, then a table's cells and notes."""
        self._builder.add_figure(
            line_of(block, "label"),
            caption_text(block),
            kind="table" if name(block) == "table-wrap" else "figure",
            image_urls=image_urls(block, self._pmcid),
        )
        for each in children(block):
            if name(each) == "alternatives":  # the same table in several forms: its cells, else the first with text
                readable = [form for form in children(each) if has_text(form)]
                for form in list(children(each, "table")) or readable[:1]:
                    self._write_block(form)
            elif name(each) == "table-wrap-foot":
                self._builder.add_paragraph(sentences_joined(map(inline_text, children(each))))
            elif name(each) not in _WRITTEN_WITH_OWNER:
                self._write_block(each)

    def _write_group(self, group: Element) -> None:
        """The group's caption with the images of the members that have no caption, then the others."""
        members = list(children(group, *_FIGURES))
        silent = [each for each in members if not (line_of(each, "label") or caption_text(each))]
        urls = (url for each in silent for url in image_urls(each, self._pmcid))
        kind: Literal["figure", "table"] = "table" if name(group) == "table-wrap-group" else "figure"
        self._builder.add_figure(line_of(group, "label"), caption_text(group), kind=kind, image_urls=urls)
        for each in children(group):
            if name(each) not in _WRITTEN_WITH_OWNER:
                self._write_block(each)

    def _write_supplement(self, supplement: Element) -> None:
        """A supplementary file by its label and caption; "Figure S2" counts as a figure."""
        holders = (supplement, *descendants(supplement, "media"))
        label = next(filter(None, (line_of(each, "label") for each in holders)), "")
        texts = [caption_text(each) for each in holders] + [inline_text(each) for each in children(supplement, "p")]
        text = sentences_joined(filter(None, (_BOILERPLATE.sub("", text).strip() for text in texts)))
        if _FIGURE_LABEL.match(label):
            self._builder.add_figure(label, text, image_urls=image_urls(supplement, self._pmcid))
        else:
            self._builder.add_paragraph(sentences_joined(filter(None, (label.rstrip(":"), text))))


def _heading(section: Element) -> str:
    title = line_of(section, "title") or caption_text(section)
    return f"{line_of(section, 'label')} {title}".strip()


# Of any other element only its text is known.
_RENDERERS: Final[Mapping[str, Callable[[Element], str]]] = {
    "list": list_text,
    "def-list": definitions_text,
    "ref": reference_text,
    **dict.fromkeys(("disp-formula", "disp-formula-group"), formula_text),
    **dict.fromkeys(("table", "array"), table_text),
    **dict.fromkeys(("code", "preformat", "verse-group"), raw_text),
}
