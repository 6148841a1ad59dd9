"""What the extractive LM can do, by the output fields that a signature has.

To add a task, write a function ``(ReadPrompt, Field) -> value`` in a module of its own and enter it below: under the
field's name if it is that name that tells the task, under its type if any field of the type can be answered so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from programs.lm.extractive.answering import answerable
from programs.lm.extractive.cells import cell_answer, quotes, value
from programs.lm.extractive.claims import fixed_answer, proofs
from programs.lm.extractive.conflicts import conflicts
from programs.lm.extractive.drafting import section_text, target_section, title
from programs.lm.extractive.errors import UnknownTask
from programs.lm.extractive.instructions import unchanged_instruction
from programs.lm.extractive.labels import label, yes_or_no
from programs.lm.extractive.objects import an_object, objects, reason
from programs.lm.extractive.output_types import Schema, is_list_of
from programs.lm.extractive.papers import paper_summary, selections
from programs.lm.extractive.points import points
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.relevance import rank
from programs.lm.extractive.roles import roles
from programs.lm.extractive.scores import score
from programs.lm.extractive.searching import hypothetical_passage, queries, query, topic
from programs.lm.extractive.sources import source_sentences
from programs.lm.extractive.summary import bullets, summary

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
    sentences = source_sentences(who.text_of(prompt.values))
    ranking = rank(who.question_of(prompt.values), sentences)
    return (
        f"Compared {len(sentences)} sentences of {who.text} with {who.question or 'one another'} by idf-weighted "
        f"overlap; the best three hold {ranking.confidence:.0%} of its words."
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
        return label
    if kind == "string":
        return TEXTS.get(name)
    if kind == "boolean":
        return answerable if name in ENOUGH else yes_or_no
    if kind in ("number", "integer"):
        return score
    if is_list_of(schema, "string"):
        return LISTS_OF_TEXTS.get(name)
    if is_list_of(schema, "object"):
        return LISTS_OF_OBJECTS.get(name) or (lambda prompt, field: objects(prompt, field, fill))
    if kind == "object" and schema.get("properties"):
        return lambda prompt, field: an_object(prompt, field, fill)
    return None
