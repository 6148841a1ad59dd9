"""Papers and figures that a question names, and questions that ask for several papers.

    "What does Figure 2 of PMC1234567 show?"            the paper PMC1234567, where the index has it
    "Did smith-2014 weigh bones?"                       the paper smith-2014: its id, as it stands in the index
    "What did Petrosyan et al. (2018) find?"            among papers that are at hand: that of Petrosyan, 2018
    "… of the diet trial and of the zinc trial …"       see ``described_papers``
    "Which trials tested herbal medicines?"             each trial that did
    "Do the studies agree on exercise before a meal?"   each study
    "Figs. 1 and 2A–C; Supplementary Figure 3"          the figures 1, 2A, 2B, 2C, S3; not tables

A search goes by meaning and by words and knows nothing of names, so named papers are searched apart. For several papers
it looks further and takes few passages of each; every paper that bears on the question has one before any a second.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from programs.ingest.document import Chunk, Document, Figure
from programs.passages import Passage
from programs.passages.context_selection import Limits
from programs.passages.described_papers import described_in
from programs.retrieval.retriever import KnowsItsPapers, SearchCandidates

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.records import Hit
    from programs.retrieval.retriever import Retriever


NO_EVIDENCE = "Could not retrieve supporting evidence: the index holds no passage that matches."
"""Said where nothing was retrieved; the model is then not asked to answer."""
MOST = 5
"""Papers of one question that are searched apart; each takes a search."""

_PMCID = re.compile(r"PMC\d+", re.IGNORECASE)
# An id is told from a word or a number by having both: "bone.pdf" must not turn every question on bone to itself.
_ID = re.compile(r"(?=[^\s,;?!()\[\]\"“”]*[^\W\d_])(?=[^\s,;?!()\[\]\"“”]*\d)[^\s,;?!()\[\]\"“”]+")
# What may stand between an author's name and the year: "et al. (", "and colleagues, ".
_TO_THE_YEAR = r"[^?!\d]{0,40}?\(?"

T = TypeVar("T")


def ids_in(question: str) -> list[str]:
    """Everything in a question that may be the id of a paper, each once, PMCIDs in capitals."""
    printed = [match.group().strip(".:'’") for match in _ID.finditer(question)]
    # "PMC123's", "PMC123–PMC125" and "図PMC123の" hold PMCIDs too.
    found = [match.group().upper() for match in _PMCID.finditer(question)]
    return list(dict.fromkeys([*found, *(each for each in printed if each and each.upper() not in found)]))


def named_in(question: str, retriever: Retriever, filters: Filters | None) -> list[str]:
    """Ids of the papers that a question names or describes, in its order; only an index is asked for what it has.

    None where the filters choose papers already: a question does not widen them.
    """
    if not isinstance(retriever, KnowsItsPapers) or "document" in (filters or {}):
        return []
    asked = ids_in(question)
    known = retriever.content_hashes(asked) if asked else {}
    named = [each for each in asked if each in known]
    return list(dict.fromkeys([*named, *described_in(question, retriever, filters)]))[:MOST]


def meant_by(question: str, documents: Mapping[str, Document]) -> list[Document]:
    """Those of the given papers that a question names, by id or by first author and year."""
    asked = set(ids_in(question))
    return [
        document
        for document in documents.values()
        if asked & {document.id, document.pmcid.upper()} - {""} or _is_cited(document, question)
    ]


def within(filters: Filters | None, document_id: str) -> Filters:
    """Filters that one paper alone can pass."""
    return {**(filters or {}), "document": [document_id]}


def first_of_each(everything: Sequence[Hit], of_papers: Sequence[Sequence[Hit]], k: int) -> list[Hit]:
    """At most k passages: those of the named papers, and behind them the best of all; each list is best first.

    Each paper brings ``k // (papers + 1)`` passages, at least one; what is left of ``k`` is for the best of all papers.
    """
    share = max(1, k // (len(of_papers) + 1))
    named = [hit for hits in of_papers for hit in hits[:share]]
    return _once([*named, *everything], lambda hit: hit.chunk.id)[:k]


def joined(found: Sequence[SearchCandidates]) -> SearchCandidates:
    """Candidates of several searches for the same queries, each passage once."""
    rows = [(source, row) for source in found for row in range(len(source.hits))]
    kept = _once(rows, lambda place: place[0].hits[place[1]].chunk.id)
    return SearchCandidates(
        [source.hits[row] for source, row in kept],
        np.stack([source.vectors[row] for source, row in kept]) if kept else found[0].vectors,
        found[0].query,
        [source.bm25[row] for source, row in kept],
    )


def _once(items: Iterable[T], name: Callable[[T], str]) -> list[T]:
    first: dict[str, T] = {}
    for item in items:
        first.setdefault(name(item), item)
    return list(first.values())


def _is_cited(document: Document, question: str) -> bool:
    """Whether a question has the first author's family name with the year behind it."""
    family = document.authors[0].partition(",")[0].strip() if document.authors else ""
    if not family or not document.year:
        return False
    named = rf"(?<!\w){re.escape(family)}(?!\w){_TO_THE_YEAR}{document.year}(?!\d)"
    return re.search(named, question, re.IGNORECASE) is not None


DEPTH = 200
"""Passages that a search for several papers brings."""
MOST_PAPERS = 30
"""Papers that are looked at for one question."""
PER_PAPER = 2
"""Passages of each that come before any further ones."""

PAPERS = (
    r"(?:trials|studies|papers|articles|publications|experiments|investigations"
    r"|ensayos|estudios|artículos|studien|études|essais)"
)
"""What papers are called: an alternative of regular expressions."""
_ASKED = re.compile(
    r"\b(?:which|what|list|name|find|all|how many|qué|cuáles|cuántos|welche|wie viele|quelles|quels|combien)\b"
    rf"(?:\s+[\w’'-]+){{0,4}}?\s+{PAPERS}\b"
    rf"|\b(?:do|did|are|the|across|between|among)\s+(?:the\s+|these\s+|all\s+)?{PAPERS}\b[^.?!]*"
    r"\b(?:agree|disagree|differ|conflict|contradict|consistent|compare)",
    re.IGNORECASE,
)


def asks_for_several(question: str) -> bool:
    """Whether a question asks which papers, or what papers say of one another."""
    return _ASKED.search(question) is not None


def several_if_asked(question: str, limits: Limits) -> Limits:
    """Limits that show a passage of every paper first, where a question asks for several papers."""
    return replace(limits, min_sources=MOST_PAPERS) if asks_for_several(question) else limits


def spread(chunks: Iterable[Chunk], most: int) -> list[int]:
    """Places of so many passages of a list with the best first: few of each paper, and behind them what else it has."""
    brought: Counter[str] = Counter()
    few: list[int] = []
    further: list[int] = []
    for place, each in enumerate(chunks):
        is_known = each.document_id in brought
        if is_known or len(brought) < MOST_PAPERS:
            (few if brought[each.document_id] < PER_PAPER else further).append(place)
            brought[each.document_id] += 1
    return [*few, *further][:most]


WIDEST_RANGE = 30
"""Figures that a range may span; a wider one is not a range of figures."""

_SERIES = {
    "S": re.compile(r"suppl|additional|supporting|online", re.IGNORECASE),
    "ED": re.compile(r"extended", re.IGNORECASE),
}
# "Fig." takes a full stop, "figures." ends a sentence; Abbildung, figura and 図 stand in questions.
_WORD = re.compile(
    r"""(?P<series>\b(?:supp(?:l(?:ement(?:ary|al|s)?)?)?\.?|supporting|additional|online|extended\ data)\s+)?
    (?:(?<!\w)(?:fig(?P<many>s)?\.?|fig(?:ure|ura)(?P<more>s)?|abb(?:ildung(?P<mehr>en)?|\.)) | 図)
    \s*\(?\s*(?=(?:ED|[SAE])?[-.]?\s?\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_ITEM = re.compile(
    r"(?:(?P<series>ED|[SAEs])[-.]?\s?)?(?P<number>\d{1,3}(?:\.\d{1,2})*)(?P<panel>[A-Za-z])?(?![A-Za-z0-9%]|\.\d)"
)
_PANEL = re.compile(r"\(?(?P<panel>[A-Za-z])\)?(?![A-Za-z0-9])")
_JOINT = re.compile(r"\s*(?:(?P<range>[-‐-―−]|\bto\b|\bbis\b)|[,;&]\s*(?:and\b)?|\b(?:and|or|und|y)\b|と)\s*")
# In "Figure 2, 12 mice" and "Fig. 2 and 3 days" the second number is none of a figure; "(Figure 2, 3)" names two.
_CLOSED = re.compile(r"\s*(?:[).,;:\]]|$)")


@dataclass(frozen=True, slots=True)
class NamedFigure:
    """A figure of a result, with its paper.

    Attributes:
        id: ``fig2``, unique in its paper; its caption is the passage ``PMC12345::fig2``.
        label: ``Figure 2``, as printed; the caption is without it.
        image_urls: Addresses of the images, as the source gives them; may be empty.
        tileshop: Address of the zoomable image, or empty.
    """

    id: str
    label: str
    caption: str
    document_id: str
    pmcid: str
    image_urls: tuple[str, ...]
    tileshop: str

    @classmethod
    def of(cls, document: Document, figure: Figure) -> NamedFigure:
        """A figure with its paper."""
        return cls(
            figure.id, figure.label, figure.caption, document.id, document.pmcid, figure.image_urls, figure.tileshop
        )


def figure_numbers(text: str) -> list[str]:
    """The figures that a text names, each once, in order: "2", "2A", "S3"; panels in capitals."""
    return list(dict.fromkeys(number for word in _WORD.finditer(text) for number in _listed(text, word)))


def figures_named(text: str, document: Document) -> list[Figure]:
    """The figures of a paper that a text names, each once, in the order of the text.

    A panel that the paper does not count apart is part of its figure: "2A" means "Figure 2" where there is no
    "Figure 2A"; and "Figure 2" means all of "Figure 2A" and "Figure 2B" where these are counted apart.
    """
    figures = [each for each in document.figures if each.kind == "figure"]
    numbered = [(number, figure) for figure in figures for number in figure_numbers(figure.label)]
    found: list[Figure] = []
    for number in figure_numbers(text):
        whole = number[:-1] if number[-1].isalpha() else number
        exact = [figure for own, figure in numbered if own == number] or [f for own, f in numbered if own == whole]
        panels = [figure for own, figure in numbered if own[:-1] == number and own[-1].isalpha()]
        found += [figure for figure in exact or panels if figure not in found]
    return found


def figures_of(question: str, passages: Sequence[Passage], documents: Mapping[str, Document]) -> list[NamedFigure]:
    """The figures that belong to a question and what was found for it, best first, each once.

    First those that the question names, then passage by passage: the figure whose caption it is, and those that it
    names, which are figures of its own paper.
    """
    found = [NamedFigure.of(document, figure) for document, figure in asked_for(question, passages, documents)]
    for passage in passages:
        document = documents[passage.document_id]
        figures = (each for each in document.figures if each.kind == "figure")
        captions = [each for each in figures if passage.id == f"{document.id}::{each.id}"]
        found += [NamedFigure.of(document, each) for each in (*captions, *figures_named(passage.text, document))]
    return list(dict.fromkeys(found))


def asked_for(
    question: str, passages: Iterable[Passage], documents: Mapping[str, Document]
) -> list[tuple[Document, Figure]]:
    """The figures that a question names; empty when it names none.

    Those of the papers that it names too, in whatever words: PMCID, id, or first author and year. Where it names no
    paper that was found, those of the best ranked paper that has any of them.
    """
    return [
        (document, figure)
        for document in _asked(question, passages, documents)
        for figure in figures_named(question, document)
    ]


def missing_figures(question: str, passages: Sequence[Passage], documents: Mapping[str, Document]) -> list[str]:
    """What to say of figures that a question names and ``asked_for`` does not find, a sentence for each paper asked.

    A paper may have a figure whose caption could not be read, so no paper is said to be without one.
    """
    numbers = figure_numbers(question)
    if not numbers or not passages:
        return []
    of_papers = _asked(question, passages, documents)
    if not of_papers:
        return [f"{_not_found(numbers)} in any retrieved paper."]
    missing = {each.id: [one for one in numbers if not figures_named(f"Figure {one}", each)] for each in of_papers}
    return [f"{_not_found(lacking)} in {name}." for name, lacking in missing.items() if lacking]


def _asked(question: str, passages: Iterable[Passage], documents: Mapping[str, Document]) -> list[Document]:
    """The papers whose figures a question asks for."""
    if named := meant_by(question, documents):
        return named
    ranked = (documents[each] for each in dict.fromkeys(passage.document_id for passage in passages))
    return [document for document in ranked if figures_named(question, document)][:1]


def _not_found(numbers: Sequence[str]) -> str:
    if len(numbers) == 1:
        return f"Figure {numbers[0]} was not found"
    return f"Figures {', '.join(numbers[:-1])} and {numbers[-1]} were not found"


def _listed(text: str, word: re.Match[str]) -> Iterator[str]:
    """The figures behind one "Figure": "1, 3 and 4A–C"."""
    outer = next((series for series, sign in _SERIES.items() if sign.match(word["series"] or "")), "")
    item = _ITEM.match(text, word.end())
    if item is None:
        return
    plural = bool(word["many"] or word["more"] or word["mehr"])
    last = _number(item, outer)
    yield last
    position = item.end()
    while joint := _JOINT.match(text, position):
        following = _next(text, joint, last, outer, plural=plural)
        if not following:
            return
        position, numbers = following
        yield from numbers
        last = numbers[-1]


def _next(text: str, joint: re.Match[str], last: str, outer: str, *, plural: bool) -> tuple[int, list[str]] | None:
    """What stands behind a joint: where it ends and the figures that it adds; None for anything but a figure."""
    panel = _PANEL.match(text, joint.end())
    if panel and last[-1].isalpha():
        letter = panel["panel"].upper()
        letters = map(chr, range(ord(last[-1]) + 1, ord(letter) + 1)) if joint["range"] else [letter]
        numbers = [f"{last[:-1]}{each}" for each in letters]
        return (panel.end(), numbers) if numbers else None
    item = _ITEM.match(text, joint.end())
    if item is None or not (plural or _CLOSED.match(text, item.end())):
        return None
    # "S1–3" stays in the series; "Figures S1 and 2" names two series.
    number = _number(item, outer or (_split(last)[0] if joint["range"] else ""))
    numbers = [*_between(last, number), number] if joint["range"] else [number]
    return item.end(), numbers


def _number(item: re.Match[str], outer: str) -> str:
    return f"{(item['series'] or outer).upper()}{item['number']}{(item['panel'] or '').upper()}"


def _between(first: str, last: str) -> list[str]:
    """The whole numbers inside a range: of "1" and "4", 2 and 3."""
    (series, start), (other, end) = _split(first), _split(last)
    if series != other or end - start > WIDEST_RANGE:
        return []
    return [f"{series}{number}" for number in range(start + 1, end)]


def _split(number: str) -> tuple[str, int]:
    """Series and whole number: "S3A" is S and 3."""
    series = number[: next(place for place, character in enumerate(number) if character.isdigit())]
    return series, int(re.findall(r"\d+", number)[0])
