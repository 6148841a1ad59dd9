"""Which few sentences of the passages a model is shown, by the learned order, by its own choice, or by both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import dspy

from programs.passages.asked import Asked
from programs.passages.numbered_sentences import NumberedSentences
from programs.program import AnsweringParameters, reader_name
from programs.retrieval.reranking import cross_encoder, sentence_order
from programs.sentence_checking import least_evidence

MOST_SENTENCES = 60
"""Sentences that a model chooses among; the learned order says which."""
OF_SEVERAL = 4
"""So many times the sentences where a question asks of several papers."""


def selected(
    choosing: Callable[[NumberedSentences], dspy.Prediction],
    evidence: NumberedSentences,
    order: Mapping[int, float],
    asked: Asked,
    settings: AnsweringParameters,
) -> list[int]:
    """Numbers of the sentences to write from, the best first; none where none answers.

    The order reads English; of other questions the model sees the first sentences of the passages. Without a model
    all sentences are looked at. ``choosing`` is the step by which a model names ``numbers`` of those that it is shown.
    """
    settings = settings.for_model()
    if not reader_name():
        return [each.number for each in evidence.sentences]
    if not order:
        return evidence.within([each.number for each in evidence.sentences[:MOST_SENTENCES]], settings.room)
    if max(order.values()) < least_evidence(asked, settings):
        return []
    ordered = spread_over_papers(list(order), evidence) if asked.several else list(order)
    count = settings.sentences * (OF_SEVERAL if asked.several else 1)
    ordered = evidence.within(ordered[: max(MOST_SENTENCES, count)], settings.room)
    if settings.reader == "order":
        return ordered[:count]
    shown = evidence.only(ordered)
    chosen = [each.number for each in shown.given(choosing(shown).numbers or ())]
    first = ordered[:count] if settings.reader == "both" else []
    return list(dict.fromkeys([*chosen, *first]))[:count]


def answer_probabilities(evidence: NumberedSentences, asked: Asked, encoder_name: str) -> dict[int, float]:
    """How likely each sentence answers, by its number, the best first; empty where no order reads the question."""
    encoder = cross_encoder(encoder_name)
    if encoder is None or not asked.reads_english or not evidence:
        return {}
    sentences = evidence.sentences
    found = sentence_order(
        encoder, asked.searched, [each.read for each in sentences], [each.about for each in sentences]
    )
    return {sentences[at].number: likely for at, (_, likely) in found.items()}


def spread_over_papers(numbers: Sequence[int], evidence: NumberedSentences) -> list[int]:
    """Numbers in turns of one a paper: the best of each first, then the second of each."""
    turns: dict[str, int] = {}
    places: list[tuple[int, int, int]] = []
    for number in numbers:
        paper = evidence.by_number[number].passage.document_id
        turns[paper] = turns.get(paper, 0) + 1
        places.append((turns[paper], len(places), number))
    return [number for _, _, number in sorted(places)]
