"""``quotes`` and ``value``: a cell of a table of evidence, from the sentences that answer its question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from metrics.support.quantities import LABELS, UNITS, Quantity, quantities
from metrics.support.reading import normalised
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import RankedSentence
from programs.lm.extractive.roles import as_text, roles
from programs.lm.extractive.tasks.answering import answer, find
from programs.lm.extractive.tasks.labels import VOTERS, direction_of, label, meaning_of
from programs.lm.extractive.wording import compressed, joined, quoted

_PROBABILITY = re.compile(r"\bp\s?(?:[<>=≤≥]|value)\W*$", re.IGNORECASE)
_INTERVAL = re.compile(r"\d+\s?%?,?\s?(?:CIs?\b|confidence|credible)", re.IGNORECASE)
_COUNT = re.compile(
    r"(?<!\bby )\bhow many (?!per\s?cent|times|\w*grams?\b|\w*met(?:er|re)s?\b)|\bnumber of\b", re.IGNORECASE
)
_BOUND = re.compile(r"\b(?:CIs?|intervals?|IQR|SDs?|SEM?)\b[^()\[\];]*$")
_LENGTH = re.compile(r"\bhow (?:long|many (?:minutes|hours|days|weeks|months|years))\b|\bduration\b", re.IGNORECASE)
_WANTED_UNIT = re.compile(r"\bin (?P<unit>\S+) if\b")


def quotes(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """The sentences that the answer takes over, each with the label of its passage."""
    return [{"passage": each.sentence.label, "quote": each.sentence.text} for each in _sentences(prompt)]


def cell_answer(prompt: ReadPrompt, field: Field) -> str:
    """The answer as any; of a cell of a table, the one sentence that says its value."""
    if any(each.name == "value" for each in prompt.outputs):
        return joined([quoted(each.sentence.text, [each.sentence.label]) for each in _sentences(prompt)])
    return answer(prompt, field)


def value(prompt: ReadPrompt, field: Field) -> str:
    """A number of the sentence where the form asks for one, else the sentence; empty to abstain."""
    text = next((compressed(each.sentence.text) for each in _sentences(prompt)), "")
    return _number(text, _dimension(prompt)) if _asks_for_number(prompt) else text


def _sentences(prompt: ReadPrompt) -> Sequence[RankedSentence]:
    """What the answer is made of: the best sentence, which says what the value is, or none.

    Where the value is a number, the best that holds one; where it is a direction, the best that reports that one.
    """
    found = find(prompt, "answer")
    if not found.sentences:
        return ()
    if _asks_for_number(prompt):
        dimension = _dimension(prompt)
        return [each for each in found.sentences if _number(compressed(each.sentence.text), dimension)][:1]
    wanted = next((each for each in prompt.outputs if each.name == "value" and "enum" in each.schema), None)
    said = meaning_of(str(label(prompt, wanted))) if wanted else None
    saying = [each for each in found.ranking.sentences[:VOTERS] if direction_of(each.sentence.text) == said]
    return saying[:1] if said in {"more", "less", "same"} and saying else found.sentences[:1]


def _asks_for_number(prompt: ReadPrompt) -> bool:
    return _form(prompt).startswith("a number")


def _dimension(prompt: ReadPrompt) -> str | None:
    """Of the unit that is wanted, empty for a count; None for any."""
    wanted = _WANTED_UNIT.search(_form(prompt))
    if wanted is None:
        asked = roles(prompt).question_of(prompt.values)
        return "time" if _LENGTH.search(asked) else "" if _COUNT.search(asked) else None
    return UNITS.get(wanted["unit"], (None, 1.0))[0]


def _form(prompt: ReadPrompt) -> str:
    return as_text(prompt.values.get("form", ""))


def _number(text: str, dimension: str | None) -> str:
    """The first number of the dimension, or of any if none is wanted; not one of a name or test.

    A count or a length of time is asked for in so many words, so a share or a dose is not an answer to it.
    """
    plain = normalised(text)
    counted = [each for each in quantities(plain) if not _is_beside(plain, each)]
    best = next((each for each in counted if each.dimension == dimension), None)
    if best is None and dimension not in ("", "time"):
        best = next(iter(counted), None)
    return text[best.start : best.end] if best else ""


def _is_beside(plain: str, number: Quantity) -> bool:
    before = plain[: number.start]
    is_spread = _PROBABILITY.search(before) or _BOUND.search(before) or _INTERVAL.match(plain, number.start)
    return number.dimension in LABELS or bool(is_spread)
