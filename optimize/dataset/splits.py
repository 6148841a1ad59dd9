"""Which split a question is in: by its paper, so that no split measures memory of another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

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
