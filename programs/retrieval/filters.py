"""Filters as users write them, and as stores evaluate them.

    {"organism": ["Mus musculus", "Rattus norvegicus"], "year": {"gte": 2015}, "section": "results"}

A field must match all that is said of it, and all fields must match. A value matches itself, or one item of a list
field; a list matches any of its values; an object is a range (``gte``, ``gt``, ``lte``, ``lt``) or an exclusion
(``not``). True and false are stored and matched as the words "true" and "false". Case counts in what papers say of
themselves, but not in ``section`` and ``kind``, whose values are our own.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from programs.errors import UnknownFilterField, UsageError
from programs.ingest.document import NOT_EVIDENCE, ChunkKind
from programs.ingest.line_shapes import SectionKind

FieldType: TypeAlias = Literal["keyword", "number"]
Filters: TypeAlias = Mapping[str, Any]

CHUNK_FIELDS = ("document", "section", "kind", "heading")
"""Fields of the chunk itself; every other field is the document's metadata."""

OWN_VALUES: Mapping[str, tuple[str, ...]] = {
    "section": tuple(sorted(set(get_args(SectionKind)) - NOT_EVIDENCE)),
    "kind": tuple(sorted(get_args(ChunkKind))),
}
"""The values that fields of the chunk can have, where those are fixed."""

_BOUNDS = ("gte", "gt", "lte", "lt")
_HOLDS: Mapping[FieldType, str] = {"keyword": "text", "number": "numbers"}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on one payload field: that it holds one of the values, or a number within the bounds, or not so.

    The key is a path in a point's payload: ``section`` or ``metadata.organism``; bounds are by ``gte`` and so on.
    """

    key: str
    type: FieldType
    values: tuple[str | float, ...] = ()
    bounds: Mapping[str, float] | None = None
    negated: bool = False


def field_type(value: object) -> FieldType:
    """How a metadata value is indexed; a list is indexed as its items."""
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "keyword"


def as_word(flag: bool) -> str:
    """True and false as they are stored: the embedded engine cannot match booleans."""
    return "true" if flag else "false"


def parse_filters(filters: Filters | None, fields: Mapping[str, FieldType]) -> tuple[Condition, ...]:
    """Turn a user's filters into conditions; ``fields`` are all that the index holds, with their types.

    Raises:
        UnknownFilterField: For a field that no document has; names the nearest ones.
        UsageError: For a value that does not fit the field, or that it never has.
    """
    return tuple(
        condition for field, wanted in (filters or {}).items() for condition in _conditions(field, wanted, fields)
    )


def _conditions(field: str, wanted: object, fields: Mapping[str, FieldType]) -> list[Condition]:
    if field not in fields:
        near = difflib.get_close_matches(field, fields, n=3, cutoff=0.5)
        meant = f"did you mean {' or '.join(near)}? The fields are" if near else "filter on one of"
        raise UnknownFilterField(f"no indexed document has the field {field!r}; {meant}: {', '.join(sorted(fields))}")
    kind, key = fields[field], field if field in CHUNK_FIELDS else f"metadata.{field}"
    if not isinstance(wanted, Mapping):
        return [Condition(key, kind, values=_values(field, wanted, kind))]
    unknown = set(wanted) - {*_BOUNDS, "not"}
    if unknown or not wanted:
        raise UsageError(f"filter {field!r} got {dict(wanted)!r}; an object takes {', '.join(_BOUNDS)} or not")
    found = []
    if "not" in wanted:
        found.append(Condition(key, kind, values=_values(field, wanted["not"], kind), negated=True))
    bounds = {name: wanted[name] for name in _BOUNDS if name in wanted}
    if bounds and kind != "number":
        raise UsageError(f"filter {field!r} is a range, but the field holds {_HOLDS[kind]}")
    for name, value in bounds.items():
        if field_type(value) != "number" or not _storable(value):
            raise UsageError(f"filter {field!r}: {name} must be a number, got {value!r}")
    return [*found, Condition(key, kind, bounds=bounds)] if bounds else found


def _values(field: str, wanted: object, kind: FieldType) -> tuple[str | float, ...]:
    values = list(wanted) if isinstance(wanted, Collection) and not isinstance(wanted, str) else [wanted]
    if not values:
        raise UsageError(f"filter {field!r} is an empty list, which nothing can match; leave the filter out")
    return tuple(_value(field, value, kind) for value in values)


def _value(field: str, value: object, kind: FieldType) -> str | float:
    if not isinstance(value, str | int | float) or field_type(value) != kind or not _storable(value):
        raise UsageError(f"filter {field!r} got {value!r}, but the field holds {_HOLDS[kind]}")
    if field not in OWN_VALUES:
        return as_word(value) if isinstance(value, bool) else value
    written = str(value).strip().casefold()
    if written not in OWN_VALUES[field]:
        raise UsageError(f"filter {field!r} got {value!r}; it is one of: {', '.join(OWN_VALUES[field])}")
    return written


def _storable(value: object) -> bool:
    """Whether an engine can compare a value: text, or a number that a 64-bit float holds."""
    if not isinstance(value, int | float):
        return True
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
