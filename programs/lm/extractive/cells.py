"""Cells of a table: the sentence that says the value, and the label that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from programs.lm.extractive.answering import Found, find, written
from programs.lm.extractive.labels import DIRECTIONS, VOTERS, direction_of, fitting, meaning_of, stated_label
from programs.lm.extractive.relevance import RankedSentence
from programs.lm.extractive.sources import Call, Evidence, compressed, numbered_evidence


def cell(call: Call) -> dict[str, Any]:
    """The value, the one sentence that says it as a quotation, and whether there is one."""
    question = call.text("question")
    choices = get_args(call.signature.output_fields["value"].annotation)
    evidence = numbered_evidence(call.text("evidence"))
    found = find(question, evidence, call.taught("answer"))
    saying: RankedSentence | None = None
    value = choices[-1] if choices else ""
    if found.sentences and choices:
        saying, value = _of_label(question, evidence, found, choices)
    elif found.sentences:
        saying, value = found.sentences[0], compressed(found.sentences[0].sentence.text)
    return {"answerable": bool(found.sentences), "answer": written([saying] if saying else []), "value": value}


def _of_label(
    question: str, evidence: Evidence, found: Found, choices: Sequence[Any]
) -> tuple[RankedSentence | None, Any]:
    """A direction with the best sentence that reports it; another label that a sentence states, with that one."""
    if any(meaning_of(each) in DIRECTIONS for each in choices):
        value = fitting(question, evidence.sentences, evidence.texts, choices)
        said = meaning_of(value)
        saying = [each for each in found.ranking.sentences[:VOTERS] if direction_of(each.sentence.text) == said]
        return (saying or found.sentences)[0], value
    stated = stated_label(question, found.ranking.sentences, choices)
    return (stated[1], stated[0]) if stated else (None, choices[-1])
