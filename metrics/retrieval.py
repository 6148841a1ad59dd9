"""How well the passages of a prediction are retrieved, from gold ids.

An example names what is relevant: ``passage_ids``, else ``document_ids`` (then passages count as their documents). Ids
that come twice count once, at their first place; relevance is binary. Questions without an answer have no relevant
passage, so all of this is undefined for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from metrics.fields import read, read_texts
from metrics.optimizer_calls import for_optimizers
from metrics.outcome import is_answerable
from metrics.passages import passages_of
from metrics.score import Score
from metrics.sentences import sentences


@dataclass(frozen=True, slots=True)
class Ranking:
    """Distinct ids in the order retrieved, and those that are relevant."""

    retrieved: tuple[str, ...]
    relevant: frozenset[str]

    def hits(self, k: int | None = None) -> list[bool]:
        """Whether each of the first k ids is relevant."""
        return [each in self.relevant for each in self.retrieved[:k]]

    def missing(self, k: int | None = None) -> str:
        """Feedback on the relevant ids that are not among the first k."""
        absent = sorted(self.relevant.difference(self.retrieved[:k]))
        return f"not retrieved: {', '.join(absent)}" if absent else ""


@for_optimizers
def recall_at_k(example: object, prediction: object, *, k: int = 10) -> Score:
    """Relevant ids among the first k / relevant ids."""
    ranking = _ranking(example, prediction)
    if isinstance(ranking, Score):
        return ranking
    return Score(sum(ranking.hits(_positive(k))) / len(ranking.relevant), ranking.missing(k))


@for_optimizers
def ndcg_at_k(example: object, prediction: object, *, k: int = 10) -> Score:
    """Normalised discounted cumulative gain: sum of 1 / log2(i + 1) over relevant ranks i, from 1, / the best possible.

    Järvelin and Kekäläinen 2002 (doi:10.1145/582415.582418), with binary gains, as BEIR reports it.
    """
    ranking = _ranking(example, prediction)
    if isinstance(ranking, Score):
        return ranking
    gain = normalised_gain(ranking.hits(_positive(k)), min(k, len(ranking.relevant)))
    return Score(gain, ranking.missing(k))


def normalised_gain(hits: Sequence[bool], relevant: int) -> float:
    """Normalised discounted cumulative gain, from 0 to 1, of a ranking.

    Args:
        hits: Whether what stands at each rank is relevant, from the first.
        relevant: How many relevant ones could stand there, at least 1.
    """
    gain = math.fsum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits, start=1) if hit)
    best = math.fsum(1 / math.log2(rank + 1) for rank in range(1, relevant + 1))
    return min(1.0, gain / best)


@for_optimizers
def mrr(example: object, prediction: object) -> Score:
    """1 / rank of the first relevant id, 0 when there is none; the mean over examples is the mean reciprocal rank."""
    ranking = _ranking(example, prediction)
    if isinstance(ranking, Score):
        return ranking
    hits = ranking.hits()
    return Score(1 / (hits.index(True) + 1)) if any(hits) else Score(0.0, ranking.missing())


@for_optimizers
def context_precision(example: object, prediction: object) -> Score:
    """Relevant ids among the retrieved / retrieved ids; 0 when nothing was retrieved."""
    ranking = _ranking(example, prediction)
    if isinstance(ranking, Score):
        return ranking
    hits = ranking.hits()
    wrong = [each for each, hit in zip(ranking.retrieved, hits, strict=True) if not hit]
    return Score(sum(hits) / len(hits) if hits else 0.0, f"not relevant: {', '.join(wrong)}" if wrong else "")


@for_optimizers
def context_average_precision(example: object, prediction: object) -> Score:
    """Mean of precision at the ranks of the relevant ids; one that is not retrieved adds 0 (average precision)."""
    ranking = _ranking(example, prediction)
    if isinstance(ranking, Score):
        return ranking
    ranks = [rank for rank, hit in enumerate(ranking.hits(), start=1) if hit]
    precisions = [count / rank for count, rank in enumerate(ranks, start=1)]
    return Score(math.fsum(precisions) / len(ranking.relevant), ranking.missing())


@for_optimizers
def evidence_recall(example: object, prediction: object) -> Score:
    """Sentences of the gold quotes that stand in a passage / sentences of the gold quotes.

    Works whatever the chunking. ``evidence`` holds texts, or entries with ``quote`` or ``text``, and may name a
    ``document_id``.
    """
    evidence = [_evidence(item) for item in read(example, "evidence", ())] if is_answerable(example) else []
    wanted = [(document, quote[span.start : span.end]) for document, quote in evidence for span in sentences(quote)]
    if not wanted:
        return Score.not_applicable("the example has no gold quotes")
    if _is_unreadable(prediction):
        return Score.failed()
    shown = [(passage.document_id, _folded(passage.text)) for passage in passages_of(prediction)]
    missing = [
        quote
        for document, quote in wanted
        if not any(_folded(quote) in text for shown_document, text in shown if _same(document, shown_document))
    ]
    return Score(1 - len(missing) / len(wanted), f'not retrieved: "{missing[0]}"' if missing else "")


def _ranking(example: object, prediction: object) -> Ranking | Score:
    passage_ids, document_ids = read_texts(example, "passage_ids"), read_texts(example, "document_ids")
    relevant = frozenset(passage_ids or document_ids)
    if not relevant or not is_answerable(example):
        return Score.not_applicable("the example names no relevant passage or document")
    if _is_unreadable(prediction):
        return Score.failed()
    passages = passages_of(prediction)
    ids = (passage.id if passage_ids else passage.document_id for passage in passages)
    return Ranking(tuple(dict.fromkeys(ids)), relevant)


def _is_unreadable(prediction: object) -> bool:
    """Whether a run was interrupted; unlike elsewhere an answer is not needed, since a retriever writes none."""
    return prediction is None or bool(read(prediction, "error"))


def _positive(k: int) -> int:
    if k < 1:
        raise ValueError(f"k counts retrieved passages and is at least 1, got {k}")
    return k


def _evidence(item: object) -> tuple[str, str]:
    """Document id, which may be empty, and quote."""
    if isinstance(item, str):
        return "", item
    return str(read(item, "document_id", "")), str(read(item, "quote", read(item, "text", "")))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _same(wanted: str, shown: str) -> bool:
    return not wanted or not shown or wanted.casefold() == shown.casefold()
