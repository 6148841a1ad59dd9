"""Every metric of one example and one prediction, by name, with the direction that is good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from metrics.answers import accuracy, answer_relevancy, answerability, exact_match, token_f1
from metrics.grounded_utility import copy_ratio, grounded_utility
from metrics.grounding import (
    citation_coverage,
    citation_f1,
    citation_precision,
    citation_recall,
    citation_validity,
    claim_groundedness,
    contradiction_rate,
    nugget_recall,
)
from metrics.retrieval import (
    context_average_precision,
    context_precision,
    evidence_ndcg,
    evidence_recall,
    evidence_scoring,
    evidence_utility,
    mrr,
    ndcg_at_k,
    paper_recall_at_k,
    recall_at_k,
    selection_ndcg,
)
from metrics.score import Score


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric and how to read it."""

    name: str  # as in reports and on the command line
    # takes an example and a prediction; a judged one also takes ``ledger=``, an embedded one ``embed=``
    score: Callable[..., Score]
    judged: bool = False  # whether it rests on judgements of claims, so that its judge is named beside it
    # whether it needs an embedding model. Such a metric is a diagnostic: no optimizer may maximise it
    embedded: bool = False
    higher_is_better: bool = True  # false for rates of what should not be


_JUDGED = (grounded_utility, claim_groundedness, nugget_recall, citation_recall, citation_precision, citation_f1)
_PLAIN = (
    citation_coverage,
    citation_validity,
    exact_match,
    token_f1,
    accuracy,
    answerability,
    recall_at_k,
    ndcg_at_k,
    mrr,
    context_precision,
    context_average_precision,
    evidence_recall,
    paper_recall_at_k,
    selection_ndcg,
    evidence_utility,
    evidence_ndcg,
    evidence_scoring,
)

METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        *(Metric(score.__name__, score, judged=True) for score in _JUDGED),
        *(Metric(score.__name__, score) for score in _PLAIN),
        Metric("contradiction_rate", contradiction_rate, judged=True, higher_is_better=False),
        Metric("copy_ratio", copy_ratio, higher_is_better=False),
        Metric("answer_relevancy", answer_relevancy, embedded=True),
    )
}
