"""What is shown of one paper: the chunks that match its points, what answers the question, and what stands beside them.

    ranked = of_paper(document, chunks, matches, "Did relapses fall?", cross_encoder("learned"), window_size=3)
    shown_passages(chosen(ranked, limits), {document.id: document}, limits)

Points and question take turns, so that neither crowds out the other; neighbours of matched chunks come last. A table is
not left out for its low probability while there is room: rows and columns say little in words of what they answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from programs.ingest.document import Chunk, Document
from programs.passages.choice import RankedPassage
from programs.passages.matching import Match, parts_of, reason_of, scores_of, window_of
from programs.retrieval.reranking.cross_encoder import CrossEncoder, probabilities
from programs.retrieval.reranking.signals import stems

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
    """Candidates, best first, each chunk once.

    Args:
        document: The paper.
        chunks: Its chunks in reading order.
        matches: Chunks that match points, in the order of the points.
        question: What is asked.
        encoder: What orders all chunks by the question.
        window_size: Chunks around a match that are candidates too, as in ``matching.windows``.
    """
    relevance = _relevance(document, chunks, question, encoder)
    order = sorted(relevance, key=lambda place: -relevance[place])
    by_point = [
        (match.chunk, RankedPassage(chunks[match.chunk], scores_of(match), reason_of(match))) for match in matches
    ]
    by_question = [(place, _asked(chunks[place], rank, relevance[place])) for rank, place in enumerate(order, start=1)]
    beside = list(_neighbours(document, chunks, matches, window_size))
    turns = (each for pair in itertools.zip_longest(by_point, by_question[: len(by_point)]) for each in pair if each)
    first: dict[int, RankedPassage] = {}
    for place, candidate in (*turns, *beside, *by_question[len(by_point) :]):
        first.setdefault(place, candidate)
    return list(first.values())


def _relevance(document: Document, chunks: Sequence[Chunk], question: str, encoder: CrossEncoder) -> dict[int, float]:
    """How likely each chunk answers, by its place; of a long paper, of the chunks with most words of the question."""
    places = list(range(len(chunks)))
    if len(chunks) > MOST_READ:
        asked = stems(question)
        places = sorted(places, key=lambda place: -len(asked & stems(chunks[place].text)))[:MOST_READ]
    about = [about_chunk(document, chunks[place]) for place in places]
    scores = probabilities(question, [chunks[at].text for at in places], about, [0.0] * len(places), encoder)
    return dict(zip(places, scores, strict=True))


def _asked(chunk: Chunk, rank: int, relevance: float) -> RankedPassage:
    reason = f"number {rank} of the paper by its probability to answer ({relevance:.2f})"
    return RankedPassage(chunk, {"relevance": relevance}, reason, None if chunk.kind == "table" else relevance)


def _neighbours(
    document: Document, chunks: Sequence[Chunk], matches: Sequence[Match], window_size: int
) -> Iterator[tuple[int, RankedPassage]]:
    parts = parts_of(document, chunks)
    for match in matches:
        first, last = window_of(match.chunk, window_size // 2, parts)
        for place in range(first, last + 1):
            yield place, RankedPassage(chunks[place], {}, f"stands next to what {reason_of(match)}")


def about_chunk(document: Document, chunk: Chunk) -> str:
    """What the order is told of a chunk: title and heading."""
    return ". ".join(filter(None, [document.title, chunk.heading]))
