"""Programs that ask a collection, before a data set: its questions are put to all papers that they may see."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from optimize.dataset.corpus import corpus_index, in_view
from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks.answer_demos import multi_signal_demos, rag_fusion_demos
from optimize.tasks.task import ANSWER_METRICS, CallCount, Demo, Posed, Real, Space, Switch, Whole
from programs.program import Program
from programs.registry import create
from programs.retrieval.embedding.embedder import Embedder

DemosOf: TypeAlias = Callable[[Example, Dataset, random.Random], Mapping[str, Demo]]

METRICS = (
    *ANSWER_METRICS,
    "recall_at_k",
    "ndcg_at_k",
    "evidence_recall",
    "copy_ratio",
)
"""What an answer is judged by, then whether the right papers and passages were found."""

SIGNAL_WEIGHTS: Space = {
    "w_sim": Real(0.0, 1.0),
    "w_bm25": Real(0.0, 1.0),
    "w_keyword_overlap": Real(0.0, 0.5),
    "w_sec_boost": Real(0.0, 0.3),
    "w_recency": Real(0.0, 0.2),
    "w_authority": Real(0.0, 0.2),
    "w_length_fit": Real(0.0, 0.2),
    "w_duplicate_penalty": Real(-0.3, 0.0),
    "w_cross_encoder": Real(0.0, 16.0),
}
"""Of the signals by which `multi_signal` orders passages."""
RAG_FUSION_SPACE: Space = {
    "k": Whole(10, 60, step=10),
    "context_tokens": Whole(1000, 6000, step=500),
    "least_relevance": Real(0.0, 0.1),
    "num_queries": Whole(1, 6),
    "reform": Switch(),
    "hyde": Switch(),
    "least_coverage": Real(0.0, 0.8),
}
MULTI_SIGNAL_SPACE: Space = {
    "context_tokens": Whole(1000, 6000, step=500),
    "least_relevance": Real(0.0, 0.1),
    "min_sources": Whole(1, 3),
    "expansion": Switch(),
    **SIGNAL_WEIGHTS,
    "least_coverage": Real(0.0, 0.8),
}


@dataclass(frozen=True, slots=True)
class CorpusTask:
    """A program that answers from a collection.

    Attributes:
        name: The program's.
        demos_of: Makes its demos from gold.
        steps: Calls of the model before verification, in a run that answers.
        space: Parameters that are worth searching.
        metrics: Names, the objective first.
    """

    name: str
    demos_of: DemosOf
    steps: int
    space: Space = field(default_factory=dict)
    metrics: tuple[str, ...] = METRICS

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The program over an index of all papers."""
        return create(self.name, index=corpus_index(dataset, embedder))

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """Ask the papers that the question may see; see ``optimize.dataset.corpus``.

        These programs choose no label, so of a question with a label the answer and the evidence count.
        """
        inputs = {"question": example.question, "filters": in_view(example, dataset)}
        return Posed(replace(example, label="", choices=()), inputs)

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Demos of every step."""
        return self.demos_of(example, dataset, rng)

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """Every step, verification and two more a round of repair, each as often as it may be tried.

        Where nothing is found, the model is not asked to answer.
        """
        parameters = program.settings
        most = self.steps + (1 + 2 * parameters.max_iterations if parameters.verify else 0)
        return CallCount(0, most * parameters.num_tries)


def rag_fusion_task() -> CorpusTask:
    """`rag_fusion`: rewrites, a hypothetical passage, an answer."""
    return CorpusTask("rag_fusion", rag_fusion_demos, 3, RAG_FUSION_SPACE)


def multi_signal_task() -> CorpusTask:
    """`multi_signal`: an answer."""
    return CorpusTask("multi_signal", multi_signal_demos, 1, MULTI_SIGNAL_SPACE)


SEARCH_METRICS = (
    "ndcg_at_k",
    "recall_at_k",
    "mrr",
    "context_precision",
    "context_average_precision",
    "evidence_recall",
)
"""What needs no answer; any of them can be the objective."""

_REWORDING = "reforming."


@dataclass(frozen=True, slots=True)
class RetrievalTask:
    """Search alone: a program ranked by whether the right papers come first, without an answer.

    Each ranks ten papers or more, whatever its defaults for answering are: a search that gains by returning more
    passages would say nothing. What is searched is the order: weights, expansion, rewording.

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
    metrics: tuple[str, ...] = field(default=SEARCH_METRICS)

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


_SEARCHES = {
    "multi_signal": RetrievalTask(
        "multi_signal",
        start={"top_k": 10, "max_per_document": 1, "min_sources": 10, "rerank_k": 40, "context_tokens": 100_000},
        space={
            "expansion": Switch(),
            **SIGNAL_WEIGHTS,
        },
    ),
    "rag_fusion": RetrievalTask(
        "rag_fusion",
        start={"top_k": 40, "context_tokens": 100_000, "figures": False},
        space={"k": Whole(10, 100, step=10), "num_queries": Whole(1, 6), "reform": Switch(), "hyde": Switch()},
        steps=2,
    ),
}

PROGRAMS = tuple(_SEARCHES)
"""Programs that can search without answering."""


def retrieval_task(name: str) -> RetrievalTask:
    """The search of a program, one of PROGRAMS."""
    return _SEARCHES[name]
