"""How well passages and papers are retrieved, chosen and scored, from gold ids and gold quotes.

    {"document_ids": ["PMC1"], "evidence": [{"document_id": "PMC1", "quote": "Density fell by 12 %."}]}      the example
    {"passages": [{"id": "PMC1::sec2::chunk0", "text": "… Density fell by 12 %. …"}, …],                  the prediction
     "papers": [{"document_id": "PMC1", "relevance": 9}, {"document_id": "PMC2", "relevance": 4}],
     "evidence": [{"passage": "PMC1::sec2::chunk0", "llm_score": 0.9, "combined_score": 0.8}, …]}

**Passages.** An example names what is relevant: ``passage_ids``, else ``document_ids`` (then passages count as their
documents). Ids that come twice count once, at their first place; relevance is binary. Questions without an answer have
no relevant passage, so all of this is undefined for them.

**Papers.** The best paper is first. Without ``papers``, as in predictions of programs that rank passages, a
prediction has the papers of its passages, in their order. A question that has no answer is about its papers all the
same. What is chosen after the second paper counts nowhere: choosing more would gain by itself.

**Scores of a model.** A passage of the quotes' paper is relevant if it holds a whole sentence of one. Labels do not
tell which of the others are useful background or say the same in other words, so a perfect score is out of reach.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from metrics.passages import Citable, passages_of, read, read_texts
from metrics.score import Score, Unscored, for_optimizers
from metrics.sentences import sentence_texts
from metrics.statements import is_answerable


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
    return Score(sum(ranking.hits(_positive(k))) / len(ranking.relevant), ranking.missing(k))


@for_optimizers
def ndcg_at_k(example: object, prediction: object, *, k: int = 10) -> Score:
    """Normalised discounted cumulative gain: sum of 1 / log2(i + 1) over relevant ranks i, from 1, / the best possible.

    Järvelin and Kekäläinen 2002 (doi:10.1145/582415.582418), with binary gains, as BEIR reports it.
    """
    ranking = _ranking(example, prediction)
    gain = normalised_gain(ranking.hits(_positive(k)), min(k, len(ranking.relevant)))
    return Score(gain, ranking.missing(k))


def normalised_gain(hits: Sequence[bool], relevant: int) -> float:
    """Normalised discounted cumulative gain, from 0 to 1, of a ranking.

    Args:
        hits: Whether what is at each rank is relevant, from the first.
        relevant: How many relevant ones could be there, at least 1.
    """
    gain = math.fsum(1 / math.log2(rank + 1) for rank, hit in enumerate(hits, start=1) if hit)
    best = math.fsum(1 / math.log2(rank + 1) for rank in range(1, relevant + 1))
    return min(1.0, gain / best)


@for_optimizers
def mrr(example: object, prediction: object) -> Score:
    """1 / rank of the first relevant id, 0 when there is none; the mean over examples is the mean reciprocal rank."""
    ranking = _ranking(example, prediction)
    hits = ranking.hits()
    return Score(1 / (hits.index(True) + 1)) if any(hits) else Score(0.0, ranking.missing())


@for_optimizers
def context_precision(example: object, prediction: object) -> Score:
    """Relevant ids among the retrieved / retrieved ids; 0 when nothing was retrieved."""
    ranking = _ranking(example, prediction)
    hits = ranking.hits()
    wrong = [each for each, hit in zip(ranking.retrieved, hits, strict=True) if not hit]
    return Score(sum(hits) / len(hits) if hits else 0.0, f"not relevant: {', '.join(wrong)}" if wrong else "")


@for_optimizers
def context_average_precision(example: object, prediction: object) -> Score:
    """Mean of precision at the ranks of the relevant ids; one that is not retrieved adds 0 (average precision)."""
    ranking = _ranking(example, prediction)
    ranks = [rank for rank, hit in enumerate(ranking.hits(), start=1) if hit]
    precisions = [count / rank for count, rank in enumerate(ranks, start=1)]
    return Score(math.fsum(precisions) / len(ranking.relevant), ranking.missing())


@for_optimizers
def evidence_recall(example: object, prediction: object) -> Score:
    """Sentences of the gold quotes that are in a passage / sentences of the gold quotes.

    Works whatever the chunking. ``evidence`` holds texts, or entries with ``quote`` or ``text``, and may name a
    ``document_id``.
    """
    wanted = _gold_sentences(example) if is_answerable(example) else []
    if not wanted:
        raise Unscored(Score.not_applicable("the example has no gold quotes"))
    passages = _passages(prediction)
    missing = [quote for document, quote in wanted if not any(_holds(each, document, quote) for each in passages)]
    return Score(1 - len(missing) / len(wanted), f'not retrieved: "{missing[0]}"' if missing else "")


def _ranking(example: object, prediction: object) -> Ranking:
    passage_ids, document_ids = read_texts(example, "passage_ids"), read_texts(example, "document_ids")
    relevant = frozenset(passage_ids or document_ids)
    if not relevant or not is_answerable(example):
        raise Unscored(Score.not_applicable("the example names no relevant passage or document"))
    ids = (passage.id if passage_ids else passage.document_id for passage in _passages(prediction))
    return Ranking(tuple(dict.fromkeys(ids)), relevant)


def _passages(prediction: object) -> tuple[Citable, ...]:
    """What was found, unless the run was interrupted; an answer is not needed, since a retriever writes none."""
    if prediction is None or read(prediction, "error"):
        raise Unscored(Score.failed())
    return passages_of(prediction)


def _positive(k: int) -> int:
    if k < 1:
        raise ValueError(f"k is the number of results that count, at least 1, got {k}")
    return k


def _gold_sentences(example: object) -> list[tuple[str, str]]:
    """Document id, which may be empty, and text of each sentence of the gold quotes."""
    found = []
    for item in read(example, "evidence", ()):
        quote = item if isinstance(item, str) else str(read(item, "quote", read(item, "text", "")))
        document = "" if isinstance(item, str) else str(read(item, "document_id", ""))
        found += [(document, text) for text in sentence_texts(quote)]
    return found


def _holds(passage: Citable, document: str, sentence: str) -> bool:
    """Whether a passage, as far as it is known of the same document, holds a sentence."""
    same = not document or not passage.document_id or document.casefold() == passage.document_id.casefold()
    return same and _folded(sentence) in _folded(passage.text)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


DEPTH = 2  # papers that `paper_retriever` searches by default


@dataclass(frozen=True, slots=True)
class Selected:
    """The papers of a prediction."""

    searched: tuple[str, ...]  # every paper, the best first
    chosen: tuple[str, ...]  # those of them that a model rated; the others replace them where it chose none
    relevant: frozenset[str]  # the papers that the question is about

    def missing(self, found: tuple[str, ...], verb: str) -> str:
        """Feedback on the relevant papers that are not among those found."""
        absent = sorted(self.relevant.difference(found))
        instead = f"; {verb} instead: {', '.join(found)}" if found else f"; nothing was {verb}"
        return f"not {verb}: {', '.join(absent)}{instead}" if absent else ""


@for_optimizers
def paper_recall_at_k(example: object, prediction: object, *, k: int = DEPTH) -> Score:
    """Relevant papers among the first k that were searched / relevant papers, of which at most k count."""
    selected = _selected(example, prediction, k)
    found = selected.searched[:k]
    hits = len(selected.relevant.intersection(found))
    return Score(hits / min(k, len(selected.relevant)), selected.missing(found, "searched"))


@for_optimizers
def selection_ndcg(example: object, prediction: object, *, k: int = DEPTH) -> Score:
    """Normalised discounted cumulative gain of the first k chosen papers, as in ``retrieval.ndcg_at_k``.

    Choosing none is worth 0, even where the search, in place of the model, had the right paper first.
    """
    selected = _selected(example, prediction, k)
    found = selected.chosen[:k]
    gain = normalised_gain([each in selected.relevant for each in found], min(k, len(selected.relevant)))
    return Score(gain, selected.missing(found, "chosen"))


def _selected(example: object, prediction: object, k: int) -> Selected:
    _positive(k)
    relevant = frozenset(read_texts(example, "document_ids"))
    if not relevant:
        raise Unscored(Score.not_applicable("the example names no paper"))
    passages, papers = _passages(prediction), read(prediction, "papers")
    if papers is None:
        ids = tuple(dict.fromkeys(passage.document_id for passage in passages))
        return Selected(ids, ids, relevant)
    rated = {str(read(each, "document_id", "")): read(each, "relevance") is not None for each in papers}
    return Selected(tuple(rated), tuple(each for each, is_rated in rated.items() if is_rated), relevant)


RELEVANT_FROM = 0.5
"""The score in the middle: "useful background"."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage that a model scored."""

    id: str  # the passage's
    score: float  # the model's, in [0, 1]
    rank_score: float  # what passages are ranked by: the model's score together with the similarity
    is_relevant: bool  # whether it holds a gold quote


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
    groups = {kind: [each for each in found if each.is_relevant == kind] for kind in (True, False)}
    if not found or (is_answerable(example) and not groups[True]):
        return Score(0.0, "the search brought no passage that holds a gold quote" if found else "nothing was scored")
    errors = [fmean((each.score - kind) ** 2 for each in group) for kind, group in groups.items() if group]
    return Score(max(0.0, 1 - 4 * fmean(errors)), _feedback(found))


@for_optimizers
def evidence_ndcg(example: object, prediction: object) -> Score:
    """Normalised discounted cumulative gain of the scored passages by rank score, over those that the search brought.

    Whether it brought the right ones is ``evidence_recall``; where it brought none there is no order to judge.
    """
    found = _scored(example, prediction)
    ranked = sorted(found, key=lambda each: (-each.rank_score, each.id))
    relevant = sum(each.is_relevant for each in ranked)
    if not relevant:
        return Score.not_applicable("no passage holds a gold quote")
    return Score(normalised_gain([each.is_relevant for each in ranked], relevant), _feedback(found))


def _scored(example: object, prediction: object) -> list[Scored]:
    quotes = _gold_sentences(example)
    if is_answerable(example) and not quotes:
        raise Unscored(Score.not_applicable("the example has no gold quotes"))
    passages = {each.id: each for each in _passages(prediction)}
    scores = {str(read(each, "passage", "")): each for each in read(prediction, "evidence", ())}
    return [
        Scored(
            name,
            float(read(each, "llm_score", 0.0)),
            float(read(each, "combined_score", 0.0)),
            is_answerable(example)
            and any(_holds(passages[name], *quote) for quote in quotes if passages[name].document_id or not quote[0]),
        )
        for name, each in scores.items()
        if name in passages
    ]


def _feedback(found: Sequence[Scored]) -> str:
    wrong = [each for each in found if (each.score >= RELEVANT_FROM) != each.is_relevant]
    held = {True: "a gold quote", False: "no gold quote"}
    return "; ".join(f"{each.id} holds {held[each.is_relevant]} and was scored {each.score:.2f}" for each in wrong)
