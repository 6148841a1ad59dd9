"""A language model without weights: it answers DSPy's signatures by extraction from their inputs.

    lm = dspy.LM("extractive/1", engine=ExtractiveEngine(), async_engine=AsyncExtractiveEngine())

It has no network, no state and no randomness: the same prompt gets the same answer, whatever the temperature or seed.
It knows no fact that the prompt does not hold, and it understands nothing; it is the baseline that a model has to beat,
and what makes everything run where there is none.

To add a task, write a function ``(ReadPrompt, Field) -> value`` and enter it below: under the field's name if it is the
name that tells the task, in ``task_for`` if any field of a type can be answered so.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

from dspy import lm15

from programs.lm.extractive.answering import (
    answerable,
    bullets,
    cell_answer,
    cell_label,
    points,
    quotes,
    summary,
    value,
)
from programs.lm.extractive.claims import fixed_answer, proofs
from programs.lm.extractive.conflicts import conflicts
from programs.lm.extractive.drafting import section_text, target_section, title
from programs.lm.extractive.labels import label, score, yes_or_no
from programs.lm.extractive.prompt import Field, ReadPrompt, Schema, UnknownTask, is_list_of, item_schema, read
from programs.lm.extractive.relevance import rank, ranked
from programs.lm.extractive.searching import hypothetical_passage, paper_summary, queries, query, selections, topic
from programs.lm.extractive.sources import PromptPassage, as_text, passages, roles, source_sentences
from signatures.passages import as_data

_GIVEN = ("basic_instruction", "current_instruction", "current_instruction_doc", "instruction", "instructions")


def unchanged_instruction(prompt: ReadPrompt, field: Field) -> str:
    """The instruction that the prompt gives to be improved."""
    for name in _GIVEN:
        if name in prompt.values:
            return as_text(prompt.values[name])
    raise UnknownTask(f"The extractive LM writes no instruction for {field.name!r}; give a model as prompt LM")


# Names under which an object says which passage it is about.
_LABEL_NAMES = frozenset(
    {"number", "index", "passage", "passage_id", "id", "label", "citation", "paper", "document_id", "key"}
)
_QUERY_NAMES = frozenset({"query", "search_query"})
# A passage below this is not worth listing: it shares next to nothing with the question.
WORTH_LISTING = 0.1
REASON_WORDS = 25


def an_object(prompt: ReadPrompt, field: Field) -> dict[str, Any]:
    """An object whose fields are each answered like an output field of their own."""
    values = {}
    for name, schema in field.schema.get("properties", {}).items():
        part = Field(name, str(schema.get("type", "")), as_text(schema.get("description", "")), schema)
        values[name] = reason(prompt) if name == "reason" else fill(prompt, part)
    return values


def objects(prompt: ReadPrompt, field: Field) -> list[dict[str, Any]]:
    """One object a query where objects hold one, else one for each numbered passage that touches the question."""
    schema = item_schema(field.schema)
    names = schema.get("properties", {}).keys()
    item = Field(field.name, desc=field.desc, schema=schema)
    query_name = next(iter(sorted(names & _QUERY_NAMES)), "")
    if query_name:
        lines = queries(prompt, replace(field, name=query_name))
        return [{**an_object(prompt, item), query_name: line} for line in lines]
    label_name = next((name for name in schema.get("properties", {}) if name in _LABEL_NAMES), "")
    who = roles(prompt)
    question, shown = who.question_of(prompt.values), passages(who.text_of(prompt.values))
    worth = [each for each in shown if rank(question, source_sentences(each.text)).confidence >= WORTH_LISTING]
    return [_about(passage, label_name, prompt, item) for passage in worth]


def reason(prompt: ReadPrompt) -> str:
    """Why a score or choice is what it is: the question's words that the text holds."""
    best = next(iter(ranked(prompt).sentences), None)
    if best is None or best.score <= 0:
        return "The text shares no content word with the question."
    opening = " ".join(best.sentence.text.split()[:REASON_WORDS])
    return f"The closest sentence shares {len(best.matched)} words with the question: {opening}"


def _about(passage: PromptPassage, label_name: str, prompt: ReadPrompt, item: Field) -> dict[str, Any]:
    """The object for one passage: the same prompt with that passage as its only text."""
    narrowed = replace(prompt, values={**prompt.values, roles(prompt).text: passage.text})
    rest = {name: schema for name, schema in item.schema.get("properties", {}).items() if name != label_name}
    values = an_object(narrowed, replace(item, schema={**item.schema, "properties": rest}))
    if not label_name:
        return values
    is_number = item.schema["properties"][label_name].get("type") == "integer"
    return {label_name: int(passage.label) if is_number and passage.label.isdigit() else passage.label, **values}


Task: TypeAlias = Callable[[ReadPrompt, Field], Any]

TEXTS: Mapping[str, Task] = {
    "answer": cell_answer,
    "fixed_answer": fixed_answer,
    "hypothetical_answer": hypothetical_passage,
    "hypothetical_passage": hypothetical_passage,
    "paper_summary": paper_summary,
    "proposed_instruction": unchanged_instruction,
    "query": query,
    "reason": lambda prompt, _: reason(prompt),
    "search_query": query,
    "section_text": section_text,
    "summary": summary,
    "target_section": target_section,
    "title": title,
    "topic": topic,
    "value": value,
}
LISTS_OF_TEXTS: Mapping[str, Task] = {
    "bullets": bullets,
    "evidence": points,
    "facts": points,
    "points": points,
    "queries": queries,
    "quotes": points,
    "rewrites": queries,
    "search_queries": queries,
    "sentences": points,
}
LISTS_OF_OBJECTS: Mapping[str, Task] = {
    "conflicts": conflicts,
    "proofs": proofs,
    "quotes": quotes,
    "selections": selections,
}
# Yes or no to whether there is enough to go on, rather than to the question itself.
ENOUGH = frozenset({"answerable", "complete", "done", "enough", "relevant", "sufficient"})


def solve(prompt: ReadPrompt) -> dict[str, Any]:
    """Answer every output field of a prompt.

    Raises:
        UnknownTask: A field cannot be answered by extraction; the message names it.
    """
    values = {field.name: fill(prompt, field) for field in prompt.outputs if field.name != "reasoning"}
    if any(field.name == "reasoning" for field in prompt.outputs):
        values["reasoning"] = _reasoning(prompt, values)
    return values


def _reasoning(prompt: ReadPrompt, values: Mapping[str, Any]) -> str:
    """How the other output fields came about, in one true line."""
    if "proofs" in values or "fixed_answer" in values:
        return "Compared each sentence of the answer with the passages by the guards and the checker."
    who = roles(prompt)
    if not who.text:
        return "Cut the question into its words; there is no text to compare it with."
    ranking = ranked(prompt)
    return (
        f"Compared {len(ranking.sentences)} sentences of {who.text} with {who.question or 'one another'} by "
        f"idf-weighted overlap; the best three hold {ranking.confidence:.0%} of its words."
    )


def fill(prompt: ReadPrompt, field: Field) -> Any:  # noqa: ANN401 - a value of the field's type
    """Answer one output field, or one field of an object among them."""
    task = task_for(field.name, field.schema)
    if task is None:
        known = ", ".join(sorted({*TEXTS, *LISTS_OF_TEXTS, *LISTS_OF_OBJECTS}))
        raise UnknownTask(
            f"The extractive LM has no way to answer the output field {field.name!r} ({field.type or field.schema}); "
            f"it knows {known}, and labels, yes or no, scores and objects of these. Use a model for others"
        )
    return task(prompt, field)


def task_for(name: str, schema: Schema) -> Task | None:
    """The function that answers a field of a name and type; None for fields that extraction cannot fill."""
    kind = schema.get("type")
    if "enum" in schema:
        return cell_label if name == "value" else label
    if kind == "string":
        return TEXTS.get(name)
    if kind == "boolean":
        return answerable if name in ENOUGH else yes_or_no
    if kind in ("number", "integer"):
        return score
    if is_list_of(schema, "string"):
        return LISTS_OF_TEXTS.get(name)
    if is_list_of(schema, "object"):
        return LISTS_OF_OBJECTS.get(name) or objects
    if kind == "object" and schema.get("properties"):
        return an_object
    return None


def written(prompt: ReadPrompt, values: Mapping[str, Any]) -> str:
    """Write all output fields in the signature's order.

    Field markers inside a value, which come from the inputs, are broken: no sentence of a paper can pose as a field.
    """
    ordered = {field.name: values[field.name] for field in prompt.outputs}
    if prompt.form == "json":
        return as_data(json.dumps(ordered, ensure_ascii=False, indent=2))
    sections = [f"[[ ## {name} ## ]]\n{_chat_value(value)}" for name, value in ordered.items()]
    return "\n\n".join([*sections, "[[ ## completed ## ]]"])


def _chat_value(value: Any) -> str:  # noqa: ANN401 - any JSON-ready value
    if isinstance(value, (dict, list)):
        return as_data(json.dumps(value, ensure_ascii=False))
    return as_data(str(value))


# Pieces of a streamed answer: words with the white space behind them.
_WORDS = re.compile(r"\S*\s+|\S+")


@dataclass(frozen=True)
class _Engine:
    """What both engines share; there is nothing to set."""

    supports_response_schema: ClassVar[bool] = True
    # Sampling parameters are accepted so that optimizers, which vary them, run unchanged; they have no effect.
    supported_params: ClassVar[frozenset[str]] = frozenset(
        {"temperature", "max_tokens", "top_p", "seed", "response_format"}
    )

    def dump_state(self) -> dict[str, Any]:
        """The settings, JSON-ready, for a saved program: none."""
        return {}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """Make the engine that ``dump_state`` described."""
        return cls(**state)


class ExtractiveEngine(_Engine):
    """The extractive LM for synchronous calls; see the module."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Answer a request.

        Raises:
            UnreadablePrompt: The prompt is not one of ChatAdapter or JSONAdapter.
            UnknownTask: It asks for something that extraction cannot give.
        """
        text = _answer(request)
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(text)]),
            finish_reason="stop",
            usage=_usage(request, text),
        )

    def stream(self, request: lm15.Request) -> Iterator[lm15.StreamEvent]:
        """Answer a request word by word; raises like ``complete``, before the first word."""
        return _events(request)


class AsyncExtractiveEngine(_Engine):
    """The extractive LM for asynchronous calls; there is nothing to wait for, so a call holds the event loop."""

    async def complete(self, request: lm15.Request) -> lm15.Response:
        """Answer a request; raises like ``ExtractiveEngine.complete``."""
        return ExtractiveEngine().complete(request)

    async def stream(self, request: lm15.Request) -> AsyncIterator[lm15.StreamEvent]:
        """Answer a request word by word; raises like ``ExtractiveEngine.stream``."""
        for event in _events(request):
            yield event


def _answer(request: lm15.Request) -> str:
    prompt = read(request)
    return written(prompt, solve(prompt))


def _events(request: lm15.Request) -> Iterator[lm15.StreamEvent]:
    text = _answer(request)
    yield lm15.StreamStartEvent(model=request.model)
    for word in _WORDS.findall(text):
        yield lm15.StreamDeltaEvent(lm15.TextDelta(word))
    yield lm15.StreamEndEvent(finish_reason="stop", usage=_usage(request, text))


def _usage(request: lm15.Request, answer: str) -> lm15.Usage:
    """Words stand for tokens: there is no tokenizer."""
    system = request.system if isinstance(request.system, str) else " ".join(part.text for part in request.system or ())
    asked = [part.text for message in request.messages for part in message.parts]
    return lm15.Usage(
        input_tokens=len(system.split()) + sum(len(text.split()) for text in asked), output_tokens=len(answer.split())
    )
