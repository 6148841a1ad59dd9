"""What the reader of a benchmark hands over, how it is split, and how its evidence is found in the papers.

Benchmarks without splits of their own are split by a hash of the paper, never by question: a paper's SHA-256 is a
number in [0, 1), and shares of it are the splits. Where questions share papers, all papers that are connected go to one
split.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from optimize.dataset.benchmarks.tables import Source
from optimize.dataset.example import SPLITS, Evidence, Example
from optimize.dataset.near_duplicates import near_duplicates, same_papers
from programs.ingest.builder import one_line
from programs.ingest.document import Document


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question before the data set is checked.

    Attributes:
        place: File and line, for messages.
        split: One of ``optimize.dataset.example.SPLITS``.
        example: The question with its gold data.
    """

    place: str
    split: str
    example: Example


@dataclass(frozen=True, slots=True)
class Material:
    """A benchmark in the form of this project.

    Attributes:
        lines: Its questions.
        documents: Its papers by id; evidence is quoted from their texts.
        notes: What was left out, with its number, and what a reader of results has to know.
        revisions: Commits of the hub's data sets that it was read from, by their ids.
    """

    lines: tuple[QuestionRecord, ...]
    documents: Mapping[str, Document]
    notes: tuple[str, ...] = field(default=())
    revisions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """An entry of the registry.

    Attributes:
        name: As on the command line.
        read: Makes its material.
    """

    name: str
    read: Callable[[Source], Material]


SHARES: Mapping[str, float] = {"train": 0.4, "val": 0.2, "dev": 0.2, "test": 0.2}
"""Of a benchmark without splits."""
WITHOUT_TEST: Mapping[str, float] = {"train": 0.5, "val": 0.25, "dev": 0.25}
"""Of what a benchmark trains on, where its own held-out questions are the test."""
OWN_VALIDATION: Mapping[str, float] = {"val": 0.5, "dev": 0.5}
"""Of a benchmark's own validation split."""


def split_of(key: str, shares: Mapping[str, float] = SHARES) -> str:
    """The split of a paper.

    Args:
        key: Its id, or that of its group.
        shares: Splits with their shares, which add up to 1.
    """
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
    end = 0.0
    for split, share in shares.items():
        end += share
        if place < end:
            return split
    return split


def groups_of(papers: Iterable[Sequence[str]]) -> dict[str, str]:
    """The group of each paper, named by its smallest id; papers of one question hang together.

    Args:
        papers: Those of each question.
    """
    parent: dict[str, str] = {}

    def root(paper: str) -> str:
        while parent.setdefault(paper, paper) != paper:
            paper = parent[paper]
        return paper

    for first, *others in papers:
        for other in (first, *others):
            low, high = sorted((root(first), root(other)))
            parent[high] = low
    return {paper: root(paper) for paper in parent}


def apart(
    lines: Sequence[QuestionRecord], documents: Mapping[str, Document]
) -> tuple[tuple[QuestionRecord, ...], tuple[str, ...]]:
    """Leave out questions that another split has almost the same, or whose paper it has, be it under another name.

    Kept are those of the later split in the order train, val, dev, test: a test stays as its authors made it.

    Args:
        lines: Questions with their splits.
        documents: Papers by id.

    Returns:
        The questions that stay, in their order, and a note for each split that lost some.
    """
    lost = {*_shared(lines, documents), *_similar(lines)}
    counts = Counter(lines[place].split for place in lost)
    notes = tuple(
        f"left out of {split}, because a later split has the paper or almost the same question: {counts[split]}"
        for split in SPLITS
        if counts[split]
    )
    return tuple(line for place, line in enumerate(lines) if place not in lost), notes


def _shared(lines: Sequence[QuestionRecord], documents: Mapping[str, Document]) -> Iterator[int]:
    asked = dict.fromkeys(paper for line in lines for paper in line.example.document_ids)
    copies = groups_of(same_papers({paper: documents[paper].text for paper in asked}))
    latest: dict[str, str] = {}
    for line in lines:
        for paper in line.example.document_ids:
            group = copies.get(paper, paper)
            latest[group] = max(latest.get(group, line.split), line.split, key=SPLITS.index)
    for place, line in enumerate(lines):
        if any(latest[copies.get(paper, paper)] != line.split for paper in line.example.document_ids):
            yield place


def _similar(lines: Sequence[QuestionRecord]) -> Iterator[int]:
    for pair in near_duplicates([(line.split, line.example.question) for line in lines]):
        yield min(pair, key=lambda place: SPLITS.index(lines[place].split))


SHORTEST = 8
"""Letters and digits; what is shorter stands in a paper by chance."""

_CLOSING = re.compile(r" ?[.!?;:)\]%\"”’]+")
"""What ends a quote whose text ends in more than letters."""


@dataclass(frozen=True)
class Quotable:
    """A document in which texts are looked for.

    Annotators saw another rendering of the paper: other dashes, spaces and quotation marks, without citations. Letters
    and digits are compared, and the exact piece of the document's text that they span is what is quoted.

    Attributes:
        document: The document.
    """

    document: Document

    def find(self, text: str) -> str | None:
        """The piece of the document's text that says the same letter for letter, or None."""
        exact = one_line(text)
        if exact and exact in self.document.text:
            return exact
        wanted, _ = _folded(text)
        letters, offsets = self._letters
        start = letters.find(wanted) if len(wanted) >= SHORTEST else -1
        if start < 0:
            return None
        end = offsets[start + len(wanted) - 1] + 1
        closed = None if text.rstrip()[-1].isalnum() else _CLOSING.match(self.document.text, end)
        return self.document.text[offsets[start] : closed.end() if closed else end]

    @cached_property
    def _letters(self) -> tuple[str, list[int]]:
        return _folded(self.document.text)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Evidence of one question.

    Attributes:
        evidence: Texts that were found, each once.
        missing: How many were not.
    """

    evidence: tuple[Evidence, ...]
    missing: int


def quoted(paper: Quotable, texts: Iterable[str]) -> Quoted:
    """Quote texts from a paper."""
    found = [paper.find(text) for text in dict.fromkeys(texts)]
    quotes = dict.fromkeys(quote for quote in found if quote)
    return Quoted(tuple(Evidence(paper.document.id, quote) for quote in quotes), sum(not quote for quote in found))


def missing_note(missing: int, total: int) -> tuple[str, ...]:
    """What the report says of evidence that was not found."""
    return (
        (f"left out of {total} evidence texts, because the papers as read do not hold them: {missing}",)
        if missing
        else ()
    )


def _folded(text: str) -> tuple[str, list[int]]:
    """Lower-case letters and digits without accents, and the offset of each in the text."""
    letters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        for each in unicodedata.normalize("NFKD", character).casefold():
            if each.isalnum():
                letters.append(each)
                offsets.append(offset)
    return "".join(letters), offsets
