"""Whether the right papers were chosen, from the papers that a question is about.

    {"document_ids": ["PMC1"]}                                                      the example
    {"papers": [{"document_id": "PMC1", "relevance": 9}, {"document_id": "PMC2", "relevance": 4}]}    the prediction

The best paper stands first. Without ``papers``, as in predictions of programs that rank passages, a prediction has the
papers of its passages, in their order. A question that has no answer is about its papers all the same, so it is judged
like any other. What is chosen after the second paper counts nowhere: choosing more would gain by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from metrics.fields import read, read_texts
from metrics.optimizer_calls import for_optimizers
from metrics.passages import passages_of
from metrics.retrieval import normalised_gain
from metrics.score import Score

DEPTH = 2
"""Papers that `paper_retriever` searches by default."""


@dataclass(frozen=True, slots=True)
class Selected:
    """The papers of a prediction.

    Attributes:
        searched: Every paper, the best first.
        chosen: Those of them that a model rated; the others stand in where it chose none.
        relevant: The papers that the question is about.
    """

    searched: tuple[str, ...]
    chosen: tuple[str, ...]
    relevant: frozenset[str]

    def missing(self, found: tuple[str, ...], verb: str) -> str:
        """Feedback on the relevant papers that are not among those found."""
        absent = sorted(self.relevant.difference(found))
        instead = f"; {verb} instead: {', '.join(found)}" if found else f"; nothing was {verb}"
        return f"not {verb}: {', '.join(absent)}{instead}" if absent else ""


@for_optimizers
def paper_recall_at_k(example: object, prediction: object, *, k: int = DEPTH) -> Score:
    """Relevant papers among the first k that were searched / relevant papers, of which at most k count."""
    selected = _selected(example, prediction, k)
    if isinstance(selected, Score):
        return selected
    found = selected.searched[:k]
    hits = len(selected.relevant.intersection(found))
    return Score(hits / min(k, len(selected.relevant)), selected.missing(found, "searched"))


@for_optimizers
def selection_ndcg(example: object, prediction: object, *, k: int = DEPTH) -> Score:
    """Normalised discounted cumulative gain of the first k chosen papers, as in ``retrieval.ndcg_at_k``.

    Choosing none is worth 0, even where the search, standing in for the model, had the right paper first.
    """
    selected = _selected(example, prediction, k)
    if isinstance(selected, Score):
        return selected
    found = selected.chosen[:k]
    gain = normalised_gain([each in selected.relevant for each in found], min(k, len(selected.relevant)))
    return Score(gain, selected.missing(found, "chosen"))


@for_optimizers
def selection_accuracy(example: object, prediction: object) -> Score:
    """1 if the paper that was chosen first is relevant, else 0; choosing none is wrong."""
    selected = _selected(example, prediction, 1)
    if isinstance(selected, Score):
        return selected
    first = selected.chosen[:1]
    return Score(float(bool(selected.relevant.intersection(first))), selected.missing(first, "chosen first"))


def _selected(example: object, prediction: object, k: int) -> Selected | Score:
    if k < 1:
        raise ValueError(f"k counts papers and is at least 1, got {k}")
    relevant = frozenset(read_texts(example, "document_ids"))
    if not relevant:
        return Score.not_applicable("the example names no paper")
    if prediction is None or read(prediction, "error"):
        return Score.failed()
    papers = read(prediction, "papers")
    if papers is None:
        ids = tuple(dict.fromkeys(passage.document_id for passage in passages_of(prediction)))
        return Selected(ids, ids, relevant)
    rated = {str(read(each, "document_id", "")): read(each, "relevance") is not None for each in papers}
    return Selected(tuple(rated), tuple(each for each, is_rated in rated.items() if is_rated), relevant)
