"""A DSPy prompt, read back into what it was made from.

    system     Your input fields are:                        user       [[ ## paper ## ]]
               1. `paper` (str): text of the paper                      Growth slowed at pH 4. …
               Your output fields are:
               1. `points` (list[str]): …                               [[ ## question ## ]]
               All interactions will be structured …                    Does acid slow growth?
               [[ ## points ## ]]
               {points}        # note: the value you produce must …     Respond with the corresponding output fields, …
               In adhering to this structure, your objective is: …

ChatAdapter and JSONAdapter (DSPy 3.4) are understood. Fields are read from the structure that the adapter prints, never
from the instructions, which optimizers rewrite. A value is data: only headers of the signature's own inputs part it,
and of a header that occurs twice the last one counts, since the short fields that users write stand behind the long
texts.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from dspy import lm15
from dspy.utils import exceptions as dspy_errors

from programs import errors

# Each error is also the DSPy class that DSPy lets through unchanged and does not call again: the same prompt would fail
# the same way. See ``programs.lm.ollama_errors``.


class UnreadablePrompt(errors.LMError, dspy_errors.LMInvalidRequestError):
    """The prompt is not laid out as ChatAdapter or JSONAdapter lay it out."""


class UnknownTask(errors.LMError, dspy_errors.LMUnsupportedFeatureError):
    """The prompt asks for something that cannot be had by extraction from its inputs."""


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
    """Read the note on a field's type.

    must be True or False                                     {"type": "boolean"}
    must be a single float value                              {"type": "number"}
    must exactly match (no extra characters) one of: yes; no  {"enum": ["yes", "no"]}
    must adhere to the JSON schema: {"type": "array", …}      that schema, references resolved
    (no note)                                                 {"type": "string"}

    The note follows "# note: the value you produce "; ``annotation`` is the type as the field list names it. Optional
    types are given as the type without null; None for an unknown note.
    """
    if note in _BY_NOTE:
        return _BY_NOTE[note]
    if note.startswith(_LITERAL):
        # As the type prints them, values are exact even where one holds the note's separator.
        printed = _parsed(annotation.removeprefix("Literal"))
        return {"enum": printed if isinstance(printed, list) else note.removeprefix(_LITERAL).split("; ")}
    if note.startswith(_ENUM):
        return {"enum": note.removeprefix(_ENUM).split("; ")}
    if note.startswith(_SCHEMA):
        schema = _parsed(note.removeprefix(_SCHEMA))
        return _resolved(schema, schema.get("$defs", {})) if isinstance(schema, dict) else None
    return None


def item_schema(schema: Schema) -> Schema:
    """The schema of a list's items; of anything, when the list does not say."""
    items: Schema = schema.get("items") or {}
    return items


def is_list_of(schema: Schema, kind: str) -> bool:
    """Whether it is a list whose items are of a JSON type."""
    return schema.get("type") == "array" and item_schema(schema).get("type") == kind


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


Form: TypeAlias = Literal["chat", "json"]

_SYSTEM = re.compile(
    r"Your input fields are:\n(?P<inputs>.*?)\n?Your output fields are:\n(?P<outputs>.*?)\n"
    r"All interactions will be structured in the following way, with the appropriate values filled in\.\n\n"
    r"(?P<structure>.*?)\nIn adhering to this structure, your objective is: ?(?P<instructions>.*)",
    re.DOTALL,
)
_NUMBERED = re.compile(r"^(?P<number>\d+)\. `(?P<name>\w+)` \((?P<type>.*?)\):(?: |$)", re.MULTILINE)
_PLACE = re.compile(r"\{(?P<name>\w+)\}(?: +# note: the value you produce (?P<note>.*))?", re.DOTALL)
_STRUCTURE_FIELD = re.compile(r"^\[\[ ## (\w+) ## \]\]\n(\{\1\}.*)$", re.MULTILINE)
_OUTPUT_HEADER = re.compile(r"^\[\[ ## (\w+) ## \]\][ \t]*\n?", re.MULTILINE)
_JSON_OUTPUTS = "Outputs will be a JSON object with the following fields.\n\n"
_REQUESTS: dict[Form, str] = {
    "chat": "\n\nRespond with the corresponding output fields, starting with the field `[[ ## ",
    "json": "\n\nRespond with a JSON object in the following order of fields: `",
}
_INCOMPLETE = "This is an example of the task, though some input or output fields are not supplied.\n\n"
_NOT_SUPPLIED = "Not supplied for this "
_ADVICE = "use dspy.ChatAdapter or dspy.JSONAdapter of DSPy 3.4 with the extractive LM"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a signature."""

    name: str  # as in the signature
    type: str = "str"  # as the prompt prints it: ``str``, ``list[UnsupportedClaim]`` …
    desc: str = ""  # may be empty
    schema: Schema = field(default_factory=dict)  # JSON schema of an output; empty for an input


@dataclass(frozen=True, slots=True)
class Demo:
    """An example in the prompt; fields that it does not supply are missing."""

    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    """What DSPy asks: a signature, examples of it, and the values to work on."""

    form: Form
    instructions: str
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    values: Mapping[str, Any]
    demos: tuple[Demo, ...] = ()


def read(request: lm15.Request) -> ReadPrompt:
    """Read a prompt. Former turns of a conversation (``dspy.History``) count as demos.

    Raises:
        UnreadablePrompt: It is not one of these adapters', or holds more than text.
    """
    system = _SYSTEM.match(_text(request.system or ()).strip())
    if system is None:
        raise UnreadablePrompt(f"The system prompt lists no input and output fields as DSPy does; {_ADVICE}")
    form: Form = "json" if _JSON_OUTPUTS in system["structure"] else "chat"
    inputs = tuple(_listed(system["inputs"], {}))
    outputs = tuple(_listed(system["outputs"], _notes(system["structure"], form)))
    *turns, last = request.messages
    if last.role != "user" or any(message.role not in ("user", "assistant") for message in turns) or not outputs:
        raise UnreadablePrompt(f"The messages do not end with the input values of a signature; {_ADVICE}")
    return ReadPrompt(
        form=form,
        instructions=" ".join(system["instructions"].split()),
        inputs=inputs,
        outputs=outputs,
        values=_input_values(_before_request(_text(last.parts), form), inputs),
        demos=tuple(_demos(turns, inputs, outputs, form)),
    )


def _text(parts: str | Iterable[Any]) -> str:
    if isinstance(parts, str):
        return parts
    found = list(parts)
    other = [part.type for part in found if part.type != "text"]
    if other:
        raise UnreadablePrompt(f"The extractive LM reads text, not {', '.join(other)}; leave it out of the prompt")
    return "\n\n".join(part.text for part in found)


def _notes(structure: str, form: Form) -> dict[str, str]:
    """The line that the structure prints for each field: its place and a note on its type."""
    if form == "chat":
        return dict(_STRUCTURE_FIELD.findall(structure))
    try:
        return dict(json.loads(structure.partition(_JSON_OUTPUTS)[2]))
    except ValueError as error:
        raise UnreadablePrompt(
            f"The output structure in the prompt is not a JSON object ({error}); {_ADVICE}"
        ) from error


def _listed(text: str, notes: Mapping[str, str]) -> Iterable[Field]:
    """Fields of a numbered list; a numbered line inside a description does not have the next number and name."""
    starts: list[re.Match[str]] = []
    for match in _NUMBERED.finditer(text):
        if int(match["number"]) == len(starts) + 1:
            starts.append(match)
    ends = [match.start() for match in starts[1:]] + [len(text)]
    for match, end in zip(starts, ends, strict=True):
        desc = text[match.end() : end].strip()
        schema = _output_schema(match["name"], match["type"], notes) if notes else {}
        yield Field(match["name"], match["type"], desc, schema)


def _output_schema(name: str, annotation: str, notes: Mapping[str, str]) -> Schema:
    place = _PLACE.fullmatch(notes.get(name, ""))
    schema = schema_from(place["note"] or "", annotation) if place else None
    if schema is None:
        raise UnreadablePrompt(f"The prompt does not say what type the output field {name!r} has; {_ADVICE}")
    return schema


def _before_request(content: str, form: Form) -> str:
    end = content.rfind(_REQUESTS[form])
    if end < 0:
        raise UnreadablePrompt(f"The last message does not end by asking for output fields; {_ADVICE}")
    return content[:end]


def _input_values(content: str, fields: Sequence[Field]) -> dict[str, Any]:
    """Part a user message at the headers of its fields, which stand in the signature's order."""
    content = content.removeprefix(_INCOMPLETE)
    if not fields:
        return {}
    if not any(content.startswith(_header(each)) for each in fields):
        raise UnreadablePrompt(f"A message does not start with the header of an input field; {_ADVICE}")
    values: dict[str, Any] = {}
    end = len(content)
    for each in reversed(fields):
        start = _last_header(content, each, end)
        if start is not None:
            raw = content[start:end].removeprefix(_header(each)).strip("\n")
            values[each.name] = raw if each.type == "str" else _parsed(raw)
            end = max(start - 2, 0)
    return {each.name: values[each.name] for each in fields if each.name in values}


def _header(each: Field) -> str:
    return f"[[ ## {each.name} ## ]]"


def _last_header(content: str, each: Field, end: int) -> int | None:
    """Offset of the field's header before ``end``; the field that opens the message has it at 0."""
    headers = re.finditer(rf"(?:\A|\n\n)({re.escape(_header(each))})(?=\n|\Z)", content[:end])
    found = [header.start(1) for header in headers]
    return None if not found else 0 if not found[0] else found[-1]


def _demos(turns: Sequence[Any], inputs: Sequence[Field], outputs: Sequence[Field], form: Form) -> Iterable[Demo]:
    for asked, answered in pairwise(turns):
        if (asked.role, answered.role) == ("user", "assistant"):
            raw = _chat_outputs(_text(answered.parts), outputs) if form == "chat" else _json_object(answered.parts)
            kept = {
                each.name: _typed(raw[each.name], each.schema)
                for each in outputs
                if each.name in raw and not str(raw[each.name]).startswith(_NOT_SUPPLIED)
            }
            given = _input_values(_text(asked.parts), inputs)
            yield Demo({key: given[key] for key in given if not str(given[key]).startswith(_NOT_SUPPLIED)}, kept)


def _chat_outputs(content: str, outputs: Sequence[Field]) -> dict[str, str]:
    names = {each.name for each in outputs} | {"completed"}
    headers = [match for match in _OUTPUT_HEADER.finditer(content) if match[1] in names]
    ends = [match.start() for match in headers[1:]] + [len(content)]
    return {match[1]: content[match.end() : end].strip() for match, end in zip(headers, ends, strict=True)}


def _json_object(parts: Iterable[Any]) -> dict[str, Any]:
    found = _parsed(_text(parts))
    if not isinstance(found, dict):
        raise UnreadablePrompt(f"The answer of an example in the prompt is not a JSON object; {_ADVICE}")
    return found


def _typed(raw: Any, schema: Schema) -> Any:  # noqa: ANN401 - a value of the field's type
    is_text = schema.get("type") == "string" or all(isinstance(each, str) for each in schema.get("enum", [None]))
    return raw if is_text or not isinstance(raw, str) else _parsed(raw)


def _parsed(raw: str) -> Any:  # noqa: ANN401 - any JSON or Python literal, else the text as it is
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(raw)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return raw
