"""Reads TEI, the XML in which GROBID writes what it finds in a PDF; its elements become those of JATS.

    <div><head n="1">Results</head><p>Ten mice <ref type="bibr">[3]</ref> …</p></div>
    <sec><title>1 Results</title><p>Ten mice <xref ref-type="bibr">[3]</xref> …</p></sec>

The reference list is left out: it is not evidence, and GROBID has taken it to pieces.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from lxml import etree

from programs.errors import NoText
from programs.ingest.decoding import Element, child, children, descendants, name, parse, raw_text
from programs.ingest.document import Document, DocumentBuilder, Front
from programs.ingest.front_matter import find_doi, year_of
from programs.ingest.jats.body import BodyWriter
from programs.ingest.jats.inline import inline_text, line_of

_NAMES: Final = {
    "div": "sec",
    "head": "title",
    "row": "tr",
    "cell": "td",
    "item": "list-item",
    "lb": "break",
    "formula": "p",
    "note": "p",
    "quote": "disp-quote",
}
_HEADING_OF: Final = {"acknowledgement": "Acknowledgements", "funding": "Funding", "annex": "Appendix"}
_RAISED: Final = {"superscript": "sup", "subscript": "sub"}


def read(path: str | Path) -> Document:
    """Read a TEI file; errors are of the classes that ``formats.read`` names."""
    path = Path(path)
    root = parse(path)
    front = _front(root)
    builder = DocumentBuilder()
    writer = BodyWriter(builder, "", {})
    for abstract in descendants(root, "abstract"):
        if inline_text(abstract):
            builder.add_section("Abstract", kind="abstract")
            for paragraph in list(descendants(abstract, "p")) or [abstract]:
                builder.add_paragraph(inline_text(_as_jats(paragraph)))
    body = etree.Element("body")
    for part in descendants(root, "body", "back"):
        body.extend(_as_jats(each) for each in children(part) if each.get("type") != "references")
    writer.write_part(body)
    if builder.is_empty:
        raise NoText(path, "neither abstract nor body in this TEI file", "convert its PDF again, or give the PDF")
    return builder.build(id=path.stem.removesuffix(".tei"), source=path.name, **front.fields())


def _front(root: Element) -> Front:
    header = child(root, "teiHeader/fileDesc")
    source = child(header, "sourceDesc/biblStruct")
    dates = (date for part in (source, header) if part is not None for date in descendants(part, "date"))
    analytic = child(source, "analytic")  # the paper, not the works that it cites
    people = (child(each, "persName") for each in (() if analytic is None else children(analytic, "author")))
    names = ([_joined(person, part) for part in ("surname", "forename")] for person in people if person is not None)
    return Front(
        title=line_of(header, "titleStmt/title"),
        authors=tuple(", ".join(filter(None, name)) for name in names),
        year=next(filter(None, (year_of(each.get("when") or raw_text(each)) for each in dates)), None),
        journal=line_of(source, "monogr/title"),
        doi="" if source is None else find_doi(" ".join(map(raw_text, descendants(source, "idno")))),
    )


def _joined(element: Element, part: str) -> str:
    return " ".join(" ".join(map(raw_text, children(element, part))).split())


def _as_jats(element: Element) -> Element:
    """An element and what is in it, by the names of JATS."""
    tag, kind = name(element), element.get("type", "")
    if tag == "figure":
        return _figure(element)
    converted = etree.Element(_RAISED.get(element.get("rend", ""), "") or _NAMES.get(tag, tag))
    if tag == "ref" and kind in ("bibr", "figure", "table"):
        converted = etree.Element("xref", {"ref-type": {"bibr": "bibr", "figure": "fig", "table": "table"}[kind]})
    number = element.get("n", "") if tag == "head" else ""
    converted.text = f"{number} {element.text or ''}".strip() if number else element.text
    if span := element.get("cols"):
        converted.set("colspan", span)
    if tag == "div" and child(element, "head") is None and kind in _HEADING_OF and child(element, "div") is None:
        etree.SubElement(converted, "title").text = _HEADING_OF[kind]
    for each in children(element):
        inner = _as_jats(each)
        inner.tail = each.tail
        converted.append(inner)
    return converted


def _figure(element: Element) -> Element:
    """A figure or table with its label, caption and cells."""
    is_table = element.get("type") == "table"
    converted = etree.Element("table-wrap" if is_table else "fig")
    head, number = _joined(element, "head"), _joined(element, "label")
    is_label = head.lower().startswith(("fig", "tab"))
    label = f"{'Table' if is_table else 'Figure'} {number}" if number else head if is_label else ""
    etree.SubElement(converted, "label").text = label
    caption = etree.SubElement(converted, "caption")
    if head and not is_label:
        etree.SubElement(caption, "title").text = head
    for each in children(element, "figDesc"):
        text = inline_text(each)
        etree.SubElement(caption, "p").text = text.removeprefix(label).lstrip(" .:") if label else text
    converted.extend(_as_jats(each) for each in children(element, "table"))
    return converted
