"""Outputs whose numbers can be none but those of the shown sentences, where the server samples by a schema.

Bounds are in the schema that is sent alone. What a server that does not keep to it answers is read all the same: a
number that no sentence has is left out, or named as what is wrong with a sentence.
"""

from __future__ import annotations

from typing import Annotated, Any, cast, get_args

import dspy
from pydantic import Field, create_model

from programs.lm.adapters import samples_by_schema
from programs.passages.numbered_sentences import NumberedSentences

MOST_OF_A_SENTENCE = 6
"""Numbers that a written sentence can give."""
MOST_LISTED = 12
"""Sentences that a list can hold at least; else as many as there is evidence for."""


def bounded(signature: type[dspy.Signature], *names: str, evidence: NumberedSentences) -> type[dspy.Signature]:
    """The signature; its outputs of these names, numbers or written sentences, are bounded by the evidence."""
    if not samples_by_schema(dspy.settings.lm):
        return signature
    numbers = [each.number for each in evidence.sentences]
    for name in signature.output_fields.keys() & set(names):
        kind = _bounded(signature.output_fields[name].annotation, numbers)
        signature = cast("type[dspy.Signature]", signature.with_updated_fields(name, type_=kind))
        signature.output_fields[name].annotation = kind  # pydantic takes the bounds of the list itself apart
    return signature


def _bounded(kind: Any, numbers: list[int]) -> Any:  # noqa: ANN401 - types
    """A list of numbers, an object with ``evidence``, or a list of such, with these numbers alone."""
    if parts := get_args(kind):
        most = len(numbers) if parts[0] is int else max(len(numbers), MOST_LISTED)
        return _sent(list[_bounded(parts[0], numbers)], maxItems=most)  # type: ignore[misc]
    if kind is int:
        return _sent(int, enum=numbers)
    described = kind.model_fields["evidence"].description
    number: Any = _sent(int, enum=numbers)  # a type that is made at run time
    listed = _sent(tuple[number, ...], minItems=1, maxItems=MOST_OF_A_SENTENCE)
    return create_model(kind.__name__, __base__=kind, evidence=(listed, Field(description=described)))


def _sent(kind: Any, **schema: Any) -> Any:  # noqa: ANN401 - types
    """A type with more in the schema that is sent, and no more in what is accepted."""
    return Annotated[kind, Field(json_schema_extra=schema)]
