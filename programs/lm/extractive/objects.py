"""Structured values: objects filled field by field, and lists of them, one for each passage or search query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from programs.lm.extractive.output_types import item_schema
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.roles import as_text, roles
from programs.lm.extractive.searching import queries
from programs.lm.extractive.sources import PromptPassage, passages, source_sentences

Fill: TypeAlias = Callable[[ReadPrompt, Field], Any]

# Names under which an object says which passage it is about.
_LABEL_NAMES = frozenset(
    {"number", "index", "passage", "passage_id", "id", "label", "citation", "paper", "document_id", "key"}
)
_QUERY_NAMES = frozenset({"query", "search_query"})
# A passage below this is not worth listing: it shares next to nothing with the question.
WORTH_LISTING = 0.1
REASON_WORDS = 25


def an_object(prompt: ReadPrompt, field: Field, fill: Fill) -> dict[str, Any]:
    """An object whose fields are each answered like an output field of their own."""
    properties = {name: schema for name, schema in field.schema.get("properties", {}).items() if name != "reason"}
    values = {name: fill(prompt, _subfield(name, schema)) for name, schema in properties.items()}
    if "reason" in field.schema.get("properties", {}):
        values["reason"] = reason(prompt)
    return {name: values[name] for name in field.schema.get("properties", {})}


def objects(prompt: ReadPrompt, field: Field, fill: Fill) -> list[dict[str, Any]]:
    """One object a query where objects hold one, else one for each numbered passage that touches the question."""
    schema = item_schema(field.schema)
    names = schema.get("properties", {}).keys()
    item = Field(field.name, desc=field.desc, schema=schema)
    query_name = next(iter(sorted(names & _QUERY_NAMES)), "")
    if query_name:
        lines = queries(prompt, replace(field, name=query_name))
        return [_with(an_object(prompt, item, fill), query_name, line) for line in lines]
    label_name = next((name for name in schema.get("properties", {}) if name in _LABEL_NAMES), "")
    return [_about(passage, label_name, prompt, item, fill) for passage in _worth_listing(prompt)]


def reason(prompt: ReadPrompt) -> str:
    """Why a score or choice is what it is: the question's words that the text holds."""
    who = roles(prompt)
    found = rank(who.question_of(prompt.values), source_sentences(who.text_of(prompt.values))).sentences
    best = found[0] if found and found[0].score > 0 else None
    if best is None:
        return "The text shares no content word with the question."
    opening = " ".join(best.sentence.text.split()[:REASON_WORDS])
    return f"The closest sentence shares {len(best.matched)} words with the question: {opening}"


def _worth_listing(prompt: ReadPrompt) -> list[PromptPassage]:
    who = roles(prompt)
    question = who.question_of(prompt.values)
    shown = passages(who.text_of(prompt.values))
    return [each for each in shown if rank(question, source_sentences(each.text)).confidence >= WORTH_LISTING]


def _about(passage: PromptPassage, label_name: str, prompt: ReadPrompt, item: Field, fill: Fill) -> dict[str, Any]:
    """The object for one passage: the same prompt with that passage as its only text."""
    narrowed = replace(prompt, values={**prompt.values, roles(prompt).text: passage.text})
    rest = {name: schema for name, schema in item.schema.get("properties", {}).items() if name != label_name}
    values = an_object(narrowed, replace(item, schema={**item.schema, "properties": rest}), fill)
    if not label_name:
        return values
    is_number = item.schema["properties"][label_name].get("type") == "integer"
    return {label_name: int(passage.label) if is_number and passage.label.isdigit() else passage.label, **values}


def _with(values: dict[str, Any], name: str, value: str) -> dict[str, Any]:
    return {**values, name: value}


def _subfield(name: str, schema: dict[str, Any]) -> Field:
    return Field(name, str(schema.get("type", "")), as_text(schema.get("description", "")), schema)
