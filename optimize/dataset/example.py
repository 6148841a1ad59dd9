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
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import ClassVar

from pydantic import ConfigDict

SPLITS = ("train", "val", "dev", "test")
"""What demos are made of; what candidates are chosen by; what people look at; what only the report opens."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage that proves an answer.

    Attributes:
        document_id: The paper.
        quote: An exact piece of its text.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    document_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its gold answer; a line of ``questions/SPLIT.jsonl``. Metrics read its fields by these names.

    Attributes:
        id: Unique over all splits.
        question: In any language.
        document_ids: Papers that it is about, at least one.
        answer: Reference answer; empty when there is none.
        answers: More than one reference answer, where the data have them.
        nuggets: Facts that a full answer holds.
        evidence: Quotes that prove it.
        answerable: Whether the papers answer it.
        label: The right one of ``choices``, where the answer is a class.
        choices: The classes.
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
    evidence: tuple[Evidence, ...] = ()
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


def spread(examples: tuple[Example, ...], limit: int | None) -> tuple[Example, ...]:
    """At most ``limit`` examples, spread evenly over all, since neighbours are often about the same paper."""
    if limit is None or limit >= len(examples):
        return examples
    return tuple(examples[place * len(examples) // limit] for place in range(limit))
