"""An answer beside the gold one: its words, its label, what it is about, and whether one was due at all.

Exact match and token F1 are SQuAD's (Rajpurkar et al. 2016, arXiv:1606.05250): lower case, no punctuation, no English
articles, maximum over the references. Two things differ. A decimal point stays, since 1.24 is not 12.4. Chinese and
Japanese, written without spaces, are compared character by character, as MLQA does (Lewis et al. 2020,
arXiv:1910.07475).
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import TypeAlias

from metrics.passages import read, read_texts
from metrics.score import Score, Unscored, for_optimizers, needs_answer
from metrics.statements import answer_of, bare_answer, is_answerable, outcome
from metrics.words import words

_ARTICLES = frozenset({"a", "an", "the"})
_DECIMAL_POINT = re.compile(r"(?<=\d)\.(?=\d)")
# Han with its extensions, Hiragana and Katakana; Hangul parts words by spaces.
_UNSPACED = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]")
_KEPT_POINT = "\ue000"


def tokens(text: str) -> list[str]:
    """Words of a text in SQuAD's normal form; characters where a script has no spaces."""
    marked = _DECIMAL_POINT.sub(_KEPT_POINT, unicodedata.normalize("NFC", text).lower())
    signs = {each for each in marked if each in string.punctuation or unicodedata.category(each).startswith("P")}
    bare = "".join(each for each in marked if each not in signs)
    spaced = _UNSPACED.sub(lambda match: f" {match.group()} ", bare.replace(_KEPT_POINT, "."))
    return [word for word in spaced.split() if word not in _ARTICLES]


@for_optimizers
def exact_match(example: object, prediction: object) -> Score:
    """1 if the answer equals a reference in normal form, else 0."""
    answer, references = _compared(example, prediction)
    if any(tokens(answer) == tokens(reference) for reference in references):
        return Score(1.0)
    return Score(0.0, f'expected "{references[0]}", got "{answer}"')


@for_optimizers
def token_f1(example: object, prediction: object) -> Score:
    """Harmonic mean of the shares of words that answer and reference have in common, with the best reference."""
    answer, references = _compared(example, prediction)
    value, reference = max(((_f1(tokens(answer), tokens(each)), each) for each in references), key=lambda pair: pair[0])
    return Score(value, "" if value == 1 else f'expected "{reference}", got "{answer}"')


def _compared(example: object, prediction: object) -> tuple[str, tuple[str, ...]]:
    """The answer without citations, and the references."""
    references = read_texts(example, "answers", "answer")
    if not is_answerable(example) or not references:
        raise Unscored(Score.not_applicable("the example has no reference answer"))
    needs_answer(prediction, f'expected "{references[0]}"')
    return bare_answer(prediction), references


def _f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    if not answer or not reference:
        return float(answer == reference)
    common = sum((Counter(answer) & Counter(reference)).values())
    return 2 * common / (len(answer) + len(reference))


def predicted_label(example: object, prediction: object) -> str:
    """The label that a prediction gives, in normal form; empty when it gives none.

    It is the field ``label``, else the ``choices`` of the example that the answer starts with, the longest first ("No
    difference" before "No"), else the whole answer.
    """
    label = words(str(read(prediction, "label", "")))
    if label:
        return " ".join(label)
    answer = words(answer_of(prediction))
    choices = sorted((words(choice) for choice in read_texts(example, "choices")), key=len, reverse=True)
    return " ".join(next((choice for choice in choices if answer[: len(choice)] == choice), answer))


@for_optimizers
def accuracy(example: object, prediction: object) -> Score:
    """1 if the predicted label is the gold one, else 0; an abstention is 0 unless it is a label of the set."""
    gold = _gold_label(example)
    if not gold:
        raise Unscored(Score.not_applicable("the example has no label"))
    given = predicted_label(example, prediction)
    if given == gold and outcome(prediction) != "failed":
        return Score(1.0)
    needs_answer(prediction, f'expected "{gold}"')
    return Score(0.0, f'expected "{gold}", got "{given}"')


def macro_f1(examples: Sequence[object], predictions: Sequence[object]) -> Score:
    """Mean of the F1 of every gold label; labels that only predictions have cost recall, but are not classes.

    Examples without a label are left out; a failed prediction is a wrong one. Undefined without labels.
    """
    pairs = [
        (gold, "" if outcome(prediction) == "failed" else predicted_label(example, prediction))
        for example, prediction in zip(examples, predictions, strict=True)
        if (gold := _gold_label(example))
    ]
    classes = sorted({gold for gold, _ in pairs})
    if not classes:
        return Score.not_applicable("no example has a label")
    scores = {}
    for label in classes:
        hits = sum(gold == given == label for gold, given in pairs)
        scores[label] = 2 * hits / sum((gold == label) + (given == label) for gold, given in pairs)
    feedback = ", ".join(f"{label} {value:.3f}" for label, value in scores.items())
    return Score(sum(scores.values()) / len(scores), feedback)


def _gold_label(example: object) -> str:
    """The gold label in normal form; "not enough information" may itself be a label, so answerability plays no part."""
    return " ".join(words(str(read(example, "label", ""))))


Embed: TypeAlias = Callable[[Sequence[str]], Iterable[Iterable[float]]]
"""Texts into rows of unit length, in their order."""


def answer_relevancy(example: object, prediction: object, embed: Embed) -> Score:
    """Cosine similarity of question and answer without its citations, 0 where it is negative; undefined without answer.

    A diagnostic, never an objective: an answer that repeats the question is as near to it as an answer can be, so a
    program that is tuned on this learns to echo.

    Args:
        example: With a ``question``, else the prediction's is taken.
        prediction: With ``answer`` and ``passages``.
        embed: Asked for two vectors.
    """
    try:
        needs_answer(prediction)
    except Unscored as early:
        return early.score
    question = str(read(example, "question", read(prediction, "question", ""))).strip()
    answer = bare_answer(prediction).strip()
    if not question or not answer:
        return Score.not_applicable("no answer" if question else "the example has no question")
    first, second = embed([question, answer])
    cosine = math.fsum(float(one) * float(other) for one, other in zip(first, second, strict=True))
    return Score(min(1.0, max(0.0, cosine)))


@for_optimizers
def answerability(example: object, prediction: object) -> Score:
    """1 if the program answered an answerable question or abstained from an unanswerable one, else 0.

    An empty answer, or an abstention with claims, is neither an answer nor an abstention, and always 0.
    """
    found = outcome(prediction)
    if found == "failed":
        return Score.failed()
    answerable = is_answerable(example)
    right = found == ("answered" if answerable else "abstained")
    feedback = f"the question is {'' if answerable else 'un'}answerable, the prediction is {found.replace('_', ' ')}"
    return Score(float(right), "" if right else feedback, status="abstained" if found == "abstained" else "scored")


def answerability_balanced_accuracy(examples: Sequence[object], predictions: Sequence[object]) -> Score:
    """Mean of the shares of answerable questions answered and of unanswerable ones abstained from; failures are wrong.

    Undefined unless both kinds of questions are there: half of it would be a guess.
    """
    right: dict[bool, list[float]] = {True: [], False: []}
    for example, prediction in zip(examples, predictions, strict=True):
        right[is_answerable(example)].append(float(answerability(example, prediction)))
    if not right[True] or not right[False]:
        return Score.not_applicable("needs answerable and unanswerable questions")
    answered, declined = fmean(right[True]), fmean(right[False])
    return Score(
        (answered + declined) / 2, f"answered {answered:.0%} of answerable, declined {declined:.0%} of the others"
    )


def over_abstention(examples: Sequence[object], predictions: Sequence[object]) -> Score:
    """Answerable questions that were abstained from / answerable questions; lower is better."""
    declined = [
        outcome(prediction) in ("abstained", "abstained_with_claims")
        for example, prediction in zip(examples, predictions, strict=True)
        if is_answerable(example)
    ]
    if not declined:
        return Score.not_applicable("no question is answerable")
    return Score(sum(declined) / len(declined))


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """How the error grows as more questions are answered, the surest first."""

    aurc: float  # area under the curve, the mean risk over all coverages, in [0, 1]; lower is better
    risks: tuple[float, ...]  # mean error among the first 1, 2, … n answers


def risk_coverage(confidences: Sequence[float], values: Sequence[float]) -> RiskCoverage | None:
    """The risk-coverage curve and its area (Geifman and El-Yaniv 2017, arXiv:1705.08500).

    Answers of equal confidence come in no order: each takes the mean error of its group.

    Args:
        confidences: One finite number for each answer; only their order matters.
        values: How good each answer is, in [0, 1]; its error is the rest to 1.

    Returns:
        None without answers.

    Raises:
        ValueError: Lengths differ, or a confidence is NaN, which has no place in an order.
    """
    if len(confidences) != len(values):
        raise ValueError(f"got {len(confidences)} confidences for {len(values)} values")
    if any(math.isnan(confidence) for confidence in confidences):
        raise ValueError("a confidence is NaN; leave out the answers that have none")
    if not values:
        return None
    errors: list[float] = []
    ordered = sorted(zip(confidences, values, strict=True), key=lambda pair: -pair[0])
    for _, tied in groupby(ordered, key=lambda pair: pair[0]):
        group = [1 - value for _, value in tied]
        errors += [fmean(group)] * len(group)
    risks = tuple(fmean(errors[:count]) for count in range(1, len(errors) + 1))
    return RiskCoverage(fmean(risks), risks)
