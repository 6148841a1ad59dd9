"""``proofs`` and ``fixed_answer``: an answer against its passages, by the guards and the checker."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from metrics.sentences import sentences
from metrics.support import Support, check
from programs.lm.extractive.errors import UnknownTask
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.roles import as_text, roles
from programs.lm.extractive.sources import PromptPassage, passages, source_sentences
from programs.lm.extractive.wording import cited_labels, quoted, without_citations

# What a passage's sentence has to hold of an unsupported one to stand in its place; otherwise that one goes.
REPLACES = 0.4
_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])[ \t]+")
_NUMBERED = re.compile(r"\s*(\d+)\.\s+(.+)")


def proofs(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """For every numbered sentence the quote that bears it out in the passages it cites, or what is missing."""
    if "sentences" not in prompt.values:
        raise UnknownTask(
            f"To give {field.name!r} the extractive LM needs an input `sentences`; there are {list(prompt.values)}"
        )
    lines = map(_NUMBERED.match, as_text(prompt.values["sentences"]).splitlines())
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
    claims = [_plain(as_text(_claim(each))) for each in prompt.values.get("unsupported_claims", [])]
    kept: list[tuple[str, str]] = []
    layout = ""
    for before, sentence in _laid_out(_answer(prompt, field)):
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


def _answer(prompt: ReadPrompt, field: Field) -> str:
    if "answer" not in prompt.values:
        raise UnknownTask(
            f"To give {field.name!r} the extractive LM needs an input `answer`; there are {list(prompt.values)}"
        )
    return as_text(prompt.values["answer"])


def _checked(sentence: str, prompt: ReadPrompt) -> tuple[list[PromptPassage], Support]:
    """The passages that a sentence cites, or all if it cites none, and what they say of it."""
    shown = _shown(prompt)
    labels = {passage.label for passage in shown if passage.label}
    cited = _cited_passages(sentence, shown, labels)
    question = as_text(prompt.values.get("question", ""))
    return cited, check(without_citations(sentence, labels), [passage.text for passage in cited], question)


def _shown(prompt: ReadPrompt) -> tuple[PromptPassage, ...]:
    text = roles(prompt).text_of(prompt.values)
    return passages(text) or (PromptPassage("", "", text),)


def _cited_passages(sentence: str, shown: Sequence[PromptPassage], labels: Collection[str]) -> list[PromptPassage]:
    cited = cited_labels(sentence, labels)
    return [passage for passage in shown if not cited or passage.label in cited]


def _mended(sentence: str, prompt: ReadPrompt) -> str:
    """What a passage says instead, cited; empty if none says anything like it."""
    ranking = rank(without_citations(sentence), source_sentences(roles(prompt).text_of(prompt.values)))
    best = next((each for each in ranking.sentences if each.coverage >= REPLACES), None)
    return quoted(best.sentence.text, [best.sentence.label]) if best else ""


def _is_claimed(sentence: str, claims: Sequence[str]) -> bool:
    """Whether a claim is the sentence or a part of it, or the sentence a part of the claim."""
    plain = _plain(sentence)
    return any(claim and (claim in plain or plain in claim) for claim in claims)


def _claim(each: Any) -> Any:  # noqa: ANN401 - an object with a claim, or the claim itself
    return each.get("claim", "") if isinstance(each, dict) else each


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", without_citations(text)).strip().lower()
