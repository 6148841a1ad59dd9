"""One question of a data set, with everything that is known to be true of its answer.

{"id": "sb-0001", "question": "How much bone did flown mice lose?", "document_ids": ["PMC0000001"],
"answer": "Bone volume fraction was 18.0 % lower than in ground mice.",
"nuggets": ["bone volume fraction was 18.0 % lower in flight mice"],
"evidence": [{"document_id": "PMC0000001", "quote": "… a relative loss of 18.0 % (p = 0.002)."}],
"answerable": true}
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, ClassVar, TypeVar

import dspy
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from metrics.words import words
from programs.program import Program
from programs.retrieval.memory_store import Postings
from programs.retrieval.store import Bm25


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """An exact piece of a paper's text that proves an answer."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    document_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its gold answer; a line of ``questions/SPLIT.jsonl``. Metrics read its fields by these names.

    Attributes:
        id: Unique over all splits.
        document_ids: Papers that it is about, at least one.
        answer: Reference answer; empty when there is none.
        answers: More than one reference answer, where the data have them.
        nuggets: Facts that a full answer holds.
        evidence: Quotes that prove it.
        answerable: Whether the papers answer it.
        label: The right one of ``choices``, where the answer is a class.
        kind: Any name by which the data group their questions.
        language: ISO 639-1.
        figure: The figure that the question names.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    id: str
    question: str
    document_ids: tuple[str, ...]
    answer: str = ""
    answers: tuple[str, ...] = ()
    nuggets: tuple[str, ...] = ()
    evidence: tuple[GoldEvidence, ...] = ()
    answerable: bool = True
    label: str = ""
    choices: tuple[str, ...] = ()
    kind: str = ""
    language: str = "en"
    figure: str | None = None

    @property
    def cluster(self) -> str:
        """The paper whose questions are not independent of this one; the first of several."""
        return self.document_ids[0]


def digest(examples: Iterable[Example]) -> str:
    """SHA-256 (hex) over examples, whatever their order."""
    ordered = sorted((asdict(example) for example in examples), key=lambda each: str(each["id"]))
    return hashlib.sha256(json.dumps(ordered, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


SPLITS = ("train", "val", "dev", "test")
"""What demos are made of; what candidates are chosen by; what people look at; what only the report opens."""

T = TypeVar("T")


def spread(examples: tuple[T, ...], limit: int | None) -> tuple[T, ...]:
    """At most ``limit`` examples, spread evenly over all, since neighbours are often about the same paper."""
    if limit is None or limit >= len(examples):
        return examples
    return tuple(examples[place * len(examples) // limit] for place in range(limit))


SHARES: Mapping[str, float] = {"train": 0.4, "val": 0.2, "dev": 0.2, "test": 0.2}
"""Of a benchmark without splits."""
WITHOUT_TEST: Mapping[str, float] = {"train": 0.5, "val": 0.25, "dev": 0.25}
"""Of what a benchmark trains on, where its own held-out questions are the test."""
OWN_VALIDATION: Mapping[str, float] = {"val": 0.5, "dev": 0.5}
"""Of a benchmark's own validation split."""


def fraction(text: str) -> float:
    """A number in [0, 1) that a text always gets, evenly spread over texts."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / 2**64


def split_of(key: str, shares: Mapping[str, float] = SHARES) -> str:
    """The split of a paper by its id, or that of its group; shares of splits add up to 1."""
    place, end = fraction(key), 0.0
    for split, share in shares.items():
        end += share
        if place < end:
            return split
    return split


def groups_of(papers: Iterable[Sequence[str]]) -> dict[str, str]:
    """The group of each paper, named by its smallest id; papers of one question hang together."""
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


SIMILAR = 0.8
"""Jaccard similarity of word sets. In the bundled set, written apart, no pair of splits exceeds 0.35."""

SAME_TEXT = 0.4
"""Share of the shorter paper's shingles that are in the other. Among 80 trials, 20 papers on language and 1,159
abstracts no two share more than 0.06; a paper and its next version share most."""
_SHINGLE = 8
"""Words in a row; fewer are shared by chance."""
_SAMPLED = 4
"""One shingle of so many is compared, chosen by its first word, so that the same are chosen in every paper (after
Broder 1997, doi:10.1109/SEQUEN.1997.666900)."""
_FEWEST = 4
"""Shingles in common that can be no chance; texts of fewer than some 20 words are not compared."""
_BOILERPLATE = 20
"""A shingle of more papers than this is a licence or a publisher's form."""


def near_duplicates(texts: Sequence[tuple[str, str]], similar: float = SIMILAR) -> Iterator[tuple[int, int]]:
    """Pairs of places of texts of different groups whose words are almost the same, each pair once, the smaller first.

    ``texts`` are pairs of group and text, ``similar`` is the Jaccard similarity in (0, 1] from which two count as the
    same. Only pairs that share one of their rarest words are compared (prefix filtering, Bayardo et al. 2007,
    doi:10.1145/1242572.1242591), so that time grows with the pairs that are alike, not with all pairs.
    """
    bags = [frozenset(words(text)) for _, text in texts]
    frequency = Counter(word for bag in bags for word in bag)
    sharing: dict[str, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        rarest = sorted(bag, key=lambda word: (frequency[word], word))
        for word in rarest[: len(bag) - math.ceil(similar * len(bag)) + 1]:
            sharing[word].append(place)
    pairs = {pair for places in sharing.values() for pair in combinations(places, 2)}
    for first, second in sorted(pairs):
        shared, either = len(bags[first] & bags[second]), len(bags[first] | bags[second])
        if texts[first][0] != texts[second][0] and either and shared / either >= similar:
            yield first, second


def same_papers(papers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of names of papers that are almost the same text: copies, versions, and a paper with its own abstract."""
    shingles = {name: _shingles(text) for name, text in papers.items()}
    times = Counter(shingle for found in shingles.values() for shingle in found)
    holding: dict[int, list[str]] = defaultdict(list)
    for name, found in shingles.items():
        for shingle in found:
            if 1 < times[shingle] <= _BOILERPLATE:
                holding[shingle].append(name)
    telling = holding.values()
    common = Counter(pair for names in telling for pair in combinations(names, 2))
    for (first, second), number in common.items():
        if number >= max(_FEWEST, SAME_TEXT * min(len(shingles[first]), len(shingles[second]))):
            yield first, second


def _shingles(text: str) -> frozenset[int]:
    """Hashes of a sample of a text's runs of words."""
    found = words(text)
    sampled = {word for word in set(found) if zlib.crc32(word.encode()) % _SAMPLED == 0}
    starts = (start for start in range(len(found) - _SHINGLE + 1) if found[start] in sampled)
    return frozenset(hash(tuple(found[start : start + _SHINGLE])) for start in starts)


_SHORTEST = 6
"""Words; fewer are in any paper by chance."""


def leaked(program: Program[Any], examples: Sequence[Example]) -> Iterator[str]:
    """Questions, answers, facts and gold quotes of examples that are in a program's prompts or demos, with their ids.

    Case, punctuation and spacing do not hide a text.
    """
    held: list[Any] = []
    for _, each in program.named_predictors():
        fields = [one.json_schema_extra or {} for one in each.signature.fields.values()]
        held.append([each.signature.instructions, fields, each.demos])
    shown = " ".join(map(_folded, _strings(held)))
    for example in examples:
        quotes = (each.quote for each in example.evidence)
        for text in (example.question, example.answer, *example.answers, *example.nuggets, *quotes):
            folded = _folded(text)
            if folded.count(" ") > _SHORTEST and folded in shown:
                yield f"{example.id}: {text[:80]!r}"


def _strings(value: object) -> Iterator[str]:
    """The texts in a value, each as it is: ``str`` of a list would escape a no-break space."""
    if isinstance(value, Mapping):
        yield from _strings(list(value.values()))
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, BaseModel):
        yield from _strings(value.model_dump())
    elif isinstance(value, dspy.Example):
        yield from _strings(value.toDict())
    else:
        yield str(value)


def _folded(text: str) -> str:
    return f" {' '.join(words(text))} "


class WordSearch:
    """BM25 over texts (Robertson and Zaragoza 2009); results are their positions."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._bm25 = Bm25()
        self._postings = Postings({str(at): self._bm25.document(text) for at, text in enumerate(texts)})

    def scores(self, query: str) -> NDArray[np.float64]:
        """Every text's score, [texts], at least 0; 0 where no word is shared."""
        rows, found = self._postings.scores(self._bm25.query(query))
        total = np.zeros(len(self._postings.ids))
        total[rows] = found
        return total

    def best(self, query: str, k: int) -> list[int]:
        """Positions of the k best texts, the best first; fewer where fewer share a word."""
        scores = self.scores(query)
        ranked = np.argsort(-scores, kind="stable")[:k]
        return [int(at) for at in ranked if scores[at] > 0]
