"""Numbers that say how well a text fits a question, on the scale that the field states."""

from __future__ import annotations

import re

from programs.lm.extractive.errors import UnknownTask
from programs.lm.extractive.habits import learn
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.roles import roles
from programs.lm.extractive.sources import source_sentences

_RANGE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*(?:-|–|—|to|and|\.\.\.?|through)\s*(\d+(?:\.\d+)?)(?![\d.]*\d)")
_SCORE_NAME = re.compile(r"score|rating|relevance|confidence|grade|probability|similarity|support|groundedness|quality")


def score(prompt: ReadPrompt, field: Field) -> float | int:
    """The confidence that the text answers the question, calibrated on the demos' scores or else spread over the range.

    Raises:
        UnknownTask: The field is not a score: neither its name nor a range in its type or description says so.
    """
    low, high = score_range(field)
    who, habits = roles(prompt), learn(prompt, field.name)
    question = who.question_of(prompt.values)
    confidence = rank(question, source_sentences(who.text_of(prompt.values)), habits.sections).confidence
    calibrated = habits.calibrated(confidence)
    value = low + (high - low) * confidence if calibrated is None else calibrated
    value = min(high, max(low, value))
    return round(value) if field.schema.get("type") == "integer" else round(value, 4)


def score_range(field: Field) -> tuple[float, float]:
    """Lowest and highest score: from the schema, else from the description, else 0 to 1 for a fraction."""
    schema = field.schema
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is not None and high is not None:
        return float(low), float(high)
    stated = _RANGE.search(f"{field.desc} {schema.get('description', '')}")
    if stated and float(stated[1]) < float(stated[2]):
        return float(stated[1]), float(stated[2])
    if schema.get("type") == "number" and _SCORE_NAME.search(field.name):
        return 0.0, 1.0
    raise UnknownTask(
        f"The extractive LM cannot tell what number {field.name!r} should be; name it a score and state its range "
        "in the field's description, such as '0 to 1', or use a model"
    )
