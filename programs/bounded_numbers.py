"""Outputs whose numbers can be none but those of the shown sentences, where the server samples by a schema."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast, get_args

import dspy
from pydantic import Field, create_model

from programs.lm.adapters import samples_by_schema
from programs.passages.numbered_sentences import NumberedSentences

MOST_OF_A_SENTENCE = 6
"""Numbers that a written sentence can give."""


def bounded(signature: type[dspy.Signature], *names: str, evidence: NumberedSentences) -> type[dspy.Signature]:
    """The signature; its outputs of these names, numbers or written sentences, are bounded by the evidence."""
    if not samples_by_schema(dspy.settings.lm):
        return signature
    numbers: Any = Literal[tuple(each.number for each in evidence.sentences)]  # a type that is made at run time
    for name in signature.output_fields.keys() & set(names):
        kind = _bounded(signature.output_fields[name].annotation, numbers)
        signature = cast("type[dspy.Signature]", signature.with_updated_fields(name, type_=kind))
    return signature


def _bounded(kind: Any, numbers: Any) -> Any:  # noqa: ANN401 - types
    """A list of numbers, an object with ``evidence``, or a list of such, with these numbers alone."""
    if parts := get_args(kind):
        return list[_bounded(parts[0], numbers)]  # type: ignore[misc]
    if kind is int:
        return numbers
    described = kind.model_fields["evidence"].description
    listed = Annotated[tuple[numbers, ...], Field(description=described, min_length=1, max_length=MOST_OF_A_SENTENCE)]
    return create_model(kind.__name__, __base__=kind, evidence=(listed, ...))
