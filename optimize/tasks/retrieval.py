"""Search alone: programs over a collection ranked by whether the right papers come first, without an answer.

Each ranks ten papers or more, whatever its defaults for answering are: a search that gains by returning more passages
would say nothing. What is searched is the order: weights, expansion, rewording.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from optimize.dataset.corpus import corpus_index, in_view
from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks.answer_demos import rag_fusion_demos
from optimize.tasks.task import CallCount, Demo, Posed, Real, Space, Switch, Whole
from programs.program import Program
from programs.registry import create
from programs.retrieval.embedding.embedder import Embedder

METRICS = ("ndcg_at_k", "recall_at_k", "mrr", "context_precision", "context_average_precision", "evidence_recall")
"""What needs no answer; any of them can be the objective."""

_REWORDING = "reforming."


@dataclass(frozen=True, slots=True)
class RetrievalTask:
    """See the module.

    Attributes:
        name: The program's.
        start: Parameters with which the uncompiled program ranks enough papers.
        space: Parameters that are worth searching.
        steps: Calls of the model in a search.
        metrics: Names, the objective first.
    """

    name: str
    start: Mapping[str, Any]
    space: Space
    steps: int = 0
    metrics: tuple[str, ...] = field(default=METRICS)

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The program over an index of all papers."""
        program = create(self.name, index=corpus_index(dataset, embedder))
        program.set_parameters(**self.start)
        return program

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """Search the papers that the question may see; see ``optimize.dataset.corpus``."""
        inputs = {"question": example.question, "filters": in_view(example, dataset), "answer": False}
        return Posed(example, inputs)

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Demos of rewording, where the program rewords."""
        if not self.steps:
            return {}
        demos = rag_fusion_demos(example, dataset, rng)
        return {name: demo for name, demo in demos.items() if name.startswith(_REWORDING)}

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """Rewordings, each as often as it may be tried."""
        return CallCount(0, self.steps * program.settings.num_tries)


_TASKS = {
    "multi_signal": RetrievalTask(
        "multi_signal",
        start={"top_k": 10, "max_per_document": 1, "min_sources": 10, "rerank_k": 40, "context_tokens": 100_000},
        space={
            "expansion": Switch(),
            "w_sim": Real(0.0, 1.0),
            "w_bm25": Real(0.0, 1.0),
            "w_keyword_overlap": Real(0.0, 0.5),
            "w_sec_boost": Real(0.0, 0.3),
            "w_recency": Real(0.0, 0.2),
            "w_authority": Real(0.0, 0.2),
            "w_length_fit": Real(0.0, 0.2),
            "w_duplicate_penalty": Real(-0.3, 0.0),
            "w_cross_encoder": Real(0.0, 16.0),
        },
    ),
    "rag_fusion": RetrievalTask(
        "rag_fusion",
        start={"top_k": 40, "context_tokens": 100_000, "figures": False},
        space={"k": Whole(10, 100, step=10), "num_queries": Whole(1, 6), "reform": Switch(), "hyde": Switch()},
        steps=2,
    ),
}

PROGRAMS = tuple(_TASKS)
"""Programs that can search without answering."""


def retrieval_task(name: str) -> RetrievalTask:
    """The search of a program, one of PROGRAMS."""
    return _TASKS[name]
