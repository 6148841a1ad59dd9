"""From points to passages of one paper: which chunks say what a point says, and what is shown with them.

    ranked = of_paper(document, chunks, matches, "Did relapses fall?", cross_encoder("learned"), window_size=3)
    shown_passages(chosen(ranked, limits), {document.id: document}, limits)

Points and question take turns, so that neither crowds out the other; neighbours of matched chunks come last. A table is
not left out for its low probability while there is room: rows and columns say little in words of what they answer.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from programs.ingest.chunking import SENTENCES, Chunking, chunk
from programs.ingest.document import NOT_EVIDENCE, Chunk, Document
from programs.ingest.regions import place_of
from programs.passages import Passage
from programs.passages.passage_selection import RankedPassage
from programs.retrieval.reranking import CrossEncoder, probabilities
from programs.retrieval.signals import stems

if TYPE_CHECKING:
    from programs.retrieval.embedder import Embedder
    from programs.retrieval.store import Vector


_REMEMBERED_PAPERS = 64
_NO_WORD = re.compile(r"[\W_]+")
_FEWEST_CHARACTERS = 20
"""A shorter point is inside many chunks by chance."""


@dataclass(frozen=True, slots=True)
class Match:
    """A chunk that is close to a point; both by their places.

    Attributes:
        distance: Squared Euclidean distance of the unit vectors, in [0, 4].
        literal: Whether the chunk holds the point word for word; it then matches at any distance, since a sentence is
            seldom near the vector of the 100 words it is in.
    """

    chunk: int
    distance: float
    point: int
    literal: bool = False

    @property
    def rank(self) -> tuple[bool, float, int]:
        """Sorts the best match first: literal ones, then by distance, then in reading order."""
        return not self.literal, self.distance, self.chunk


@dataclass(frozen=True, slots=True)
class _Paper:
    chunks: list[Chunk]
    vectors: Vector


class Matcher:
    """Matches points to chunks by meaning; keeps the vectors of recent papers, for many questions on one paper.

    The embedder is by default the configured model, which is loaded at first use.
    """

    def __init__(self, embedder: Embedder | None = None, chunking: Chunking = SENTENCES) -> None:
        self.chunking = chunking
        self._embedder = embedder
        self._papers: OrderedDict[tuple[str, Chunking], _Paper] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Matcher], tuple[Embedder | None, Chunking]]:
        return Matcher, (self._embedder, self.chunking)

    def __deepcopy__(self, memo: dict[int, Any]) -> Matcher:
        # Optimizers copy programs; model and vectors are shared by all copies.
        return self

    def chunks(self, document: Document) -> list[Chunk]:
        """The paper's chunks in reading order."""
        return self._paper(document).chunks

    def match(self, document: Document, points: Sequence[str], threshold: float, per_point: int) -> list[Match]:
        """At most ``per_point`` chunks closest to each point, in the order of the points, the closest chunk first.

        Each is strictly under the threshold, a squared Euclidean distance between unit vectors, or holds the point word
        for word.
        """
        paper = self._paper(document)
        if not points or not paper.chunks:
            return []
        # |a − b|² = 2 − 2·a·b for unit vectors.
        distances = np.maximum(2.0 - 2.0 * (self._model.embed(list(points)) @ paper.vectors.T), 0.0).tolist()
        texts = [_letters(each.text) for each in paper.chunks]
        found: list[Match] = []
        for number, (point, row) in enumerate(zip(points, distances, strict=True)):
            wanted = _letters(point)
            is_long = len(wanted) >= _FEWEST_CHARACTERS
            matches = (
                Match(place, distance, number, is_long and wanted in text)
                for place, (distance, text) in enumerate(zip(row, texts, strict=True))
            )
            near = (match for match in matches if match.literal or match.distance < threshold)
            found.extend(sorted(near, key=lambda match: match.rank)[:per_point])
        return found

    @property
    def _model(self) -> Embedder:
        if self._embedder is None:
            from programs.config import settings
            from programs.retrieval.embedder import load_embedder

            self._embedder = load_embedder(settings().embedder)
        return self._embedder

    def _paper(self, document: Document) -> _Paper:
        key = document.content_hash, self.chunking
        # Held while a paper is embedded: threads that ask the same paper wait for it instead of doing the work again.
        with self._lock:
            if key not in self._papers:
                chunks = sorted(chunk(document, self.chunking), key=lambda each: each.start)
                self._papers[key] = _Paper(chunks, self._model.embed([each.text for each in chunks]))
            self._papers.move_to_end(key)
            while len(self._papers) > _REMEMBERED_PAPERS:
                self._papers.popitem(last=False)
            return self._papers[key]


def windows(document: Document, chunks: Sequence[Chunk], matches: Sequence[Match], window_size: int) -> list[Passage]:
    """Widen matched chunks to passages, in the order of the matches; those that overlap are merged into the first.

    Each match brings ``window_size // 2`` neighbours on either side, but none from beyond the references, which a
    passage would otherwise hold in full.
    """
    reach, parts = window_size // 2, parts_of(document, chunks)
    spans: list[tuple[int, int, Match]] = []
    for match in matches:
        first, last = window_of(match.chunk, reach, parts)
        best, place = match, len(spans)
        for other in [each for each in spans if each[0] <= last and first <= each[1]]:
            place = min(place, spans.index(other))
            spans.remove(other)
            first, last = min(first, other[0]), max(last, other[1])
            best = min(best, other[2], key=lambda each: each.rank)
        spans.insert(place, (first, last, best))
    return [_passage(document, chunks[first : last + 1], best) for first, last, best in spans]


def window_of(place: int, reach: int, parts: Sequence[int]) -> tuple[int, int]:
    """The first and last chunk around one, without leaving its part."""
    around = range(max(place - reach, 0), min(place + reach, len(parts) - 1) + 1)
    together = [each for each in around if parts[each] == parts[place]]
    return together[0], together[-1]


def parts_of(document: Document, chunks: Sequence[Chunk]) -> list[int]:
    """For each chunk how many lists of references and notices precede it."""
    ends = [section.end for section in document.sections if section.kind in NOT_EVIDENCE]
    return [sum(end <= each.start for end in ends) for each in chunks]


def scores_of(match: Match) -> dict[str, float]:
    """What a passage is said to have scored."""
    return {"similarity": _similarity(match), "distance": round(match.distance, 4)}


def reason_of(match: Match) -> str:
    """How a chunk was found, in words."""
    how = "holds point {} word for word" if match.literal else "matches point {}"
    return f"{how.format(match.point + 1)}, cosine similarity {_similarity(match):.3f}"


def _similarity(match: Match) -> float:
    return round(1.0 - match.distance / 2.0, 4)


def _passage(document: Document, chunks: Sequence[Chunk], best: Match) -> Passage:
    """A passage of several chunks, not always of one section: it has the name of the one that has most of it."""
    start, end = min(each.start for each in chunks), max(each.end for each in chunks)
    section, heading = place_of(document, start, end)
    return Passage.of(
        document,
        start,
        end,
        id=f"{document.id}::{start}-{end}",
        section=section,
        heading=heading,
        scores=scores_of(best),
        relevance_reason=reason_of(best),
    )


def _letters(text: str) -> str:
    """A text without white space, signs and case, in which quotations are found."""
    return _NO_WORD.sub("", text).casefold()


MOST_READ = 200
"""Chunks of a paper that the order reads; most papers have fewer."""


def of_paper(
    document: Document,
    chunks: Sequence[Chunk],
    matches: Sequence[Match],
    question: str,
    encoder: CrossEncoder,
    window_size: int,
) -> list[RankedPassage]:
    """Candidates among a paper's chunks, best first, each once.

    Matches are in the order of their points; the encoder orders all chunks by the question; chunks around a match are
    candidates too, as in ``windows``.
    """
    relevance = _relevance(document, chunks, question, encoder)
    order = sorted(relevance, key=lambda place: -relevance[place])
    by_point = [
        (match.chunk, RankedPassage(chunks[match.chunk], scores_of(match), reason_of(match))) for match in matches
    ]
    by_question = []
    for rank, place in enumerate(order, start=1):
        reason = f"number {rank} of the paper by its probability to answer ({relevance[place]:.2f})"
        weighed = None if chunks[place].kind == "table" else relevance[place]
        by_question.append((place, RankedPassage(chunks[place], {"relevance": relevance[place]}, reason, weighed)))
    beside: list[tuple[int, RankedPassage]] = []
    parts = parts_of(document, chunks)
    for match in matches:
        first, last = window_of(match.chunk, window_size // 2, parts)
        why = f"is next to what {reason_of(match)}"
        beside += [(place, RankedPassage(chunks[place], {}, why)) for place in range(first, last + 1)]
    turns = (each for pair in itertools.zip_longest(by_point, by_question[: len(by_point)]) for each in pair if each)
    best: dict[int, RankedPassage] = {}
    for place, candidate in (*turns, *beside, *by_question[len(by_point) :]):
        best.setdefault(place, candidate)
    return list(best.values())


def _relevance(document: Document, chunks: Sequence[Chunk], question: str, encoder: CrossEncoder) -> dict[int, float]:
    """How likely each chunk answers, by its place; of a long paper, of the chunks with most words of the question."""
    places = list(range(len(chunks)))
    if len(chunks) > MOST_READ:
        asked = stems(question)
        places = sorted(places, key=lambda place: -len(asked & stems(chunks[place].text)))[:MOST_READ]
    about = [". ".join(filter(None, [document.title, chunks[place].heading])) for place in places]
    scores = probabilities(question, [chunks[at].text for at in places], about, [0.0] * len(places), encoder)
    return dict(zip(places, scores, strict=True))
