"""Decodes text and parses XML from strangers: no guesses, no entities, no network, no depth that could not be followed.

The encoding of a text is never guessed: UTF-8, or UTF-16 where a byte order mark says so. A wrong guess would put
characters into quotes that the paper does not have.

A paper names an external DTD in its first lines and that is not read; what would read or multiply text is an error:
entities declared in the file itself (the "billion laughs"), which papers never have.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from programs.errors import EmptyFile, IngestError, UnsafeFile, UnsupportedFormat

if TYPE_CHECKING:
    from lxml import etree

# The longest books have some 5 MB of text; more than this is data. Checked before a byte is read.
MAX_BYTES = 64 * 2**20

# Text has tabs, line ends and form feeds, and few other control characters; binary data has one in every eight bytes.
_ALLOWED_CONTROLS = frozenset(b"\t\n\r\f\x0b\x1b\x08\x1a")
_MAX_CONTROL_SHARE = 0.01
_SAMPLE_BYTES = 2**16

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(path: str | Path) -> str:
    r"""The text of a file, with ``\n`` line ends and without its byte order mark.

    Raises:
        EmptyFile: It holds nothing but white space.
        UnsupportedFormat: It is binary data under a text file's name.
        IngestError: It cannot be opened, is larger than ``MAX_BYTES``, or is in another encoding.
    """
    path = Path(path)
    data = read_bytes(path)
    encoding = "utf-16" if data.startswith(_UTF16_MARKS) else "utf-8"
    sample = data[:_SAMPLE_BYTES]
    controls = sum(byte < 0x20 and byte not in _ALLOWED_CONTROLS for byte in sample)
    if encoding == "utf-8" and (b"\0" in sample or controls > _MAX_CONTROL_SHARE * len(sample)):
        raise UnsupportedFormat(path, f"binary data under the ending {path.suffix!r}", "give the file its right ending")
    try:
        text = data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise IngestError(
            path,
            f"not {encoding.upper()}: byte 0x{data[error.start]:02x} at offset {error.start} ({error.reason})",
            f"convert it, such as with `iconv -f LATIN1 -t UTF-8 {path.name}`",
        ) from error
    if not text.strip():
        raise _empty(path, data)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path, most: float = MAX_BYTES) -> bytes:
    """The file's bytes; an ``IngestError`` when it is larger than ``most``, checked first, or cannot be opened."""
    try:
        size = path.stat().st_size
        if size > most:
            reason = f"{size / 2**20:.0f} MiB is larger than the limit of {most / 2**20:.0f} MiB for one paper"
            raise IngestError(path, reason, "split it into one file per paper")
        return path.read_bytes()
    except OSError as error:
        raise IngestError(path, f"cannot be read ({error.strerror})", "check the path and its permissions") from error


def _empty(path: str | Path, data: bytes) -> EmptyFile:
    return EmptyFile(path, f"empty ({len(data)} bytes, none of them text)", "check the download or remove the file")


Element: TypeAlias = "etree._Element"

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
    from lxml import etree

    data = read_bytes(Path(path))
    if not data.strip():
        raise _empty(path, data)
    prolog = _PROLOG.match(data.replace(b"\0", b"")[: 2**20])
    if prolog is not None and _ENTITY in prolog[0]:
        raise _unsafe(path, "it declares its own entities")
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        message, (line, column) = error.msg or "no XML", error.position
        if any(sign in message for sign in _LIMIT_MESSAGES):
            raise _unsafe(path, message) from error
        raise IngestError(
            path,
            f"not well-formed XML at line {line}, column {column}: {message.partition(', line ')[0]}",
            "download the file again; it may be cut off or in another encoding than it declares",
        ) from error
    document_type = root.getroottree().docinfo.internalDTD
    if document_type is not None and document_type.entities():  # type: ignore[union-attr]  # not in the stubs
        raise _unsafe(path, "it declares its own entities")
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
    from lxml import etree

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


def _unsafe(path: str | Path, reason: str) -> UnsafeFile:
    return UnsafeFile(path, reason, "get the file from its publisher or PubMed Central, or remove it")


def deeper_than(root: Element, most: int) -> bool:
    """Whether elements nest deeper than ``most`` levels, the root included."""
    depth, level = 0, [root]
    while level and depth <= most:
        depth += 1
        level = [each for element in level for each in element]
    return depth > most
