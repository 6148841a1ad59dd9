"""Parses HTML from strangers into a tree of limited size and depth, and takes out what its reader does not see.

Removed are scripts, styles, hidden text, navigation, forms and frames. What is left is the paper's own element where
the page marks one, else the whole page. Nothing is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from lxml import etree

from programs.errors import EmptyFile, IngestError, UnsafeFile
from programs.ingest.decoding import decode, read_bytes
from programs.ingest.xml_parsing import MAX_DEPTH, Element, deeper_than, descendants, name

MOST_ELEMENTS = 500_000
"""A paper's page has about 10,000, most of them in its references."""

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
    """The root element of HTML given as text; the path is named in errors."""
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
    """The page's text, decoded as it states, else as UTF-8, or UTF-16 with a byte order mark."""
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


_NEVER_SHOWN: Final = frozenset(
    """head script style template noscript iframe frame frameset object embed applet canvas audio video svg map area
    datalist source track param link meta base title dialog""".split()  # noqa: SIM905
)
_NO_PAPER: Final = frozenset("nav footer aside form button select textarea input menu progress meter".split())  # noqa: SIM905
_ROLES: Final = frozenset(
    """alert banner complementary contentinfo dialog form menu menubar navigation search status toolbar tooltip
    button""".split()  # noqa: SIM905
)
# Classes that common style sheets hide, or that mark what surrounds a paper on its page.
_CLASSES: Final = frozenset(
    """sr-only visually-hidden visuallyhidden screen-reader-text screenreader-only u-visually-hidden hidden d-none
    is-hidden hide offscreen noprint no-print breadcrumb breadcrumbs cookie-banner cookie-notice skip-link
    mw-editsection""".split()  # noqa: SIM905
)
_HIDING = re.compile(
    r"""display\s*:\s*none | visibility\s*:\s*(?:hidden|collapse) | opacity\s*:\s*0*\.?0*\s*(?:;|!|$)
      | font-size\s*:\s*0*\.?0*(?:px|pt|em|rem|%)?\s*(?:;|!|$) | (?:text-indent|left|top)\s*:\s*-\d{3,}
      | clip\s*:\s*rect\(\s*[01]?(?:px)?[\s,]+[01]?(?:px)?[\s,]+[01]?(?:px)?[\s,]+[01]?(?:px)?\s*\)
      | (?:^|;|\{|\s)color\s*:\s*(?:transparent|\#fff(?:fff)?\b|white\b|rgba?\(\s*255\s*,\s*255\s*,\s*255)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COLOUR_ALONE = re.compile(r"background", re.IGNORECASE)
_AT_BLOCK = re.compile(r"@[^{};]{0,500}\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_RULE = re.compile(r"([^{}]{1,2000})\{([^{}]*)\}")
_SIMPLE_SELECTOR = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?:\.(?P<cls>[\w-]+)|\#(?P<id>[\w-]+))?", re.IGNORECASE)
_MOST_STYLE = 2**20
_MOST_OF_TEXT = 0.5


def shown_paper(root: Element) -> Element:
    """The element that holds the paper, without what is not shown; the tree is modified."""
    hidden = _Hidden(root)
    for element in list(root.iter()):
        if element is not root and (not name(element) or hidden.holds(element)):
            _take_out(element)
    return _paper(root)


class _Hidden:
    """Tells which elements a page does not show, by their names, attributes and simple rules of its style sheets."""

    def __init__(self, root: Element) -> None:
        rules = list(_hiding_selectors(root))
        self._selectors = {(rule["tag"] or "", rule["cls"] or "", rule["id"] or "") for rule in rules}

    def holds(self, element: Element) -> bool:
        tag = name(element)
        if tag in _NEVER_SHOWN or tag in _NO_PAPER or (tag == "header" and not _inside(element, ("article", "main"))):
            return True
        if element.get("hidden") is not None or element.get("aria-hidden") == "true":
            return True
        classes = (element.get("class") or "").split()
        if element.get("role") in _ROLES or not _CLASSES.isdisjoint(classes) or _hides(element.get("style") or ""):
            return True
        return bool(self._selectors) and self._is_selected(element, tag, classes)

    def _is_selected(self, element: Element, tag: str, classes: list[str]) -> bool:
        key = element.get("id") or "\0"
        names = ((each, cls, "") for each in (tag, "") for cls in classes)
        own = [(tag, "", ""), (tag, "", key), ("", "", key), *names]
        return not self._selectors.isdisjoint(own)


def _hides(style: str) -> bool:
    """Whether declarations hide their text; white text with a background of its own is visible."""
    found = _HIDING.search(style)
    return found is not None and not ("color" in found[0].lower() and _COLOUR_ALONE.search(style))


def _hiding_selectors(root: Element) -> Iterator[re.Match[str]]:
    """The simple selectors of rules that hide; those for print and narrow screens are ignored."""
    for sheet in descendants(root, "style"):
        text = _AT_BLOCK.sub("", re.sub(r"/\*.*?\*/", "", (sheet.text or "")[:_MOST_STYLE], flags=re.DOTALL))
        for selectors, declarations in _RULE.findall(text):
            if _hides(declarations):
                found = (_SIMPLE_SELECTOR.fullmatch(each.strip()) for each in selectors.split(","))
                yield from (each for each in found if each and each[0] not in ("", "html", "body"))


def _take_out(element: Element) -> None:
    """Remove an element; the text after it stays."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _paper(root: Element) -> Element:
    """The one ``article`` or ``main`` that holds most of the page's text, else the page."""
    whole = _length(root)
    for tag in ("article", "main"):
        marked = [each for each in descendants(root, tag) if not _inside(each, (tag,))]
        longest = max(marked, key=_length, default=None)
        if longest is not None and _length(longest) > _MOST_OF_TEXT * whole:
            return longest
    return next(descendants(root, "body"), root)


def _length(element: Element) -> int:
    return sum(map(len, element.itertext()))


def _inside(element: Element, names: tuple[str, ...]) -> bool:
    return any(name(each) in names for each in element.iterancestors())
