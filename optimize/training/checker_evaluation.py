"""Calibration of a checker, and its figures on what it was neither trained nor calibrated on, over papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metrics.support.premise import WORDS
from metrics.support.verdict import Checker, PremiseJudgement
from optimize.training import labelled_claims
from optimize.training.labelled_claims import LABELS, Pair
from optimize.training.wording import EFFECTS
from programs.models.checker import CheckerCalibration, Surface, calibrated, counted

# From a model's logits to probabilities that can be taken at their word, and verdicts that are sure enough.
#
# Vector scaling (Guo et al. 2017, On calibration of modern neural networks, arXiv:1706.04599) of two models together:
# softmax(scale · logits + surface · scores + shift), one factor a class each, fitted on pairs of papers that were not
# trained on. The scores are those of a linear model on counts, fitted on the training pairs.

Matrix = NDArray[np.float64]
STEPS = 2_000
RATE = 0.05
PULL = 0.01
"""Towards the values at the start, so that few pairs cannot bend the scale far."""
FEWEST = 15
"""Verdicts that a threshold's precision is measured on at least."""
BINS = 10


PRECISION_SUPPORTED, PRECISION_CONTRADICTED = 0.65, 0.9
"""What a verdict must have on pairs that were not trained on."""


def fit(logits: Matrix, scores: Matrix, pairs: Sequence[Pair]) -> CheckerCalibration:
    """Fit factors, shifts and thresholds to logits [pairs, 3] of the model and scores [pairs, 3] on counts.

    Pairs that are only "not supported" are left out.
    """
    known = [at for at, pair in enumerate(pairs) if pair.label in LABELS]
    logits, scores, targets = logits[known], scores[known], _targets([pairs[at] for at in known])
    count = len(LABELS)
    start = np.concatenate([np.diag(np.ones(count)), np.diag(np.full(count, 0.5))])
    weights, shift = _fitted(np.hstack([logits, scores]), targets, start, np.concatenate([np.eye(count)] * 2))
    scale, surface = (tuple(map(float, np.diag(part))) for part in (weights[:count], weights[count:]))
    found = CheckerCalibration(scale, surface, tuple(map(float, shift)), 1.01, 1.01)
    probabilities = calibrated(logits, scores, found)
    supported = threshold(probabilities, targets, LABELS.index("supported"), PRECISION_SUPPORTED)
    contradicted = threshold(probabilities, targets, LABELS.index("contradicted"), PRECISION_CONTRADICTED)
    return replace(found, supported=supported, contradicted=contradicted)


def fit_surface(pairs: Sequence[Pair]) -> Surface:
    """Fit the linear model on counts of training pairs; those that are only "not supported" are left out."""
    known = [pair for pair in pairs if pair.label in LABELS]
    counts = counted([(pair.claim, pair.premise) for pair in known])
    mean, spread = counts.mean(0), np.maximum(counts.std(0), 1e-3)
    shape = (counts.shape[1], len(LABELS))
    weights, shift = _fitted((counts - mean) / spread, _targets(known), np.zeros(shape), np.ones(shape))
    return Surface(mean, spread, weights, shift)


def threshold(probabilities: Matrix, targets: NDArray[np.int64], label: int, precision: float) -> float:
    """The lowest probability from which on a label's verdicts have the precision wanted; 1.01 where none has.

    The ``precision``, in [0, 1], is that of every set of verdicts above the threshold or a higher one that is large
    enough. Probabilities are [pairs, 3]; targets, [pairs], and ``label`` are indices into `LABELS`.
    """
    mine = np.flatnonzero(probabilities.argmax(1) == label)
    order = mine[np.argsort(-probabilities[mine, label], kind="stable")]
    right = np.cumsum(targets[order] == label) / np.arange(1, len(order) + 1)
    enough = [at for at in range(FEWEST - 1, len(order)) if right[at] >= precision]
    return float(probabilities[order[enough[-1]], label]) if enough else 1.01


def calibration_error(probabilities: Matrix, targets: NDArray[np.int64]) -> float:
    """Expected calibration error of the likeliest label: mean distance of confidence and accuracy, in [0, 1].

    Over ten bins of equal width, weighted by their pairs (Naeini et al. 2015). Probabilities are [pairs, 3], rows that
    sum to 1, and targets [pairs], indices of the right labels.
    """
    confidence, right = probabilities.max(1), probabilities.argmax(1) == targets
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(float(confidence[bins == each].mean() - right[bins == each].mean())) * int((bins == each).sum())
        for each in np.unique(bins)
    ]
    return sum(gaps) / max(1, len(targets))


def _fitted(inputs: Matrix, targets: NDArray[np.int64], start: Matrix, free: Matrix) -> tuple[Matrix, Matrix]:
    """Multinomial logistic regression by gradient descent on the mean cross entropy, which is convex in its weights.

    Weights [features, classes] start and are pulled towards ``start``; they may change where ``free`` is 1. Inputs are
    [pairs, features]; shifts [classes] come with the weights.
    """
    weights, shift = start.copy(), np.zeros(start.shape[1])
    truth = np.eye(start.shape[1])[targets]
    for _ in range(STEPS):
        values = inputs @ weights + shift
        found = np.exp(values - values.max(1, keepdims=True))
        wrong = found / found.sum(1, keepdims=True) - truth
        weights -= RATE * free * (inputs.T @ wrong / len(inputs) + PULL * (weights - start))
        shift -= RATE * wrong.mean(0)
    return weights, shift


def _targets(pairs: Sequence[Pair]) -> NDArray[np.int64]:
    return np.array([LABELS.index(pair.label) for pair in pairs])


RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


def macro_f1(gold: Sequence[str] | NDArray[np.str_], guessed: Sequence[str] | NDArray[np.str_]) -> float:
    """Mean F1 of the three labels, in [0, 1]; a label that is neither gold nor guessed counts 0."""
    right, said = np.asarray(gold), np.asarray(guessed)
    hits = [int(((right == label) & (said == label)).sum()) for label in LABELS]
    all_ = [int((right == label).sum() + (said == label).sum()) for label in LABELS]
    return sum(2 * hit / max(1, both) for hit, both in zip(hits, all_, strict=True)) / len(LABELS)


def estimated(figure: Callable[[list[int]], float], documents: Sequence[str]) -> Estimate:
    """A figure of the examples at some positions, with its percentile interval over papers drawn with replacement."""
    low, high = np.quantile([figure(drawn) for drawn in resampled(documents)], (0.025, 0.975))
    return Estimate(figure(list(range(len(documents)))), float(low), float(high))


def estimated_mean(values: Sequence[float], documents: Sequence[str]) -> Estimate:
    """A mean, of one value an example, with its interval."""
    table = np.asarray(values, dtype=float)
    return estimated(lambda at: float(table[at].mean()), documents)


def estimated_f1(pairs: Sequence[Pair], guessed: Sequence[str]) -> Estimate:
    """Macro-F1 of guessed labels, with its interval."""
    gold, said = np.array([pair.label for pair in pairs]), np.array(guessed)
    return estimated(lambda at: macro_f1(gold[at], said[at]), [pair.document for pair in pairs])


def resampled(documents: Sequence[str]) -> Iterator[list[int]]:
    """Positions of examples when papers are drawn again with replacement, `RESAMPLES` times."""
    of: dict[str, list[int]] = {}
    for at, document in enumerate(documents):
        of.setdefault(document, []).append(at)
    papers, generator = list(of.values()), np.random.default_rng(0)
    for _ in range(RESAMPLES):
        yield [at for paper in generator.integers(len(papers), size=len(papers)) for at in papers[paper]]


CLIMB, SLUMP = "was followed by a climb in", "was followed by a slump in"
WORDINGS = (
    (
        {"more": "increased", "less": "decreased", "same": "had no significant effect on"},
        {"more": "decreased", "less": "increased", "same": "increased"},
    ),
    (
        {"more": CLIMB, "less": SLUMP, "same": "made no real difference to"},
        {"more": SLUMP, "less": CLIMB, "same": CLIMB},
    ),
)
"""Verbs of the true and of the turned statement by effect; no training statement has the forms of the second pair."""


@dataclass(frozen=True, slots=True)
class Turned:
    """A true statement on a trial, the same turned around, and the experts' evidence."""

    right: str
    turned: str
    evidence: str
    document: str


def reported_sets(data: Path) -> dict[str, list[Pair]]:
    """Labelled pairs by the name of their set."""
    return {
        "handwritten dev": labelled_claims.claim_set(data, "handwritten", "dev", WORDS),
        "SciFact validation": list(labelled_claims.scifact(data, "validation")),
        "Check-COVID dev": labelled_claims.claim_set(data, "check_covid", "dev", WORDS),
        "Citation Integrity dev": labelled_claims.claim_set(data, "citation_integrity", "dev", WORDS),
    }


def turned_statements(data: Path, *, other_wording: bool = False) -> list[Turned]:
    """Evidence Inference's prompts on the trials that are reported, worded as the true and the turned statement."""
    found = []
    for row in labelled_claims.rows(data / "evidence_inference" / "prompts.jsonl"):
        intervention, comparator, outcome = (
            labelled_claims.plain(row[key]) for key in ("intervention", "comparator", "outcome")
        )
        evidence = " ".join(dict.fromkeys(each["text"] for each in row["evidence"]))
        verbs = (each[EFFECTS[row["label"]]] for each in WORDINGS[other_wording])
        right, turned = (f"{intervention} {verb} {outcome} compared with {comparator}." for verb in verbs)
        found.append(Turned(right, turned, evidence, row["pmcid"]))
    return found


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """A row of the table: a figure on so many pairs or prompts, with its interval over papers.

    ``calibration`` is the expected calibration error, None where there are no labels; ``contradictions`` are how many
    verdicts "contradicted" were given, and how many of them are right.
    """

    name: str
    count: int
    figure: str
    value: Estimate
    calibration: float | None = None
    contradictions: tuple[int, int] = (0, 0)


def measured(checker: Checker, data: Path) -> list[MeasuredSet]:
    """Measure a checker on all sets that are reported."""
    rows = [labelled(checker, name, pairs) for name, pairs in reported_sets(data).items()]
    for name, other in (("Evidence Inference", False), ("Evidence Inference, another wording", True)):
        rows.append(turned(checker, name, turned_statements(data, other_wording=other)))
    return rows


def labelled(checker: Checker, name: str, pairs: Sequence[Pair]) -> MeasuredSet:
    """Macro-F1 of the likeliest label on a labelled set."""
    judgements = checker.judge([(pair.claim, pair.premise) for pair in pairs])
    table = np.array([[each.supported, each.contradicted, each.neither] for each in judgements])
    value = estimated_f1(pairs, [LABELS[at] for at in table.argmax(1)])
    said = [pair.label for pair, each in zip(pairs, judgements, strict=True) if checker.verdict(each) == "contradicted"]
    error = calibration_error(table, _targets(pairs))
    return MeasuredSet(name, len(pairs), "macro-F1", value, error, (len(said), said.count("contradicted")))


def turned(checker: Checker, name: str, statements: Sequence[Turned]) -> MeasuredSet:
    """Share of true statements that are held for better supported than the same turned around; ties are wrong."""
    right = checker.judge([(each.right, each.evidence) for each in statements])
    other = checker.judge([(each.turned, each.evidence) for each in statements])

    def leaning(judgement: PremiseJudgement) -> float:
        return judgement.supported - judgement.contradicted

    found = [leaning(one) > leaning(another) for one, another in zip(right, other, strict=True)]
    value = estimated_mean(found, [each.document for each in statements])
    return MeasuredSet(name, len(statements), "true above turned", value)


def markdown(rows: Sequence[MeasuredSet]) -> str:
    """The table, with 95 % intervals over papers."""
    lines = ["| set | n | figure | value | calibration error | said contradicted, right |"]
    lines.append("|---|---:|---|---|---:|---:|")
    for row in rows:
        error, said = "", ""
        if row.calibration is not None:
            error, said = f"{row.calibration:.3f}", f"{row.contradictions[0]}, {row.contradictions[1]}"
        lines.append(f"| {row.name} | {row.count} | {row.figure} | {row.value} | {error} | {said} |")
    return "\n".join(lines) + "\n"
