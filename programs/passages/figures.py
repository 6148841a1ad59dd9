"""Figures of papers: those that a question asks for, and those of the passages that were found for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from programs.ingest.document import Document, Figure
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.figure_numbers import figure_numbers


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


def figures_named(text: str, document: Document) -> list[Figure]:
    """The figures of a paper that a text names, each once, in the order of the text."""
    return figures_numbered(figure_numbers(text), document)


def figures_numbered(numbers: Sequence[str], document: Document) -> list[Figure]:
    """The figures of a paper that have some numbers, each once, in the order of the numbers.

    A panel that the paper does not count apart is part of its figure: "2A" means "Figure 2" where there is no
    "Figure 2A"; and "Figure 2" means all of "Figure 2A" and "Figure 2B" where these are counted apart.
    """
    figures = [each for each in document.figures if each.kind == "figure"] if numbers else []
    numbered = [(number, figure) for figure in figures for number in figure_numbers(figure.label)]
    found: list[Figure] = []
    for number in numbers:
        whole = number[:-1] if number[-1].isalpha() else number
        exact = [figure for own, figure in numbered if own == number] or [f for own, f in numbered if own == whole]
        panels = [figure for own, figure in numbered if own[:-1] == number and own[-1].isalpha()]
        found += [figure for figure in exact or panels if figure not in found]
    return found


@dataclass(frozen=True, slots=True)
class AskedFigures:
    """The figures that a question names, with their papers, and what to say of those that were not found.

    A paper may have a figure whose caption could not be read, so no paper is said to be without one.
    """

    found: tuple[tuple[Document, Figure], ...] = ()
    missing: tuple[str, ...] = ()

    @classmethod
    def of(cls, asked: Asked, passages: Sequence[Passage], documents: Mapping[str, Document]) -> AskedFigures:
        """Look them up in the papers that the question names, in whatever words, or in the best ranked that has any."""
        if not asked.figures or not passages:
            return cls()
        ranked = (documents[each] for each in dict.fromkeys(passage.document_id for passage in passages))
        best = (document for document in ranked if figures_numbered(asked.figures, document))
        papers = asked.meant_among(documents) or list(best)[:1]
        if not papers:
            return cls((), (f"{_not_found(asked.figures)} in any retrieved paper.",))
        found = [(paper, figure) for paper in papers for figure in figures_numbered(asked.figures, paper)]
        lacking = {each.id: [one for one in asked.figures if not figures_numbered([one], each)] for each in papers}
        missing = [f"{_not_found(numbers)} in {name}." for name, numbers in lacking.items() if numbers]
        return cls(tuple(found), tuple(missing))

    def before(self, passages: Sequence[Passage], documents: Mapping[str, Document]) -> list[NamedFigure]:
        """These, then passage by passage the figure whose caption it is, and those of its paper that it names."""
        found = [NamedFigure.of(document, figure) for document, figure in self.found]
        for passage in passages:
            document = documents[passage.document_id]
            figures = (each for each in document.figures if each.kind == "figure")
            captions = [each for each in figures if passage.id == f"{document.id}::{each.id}"]
            found += [NamedFigure.of(document, each) for each in (*captions, *figures_named(passage.text, document))]
        return list(dict.fromkeys(found))


def _not_found(numbers: Sequence[str]) -> str:
    if len(numbers) == 1:
        return f"Figure {numbers[0]} was not found"
    return f"Figures {', '.join(numbers[:-1])} and {numbers[-1]} were not found"
