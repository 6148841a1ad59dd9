"""What a request's body may be, whatever it asks for."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictInt, model_validator

from programs.plain_input import LONGEST_QUESTION, require_plain, require_seen

LARGEST_TOP_K = 40
"""As many candidates as `multi_signal` chooses from."""

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
    """A request's body: unknown fields are refused, and so is text that UTF-8 cannot write."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _holds_text(cls, values: Any) -> Any:  # noqa: ANN401 - whatever was sent
        require_plain(values)
        return values


Question = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_QUESTION, description="What to ask, in any language."),
    AfterValidator(require_seen),
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
