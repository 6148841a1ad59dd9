"""What the baseline answers: a table from signatures to functions.

To add a task, write a function ``Call -> values of the outputs`` and enter it under its signature. A signature is known
by the names of its fields, in their order, and their types: optimizers derive new classes with other instructions, and
``dspy.ChainOfThought`` adds a field. What a caller may type himself, as a cell's value, is named beside the function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import dspy

from programs.errors import LMError
from programs.lm.extractive.answering import answer, answer_with_bullets, points, selected
from programs.lm.extractive.cells import cell
from programs.lm.extractive.drafting import no_search, section, title
from programs.lm.extractive.labels import judgement, label
from programs.lm.extractive.papers import evidence_score, paper_summary, selections
from programs.lm.extractive.sources import Call
from signatures.evidence import SelectEvidence, WriteAnswer
from signatures.evidence_table import FillCell
from signatures.judging import JudgeClaim
from signatures.labelling import ChooseLabel
from signatures.main_points import ExtractPoints
from signatures.paper_retriever import MergeSummaries, SelectPapers, SummarizePaper
from signatures.paper_writer import PlanSearches, ScoreEvidence, WriteSection, WriteTitle
from signatures.rag_fusion import SummarizeEvidence


class UnknownTask(LMError):
    """A signature that the baseline has no function for."""


Answering: TypeAlias = Callable[[Call], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Task:
    """How a signature is answered; ``typed_by_caller`` is the output whose type callers choose, if there is one."""

    signature: type[dspy.Signature]
    answer: Answering
    typed_by_caller: str = ""


_TASKS = (
    Task(ExtractPoints, points),
    Task(WriteAnswer, answer),
    Task(SummarizeEvidence, answer_with_bullets),
    Task(FillCell, cell, typed_by_caller="value"),
    Task(ChooseLabel, label, typed_by_caller="label"),
    Task(JudgeClaim, judgement),
    Task(SummarizePaper, paper_summary),
    Task(MergeSummaries, paper_summary),
    Task(SelectPapers, selections),
    Task(SelectEvidence, selected),
    Task(ScoreEvidence, evidence_score),
    Task(PlanSearches, no_search),
    Task(WriteSection, section),
    Task(WriteTitle, title),
)
_REASONING = "reasoning"
_ASKED_FOR = "Answered by sentences of the inputs; no model was used."


def answers(
    signature: type[dspy.Signature], demos: Sequence[Mapping[str, Any]], inputs: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a signature's outputs.

    Raises:
        UnknownTask: It is not one of our signatures.
    """
    values = _task_of(signature).answer(Call(signature, inputs, tuple(demos)))
    if _REASONING in signature.output_fields:
        values = {_REASONING: _ASKED_FOR, **values}
    return values


def _task_of(signature: type[dspy.Signature]) -> Task:
    task = task_named(tuple(signature.input_fields), tuple(signature.output_fields))
    if task is None or _types(signature, task) != _types(task.signature, task):
        fields = f"{', '.join(signature.input_fields)} -> {', '.join(signature.output_fields)}"
        raise UnknownTask(
            f"extractive cannot answer {signature.__name__} ({fields}): it uses no model and knows the signatures of "
            "our programs alone; name a model such as ollama/gpt-oss"
        )
    return task


def task_named(inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Task | None:
    """The task whose signature has fields of these names; None where there is none."""
    wanted = inputs, tuple(name for name in outputs if name != _REASONING)
    named = ((tuple(task.signature.input_fields), tuple(task.signature.output_fields)) for task in _TASKS)
    return next((task for task, names in zip(_TASKS, named, strict=True) if names == wanted), None)


def _types(signature: type[dspy.Signature], task: Task) -> list[Any]:
    fields = signature.fields.items()
    return [info.annotation for name, info in fields if name not in (_REASONING, task.typed_by_caller)]
