"""Sentences of several papers, each rewritten by hand into what its paper does not say, as answers made to fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.forgery.forgeries import Forgery, with_sentence
from tests.forgery.originals import Original, originals

_REWRITTEN = yaml.safe_load(Path(__file__).with_name("rewritten.yaml").read_text(encoding="utf-8"))
_ALL_PAPERS = 26


def rewritten(*, quoted: bool, by_model: bool) -> Iterator[tuple[Original, Forgery]]:
    """Each true answer with each of the forgeries of one of its sentences.

    Args:
        quoted: Whether the sentences stand in quotation marks.
        by_model: Whether a model is said to have proved what was rewritten.

    Raises:
        ValueError: A sentence stands in no answer, or what is to be exchanged does not stand in it.
    """
    answers = list(originals(_ALL_PAPERS, quoted, by_model))
    for entry in _REWRITTEN:
        original, place = _answer_with(entry["says"], entry["paper"], answers)
        for exchanges in entry["rewritten"]:
            true = original.sentences[place]
            yield original, with_sentence(original, place, _exchanged(true, exchanges), exchanges)


def _answer_with(sentence: str, paper: str, answers: list[Original]) -> tuple[Original, int]:
    for answer in answers:
        for place, each in enumerate(answer.sentences):
            if answer.paper.id == paper and sentence in each:
                return answer, place
    raise ValueError(f"no answer from {paper} says {sentence!r}")


def _exchanged(sentence: str, exchanges: str) -> str:
    for exchange in exchanges.split(" && "):
        one, other = exchange.split(" => ")
        if one not in sentence:
            raise ValueError(f"{one!r} does not stand in {sentence!r}")
        sentence = sentence.replace(one, other, 1)
    return sentence
