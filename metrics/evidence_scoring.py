"""How well a model scores passages as evidence, from the passages that hold gold quotes.

    {"evidence": [{"document_id": "PMC1", "quote": "Density fell by 12 %."}]}                       the example
    {"passages": [{"id": "PMC1::sec2::chunk0", "text": "… Density fell by 12 %. …"}, …],            the prediction
     "evidence": [{"passage": "PMC1::sec2::chunk0", "llm_score": 0.9, "combined_score": 0.8}, …]}

A passage of the quotes' paper is relevant if it holds a whole sentence of one. No passage is relevant to a question
that has no answer. Labels do not tell which of the others are useful background or say the same in other words, so a
perfect score is out of reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from metrics.fields import read
from metrics.optimizer_calls import for_optimizers
from metrics.outcome import is_answerable
from metrics.passages import Passage, passages_of
from metrics.retrieval import normalised_gain
from metrics.score import Score
from metrics.sentences import sentences

RELEVANT_FROM = 0.5
"""The score in the middle: "useful background"."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage that a model scored.

    Attributes:
        id: The passage's.
        score: The model's, in [0, 1].
        rank_score: What passages are ranked by: the model's score together with the similarity.
        is_relevant: Whether it holds a gold quote.
    """

    id: str
    score: float
    rank_score: float
    is_relevant: bool


@for_optimizers
def evidence_utility(example: object, prediction: object) -> Score:
    """Mean of ``evidence_ndcg`` and ``evidence_scoring``: the right passages first, by scores that mean something.

    Where no passage is relevant, and nothing can be said of their order, it is the second alone.
    """
    order, scores = evidence_ndcg(example, prediction), evidence_scoring(example, prediction)
    if order.value is None or scores.value is None or order.status == "failed":
        return scores
    return Score((order.value + scores.value) / 2, scores.feedback)


@for_optimizers
def evidence_scoring(example: object, prediction: object) -> Score:
    """Brier skill of the model's scores: max(0, 1 − 4 · error), error the mean squared difference to 1 or 0.

    Relevant and irrelevant passages have half of the error each, however many there are; so one score for all, such as
    a half, is worth 0 (Brier 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2, against a forecast of 1/2).
    Without any passage, or for an answerable question without a relevant one, it is 0: the search failed.
    """
    found = _scored(example, prediction)
    if isinstance(found, Score):
        return found
    groups = _groups(found)
    if not found or (is_answerable(example) and not groups[True]):
        return Score(0.0, "the search brought no passage that holds a gold quote" if found else "nothing was scored")
    errors = [_mean([(each.score - kind) ** 2 for each in group]) for kind, group in groups.items() if group]
    return Score(max(0.0, 1 - 4 * _mean(errors)), _feedback(found))


@for_optimizers
def evidence_accuracy(example: object, prediction: object) -> Score:
    """Mean of the shares of relevant passages scored from 0.5 on and of others scored below; or the one there is."""
    found = _scored(example, prediction)
    if isinstance(found, Score):
        return found
    shares = [
        _mean([float((each.score >= RELEVANT_FROM) == kind) for each in group])
        for kind, group in _groups(found).items()
        if group
    ]
    if not shares:
        return Score.not_applicable("nothing was scored")
    return Score(_mean(shares), _feedback(found))


@for_optimizers
def evidence_ndcg(example: object, prediction: object) -> Score:
    """Normalised discounted cumulative gain of the scored passages by rank score, over those that the search brought.

    Whether it brought the right ones is ``evidence_recall``; where it brought none there is no order to judge.
    """
    found = _scored(example, prediction)
    if isinstance(found, Score):
        return found
    ranked = sorted(found, key=lambda each: (-each.rank_score, each.id))
    relevant = sum(each.is_relevant for each in ranked)
    if not relevant:
        return Score.not_applicable("no passage holds a gold quote")
    return Score(normalised_gain([each.is_relevant for each in ranked], relevant), _feedback(found))


def _scored(example: object, prediction: object) -> list[Scored] | Score:
    quotes = [quote for item in read(example, "evidence", ()) for quote in _sentences(item)]
    if is_answerable(example) and not quotes:
        return Score.not_applicable("the example has no gold quotes")
    if prediction is None or read(prediction, "error"):
        return Score.failed()
    passages = {each.id: each for each in passages_of(prediction)}
    scores = {str(read(each, "passage", "")): each for each in read(prediction, "evidence", ())}
    return [
        Scored(
            name,
            float(read(each, "llm_score", 0.0)),
            float(read(each, "combined_score", 0.0)),
            is_answerable(example) and any(_holds(passages[name], *quote) for quote in quotes),
        )
        for name, each in scores.items()
        if name in passages
    ]


def _groups(found: Sequence[Scored]) -> dict[bool, list[Scored]]:
    return {kind: [each for each in found if each.is_relevant == kind] for kind in (True, False)}


def _feedback(found: Sequence[Scored]) -> str:
    wrong = [each for each in found if (each.score >= RELEVANT_FROM) != each.is_relevant]
    held = {True: "a gold quote", False: "no gold quote"}
    return "; ".join(f"{each.id} holds {held[each.is_relevant]} and was scored {each.score:.2f}" for each in wrong)


def _sentences(item: object) -> list[tuple[str, str]]:
    """Document id, which may be empty, and text of each sentence of a gold quote."""
    quote = item if isinstance(item, str) else str(read(item, "quote", read(item, "text", "")))
    document = "" if isinstance(item, str) else str(read(item, "document_id", ""))
    return [(document, _folded(quote[span.start : span.end])) for span in sentences(quote)]


def _holds(passage: Passage, document: str, sentence: str) -> bool:
    is_same_paper = document.casefold() in ("", passage.document_id.casefold())
    return is_same_paper and sentence in _folded(passage.text)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
