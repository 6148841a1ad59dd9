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
from optimize.tasks.task import CallCount, Demo, Posed, Real, Space, Switch, Whole
from programs.program import Program
from programs.registry import create
from programs.retrieval.embedding.embedder import Embedder

DemosOf: TypeAlias = Callable[[Example, Dataset, random.Random], Mapping[str, Demo]]

METRICS = (
    "grounded_utility",
    "claim_groundedness",
    "contradiction_rate",
    "nugget_recall",
    "citation_f1",
    "citation_recall",
    "citation_precision",
    "citation_coverage",
    "citation_validity",
    "answerability",
    "token_f1",
    "recall_at_k",
    "ndcg_at_k",
    "evidence_recall",
    "copy_ratio",
)
"""What an answer is judged by, then whether the right papers and passages were found."""

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
    "w_sim": Real(0.0, 1.0),
    "w_bm25": Real(0.0, 1.0),
    "w_keyword_overlap": Real(0.0, 0.5),
    "w_sec_boost": Real(0.0, 0.3),
    "w_recency": Real(0.0, 0.2),
    "w_authority": Real(0.0, 0.2),
    "w_length_fit": Real(0.0, 0.2),
    "w_duplicate_penalty": Real(-0.3, 0.0),
    "w_cross_encoder": Real(0.0, 16.0),
    "least_coverage": Real(0.0, 0.8),
}


@dataclass(frozen=True, slots=True)
class CorpusTask:
    """See the module.

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
