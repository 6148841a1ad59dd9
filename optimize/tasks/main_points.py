"""`main_points` before a data set: one question, one paper, four prompts to compile."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.dataset.joined_paper import about, joined
from optimize.tasks.main_points_demos import demos_from_gold
from optimize.tasks.space import Real, Space, Whole
from optimize.tasks.task import Calls, Demo, Posed
from programs.program import Program
from programs.registry import create
from programs.retrieval.embedder import Embedder


@dataclass(frozen=True, slots=True)
class MainPointsTask:
    """See the module. A question on two papers is asked of both, joined to one."""

    name: str = "main_points"
    metrics: tuple[str, ...] = (
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
        "accuracy",
        "evidence_recall",
        "copy_ratio",
    )

    @property
    def space(self) -> Space:
        """How near chunks have to be, how much around them is read, and when an answer is beside the point."""
        return {
            "threshold": Real(0.2, 1.2),
            "num_chunks_per_point": Whole(1, 3),
            "window_size": Whole(1, 7, step=2),
            "least_coverage": Real(0.0, 0.8),
        }

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """Asks one paper at a time, so the data set plays no part."""
        return create(self.name, embedder=embedder)

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """Ask the paper that the question is about."""
        paper = joined([dataset.documents[each] for each in example.document_ids])
        labels = {"choices": example.choices} if example.choices else {}
        return Posed(about(example, paper), {"question": example.question, "paper": paper, **labels})

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Demos of points, answer, verification and repair; see ``main_points_demos``."""
        posed = self.pose(example, dataset)
        return demos_from_gold(posed.example, posed.inputs["paper"], rng)

    def calls(self, program: Program[Any], dataset: Dataset) -> Calls:
        """Points, answer, label, verification, and two more a round of repair; each as often as it may be tried.

        A paper without a matching point takes one call. Longer papers than the model's context are read in parts, which
        takes a call more each, and so does a proof that leaves sentences out; that is not foreseen here.
        """
        parameters = program.settings
        steps = 3 + (1 + 2 * parameters.max_iterations if parameters.verify else 0)
        return Calls(1, steps * parameters.num_tries)
