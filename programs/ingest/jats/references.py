"""An entry of a reference list as one line.

    <ref><label>3</label><element-citation><person-group><name><surname>Smith</surname>…   →
    3. Smith J, Doe A. Cold and yeast. J Biol. 2019; 12(3): 45–51

A mixed citation carries its own punctuation and stays as printed; an element citation has none, so it is set here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from programs.ingest.jats.inline import inline_text
from programs.ingest.xml_parsing import Element, child, children, name

_CITATIONS = ("mixed-citation", "element-citation", "citation", "nlm-citation", "citation-alternatives", "note", "p")
_NAMES = ("name", "string-name", "collab", "etal", "anonymous")
_PLACE = ("volume", "issue", "fpage", "lpage")


def reference_text(reference: Element) -> str:
    """The label and the citations of a ``ref``; empty when it holds none."""
    label = _line(child(reference, "label")).rstrip(".")
    text = "; ".join(filter(None, map(_citation, children(reference, *_CITATIONS)))) or _line(reference)
    return f"{label}. {text}" if label and text and not text.startswith(label) else text


def _citation(citation: Element) -> str:
    """The citation as printed when it has text between its elements, else its elements in the usual order."""
    if name(citation) == "citation-alternatives":
        return next(filter(None, map(_citation, children(citation))), "")
    if (citation.text or "").strip() or any((each.tail or "").strip() for each in citation):
        return _line(citation)
    return ". ".join(part.rstrip(".") for part in _parts(citation) if part)


def _parts(citation: Element) -> Iterator[str]:
    """Authors, then every other element in its order, with volume, issue and pages as one."""
    yield ", ".join(_names(citation))
    place_done = False
    for each in children(citation):
        if name(each) in ("person-group", "label", *_NAMES):
            continue
        if name(each) not in _PLACE:
            yield _line(each)
        elif not place_done:
            place_done = True
            yield _place(citation)


def _names(citation: Element) -> Iterator[str]:
    for each in children(citation, "person-group", *_NAMES):
        if name(each) == "person-group":
            yield from _names(each)
        elif name(each) == "etal":
            yield _line(each) or "et al"
        elif name(each) == "name":
            yield _joined(_line(part) for part in children(each, "surname", "given-names", "suffix"))
        else:
            yield _line(each)


def _place(citation: Element) -> str:
    """``12(3): 45–51`` of the elements that there are."""
    volume, issue, first, last = (_line(child(citation, part)) for part in _PLACE)
    pages = "–".join(filter(None, (first, last if last != first else "")))
    return ": ".join(filter(None, (f"{volume}({issue})" if issue else volume, pages)))


def _line(element: Element | None) -> str:
    return "" if element is None else inline_text(element)


def _joined(words: Iterable[str]) -> str:
    return " ".join(filter(None, words))
