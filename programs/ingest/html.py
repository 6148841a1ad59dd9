"""Reads HTML: papers saved from a publisher's page, and what other programs write as HTML.

Bytes become a tree within limits; what is not shown or not part of the paper is taken out: a page is never trusted, so
scripts, styles, hidden text, navigation, forms and frames are not evidence, and nothing that it points to is loaded.
``html_blocks`` gives its blocks as JATS, which the JATS reader writes into a document. What the page's head says about
the paper (the tags that Google Scholar and Dublin Core define) is read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from lxml import etree

from programs.errors import EmptyFile, IngestError, NoText, UnsafeFile
from programs.ingest.decoding import MAX_DEPTH, Element, decode, deeper_than, descendants, name, raw_text, read_bytes
from programs.ingest.document import Document, DocumentBuilder, Front, says_retracted
from programs.ingest.front_matter import (
    completed,
    family_first,
    find_doi,
    find_pmcid,
    printed_authors,
    split_authors,
    split_authors_below,
    split_rest,
    title_place,
    year_of,
)
from programs.ingest.html_blocks import AUTHOR_SIGNS, HEADINGS, LEVEL, HtmlBlock, blocks_of, names_of, write_blocks
from programs.ingest.jats.inline import HTML_BLOCKS

MOST_ELEMENTS = 500_000
"""A paper's page has about 10,000, most of them in its references."""

# Names of encodings as pages state them (https://encoding.spec.whatwg.org), and what Python calls them.
_ENCODINGS: Final = {
    **dict.fromkeys(("iso-8859-1", "latin1", "us-ascii", "windows-1252"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk", "gb18030"), "gb18030"),
    **{each: each for each in ("iso-8859-2", "iso-8859-15", "windows-1250", "windows-1251", "koi8-r")},
    **{each: each for each in ("big5", "shift_jis", "euc-jp", "euc-kr")},
}
_STATED = re.compile(rb"<(?:meta|\?xml)\s[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
_HEAD_BYTES = 4096


def parse_text(path: Path, text: str) -> Element:
    """The root element of HTML given as text; the path is named in errors."""
    parser = etree.HTMLParser(no_network=True, remove_comments=True, remove_pis=True, huge_tree=False, encoding="utf-8")
    try:
        root = cast("Element | None", etree.fromstring(text.replace("\0", "").encode(), parser))
    except etree.XMLSyntaxError as error:
        raise EmptyFile(path, f"no HTML in it ({error.msg})", "save the page again") from error
    if root is None:
        raise EmptyFile(path, "no HTML in it", "save the page again")
    is_deep = deeper_than(root, MAX_DEPTH)
    if is_deep or any(number >= MOST_ELEMENTS for number, _ in enumerate(root.iter())):
        too_many = f"it has more than {MOST_ELEMENTS:,} elements"
        reason = f"its elements nest more than {MAX_DEPTH} deep" if is_deep else too_many
        raise UnsafeFile(path, reason, "get the paper as PDF or JATS XML")
    return root


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
    datalist source track param link meta base title dialog del s strike""".split()  # noqa: SIM905
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
    mw-editsection recommendations advertisement""".split()  # noqa: SIM905
)
_AROUND = re.compile(
    r"(?:.*[-_])?(?:(?:related|similar|recommended|suggested|citing|popular|trending)[-_]?"
    r"(?:articles?|contents?|papers?|items?|links?|readings?|publications?)|cited[-_]?by|also[-_]?(?:viewed|read)"
    r"|article[-_]?recommendations?)(?:[-_].*)?",
    re.IGNORECASE,
)
"""How classes and ids call what a site offers beside a paper, whatever is before and behind that."""
_HIDING = re.compile(
    r"""display\s*:\s*none | visibility\s*:\s*(?:hidden|collapse) | opacity\s*:\s*0*\.?0*\s*(?:;|!|$)
      | font-size\s*:\s*0*\.?0*(?:px|pt|em|rem|%)?\s*(?:;|!|$) | (?:text-indent|left|top)\s*:\s*-\d{3,}
      | clip\s*:\s*rect\(\s*[01]?(?:px)?[\s,]+[01]?(?:px)?[\s,]+[01]?(?:px)?[\s,]+[01]?(?:px)?\s*\)
      | (?:^|;|\{|\s)color\s*:\s*(?:transparent|\#fff(?:fff)?\b|white\b|rgba?\(\s*255\s*,\s*255\s*,\s*255)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HIDDEN = "hidden"
_COLOUR_ALONE = re.compile(r"background", re.IGNORECASE)
_AT_BLOCK = re.compile(r"@[^{};]{0,500}\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_SIMPLE_SELECTOR = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?:\.(?P<cls>[\w-]+)|\#(?P<id>[\w-]+))?", re.IGNORECASE)
_MOST_STYLE = 2**20
_MOST_OF_TEXT = 0.5


# How a style raises or lowers letters, and what classes that do so are called.
_LEVEL = re.compile(
    r"(?:vertical-align|font-variant-position)\s*:\s*(super|sub)\b"
    r"|position\s*:\s*relative\s*;[^{}]{0,200}?(?:top\s*:\s*-|bottom\s*:\s*)0?\.[2-9]\d*em",
    re.IGNORECASE,
)
_LEVEL_CLASS = re.compile(r"(?:.*[-_])?(sup)(?:erscript)?|(sub)(?:script)?|.*[-_](sub)script", re.IGNORECASE)
_LONGEST_MARK = 30
_Selector: TypeAlias = tuple[str, str, str]
"""The name, class and id of a simple selector; empty where it names none."""


def shown_paper(root: Element) -> Element:
    """The element that holds the paper, without what is not shown; the tree is modified."""
    _show(root)
    # A page may be one form, as some servers write all of theirs.
    most = _MOST_OF_TEXT * _length(root)
    _strip(root, lambda each: _is_outside(each) and not (name(each) == "form" and _length(each) > most))
    return _paper(root)


def _show(root: Element) -> None:
    """Take out what is not seen of a page, by names, attributes and simple rules of its style sheets.

    What its styles raise or lower is marked as such.
    """
    ruled = list(_ruled(root))
    hidden = {selector for selector, declared in ruled if _hides(declared)}
    levels = {selector: level for selector, declared in ruled if (level := _level(declared))}

    def is_unseen(element: Element) -> bool:
        classes, style, tag = (element.get("class") or "").split(), element.get("style") or "", name(element)
        key = element.get("id") or "\0"
        named = ((each, cls, "") for each in (tag, "") for cls in classes)
        selectors = [(tag, "", ""), (tag, "", key), ("", "", key), *named]
        if tag in _NEVER_SHOWN or element.get("hidden") is not None or element.get("aria-hidden") == "true":
            return True
        named_so = (found[1] or found[2] or found[3] for found in map(_LEVEL_CLASS.fullmatch, classes) if found)
        said = (_level(style), *map(levels.get, selectors), *map(str.lower, named_so))
        if (level := next(filter(None, said), None)) and _length(element) <= _LONGEST_MARK:
            element.set(LEVEL, level)
        return _hides(style) or not hidden.isdisjoint(selectors)

    _strip(root, is_unseen)


def _strip(root: Element, is_out: Callable[[Element], bool]) -> None:
    for element in list(root.iter()):
        if element is not root and name(element) and is_out(element):
            element.tag = _HIDDEN
    etree.strip_elements(root, _HIDDEN, with_tail=False)


def _is_outside(element: Element) -> bool:
    """Whether an element is around the paper on its page: navigation, forms, and what is offered beside it."""
    tag = name(element)
    if tag == "button" and (_holds_author(element) or _is_in_text(element)):
        return False
    is_head = tag == "header" and not _inside(element, ("article", "main"))
    is_named = tag in _NO_PAPER or element.get("role") in _ROLES
    classes = (element.get("class") or "").split()
    is_around = any(map(_AROUND.fullmatch, (*classes, element.get("id") or "")))
    return is_head or is_named or is_around or not _CLASSES.isdisjoint(classes)


def _level(style: str) -> str:
    """Whether declarations raise ("sup") or lower ("sub") what they are for; empty for neither."""
    found = _LEVEL.search(style)
    return "" if found is None else "sub" if (found[1] or "").lower() == "sub" else "sup"


def _is_in_text(button: Element) -> bool:
    """Whether a button is a heading, as where sections fold, or is in a sentence: its words are the paper's."""
    parent, before = button.getparent(), button.getprevious()
    if parent is None or name(parent) in HEADINGS:
        return parent is not None
    said = (parent.text if before is None else before.tail) or ""
    return name(parent) == "p" and bool(said.strip())


def _holds_author(button: Element) -> bool:
    """Whether a button shows an author's name, among the authors."""
    marked = (f"{each.get('class')} {each.get('id')}".lower() for each in (button, *islice(button.iterancestors(), 4)))
    return any(sign in each for each in marked for sign in AUTHOR_SIGNS) and bool(printed_authors(names_of(button))[0])


def _hides(style: str) -> bool:
    """Whether declarations hide their text; white text with its own background is visible."""
    found = _HIDING.search(style)
    return found is not None and not ("color" in found[0].lower() and _COLOUR_ALONE.search(style))


def _ruled(root: Element) -> Iterator[tuple[_Selector, str]]:
    """The simple selectors of style sheets with what they declare; rules for print and narrow screens are ignored."""
    for sheet in descendants(root, "style"):
        text = _AT_BLOCK.sub("", re.sub(r"/\*.*?\*/", "", (sheet.text or "")[:_MOST_STYLE], flags=re.DOTALL))
        for rule in text.split("}")[:-1]:
            before, _, declarations = rule.rpartition("{")
            found = (_SIMPLE_SELECTOR.fullmatch(each.strip()) for each in before.rpartition("{")[2].split(","))
            named = (each for each in found if each and each[0] not in ("", "html", "body"))
            yield from (((each["tag"] or "", each["cls"] or "", each["id"] or ""), declarations) for each in named)


def _paper(root: Element) -> Element:
    """The one ``article`` or ``main`` that holds most of the page's text, else the page."""
    whole = _length(root)
    for tag in ("article", "main"):
        marked = [each for each in descendants(root, tag) if not _inside(each, (tag,))]
        longest = max(marked, key=_length, default=None)
        if longest is not None and _length(longest) > _MOST_OF_TEXT * whole:
            return longest
    return next(descendants(root, "body"), root)


def _lead(paper: Element) -> Element:
    """What a page shows before the element that holds its paper."""
    lead = etree.Element("div")
    for outer in reversed([paper, *paper.iterancestors()][:-1]):
        lead.extend(deepcopy(each) for each in reversed(list(outer.itersiblings(preceding=True))))
    return lead


def _length(element: Element) -> int:
    return sum(map(len, element.itertext()))


def _inside(element: Element, names: tuple[str, ...]) -> bool:
    return any(name(each) in names for each in element.iterancestors())


# Names of the window's title and of the page's own address; those of ``meta`` elements are in small letters.
_WINDOW, _ADDRESS = "TITLE", "LINK"
_TITLES = ("citation_title", "dc.title", "dcterms.title")
_AUTHORS = ("citation_author", "dc.creator", "dcterms.creator")
_DATES = ("citation_publication_date", "citation_online_date", "citation_date", "dc.date", "dcterms.issued", "date")
_JOURNALS = ("citation_journal_title", "prism.publicationname", "dc.source")
_DOIS = ("citation_doi", "prism.doi", "dc.identifier", "doi")
# "Cold and yeast | Journal of Cold", "… - PMC", "… – PLOS ONE": what a site adds to the title of its page.
_SITE = re.compile(r"\s+[|–—]\s+[^|–—]{1,60}$|\s+-\s+[^-]{1,40}$")


def read(path: str | Path) -> Document:
    """Read an HTML file; errors are of the classes that ``formats.read`` names."""
    path = Path(path)
    return document_of(path, parse_text(path, _text(path)))


def document_of(path: Path, root: Element) -> Document:
    """The document of a parsed page; the page's tree is modified."""
    said = _said(root)
    stated = _front(root, said)
    _show(root)
    retracted = dict.fromkeys(filter(says_retracted, _naming_retraction(root)))
    window = next(_values(said, "og:title", _WINDOW), "")
    return document_of_paper(path, shown_paper(root), stated, window=window, notices=retracted)


def document_of_paper(
    path: Path,
    paper: Element,
    stated: Front,
    *,
    is_page: bool = True,
    window: str = "",
    opening: str = "",
    notices: Iterable[str] = (),
) -> Document:
    """The document of an element that holds a paper and nothing that is not shown.

    Args:
        path: Of the file.
        paper: Of HTML.
        stated: What the file says of its paper.
        is_page: Whether a site may have put its own beside the paper.
        window: The title of the page's window, for a paper without one.
        opening: The text in which year and DOI are looked for; by default the first blocks.
        notices: What is said of the paper elsewhere on its page.
    """
    blocks = blocks_of(paper)
    place = _place_of(stated.title, blocks, is_page=is_page)
    if place is None and (lead := blocks_of(_lead(paper))):
        place = _place_of(stated.title, lead, is_page=is_page)
        blocks = blocks if place is None else [*lead, *blocks]
        stated = stated if place is None else replace(stated, title=stated.title or lead[place].text)
    blocks, rest = split_rest(blocks, is_page=is_page)
    above = blocks[:place] if stated.title and place is not None else []
    title = stated.title or ("" if place is None else blocks[place].text)
    if place is not None:
        blocks = blocks[len(above) : place] + blocks[place + 1 :]
    authors, around, blocks = split_authors_below(blocks)
    around = [*above, *around]
    builder = DocumentBuilder()
    builder.add_notices([*notices, *(block.text for block in around)])
    write_blocks(builder, blocks)
    builder.add_notices([block.text for block in rest])
    if not any(block.text for block in blocks):
        raise NoText(
            path, "no text that a reader of this page would see", "save the page again, or get the paper as PDF"
        )
    opening = opening or "\n".join(block.text for block in [*around, *blocks])
    pmcid = find_pmcid(stated.pmcid) or find_pmcid(path.stem) or (find_pmcid(stated.url) if is_page else "")
    front = completed(stated, title or window, authors, opening, pmcid)
    return builder.build(id=pmcid or path.stem, source=path.name, **front)


def _place_of(stated: str, blocks: Sequence[HtmlBlock], *, is_page: bool) -> int | None:
    """Index of the title that the file states, else of what looks like one; a page may print its title otherwise."""
    wanted = "".join(stated.casefold().split())
    same = (place for place, block in enumerate(blocks) if "".join(block.text.casefold().split()) == wanted)
    found = next(same, None) if wanted else None
    return title_place(blocks) if found is None and (is_page or not wanted) else found


_RETRACTION = re.compile(r"retract|withdrawn", re.IGNORECASE)
_LINK = re.compile(r"(?:(?:view|see|read) )?(?:the )?retraction", re.IGNORECASE)
_MOST_PIECES, _LONGEST_PIECE = 40, 1000


def _naming_retraction(root: Element) -> Iterator[str]:
    """The texts of short blocks that have a word for it; a link to a retraction as what it says of its page."""
    for element in root.iter():
        for own, holder in ((element.text, element), (element.tail, element.getparent())):
            if not own or holder is None or not _RETRACTION.search(own):
                continue
            blocks = (each for each in (holder, *holder.iterancestors()) if name(each) in ("a", *HTML_BLOCKS))
            block = next(blocks, holder)
            pieces = (piece[:_LONGEST_PIECE] for piece in islice(block.itertext(), _MOST_PIECES))
            text = " ".join("".join(map(str, pieces)).split())
            yield "Retraction notice" if name(block) == "a" and _LINK.fullmatch(text) else text


def _said(root: Element) -> dict[str, list[str]]:
    """What the page's ``meta``, ``title`` and ``link`` elements say of its paper, by name."""
    said: dict[str, list[str]] = {}
    for meta in descendants(root, "meta"):
        key = (meta.get("name") or meta.get("property") or "").lower()
        if value := " ".join((meta.get("content") or "").split()):
            said.setdefault(key, []).append(value)
    window = next(descendants(root, "title"), None)
    if title := _SITE.sub("", " ".join(raw_text(window).split())) if window is not None else "":
        said[_WINDOW] = [title]
    links = (each for each in descendants(root, "link") if (each.get("rel") or "").lower() == "canonical")
    address = next((each.get("href") or "" for each in links), "").strip()
    return {**said, _ADDRESS: [address]} if re.match(r"https?://", address) else said


def _front(root: Element, said: dict[str, list[str]]) -> Front:
    each_alone = [said[key] for key in _AUTHORS if key in said][:1]
    joined = said.get("citation_authors") or said.get("author") or []
    names = [name.strip() for values in each_alone for value in values for name in value.split(";") if name.strip()]
    authors = tuple(map(family_first, names)) if each_alone else tuple(chain(*map(split_authors, joined)))
    return Front(
        title=next(_values(said, *_TITLES), ""),
        authors=authors or tuple(_linked_authors(root)),
        year=next(filter(None, map(year_of, _values(said, *_DATES))), None),
        journal=next(_values(said, *_JOURNALS), ""),
        doi=next(filter(None, map(find_doi, _values(said, *_DOIS))), ""),
        url=next(_values(said, _ADDRESS), ""),
    )


def _linked_authors(root: Element) -> Iterator[str]:
    """The authors in the page's JSON-LD (https://schema.org/ScholarlyArticle), in order, each once."""
    for script in descendants(root, "script"):
        if (script.get("type") or "").strip().lower() != "application/ld+json":
            continue
        try:
            stated = json.loads(raw_text(script))
        except (ValueError, RecursionError):
            continue  # what a site writes for search engines may be broken; the page itself is read
        articles = (each for each in _items(stated) if _is_a(each, "Article"))
        found = [each for item in articles for each in _listed(item.get("author"))]
        if names := dict.fromkeys(filter(None, map(_person, found))):
            yield from names
            return


def _items(stated: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - JSON
    """The objects at the top of JSON-LD, in its graph, and what they say that they are about."""
    for item in _listed(stated):
        if isinstance(item, dict):
            yield item
            yield from _items([each for key in ("@graph", "mainEntity") for each in _listed(item.get(key))])


def _is_a(item: dict[str, Any], kind: str) -> bool:
    return any(str(each).endswith(kind) for each in _listed(item.get("@type")))


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 - JSON
    return value if isinstance(value, list) else [] if value is None else [value]


def _person(author: Any) -> str:  # noqa: ANN401 - JSON
    if not isinstance(author, dict):
        return family_first(author) if isinstance(author, str) else ""
    family, given, whole = (" ".join(map(str, _listed(author.get(key)))) for key in ("familyName", "givenName", "name"))
    if family:
        return ", ".join(filter(None, (family, given)))
    return whole if _is_a(author, "Organization") else family_first(whole)


def _values(said: dict[str, list[str]], *keys: str) -> Iterator[str]:
    return (value for key in keys for value in said.get(key, ()))
