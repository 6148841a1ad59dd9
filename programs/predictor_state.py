"""What a state file may hold of a predictor: instructions, field descriptions and demonstrations, and nothing else.

DSPy sets whatever else stands there as an attribute: a "config" with an "api_base" would send papers and keys to that
address, an "lm" would ask another model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, TypeAdapter

LARGEST_STATE = 20 * 2**20
"""Bytes of a state file at most; those that are shipped have up to 200,000."""
MOST_DEMOS = 64

_STRICT = ConfigDict(extra="forbid", strict=True)
_Name = Annotated[str, StringConstraints(max_length=100)]
_Instructions = Annotated[str, StringConstraints(max_length=50_000)]


class _FieldText(BaseModel):
    model_config = _STRICT
    prefix: Annotated[str, StringConstraints(max_length=500)]
    description: Annotated[str, StringConstraints(max_length=10_000)]


class _SignatureText(BaseModel):
    model_config = _STRICT
    instructions: _Instructions
    fields: Annotated[list[_FieldText], Field(max_length=50)]


class _PredictorState(BaseModel):
    model_config = _STRICT
    signature: _SignatureText
    demos: Annotated[list[dict[_Name, JsonValue]], Field(max_length=MOST_DEMOS)]
    traces: Annotated[list[JsonValue], Field(max_length=0)] = []
    train: Annotated[list[JsonValue], Field(max_length=0)] = []
    lm: None = None


_PREDICTORS = TypeAdapter(dict[_Name, _PredictorState])


def check_predictors(content: Mapping[str, Any], names: Iterable[str]) -> None:
    """Check what a file holds of predictors.

    Args:
        content: By predictor, as ``dspy.Module.dump_state`` gives it.
        names: The predictors that it says it was made for.

    Raises:
        ValueError: There is another predictor, or anything but instructions, descriptions and demonstrations.
    """
    if content.keys() != set(names):
        raise ValueError(f"it holds {', '.join(content)}, and says that it holds {', '.join(names)}")
    _PREDICTORS.validate_python(dict(content))


def without_runs(content: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Predictors' states without what an optimizer's runs left in them."""
    return {name: {**values, "traces": [], "train": []} for name, values in content.items()}
