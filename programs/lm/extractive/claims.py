"""Answers against their passages by the guards and the checker: ``proofs``, ``fixed_answer``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from metrics.sentences import sentences
from metrics.support import Support, check
from programs.lm.extractive.prompt import Field, ReadPrompt, UnknownTask
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.sources import (
    PromptPassage,
    as_text,
    cited_labels,
    passages,
    quotation,
    roles,
    source_sentences,
    without_citations,
)

# What a passage's sentence has to hold of an unsupported one to stand in its place; otherwise that one goes.
REPLACES = 0.4
_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])[ \t]+")
_NUMBERED = re.compile(r"\s*(\d+)\.\s+(.+)")


def _needed(prompt: ReadPrompt, name: str, field: Field) -> str:
    if name not in prompt.values:
        raise UnknownTask(
            f"To give {field.name!r} the extractive LM needs an input `{name}`; there are {list(prompt.values)}"
        )
    return as_text(prompt.values[name])


def proofs(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """For every numbered sentence the quote that bears it out in the passages it cites, or what is missing."""
    lines = map(_NUMBERED.match, _needed(prompt, "sentences", field).splitlines())
    return [_proof(int(line[1]), line[2], prompt) for line in lines if line]


def _proof(number: int, sentence: str, prompt: ReadPrompt) -> dict[str, Any]:
    cited, support = _checked(_BULLET.sub("", sentence), prompt)
    if support.verdict != "supported" or support.passage is None:
        return {"number": number, "quotes": [], "verdict": "not proved", "reason": support.reason}
    quote = {"passage": cited[support.passage].label, "quote": support.quote}
    return {"number": number, "quotes": [quote], "verdict": "proved", "reason": ""}


def fixed_answer(prompt: ReadPrompt, field: Field) -> str:
    """The answer with each unsupported sentence replaced by what its passage says, or left out.

    A claim that was found by another checker counts as unsupported here too, whatever the check says of it.
    """
    given = prompt.values.get("unsupported_claims", [])
    claims = [_plain(as_text(each.get("claim", "") if isinstance(each, dict) else each)) for each in given]
    kept: list[tuple[str, str]] = []
    layout = ""
    for before, sentence in _laid_out(_needed(prompt, "answer", field)):
        layout += before
        mended = _mended(sentence, prompt) if _is_claimed(sentence, claims) else sentence
        if mended and _plain(mended) not in [_plain(other) for _, other in kept]:
            kept.append((layout, mended))
            layout = ""
        else:  # the bullet goes with its sentence
            layout = layout[: layout.rindex("\n")] if "\n" in layout else ""
    return "".join(before + sentence for before, sentence in kept).strip()


def _laid_out(answer: str) -> Iterator[tuple[str, str]]:
    """Every sentence with what stands before it: spaces, line breaks and the bullet of a list."""
    position = 0
    for span in sentences(answer):
        bullet = _BULLET.match(answer, span.start, span.end)
        start = bullet.end() if bullet else span.start
        yield answer[position:start], answer[start : span.end]
        position = span.end


def _checked(sentence: str, prompt: ReadPrompt) -> tuple[list[PromptPassage], Support]:
    """The passages that a sentence cites, or all if it cites none, and what they say of it."""
    text = roles(prompt).text_of(prompt.values)
    shown = passages(text) or (PromptPassage("", "", text),)
    labels = {passage.label for passage in shown if passage.label}
    named = cited_labels(sentence, labels)
    cited = [passage for passage in shown if not named or passage.label in named]
    question = as_text(prompt.values.get("question", ""))
    return cited, check(without_citations(sentence, labels), [passage.text for passage in cited], question)


def _mended(sentence: str, prompt: ReadPrompt) -> str:
    """What a passage says instead, cited; empty if none says anything like it."""
    ranking = rank(without_citations(sentence), source_sentences(roles(prompt).text_of(prompt.values)))
    best = next((each for each in ranking.sentences if each.coverage >= REPLACES), None)
    return quotation(best.sentence) if best else ""


def _is_claimed(sentence: str, claims: Sequence[str]) -> bool:
    """Whether a claim is the sentence or a part of it, or the sentence a part of the claim."""
    plain = _plain(sentence)
    return any(claim and (claim in plain or plain in claim) for claim in claims)


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", without_citations(text)).strip().lower()
