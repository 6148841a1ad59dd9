"""`evidence_table` before a data set: a question is a column, its paper a row, its gold answer or label the cell."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from optimize.dataset.corpus import corpus_index
from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks.answer_demos import among_others, cited, passage_of
from optimize.tasks.task import ANSWER_METRICS, CallCount, Demo, Posed, Real, Space, Whole
from programs.evidence_table.columns import DIRECTIONS, YES_NO, ValueType
from programs.ingest.chunking import SENTENCES, chunk
from programs.program import Program
from programs.registry import create
from programs.retrieval.embedding.embedder import Embedder


@dataclass(frozen=True, slots=True)
class EvidenceTableTask:
    """A question is a column; one on two papers is asked of the paper with more of its evidence."""

    name: str = "evidence_table"
    metrics: tuple[str, ...] = (*ANSWER_METRICS, "accuracy", "evidence_recall", "copy_ratio")

    @property
    def space(self) -> Space:
        """How much of the paper a cell is read from."""
        return {
            "candidates": Whole(8, 40, step=8),
            "context_tokens": Whole(500, 4000, step=500),
            "least_relevance": Real(0.0, 0.1),
        }

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The program over an index of all papers, of which each question asks one."""
        return create(self.name, index=corpus_index(dataset, embedder))

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """Ask for the cell; a label is asked for as one of the choices."""
        return Posed(example, {"question": example.question, "paper": _paper(example), "wanted": _wanted(example)})

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """What the one prompt should have said; none where the answer is known, but not the sentence that says it."""
        paper = dataset.documents[_paper(example)]
        quotes = [each.quote for each in example.evidence if each.document_id == paper.id]
        passages = [passage_of(paper, each) for each in chunk(paper, SENTENCES)]
        given = among_others(passages, quotes, example.question, rng)
        answer = cited(example.answer, given)
        if example.answerable and not answer:
            return {}
        wanted = _wanted(example)
        proof = [
            {"passage": given.marker(place), "quote": quote}
            for place in given.gold
            for quote in quotes
            if quote in given.passages[place].text
        ]
        demo = {
            "passages": given.text,
            "question": example.question,
            "form": wanted.form,
            "answerable": example.answerable,
            "answer": answer,
            "quotes": proof if answer else [],
            "value": (example.label or example.answer) if answer else "",
        }
        return {"fill": demo}

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """One, as often as it may be tried."""
        return CallCount(0, program.settings.num_tries)


def _paper(example: Example) -> str:
    """The paper with most of the evidence, the first of several."""
    counts = Counter(each.document_id for each in example.evidence)
    return max(example.document_ids, key=lambda each: counts[each])


def _wanted(example: Example) -> ValueType:
    if not example.choices:
        return ValueType()
    named = {YES_NO: ValueType("yes/no"), DIRECTIONS: ValueType("direction")}
    return named.get(example.choices, ValueType("choices", example.choices))
