"""What a perfect `main_points` would have said of a gold example, step by step.

    extract   an excerpt of the paper, question        → the gold quotes; nothing when the question has no answer
    answer    gold passages among others, question     → the gold answer with its citations, or no answer
    find      the same passages, a true or false answer→ the planted falsehood, or nothing
    fix       the false answer and its claims          → the gold answer

Excerpts and passages are exact pieces of the paper. A question without an answer is shown with the passages nearest to
it, which is what a program would see.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.sentences import sentences
from metrics.support import check
from metrics.words import words
from optimize.example import Example
from optimize.falsify import Falsified, falsify
from programs.ingest.chunking import SENTENCES, chunk
from programs.ingest.document import Chunk, Document
from signatures.citations import render
from signatures.passages import as_data, numbered

EXCERPT_WORDS = 350
"""A demo's share of a paper: several whole papers in a prompt would leave no room for the one that is asked."""
PASSAGES = 3
_FULL_STOPS = ".。"


@dataclass(frozen=True, slots=True)
class _Shown:
    """The numbered passages of a demo, and which of them are gold."""

    chunks: tuple[Chunk, ...]
    gold: tuple[int, ...]

    @property
    def text(self) -> str:
        return numbered((each.section, each.text) for each in self.chunks)


def demos_from_gold(example: Example, paper: Document, rng: random.Random) -> Mapping[str, Mapping[str, Any]]:
    """Demos by predictor.

    Args:
        example: With evidence in the paper, or not answerable.
        paper: The one paper that it is about.
        rng: Orders passages, and plants the falsehood.

    Returns:
        Verification and repair need an answer, and repair a sentence that can be falsified; else they are missing.
    """
    chunks = chunk(paper, SENTENCES)
    quotes = [each.quote for each in example.evidence]
    shown = _passages(chunks, quotes, example.question, rng)
    answer = _cited(example.answer, shown)
    demos = {"extract.predict": _extract(example, chunks, quotes), "answer.predict": _answer(example, shown, answer)}
    if example.label:
        demos["labelling.choose"] = {"passages": shown.text, "question": example.question, "label": example.label}
    if not answer:
        return demos
    planted = _planted(answer, shown.text, rng)
    show_falsehood = planted is not None and rng.random() < 0.5
    demos["verification.find.predict"] = _find(example, shown, answer, planted if show_falsehood else None)
    if planted is not None:
        demos["verification.fix"] = _fix(example, shown, answer, planted)
    return demos


def _extract(example: Example, chunks: Sequence[Chunk], quotes: Sequence[str]) -> Mapping[str, Any]:
    found = f"The paper reports it in {len(quotes)} place{'s' if len(quotes) != 1 else ''}."
    return {
        "paper": as_data(_excerpt(chunks, quotes, example.question)),
        "question": example.question,
        "reasoning": found if quotes else "The paper treats the subject, but reports nothing that answers this.",
        "points": list(quotes),
    }


def _answer(example: Example, shown: _Shown, answer: str) -> Mapping[str, Any]:
    stated = f"Passage {render(str(number) for number in shown.gold)} states it."
    return {
        "passages": shown.text,
        "question": example.question,
        "reasoning": stated if answer else "No passage states what the question asks for.",
        "answerable": example.answerable,
        "answer": answer,
    }


def _find(example: Example, shown: _Shown, answer: str, planted: _Planted | None) -> Mapping[str, Any]:
    return {
        "passages": shown.text,
        "question": example.question,
        "answer": planted.answer if planted else answer,
        "reasoning": f"In one statement {planted.reason}." if planted else "The cited passages say every statement.",
        "unsupported_claims": [planted.claim] if planted else [],
    }


def _fix(example: Example, shown: _Shown, answer: str, planted: _Planted) -> Mapping[str, Any]:
    return {
        "passages": shown.text,
        "question": example.question,
        "answer": planted.answer,
        "unsupported_claims": [planted.claim],
        "fixed_answer": answer,
    }


def _passages(chunks: Sequence[Chunk], quotes: Sequence[str], question: str, rng: random.Random) -> _Shown:
    """The chunks that hold the quotes, among those that are nearest to the question, in random order."""
    gold = [each for each in chunks if any(quote in each.text for quote in quotes)]
    others = sorted((each for each in chunks if each not in gold), key=lambda each: -_common(each.text, question))
    chosen = [*gold, *others[: max(PASSAGES - len(gold), 1)]]
    rng.shuffle(chosen)
    return _Shown(tuple(chosen), tuple(number for number, each in enumerate(chosen, start=1) if each in gold))


def _excerpt(chunks: Sequence[Chunk], quotes: Sequence[str], question: str) -> str:
    """Pieces of the paper in its order: those with the quotes, then the nearest to the question, as many as fit."""

    def rank(each: Chunk) -> tuple[bool, float]:
        return not any(quote in each.text for quote in quotes), -_common(each.text, question)

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


def _cited(answer: str, shown: _Shown) -> str:
    """The answer with citations: each sentence cites the gold passages that bear it out, or all where none does alone.

    The check reads English; an answer in another language cites all gold passages.
    """
    return " ".join(_cite(answer[span.start : span.end], shown) for span in sentences(answer)) if shown.gold else ""


def _cite(sentence: str, shown: _Shown) -> str:
    texts = {number: shown.chunks[number - 1].text for number in shown.gold}
    bearing = [number for number, text in texts.items() if check(sentence, [text]).verdict == "supported"]
    bare = sentence.rstrip(_FULL_STOPS)
    return f"{bare} {render(str(number) for number in bearing or shown.gold)}{sentence[len(bare) :] or '.'}"


@dataclass(frozen=True, slots=True)
class _Planted:
    answer: str
    claim: Mapping[str, str]
    reason: str


def _planted(answer: str, passages: str, rng: random.Random) -> _Planted | None:
    """The answer with its first sentence that can be falsified made false."""
    for span in sentences(answer):
        wrong: Falsified | None = falsify(answer[span.start : span.end], rng, passages)
        if wrong is not None:
            changed = f"{answer[: span.start]}{wrong.text}{answer[span.end :]}"
            return _Planted(changed, {"claim": wrong.text, "reason": wrong.reason}, wrong.reason)
    return None


def _common(text: str, question: str) -> float:
    """Share of the question's words that a text holds."""
    asked = set(words(question))
    return len(asked.intersection(words(text))) / len(asked) if asked else 0.0
