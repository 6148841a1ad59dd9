"""Parses HTML from strangers into a tree of a size and depth that a reader can follow. Nothing is loaded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, cast

from lxml import etree

from programs.errors import EmptyFile, IngestError, UnsafeFile
from programs.ingest.decoding import decode
from programs.ingest.xml_parsing import MAX_DEPTH, Element, deeper_than, read_bytes

MOST_ELEMENTS = 500_000
"""A page of a paper has some 10,000, most of them in its references."""

# Names of encodings as pages state them (https://encoding.spec.whatwg.org), and what Python calls them.
_ENCODINGS: Final = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "windows-1252": "cp1252",
    "iso-8859-2": "iso-8859-2",
    "iso-8859-15": "iso-8859-15",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "koi8-r": "koi8-r",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "big5": "big5",
    "shift_jis": "shift_jis",
    "euc-jp": "euc-jp",
    "euc-kr": "euc-kr",
}
_STATED = re.compile(rb"<(?:meta|\?xml)\s[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_HEAD_BYTES = 4096


def parse_html(path: Path) -> Element:
    """The root element of an HTML file, without comments.

    Raises:
        EmptyFile, UnsafeFile, IngestError: See ``programs.ingest.html.read``.
    """
    return parse_text(path, _text(path))


def parse_text(path: Path, text: str) -> Element:
    """The root element of HTML that is text already; the path is named in errors."""
    parser = etree.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, encoding="utf-8")
    try:
        root = cast("Element | None", etree.fromstring(text.replace("\0", "").encode(), parser))
    except etree.XMLSyntaxError as error:
        raise EmptyFile(path, f"no HTML in it ({error.msg})", "save the page again") from error
    if root is None:
        raise EmptyFile(path, "no HTML in it", "save the page again")
    _check_size(path, root)
    return root


def _check_size(path: Path, root: Element) -> None:
    if deeper_than(root, MAX_DEPTH):
        raise _unsafe(path, f"its elements nest more than {MAX_DEPTH} deep")
    if any(number >= MOST_ELEMENTS for number, _ in enumerate(root.iter())):
        raise _unsafe(path, f"it has more than {MOST_ELEMENTS:,} elements")


def _unsafe(path: Path, reason: str) -> UnsafeFile:
    return UnsafeFile(path, reason, "get the paper as PDF or JATS XML")


def _text(path: Path) -> str:
    """The page's text: in the encoding that it states, else UTF-8, or UTF-16 with its mark."""
    data = read_bytes(path)
    stated = _STATED.search(data[:_HEAD_BYTES])
    label = stated[1].decode("ascii", "replace").lower() if stated else ""
    if label not in _ENCODINGS:
        return decode(path)
    try:
        return data.decode(_ENCODINGS[label])
    except UnicodeDecodeError as error:
        reason = f"not {label}, as it says it is: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise IngestError(path, reason, "save the page again as UTF-8") from error
