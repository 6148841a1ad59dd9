"""Takes out of a page what its reader does not see, and what is not part of the paper.

Scripts, styles, hidden text, navigation, forms, frames. What is left is the paper's own element where the page marks
one, else the whole page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from programs.ingest.xml_parsing import Element, descendants, name

_NEVER_SHOWN: Final = frozenset(
    """head script style template noscript iframe frame frameset object embed applet canvas audio video svg map area
    datalist source track param link meta base title dialog""".split()  # noqa: SIM905
)
_NO_PAPER: Final = frozenset("nav footer aside form button select textarea input menu progress meter".split())  # noqa: SIM905
_ROLES: Final = frozenset(
    """alert banner complementary contentinfo dialog form menu menubar navigation search status toolbar tooltip
    button""".split()  # noqa: SIM905
)
# Classes that common style sheets hide from the eye, or that stand for what a page has around a paper.
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
    """The element that holds the paper, without what is not shown; the tree is changed."""
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
    """Whether declarations hide their text; white letters do not on a ground of their own."""
    found = _HIDING.search(style)
    return found is not None and not ("color" in found[0].lower() and _COLOUR_ALONE.search(style))


def _hiding_selectors(root: Element) -> Iterator[re.Match[str]]:
    """The simple selectors of rules that hide; those of print and narrow screens are another page's."""
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
