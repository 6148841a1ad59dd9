"""Matching on vectors whose distances can be worked out: a text is the direction that it names in degrees."""

import math
import re
from collections.abc import Sequence

import numpy as np
import pytest

from programs.ingest.document import Document, Section
from programs.passages.point_matching import Match, Matcher, windows
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper


class Compass:
    """Embeds "… 60 degrees …" as the unit vector at 60°; two at right angles have a squared distance of exactly 2."""

    name = "tests/compass"
    dimension = 2

    def __init__(self):
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]):
        self.asked += texts
        angles = [math.radians(int(re.search(r"(\d+) degrees", text)[1])) for text in texts]
        return np.array([[math.cos(angle), math.sin(angle)] for angle in angles], dtype=np.float32)

    embed_query = embed


def compass_paper(*degrees):
    """One chunk a direction."""
    return paper("compass", "\n\n".join(f"The needle stood at {each} degrees." for each in degrees))


def matched(degrees, points, threshold=4.0, per_point=9):
    points = [f"A point of {each} degrees." for each in points]
    matches = Matcher(Compass()).match(compass_paper(*degrees), points, threshold, per_point)
    return [(match.point, match.chunk) for match in matches]


def at(*chunks):
    """Matches of chunks, at distances that grow."""
    return [Match(chunk, 0.1 * number, number) for number, chunk in enumerate(chunks)]


def spans(document, matches, window_size=3):
    chunks = Matcher(HashingEmbedder()).chunks(document)
    return [passage.text for passage in windows(document, chunks, matches, window_size)]


# Matching


@pytest.mark.parametrize(
    ("degrees", "points", "limits", "found"),
    [
        ([90], [0], {"threshold": 2.0}, []),  # strictly under the threshold
        ([90], [0], {"threshold": 2.0001}, [(0, 0)]),
        ([80, 30, 10], [0, 90], {"per_point": 2}, [(0, 2), (0, 1), (1, 0), (1, 1)]),
        ([50, 50, 50], [0], {"per_point": 2}, [(0, 0), (0, 1)]),  # at equal distance in reading order
        ([0], [], {}, []),
    ],
)
def test_each_point_brings_its_nearest_chunks_nearest_first(degrees, points, limits, found):
    assert matched(degrees, points, **limits) == found


def test_the_distance_is_the_squared_euclidean_one():
    (match,) = Matcher(Compass()).match(compass_paper(60), ["A point of 0 degrees."], 4.0, 1)
    assert match.distance == pytest.approx(1.0)  # 2 − 2·cos 60°
    assert not match.literal


def test_in_a_paper_without_text_nothing_matches():
    assert Matcher(Compass()).match(Document("empty", ""), ["A point of 0 degrees."], 4.0, 1) == []


@pytest.mark.parametrize(
    "point",
    [
        "The needle stood at 170 degrees.",
        "“the needle stood at 170 degrees”",
        "The nee- dle stood at\n170 degrees",
    ],
)
def test_a_point_that_stands_in_a_chunk_matches_at_any_distance(point):
    document = compass_paper(10, 350, 170)
    (match,) = Matcher(Turned()).match(document, [point], 0.4, 1)
    assert (match.chunk, match.literal) == (2, True)
    assert match.distance > 3.9


class Turned(Compass):
    """Turns points around, so that a point is as far as can be from the chunk that holds it."""

    def embed(self, texts):
        vectors = super().embed(texts)
        return vectors if len(texts) > 1 else -vectors


def test_a_few_letters_that_stand_in_a_chunk_prove_nothing():
    assert Matcher(Turned()).match(compass_paper(90, 170), ["at 170 degrees"], 0.4, 1) == []


def test_only_recent_papers_are_remembered():
    embedder = HashingEmbedder()
    matcher = Matcher(embedder)
    first, *others = (paper(f"paper{number}", f"Sentence {number}.") for number in range(65))
    for document in (first, *others, others[-1], first):
        matcher.chunks(document)
    assert embedder.embedded == 66


# Windows

SEVEN = paper("seven", "\n\n".join(f"Paragraph {number} stands here." for number in range(7)))


def paragraphs(first, last):
    return "\n\n".join(f"Paragraph {number} stands here." for number in range(first, last + 1))


@pytest.mark.parametrize(
    ("chunks", "window_size", "found"),
    [
        ([3], 3, [(2, 4)]),
        ([3], 1, [(3, 3)]),
        ([3], 4, [(1, 5)]),
        ([0], 3, [(0, 1)]),  # at the ends of a paper they are shorter
        ([6], 3, [(5, 6)]),
        ([5, 0, 3], 3, [(2, 6), (0, 1)]),  # those that overlap are merged into the first
        ([0, 6, 2, 4], 3, [(0, 6)]),
    ],
)
def test_a_window_holds_the_chunk_and_its_neighbours(chunks, window_size, found):
    assert spans(SEVEN, at(*chunks), window_size) == [paragraphs(*each) for each in found]


def test_a_window_crosses_headings_but_not_the_references():
    text = "Methods\n\nMice flew.\n\nResults\n\nDensity fell.\n\nReferences\n\nSmith 2001.\n\nAppendix\n\nRaw data."
    places = [(text.index(body), body) for body in ("Mice flew.", "Density fell.", "Smith 2001.", "Raw data.")]
    kinds = ("methods", "results", "references", "appendix")
    sections = tuple(
        Section(kind.title(), kind, start, start + len(body)) for kind, (start, body) in zip(kinds, places, strict=True)
    )
    document = Document("parts", text, sections=sections)
    assert spans(document, at(1)) == ["Mice flew.\n\nResults\n\nDensity fell."]
    assert spans(document, at(2)) == ["Raw data."]


def test_a_passage_is_a_span_of_the_document_and_says_why_it_was_chosen():
    chunks = Matcher(HashingEmbedder()).chunks(SEVEN)
    near, literal = Match(1, 0.5, 0), Match(5, 0.9, 1, literal=True)
    one, other = windows(SEVEN, chunks, [near, literal], 3)
    assert SEVEN.text[one.start : one.end] == one.text
    assert one.id == f"seven::{one.start}-{one.end}"
    assert (one.section, one.heading, one.document_id) == ("results", "Results", "seven")
    assert one.scores == {"similarity": 0.75, "distance": 0.5}
    assert one.relevance_reason == "matches point 1, cosine similarity 0.750"
    assert other.relevance_reason == "holds point 2 word for word, cosine similarity 0.550"


def test_a_merged_window_gives_its_best_match_as_reason():
    chunks = Matcher(HashingEmbedder()).chunks(SEVEN)
    (far_and_near,) = windows(SEVEN, chunks, [Match(1, 0.5, 0), Match(2, 0.2, 1)], 3)
    assert far_and_near.relevance_reason.startswith("matches point 2,")
    (near_and_literal,) = windows(SEVEN, chunks, [Match(1, 0.2, 0), Match(2, 0.9, 1, literal=True)], 3)
    assert near_and_literal.relevance_reason.startswith("holds point 2 word for word,")
