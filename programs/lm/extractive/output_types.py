"""The type of an output field, from the note that DSPy's adapters write beside it, as a JSON schema.

must be True or False                                   {"type": "boolean"}
must be a single float value                            {"type": "number"}
must exactly match (no extra characters) one of: yes; no  {"enum": ["yes", "no"]}
must adhere to the JSON schema: {"type": "array", …}    that schema, references resolved
(no note)                                               {"type": "string"}
"""

from __future__ import annotations

import ast
import json
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

_SCHEMA = "must adhere to the JSON schema: "
_BY_NOTE: dict[str, Schema] = {
    "": {"type": "string"},
    "must be True or False": {"type": "boolean"},
    "must be a single int value": {"type": "integer"},
    "must be a single float value": {"type": "number"},
}
_LITERAL = "must exactly match (no extra characters) one of: "
_ENUM = "must be one of: "


def schema_from(note: str, annotation: str) -> Schema | None:
    """Read a note.

    Args:
        note: What follows "# note: the value you produce " in the prompt; empty without a note.
        annotation: The type as the field list names it, such as ``Literal['yes', 'no']``.

    Returns:
        A JSON schema without references; optional types are given as the type without null. None for an unknown note.
    """
    if note in _BY_NOTE:
        return _BY_NOTE[note]
    if note.startswith(_LITERAL):
        return {"enum": _literal_values(annotation) or note.removeprefix(_LITERAL).split("; ")}
    if note.startswith(_ENUM):
        return {"enum": note.removeprefix(_ENUM).split("; ")}
    if note.startswith(_SCHEMA):
        return _json_schema(note.removeprefix(_SCHEMA))
    return None


def item_schema(schema: Schema) -> Schema:
    """The schema of a list's items; of anything, when the list does not say."""
    items: Schema = schema.get("items") or {}
    return items


def is_list_of(schema: Schema, kind: str) -> bool:
    """Whether it is a list whose items are of a JSON type."""
    return schema.get("type") == "array" and item_schema(schema).get("type") == kind


def _literal_values(annotation: str) -> list[Any]:
    """Values of ``Literal[…]`` as printed: exact even where a value holds the note's separator."""
    if not (annotation.startswith("Literal[") and annotation.endswith("]")):
        return []
    try:
        return list(ast.literal_eval(annotation.removeprefix("Literal")))
    except (ValueError, SyntaxError):
        return []


def _json_schema(text: str) -> Schema | None:
    try:
        schema = json.loads(text)
    except json.JSONDecodeError:
        return None
    return _resolved(schema, schema.get("$defs", {})) if isinstance(schema, dict) else None


def _resolved(schema: Any, definitions: Schema, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON
    """Put definitions in the place of references; a type that holds itself ends at the tenth level."""
    if isinstance(schema, list):
        return [_resolved(each, definitions, depth) for each in schema]
    if not isinstance(schema, dict) or depth > 10:
        return schema
    if "$ref" in schema:
        named = definitions.get(str(schema["$ref"]).rpartition("/")[2], {})
        return _resolved({**named, **{key: schema[key] for key in schema if key != "$ref"}}, definitions, depth + 1)
    choices = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    if choices:
        rest = {key: schema[key] for key in schema if key != "anyOf"}
        return _resolved({**rest, **choices[0]}, definitions, depth + 1)
    return {key: _resolved(value, definitions, depth + 1) for key, value in schema.items() if key != "$defs"}
