"""From points to passages: which chunks of a paper say what a point says, and the windows around them."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from programs.ingest.chunking import SENTENCES, chunk
from programs.ingest.document import Chunk, Document
from programs.passage import Passage

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder
    from programs.retrieval.store import Vector

_REMEMBERED_PAPERS = 64
_NO_WORD = re.compile(r"[\W_]+")
_FEWEST_CHARACTERS = 20
"""A shorter point stands inside many chunks by chance."""


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk that is close to a point.

    Attributes:
        chunk: Its place among the paper's chunks.
        distance: Squared Euclidean distance of the unit vectors, in [0, 4]; 0 when the chunk holds the point literally.
        point: Place of the point.
    """

    chunk: int
    distance: float
    point: int


@dataclass(frozen=True, slots=True)
class _Paper:
    chunks: list[Chunk]
    vectors: Vector


class Matcher:
    """Matches points to chunks by meaning; keeps the vectors of recent papers, for many questions on one paper.

    Args:
        embedder: What turns text into vectors; by default the configured model, loaded at first use.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self._papers: OrderedDict[str, _Paper] = OrderedDict()

    def __deepcopy__(self, memo: dict[int, Any]) -> Matcher:
        # Optimizers copy programs; model and vectors are shared by all copies.
        return self

    def chunks(self, document: Document) -> list[Chunk]:
        """The paper's chunks of at most 100 words, whole sentences, in reading order."""
        return self._paper(document).chunks

    def match(self, document: Document, points: Sequence[str], threshold: float, per_point: int) -> list[Match]:
        """The chunks closest to each point.

        Args:
            document: The paper.
            points: Statements, as a model took them from the paper.
            threshold: Squared Euclidean distance between unit vectors that a match must stay strictly under.
            per_point: How many chunks each point may bring.

        Returns:
            In the order of the points, the closest chunk of each first.
        """
        paper = self._paper(document)
        if not points or not paper.chunks:
            return []
        # |a − b|² = 2 − 2·a·b for unit vectors.
        distances = 2.0 - 2.0 * (self._model.embed(list(points)) @ paper.vectors.T)
        literal = [_letters(each.text) for each in paper.chunks]
        found: list[Match] = []
        for number, point in enumerate(points):
            row = distances[number].tolist()
            wanted = _letters(point)
            if len(wanted) >= _FEWEST_CHARACTERS:
                row = [0.0 if wanted in text else value for text, value in zip(literal, row, strict=True)]
            nearest = sorted(range(len(row)), key=lambda place: (row[place], place))[:per_point]
            found.extend(Match(place, max(row[place], 0.0), number) for place in nearest if row[place] < threshold)
        return found

    @property
    def _model(self) -> Embedder:
        if self._embedder is None:
            from programs.config import settings
            from programs.retrieval.embedder import SentenceTransformerEmbedder

            self._embedder = SentenceTransformerEmbedder(settings().embedder)
        return self._embedder

    def _paper(self, document: Document) -> _Paper:
        key = document.content_hash
        if key in self._papers:
            self._papers.move_to_end(key)
            return self._papers[key]
        chunks = sorted(chunk(document, SENTENCES), key=lambda each: each.start)
        paper = _Paper(chunks, self._model.embed([each.text for each in chunks]))
        self._papers[key] = paper
        while len(self._papers) > _REMEMBERED_PAPERS:
            self._papers.popitem(last=False)
        return paper


def windows(document: Document, chunks: Sequence[Chunk], matches: Sequence[Match], window_size: int) -> list[Passage]:
    """Widen matched chunks to passages.

    Args:
        document: The paper.
        chunks: Its chunks in reading order.
        matches: In the order in which their passages are to stand.
        window_size: How many chunks a window spans; each match brings ``window_size // 2`` neighbours on either side.

    Returns:
        One passage a window; windows that overlap or touch are merged into the first of them.
    """
    reach = window_size // 2
    spans: list[tuple[int, int, Match]] = []
    for match in matches:
        first, last = max(match.chunk - reach, 0), min(match.chunk + reach, len(chunks) - 1)
        best, place = match, len(spans)
        for other in [each for each in spans if each[0] <= last and first <= each[1]]:
            place = min(place, spans.index(other))
            spans.remove(other)
            first, last = min(first, other[0]), max(last, other[1])
            best = min(best, other[2], key=lambda each: each.distance)
        spans.insert(place, (first, last, best))
    return [_passage(document, chunks[first : last + 1], chunks[best.chunk], best) for first, last, best in spans]


def _passage(document: Document, chunks: Sequence[Chunk], matched: Chunk, best: Match) -> Passage:
    start, end = min(each.start for each in chunks), max(each.end for each in chunks)
    similarity = round(1.0 - best.distance / 2.0, 4)
    return Passage.of(
        document,
        start,
        end,
        id=f"{document.id}::{start}-{end}",
        section=matched.section,
        heading=matched.heading,
        scores={"similarity": similarity, "distance": round(best.distance, 4)},
        relevance_reason=f"matches point {best.point + 1} at cosine similarity {similarity:.3f}",
    )


def _letters(text: str) -> str:
    """A text without white space, signs and case, in which quotations are found."""
    return _NO_WORD.sub("", text).casefold()
