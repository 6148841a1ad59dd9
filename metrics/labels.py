"""Agreement of labels: yes/no/maybe, supports/contradicts/neither, increased/decreased/no difference."""

from __future__ import annotations

from collections.abc import Sequence

from metrics.fields import read, read_texts
from metrics.optimizer_calls import for_optimizers
from metrics.outcome import answer_of, outcome
from metrics.score import Score
from metrics.words import words


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
        return Score.not_applicable("the example has no label")
    if outcome(prediction) == "failed":
        return Score.failed()
    given = predicted_label(example, prediction)
    if given == gold:
        return Score(1.0)
    if outcome(prediction) == "abstained":
        return Score.abstained(f'the program abstained, expected "{gold}"', value=0.0)
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
    scores = {label: _class_f1(label, pairs) for label in classes}
    feedback = ", ".join(f"{label} {value:.3f}" for label, value in scores.items())
    return Score(sum(scores.values()) / len(scores), feedback)


def _gold_label(example: object) -> str:
    """The gold label in normal form; "not enough information" may itself be a label, so answerability plays no part."""
    return " ".join(words(str(read(example, "label", ""))))


def _class_f1(label: str, pairs: Sequence[tuple[str, str]]) -> float:
    hits = sum(gold == given == label for gold, given in pairs)
    total = sum(gold == label for gold, _ in pairs) + sum(given == label for _, given in pairs)
    return 2 * hits / total
