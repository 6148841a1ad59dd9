"""What a perfect `main_points` would have said of a gold example, step by step.

    extract   an excerpt of the paper, question        → the gold quotes; nothing when the question has no answer
    answer    gold passages among others, question     → the gold answer with its citations, or no answer

and what ``answer_demos`` adds. Excerpts and passages are exact pieces of the paper. A question without an answer is
shown with the passages nearest to it, which is what a program would see.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from optimize.dataset.example import Example
from optimize.tasks.answer_demos import (
    Shown,
    among_others,
    cited,
    common,
    label_demos,
    passage_of,
    verification_demos,
)
from programs.ingest.chunking import SENTENCES, chunk
from programs.ingest.document import Chunk, Document
from signatures.citations import render
from signatures.passages import as_data

EXCERPT_WORDS = 350
"""A demo's share of a paper: several whole papers in a prompt would leave no room for the one that is asked."""


def demos_from_gold(example: Example, paper: Document, rng: random.Random) -> Mapping[str, Mapping[str, Any]]:
    """Demos by predictor.

    Args:
        example: With evidence in the paper, or not answerable.
        paper: The one paper that it is about.
        rng: Orders passages, and plants the falsehood.

    Returns:
        Verification and repair need an answer, repair a sentence that can be falsified, and labelling a label; a
        question that has an answer needs its evidence and the answer in words to show points and answer; else they are
        missing.
    """
    chunks = chunk(paper, SENTENCES)
    quotes = [each.quote for each in example.evidence]
    given = among_others([passage_of(paper, each) for each in chunks], quotes, example.question, rng)
    answer = cited(example.answer, given)
    demos: dict[str, Mapping[str, Any]] = {}
    if quotes or not example.answerable:
        demos["extract.predict"] = _extract(example, chunks, quotes)
    if answer or not example.answerable:
        demos["answer.predict"] = _answer(example, given, answer)
    return {**demos, **label_demos(example, given), **verification_demos(example, given, answer, rng)}


def _extract(example: Example, chunks: Sequence[Chunk], quotes: Sequence[str]) -> Mapping[str, Any]:
    found = f"The paper reports it in {len(quotes)} place{'s' if len(quotes) != 1 else ''}."
    return {
        "paper": as_data(_excerpt(chunks, quotes, example.question)),
        "question": example.question,
        "reasoning": found if quotes else "The paper treats the subject, but reports nothing that answers this.",
        "points": list(quotes),
    }


def _answer(example: Example, given: Shown, answer: str) -> Mapping[str, Any]:
    stated = f"Passage {render(given.marker(each) for each in given.gold)} states it."
    return {
        "passages": given.text,
        "papers": given.papers,
        "question": example.question,
        "reasoning": stated if answer else "No passage states what the question asks for.",
        "answerable": example.answerable,
        "answer": answer,
    }


def _excerpt(chunks: Sequence[Chunk], quotes: Sequence[str], question: str) -> str:
    """Pieces of the paper in its order: those with the quotes, then the nearest to the question, as many as fit."""

    def rank(each: Chunk) -> tuple[bool, float]:
        return not any(quote in each.text for quote in quotes), -common(each.text, question)

    kept: list[Chunk] = []
    length = 0
    for each in sorted(chunks, key=rank):
        length += len(each.text.split())
        if kept and length > EXCERPT_WORDS:
            break
        kept.append(each)
    kept.sort(key=lambda each: each.start)
    parts = []
    for before, each in zip([None, *kept], kept, strict=False):
        is_under_same_heading = before is not None and before.heading == each.heading
        parts += [each.text] if is_under_same_heading or not each.heading else [each.heading, each.text]
    return "\n\n".join(parts)
