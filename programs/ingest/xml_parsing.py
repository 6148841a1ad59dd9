"""Parses XML from strangers: no entities, no network, no depth that a reader could not follow.

A paper names an external DTD in its first lines and that is not read; what would read or multiply text is an error:
entities declared in the file itself (the "billion laughs"), which papers never have.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from lxml import etree

from programs.errors import EmptyFile, IngestError, UnsafeFile
from programs.ingest.decoding import read_bytes

Element: TypeAlias = etree._Element

# The deepest real papers nest about 30 levels, their formulas 20 more.
MAX_DEPTH = 120

# Everything before the first element, where an entity can be declared. NULs are dropped, so UTF-16 hides nothing.
_PROLOG = re.compile(rb"\A.*?<(?=[A-Za-z_])", re.DOTALL)
_ENTITY = b"<!ENTITY"
_LIMIT_MESSAGES = ("entity reference loop", "Excessive depth", "amplification")
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"


def parse(path: str | Path) -> Element:
    """The root element of an XML file, without comments and processing instructions.

    Raises:
        EmptyFile: It holds nothing but white space.
        UnsafeFile: It declares entities, or nests deeper than ``MAX_DEPTH``.
        IngestError: It cannot be opened, is too large, or is not well-formed XML; the reason names line and column.
    """
    data = read_bytes(Path(path))
    if not data.strip():
        raise EmptyFile(path, f"empty ({len(data)} bytes, none of them text)", "check the download or remove the file")
    if _declares_entities(data):
        raise _unsafe(path, "it declares entities of its own")
    try:
        root = etree.fromstring(data, _parser())
    except etree.XMLSyntaxError as error:
        raise _not_parsed(path, error) from error
    document_type = root.getroottree().docinfo.internalDTD
    if document_type is not None and document_type.entities():  # type: ignore[union-attr]  # not in the stubs
        raise _unsafe(path, "it declares entities of its own")
    if deeper_than(root, MAX_DEPTH):
        raise _unsafe(path, f"its elements nest more than {MAX_DEPTH} deep")
    return root


def name(element: Element) -> str:
    """The element's name without its namespace; empty for what is not an element, such as an unresolved entity."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def href(element: Element) -> str:
    """The address that an element points to by ``xlink:href``, or empty."""
    return (element.get(_XLINK_HREF) or element.get("href") or "").strip()


def entity_text(element: Element) -> str:
    """The character that a named entity such as ``&alpha;`` stands for in HTML and MathML, else its name as written."""
    return html.unescape(element.text or "") if element.tag is etree.Entity else ""


def children(element: Element, *names: str) -> Iterator[Element]:
    """The child elements of these names, in order; all child elements without names."""
    return (each for each in element if (tag := name(each)) and (not names or tag in names))


def child(element: Element | None, path: str) -> Element | None:
    """The first element at a path of names such as ``front/article-meta``, whatever its namespace."""
    for step in path.split("/"):
        if element is None:
            return None
        element = next(children(element, step), None)
    return element


def descendants(element: Element, *names: str) -> Iterator[Element]:
    """The elements of these names anywhere inside an element, in document order."""
    return (each for each in element.iterdescendants() if name(each) in names)


def raw_text(element: Element) -> str:
    """All text inside an element as the file holds it."""
    return "".join(map(str, element.itertext()))


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _declares_entities(data: bytes) -> bool:
    """Whether an entity is declared before the root element; the parsed document is checked as well."""
    prolog = _PROLOG.match(data.replace(b"\0", b"")[: 2**20])
    return prolog is not None and _ENTITY in prolog[0]


def _not_parsed(path: str | Path, error: etree.XMLSyntaxError) -> IngestError:
    message = error.msg or "no XML"
    if any(sign in message for sign in _LIMIT_MESSAGES):
        return _unsafe(path, message)
    line, column = error.position
    return IngestError(
        path,
        f"not well-formed XML at line {line}, column {column}: {message.partition(', line ')[0]}",
        "download the file again; it may be cut off or in another encoding than it declares",
    )


def _unsafe(path: str | Path, reason: str) -> UnsafeFile:
    return UnsafeFile(path, reason, "get the file from its publisher or PubMed Central, or remove it")


def deeper_than(root: Element, most: int) -> bool:
    """Whether elements nest deeper than ``most`` levels, the root included."""
    depth, level = 0, [root]
    while level and depth <= most:
        depth += 1
        level = [each for element in level for each in element]
    return depth > most
