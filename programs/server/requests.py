"""What a request's body may be, whatever it asks for."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt, model_validator

LONGEST_QUESTION = 2_000
LARGEST_TOP_K = 40
"""As many candidates as `multi_signal` chooses from."""

_DEEPEST = 8
"""Levels that a body may nest; filters need three."""

_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs that show nothing: fillers of Hangul, and the Braille pattern without dots."""

_VALUE = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
_FILTERS_SCHEMA = {
    "anyOf": [
        {
            "type": "object",
            "additionalProperties": {
                "anyOf": [
                    *_VALUE["anyOf"],
                    {"type": "array", "items": _VALUE, "minItems": 1},
                    {
                        "type": "object",
                        "minProperties": 1,
                        "additionalProperties": False,
                        "properties": {
                            **{bound: {"type": "number"} for bound in ("gte", "gt", "lte", "lt")},
                            "not": {"anyOf": [*_VALUE["anyOf"], {"type": "array", "items": _VALUE, "minItems": 1}]},
                        },
                    },
                ]
            },
        },
        {"type": "null"},
    ]
}


class Body(BaseModel):
    """A request's body: unknown fields are refused, and so is text that is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _holds_text(cls, values: Any) -> Any:  # noqa: ANN401 - whatever was sent
        """Refuse lone surrogates and NULs anywhere: the engine, the log and the answer could not hold them."""
        level, depth = [values], 0
        while level:
            if depth > _DEEPEST:
                raise ValueError(f"the body nests deeper than {_DEEPEST} levels")
            for text in (each for each in level if isinstance(each, str)):
                _require_text(text)
            level = [inner for each in level for inner in _inside(each)]
            depth += 1
        return values


def _inside(value: Any) -> list[Any]:  # noqa: ANN401 - whatever was sent
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list) else []


def _require_text(text: str) -> None:
    bad = next((character for character in text if character == "\0" or "\ud800" <= character <= "\udfff"), None)
    if bad is not None:
        raise ValueError(f"a text holds U+{ord(bad):04X}, which is not a character")


def _not_blank(text: str) -> str:
    if not any(map(_is_seen, text)):
        raise ValueError("the question is empty; ask something of the papers")
    return text


def _is_seen(character: str) -> bool:
    """Whether a character shows: not a space, a control or format character, a mark alone, or a filler."""
    return unicodedata.category(character)[0] in "LNPS" and character not in _FILLERS


Question = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_QUESTION, description="What to ask, in any language."),
    AfterValidator(_not_blank),
]
TopK = Annotated[
    StrictInt | None,
    Field(ge=1, le=LARGEST_TOP_K, description="Passages to answer from; the program's own number if not given."),
]
FilterField = Annotated[
    dict[str, Any] | None,
    Field(
        description='Which passages may be found, such as {"organism": ["Mus musculus"], "year": {"gte": 2015}}; '
        "GET /api/fields lists the fields.",
        json_schema_extra=_FILTERS_SCHEMA,
    ),
]
