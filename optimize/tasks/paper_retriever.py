"""`paper_retriever` before a data set: are the papers that a question is about among those that the model chooses?

The papers that a question may see are searched, and what is chosen is compared with the papers that its gold data name.
Questions without an answer take part, since a paper on their subject is still the one to read. Papers are summarized
with the run's model before the first question, once; summaries of the same model and prompts, from a run before, are
taken as they are. The prompts that write them are a program of their own and not compiled here: each candidate would
have to summarize every paper again.

Searched are the candidates and how papers are chosen among them. How many passages are given back is not: more would
always hold more evidence.
"""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dspy

from optimize.dataset.corpus import corpus_index, in_view
from optimize.dataset.data import Dataset
from optimize.dataset.example import Example
from optimize.tasks.answer_demos import common, paper_answer_demos
from optimize.tasks.task import CallCount, Demo, Posed, Space, Switch, Whole
from programs.ingest.document import Document
from programs.paper_retriever import PaperRetriever
from programs.program import Program
from programs.progress import report_step
from programs.retrieval.embedding.embedder import Embedder
from programs.retrieval.index import Index
from programs.summaries import opening, summarize_index
from signatures.paper_retriever import MOST_RELEVANCE
from signatures.passages import as_data, numbered

_SHOWN = 5
"""Papers in a demo; as many as a question has by default would make it longer than all the rest of the prompt."""

_ON_THE_SUBJECT = 6
"""What a paper is rated that studies what is asked about, and does not answer the question."""

_NEAREST_OTHER = 2
"""What the paper is rated that shares most words with the question, and is not the one."""


@dataclass(frozen=True, slots=True)
class PaperRetrieverTask:
    """The task: which papers are worth searching, and what they answer."""

    name: str = "paper_retriever"
    metrics: tuple[str, ...] = ("selection_ndcg", "selection_accuracy", "paper_recall_at_k", "evidence_recall")

    @property
    def space(self) -> Space:
        """How many papers there are to choose from, how they are shown, and how many are searched."""
        return {
            "vector_similarity_top_k": Whole(5, 40, step=5),
            "summary_similarity_top_k": Whole(0, 12),
            "batch_size": Whole(2, 20, step=2),
            "docs_top_k": Whole(1, 4),
            "hide_metadata": Switch(),
        }

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The program over an index of all papers, which summarizes them when it is first asked."""
        return _Summarizing(corpus_index(dataset, embedder))

    def pose(self, example: Example, dataset: Dataset) -> Posed:
        """Search the papers that the question may see; see ``optimize.dataset.corpus``."""
        return Posed(example, {"question": example.question, "filters": in_view(example, dataset), "answer": False})

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """A demo of choosing, from papers of the training split alone, and demos of the answer.

        The paper of the question is rated highest, or in the middle if it has no answer; the nearest other one is rated
        low, and the rest are left out. Papers are shown by their abstracts, as those without a summary are.
        """
        gold = dict.fromkeys(example.document_ids)
        train = {paper for each in dataset.split("train") for paper in each.document_ids}
        others = [dataset.documents[each] for each in sorted(train.difference(gold))]
        nearest = sorted(others, key=lambda each: -common(_shown(each), example.question))
        papers = [*(dataset.documents[each] for each in gold), *nearest[: max(1, _SHOWN - len(gold))]]
        rated = dict.fromkeys(gold, MOST_RELEVANCE if example.answerable else _ON_THE_SUBJECT)
        if nearest:
            rated[nearest[0].id] = _NEAREST_OTHER
        rng.shuffle(papers)
        return {"selector.select": _selected(example, papers, rated), **paper_answer_demos(example, dataset, rng)}

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """One for each batch of candidates, as often as it may be tried; none where nothing is found.

        Before the first question, each paper is summarized, as often as that may be tried; papers that are read in
        parts take more.
        """
        parameters = program.settings
        candidates = parameters.vector_similarity_top_k + parameters.summary_similarity_top_k
        batches = math.ceil(candidates / parameters.batch_size)
        return CallCount(0, batches * parameters.num_tries, before=len(dataset.documents) * parameters.num_tries)


class _Summarizing(PaperRetriever):
    """A `paper_retriever` over papers that the model summarizes before it is first asked."""

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._preparing = _Preparing(index)

    def forward(self, **inputs: Any) -> dspy.Prediction:  # noqa: ANN401 - as the program's
        """Ask; what the summaries cost is the run's and not this question's."""
        self._preparing()
        return super().forward(**inputs)


class _Preparing:
    """Makes the summaries of an index, once for all copies of a program.

    Args:
        index: Whose papers.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._is_done = False
        self._lock = threading.Lock()

    def __call__(self) -> None:
        """Bring summaries up to date; other threads wait."""
        with self._lock:
            if not self._is_done:
                with dspy.context(trace=[]):  # no step of the question, whose trace may become demos
                    made = summarize_index(self._index, threads=1)
                for failure in made.failures:
                    report_step("note", f"No summary: {failure}")
                self._is_done = True

    def __deepcopy__(self, memo: dict[int, Any]) -> _Preparing:
        # Optimizers copy programs, and all copies search the same summaries.
        return self


def _selected(example: Example, papers: Sequence[Document], rated: Mapping[str, int]) -> Demo:
    number = {each.id: place for place, each in enumerate(papers, start=1)}
    return {
        "papers": numbered(("", _shown(each)) for each in papers),
        "question": as_data(example.question),
        "selections": [
            {"paper": number[each], "relevance": relevance, "reason": _reason(relevance)}
            for each, relevance in sorted(rated.items(), key=lambda pair: -pair[1])
        ],
    }


def _reason(relevance: int) -> str:
    reasons = {
        MOST_RELEVANCE: "studied what is asked, and reports it",
        _ON_THE_SUBJECT: "studied what is asked about, but does not report an answer",
    }
    return reasons.get(relevance, "a related subject; it does not report what is asked")


def _shown(paper: Document) -> str:
    return "\n".join(filter(None, [paper.title, opening(paper)]))
