"""``quotes`` and ``value``: a cell of a table of evidence, from the sentences that answer its question."""

from __future__ import annotations

import re
from typing import Any

from metrics.support.quantities import Quantity, quantities
from metrics.support.reading import normalised
from metrics.support.units import LABELS, UNITS
from programs.lm.extractive.prompt import Field, Prompt
from programs.lm.extractive.roles import as_text
from programs.lm.extractive.tasks.answering import find
from programs.lm.extractive.wording import compressed

_PROBABILITY = re.compile(r"\bp\s?(?:[<>=≤≥]|value)\W*$", re.IGNORECASE)
_WANTED_UNIT = re.compile(r"\bin (?P<unit>\S+) if\b")


def quotes(prompt: Prompt, field: Field) -> list[dict[str, Any]]:
    """The sentences that the answer takes over, each with the label of its passage."""
    return [{"passage": each.sentence.label, "quote": each.sentence.text} for each in find(prompt, "answer").sentences]


def value(prompt: Prompt, field: Field) -> str:
    """A number of the best sentences where the form asks for one, else the best sentence; empty to abstain."""
    found, form = find(prompt, "answer").sentences, as_text(prompt.values.get("form", ""))
    texts = [compressed(each.sentence.text) for each in found]
    if not form.startswith("a number"):
        return texts[0] if texts else ""
    wanted = _WANTED_UNIT.search(form)
    dimension = UNITS.get(wanted["unit"], ("", 1.0))[0] if wanted else ""
    return next((number for text in texts if (number := _number(text, dimension))), "")


def _number(text: str, dimension: str) -> str:
    """The first number of a dimension, else the first that counts or measures something; none of a name or test."""
    plain = normalised(text)
    counted = [each for each in quantities(plain) if not _is_beside(plain, each)]
    best = next((each for each in counted if dimension and each.dimension == dimension), None)
    best = best or next(iter(counted), None)
    return text[best.start : best.end] if best else ""


def _is_beside(plain: str, number: Quantity) -> bool:
    return number.dimension in LABELS or bool(_PROBABILITY.search(plain[: number.start]))
