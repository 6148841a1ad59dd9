"""`paper_writer` before a data set: does it tell evidence from what is only near, and cite it rightly?

A whole draft takes about a thousand calls for a concept, and there are no labelled drafts. There are labelled
questions, with the quotes that answer them. So a question stands for a hypothesis, and one section is prepared for it,
with the steps, prompts and parameters of the pipeline itself:

    question → the nearest passages → a summary and a score of each → the section → its citations verified

The passages that hold a gold quote are to come first and be scored high, the others low; that is the objective. Beside
it the section is measured: whether its sentences are proved by what they cite, and what it tells of the gold facts. The
title is not written and the agent not asked: the agent gets demos, which nothing here measures.

Only the share of the similarity in the combined score is searched. The other numbers mean something else where eight
queries and their passages go into a section.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import dspy

from optimize.dataset.corpus import corpus_index, in_view
from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks.paper_writer_demos import SECTION, concept_of, paper_writer_demos
from optimize.tasks.space import Real, Space
from optimize.tasks.task import CallCount, Demo, Posed
from programs.errors import LMError
from programs.ingest.chunking import TOKENS
from programs.paper_writer import PaperWritingPipeline
from programs.paper_writer.library import Library
from programs.paper_writer.paper_writer import SectionTask
from programs.paper_writer.resources import Calls, Resources, logged
from programs.program import Program
from programs.retrieval.embedding.embedder import Embedder

PASSAGES = 12
"""Passages that are scored, of the twenty that a query brings by default, at two calls each. Of the bundled training
questions 8 hold the gold quote for 44 of 59, 12 for 51, and so do 20."""


@dataclass(frozen=True, slots=True)
class PaperWriterTask:
    """The task: a question stands for the evidence of one section."""

    name: str = "paper_writer"
    metrics: tuple[str, ...] = (
        "evidence_utility",
        "evidence_ndcg",
        "evidence_scoring",
        "evidence_accuracy",
        "evidence_recall",
        "citation_f1",
        "citation_recall",
        "citation_precision",
        "citation_coverage",
        "citation_validity",
        "claim_groundedness",
        "nugget_recall",
    )

    @property
    def space(self) -> Space:
        """How much the similarity counts beside the model's score."""
        return {"vector_weight": Real(0.0, 1.0)}

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The pipeline over an index of all papers, which prepares one section for a question."""
        return _OneSection(corpus_index(dataset, embedder, chunking=TOKENS))

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """Write from the papers that the question may see; see ``optimize.dataset.corpus``."""
        return Posed(example, {"question": example.question, "hidden": _hidden(example, dataset)})

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Demos of every step but the title; see ``paper_writer_demos``."""
        return paper_writer_demos(example, dataset, rng)

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """Two for each passage, the section, which may be asked for twice, and verification with two a round of repair.

        Where nothing is found, it is asked for twice in vain.
        """
        parameters = program.settings
        verifying = 1 + 2 * parameters.max_repairs if parameters.verify else 0
        return CallCount(2, (2 * PASSAGES + 2 + verifying) * parameters.num_tries)


class _OneSection(PaperWritingPipeline):
    """The pipeline's own predictors and steps, for one query and one section."""

    def run(self, question: str, hidden: Sequence[str] = ()) -> dspy.Prediction:  # type: ignore[override]
        """Prepare a section that answers a question.

        Args:
            question: Query and hypothesis.
            hidden: Papers that must not be found.

        Returns:
            The section as ``SectionDraft.as_dict`` has it, with ``answer`` and the scored ``evidence``.

        Raises:
            LMError: The model failed at a passage, which the pipeline would do without; its score would be missing.
        """
        library = Library(self.index)
        parameters = replace(self.settings, top_k_initial=PASSAGES, top_k_final=PASSAGES)
        with Calls(parameters.threads) as calls, logged() as log:
            resources = Resources(library, calls, parameters)
            found = self.gatherer.search_evidence(question, SECTION, self._passages(hidden), resources)
            task = SectionTask(SECTION, concept_of(question), found.evidence, {})
            section = self.writer(task, resources, log)
        if found.failed:  # only now: if the model is gone for good, the section has said so and ended the run
            raise LMError("; ".join(found.notes))
        return dspy.Prediction(question=question, **section.as_dict())

    def _passages(self, papers: Collection[str]) -> set[str]:
        return {chunk.id for paper in papers for chunk in self.index.chunks(paper)}


def _hidden(example: Example, dataset: Dataset) -> list[str]:
    """The papers that a question may not see."""
    filters = in_view(example, dataset)
    return list(filters["document"]["not"]) if filters else []
