"""Programs that ask a collection, before a data set: its questions are put to all papers that they may see."""

from __future__ import annotations

import math
import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import dspy

from optimize.dataset import Example
from optimize.dataset.loading import Dataset, corpus_index, in_view
from optimize.tasks import (
    ANSWER_METRICS,
    ANSWERING_SPACE,
    PAPER_METRICS,
    CallCount,
    Demo,
    Space,
    Task,
    TaskInput,
    among_others,
    common,
    evidence_demos,
    passages_of,
    real,
    shown_to,
    switch,
    whole,
)
from programs.answering import most_calls
from programs.evidence_table.cell_values import DIRECTIONS, YES_NO, ValueType
from programs.ingest.document import Document
from programs.paper_retriever import PaperRetriever
from programs.program import Program
from programs.progress import report_step
from programs.results.citation_keys import Named, citation_keys
from programs.retrieval.embedder import Embedder
from programs.retrieval.index import Index
from programs.summaries import opening, summarize_index
from signatures.evidence_table import FillCell
from signatures.paper_retriever import MOST_RELEVANCE
from signatures.passages import as_data, numbered

DemosOf: TypeAlias = Callable[[Example, Dataset, random.Random], Mapping[str, Demo]]

_QUERY_WORDS = 15


def rag_fusion_demos(example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
    """Demos by predictor of answering, and of rewording: gold facts as queries, gold quotes as the imagined passage."""
    given = shown_to(example, dataset, rng)
    keys = citation_keys(Named.of(dataset.documents[each]) for each in {each.document_id for each in given.passages})
    given = replace(given, passages=tuple(replace(each, key=keys[each.document_id]) for each in given.passages))
    demos: dict[str, Demo] = {**evidence_demos(example, given, rng, bullets=True)}
    if queries := [" ".join(fact.split()[:_QUERY_WORDS]) for fact in example.nuggets]:
        demos["reforming.rewrite"] = {"question": example.question, "queries": queries}
    if quotes := " ".join(each.quote for each in example.evidence):
        demos["reforming.imagine"] = {"question": example.question, "hypothetical_passage": quotes}
    return demos


def answering_demos(example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
    """Demos by predictor of answering alone."""
    return evidence_demos(example, shown_to(example, dataset, rng), rng)


METRICS = (*ANSWER_METRICS, "recall_at_k", "ndcg_at_k", "evidence_recall", "copy_ratio")
"""What an answer is judged by, then whether the right papers and passages were found."""

SIGNAL_WEIGHTS: Space = {
    "w_sim": real(0.0, 1.0),
    "w_bm25": real(0.0, 1.0),
    "w_keyword_overlap": real(0.0, 0.5),
    "w_sec_boost": real(0.0, 0.3),
    "w_recency": real(0.0, 0.2),
    "w_authority": real(0.0, 0.2),
    "w_length_fit": real(0.0, 0.2),
    "w_duplicate_penalty": real(-0.3, 0.0),
    "w_cross_encoder": real(0.0, 16.0),
}
"""Of the signals by which `multi_signal` orders passages."""
RAG_FUSION_SPACE: Space = {
    "k": whole(10, 60, step=10),
    "context_tokens": whole(1000, 6000, step=500),
    "least_relevance": real(0.0, 0.1),
    "num_queries": whole(1, 6),
    "reform": switch(),
    "hyde": switch(),
    **ANSWERING_SPACE,
    "least_coverage": real(0.0, 0.8),
}
MULTI_SIGNAL_SPACE: Space = {
    "context_tokens": whole(1000, 6000, step=500),
    "least_relevance": real(0.0, 0.1),
    "min_sources": whole(1, 3),
    "expansion": switch(),
    **SIGNAL_WEIGHTS,
    **ANSWERING_SPACE,
    "least_coverage": real(0.0, 0.8),
}
EVIDENCE_TABLE_SPACE: Space = {
    "candidates": whole(8, 40, step=8),
    "context_tokens": whole(500, 4000, step=500),
    "least_relevance": real(0.0, 0.1),
}
PAPER_RETRIEVER_SPACE: Space = {
    "vector_similarity_top_k": whole(5, 40, step=5),
    "summary_similarity_top_k": whole(0, 12),
    "batch_size": whole(2, 20, step=2),
    "docs_top_k": whole(1, 4),
    "hide_metadata": switch(),
    **ANSWERING_SPACE,
}


@dataclass(frozen=True, slots=True)
class CorpusTask(Task):
    """A program over a collection, with ``steps`` calls of the model before it ``answers``.

    Its answer has ``bullets`` at most beside its sentences, and says where papers disagree if it names ``conflicts``.
    """

    metrics: tuple[str, ...] = METRICS
    space: Space = field(default_factory=lambda: ANSWERING_SPACE)
    demos_of: DemosOf = answering_demos
    steps: int = 0
    bullets: int = 0
    conflicts: bool = False

    def pose(self, example: Example, dataset: Dataset) -> TaskInput:
        """Ask the papers that the question may see; see ``optimize.dataset.loading``.

        These programs choose no label, so of a question with a label the answer and the evidence count.
        """
        inputs = {"question": example.question, "filters": in_view(example, dataset)}
        return TaskInput(replace(example, label="", choices=()), inputs)

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Demos of every step."""
        return self.demos_of(example, dataset, rng)

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """Every step, and what an answer takes; where nothing is found, the model is not asked to answer."""
        answer = most_calls(program.settings, self.bullets, conflicts=self.conflicts)
        return CallCount(0, self.steps * program.settings.num_tries + answer)


@dataclass(frozen=True, slots=True)
class EvidenceTableTask(Task):
    """A question is a column; one on two papers is asked of the paper with more of its evidence."""

    name: str = "evidence_table"
    metrics: tuple[str, ...] = PAPER_METRICS
    space: Space = field(default_factory=lambda: EVIDENCE_TABLE_SPACE)

    def pose(self, example: Example, dataset: Dataset) -> TaskInput:
        """Ask for the cell; a label is asked for as one of the choices."""
        return TaskInput(example, {"question": example.question, "paper": _paper(example), "wanted": _wanted(example)})

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """What the one prompt should have said; none where the answer is known, but not the sentence that says it."""
        paper = dataset.documents[_paper(example)]
        quotes = [each.quote for each in example.evidence if each.document_id == paper.id]
        given = among_others(passages_of(paper), quotes, example.question, rng)
        written = evidence_demos(example, given, rng)["answer.write"]
        if example.answerable and not written["answer"]:
            return {}
        value = (example.label or example.answer) if written["answer"] else ""
        demo = {**written, "form": _wanted(example).form, "value": value}
        return {"fill": {name: demo[name] for name in FillCell.fields}}

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


_SHOWN = 5
"""Papers in a demo; as many as a question has by default would make it longer than all the rest of the prompt."""

_ON_THE_SUBJECT = 6
"""What a paper is rated that studies what is asked about, and does not answer the question."""

_NEAREST_OTHER = 2
"""What the paper is rated that shares most words with the question, and is not the one."""


@dataclass(frozen=True, slots=True)
class PaperRetrieverTask(Task):
    """Are the papers that a question is about among those that the model chooses, of those that it may see?

    Questions without an answer take part, since a paper on their subject is still the one to read. Papers are
    summarized with the run's model before the first question, once; summaries of the same model and prompts from a run
    before are taken as they are, and the prompts that write them are not compiled here: each candidate would have to
    summarize every paper again. How many passages are given back is not searched: more would always hold more evidence.
    """

    name: str = "paper_retriever"
    metrics: tuple[str, ...] = ("selection_ndcg", "paper_recall_at_k", "evidence_recall")
    space: Space = field(default_factory=lambda: PAPER_RETRIEVER_SPACE)

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The program over an index of all papers, which summarizes them when it is first asked."""
        return _Summarizing(corpus_index(dataset, embedder))

    def pose(self, example: Example, dataset: Dataset) -> TaskInput:
        """Search the papers that the question may see; see ``optimize.dataset.loading``."""
        inputs = {"question": example.question, "filters": in_view(example, dataset), "answer": False}
        return TaskInput(example, inputs)

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
        number = {each.id: place for place, each in enumerate(papers, start=1)}
        chosen = {
            "papers": numbered(("", _shown(each)) for each in papers),
            "question": as_data(example.question),
            "selections": [
                {"paper": number[each], "relevance": relevance, "reason": _REASONS.get(relevance, _RELATED)}
                for each, relevance in sorted(rated.items(), key=lambda pair: -pair[1])
            ],
        }
        return {"selector.select": chosen, **answering_demos(example, dataset, rng)}

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
    """Makes the summaries of an index, once for all copies of a program."""

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


_REASONS = {
    MOST_RELEVANCE: "studied what is asked, and reports it",
    _ON_THE_SUBJECT: "studied what is asked about, but does not report an answer",
}
_RELATED = "a related subject; it does not report what is asked"


def _shown(paper: Document) -> str:
    return "\n".join(filter(None, [paper.title, opening(paper)]))
