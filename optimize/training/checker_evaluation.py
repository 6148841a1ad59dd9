"""A checker's figures on what it was neither trained nor calibrated on, with intervals over papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metrics.support.premise import WORDS
from metrics.support.verdict import Checker, PremiseJudgement
from optimize.training import labelled_claims
from optimize.training.pairs import LABELS, Pair
from optimize.training.probability_calibration import calibration_error
from optimize.training.wording import EFFECTS

RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


def macro_f1(gold: Sequence[str], guessed: Sequence[str]) -> float:
    """Mean F1 of the three labels, in [0, 1]; a label that is neither gold nor guessed counts 0."""
    total = 0.0
    for label in LABELS:
        hit = sum(each == label == other for each, other in zip(gold, guessed, strict=True))
        total += 2 * hit / max(1, list(gold).count(label) + list(guessed).count(label))
    return total / len(LABELS)


def accuracy(gold: Sequence[str], guessed: Sequence[str]) -> float:
    """Share of labels that are right."""
    return sum(each == other for each, other in zip(gold, guessed, strict=True)) / max(1, len(gold))


def estimated(
    figure: Callable[[Sequence[str], Sequence[str]], float],
    pairs: Sequence[Pair],
    gold: Sequence[str],
    guessed: Sequence[str],
    seed: int = 0,
) -> Estimate:
    """A figure with its percentile interval when papers are drawn again with replacement.

    Args:
        figure: Of gold and guessed labels.
        pairs: Whose documents are drawn.
        gold: Their labels.
        guessed: What was said of them.
        seed: Of the draws.
    """
    found = resampled([pair.document for pair in pairs], seed)
    low, high = np.quantile(
        [figure([gold[at] for at in drawn], [guessed[at] for at in drawn]) for drawn in found], (0.025, 0.975)
    )
    return Estimate(figure(gold, guessed), float(low), float(high))


def estimated_mean(values: Sequence[float], documents: Sequence[str], seed: int = 0) -> Estimate:
    """A mean with its percentile interval when papers are drawn again with replacement.

    Args:
        values: One an example.
        documents: The examples' papers.
        seed: Of the draws.
    """
    table = np.asarray(values, dtype=float)
    low, high = np.quantile([table[drawn].mean() for drawn in resampled(documents, seed)], (0.025, 0.975))
    return Estimate(float(table.mean()), float(low), float(high))


def resampled(documents: Sequence[str], seed: int = 0) -> Iterator[list[int]]:
    """Positions of examples when papers are drawn again with replacement, `RESAMPLES` times."""
    of: dict[str, list[int]] = {}
    for at, document in enumerate(documents):
        of.setdefault(document, []).append(at)
    papers, generator = list(of.values()), np.random.default_rng(seed)
    for _ in range(RESAMPLES):
        yield [at for paper in generator.integers(len(papers), size=len(papers)) for at in papers[paper]]


RIGHT = {"more": "increased", "less": "decreased", "same": "had no significant effect on"}
TURNED = {"more": "decreased", "less": "increased", "same": "increased"}
# A second wording, whose forms no training statement has.
OTHER_RIGHT = {
    "more": "was followed by a climb in",
    "less": "was followed by a slump in",
    "same": "made no real difference to",
}
OTHER_TURNED = {
    "more": "was followed by a slump in",
    "less": "was followed by a climb in",
    "same": "was followed by a climb in",
}


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
        "handwritten dev": labelled_claims.handwritten(data, "dev", WORDS),
        "SciFact validation": list(labelled_claims.scifact(data, "validation")),
        "Check-COVID dev": labelled_claims.claim_set(data, "check_covid", "dev", WORDS),
        "Citation Integrity dev": labelled_claims.claim_set(data, "citation_integrity", "dev", WORDS),
    }


def turned_statements(data: Path, *, other_wording: bool = False) -> list[Turned]:
    """Evidence Inference's prompts on the trials that are reported, worded as the true and the turned statement."""
    right, turned = (OTHER_RIGHT, OTHER_TURNED) if other_wording else (RIGHT, TURNED)
    found = []
    for row in labelled_claims.rows(data / "evidence_inference" / "prompts.jsonl"):
        intervention, comparator, outcome = (
            labelled_claims.plain(row[key]) for key in ("intervention", "comparator", "outcome")
        )
        effect = EFFECTS[row["label"]]
        evidence = " ".join(dict.fromkeys(each["text"] for each in row["evidence"]))
        said, unsaid = (
            f"{intervention} {verbs[effect]} {outcome} compared with {comparator}." for verbs in (right, turned)
        )
        found.append(Turned(said, unsaid, evidence, row["pmcid"]))
    return found


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """A row of the table.

    Attributes:
        name: The set.
        count: Pairs, or prompts.
        figure: What is measured.
        value: With its interval over papers.
        calibration: Expected calibration error, or None where there are no labels.
        contradictions: How many verdicts "contradicted" were given, and how many of them are right.
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
    gold = [pair.label for pair in pairs]
    value = estimated(macro_f1, pairs, gold, [LABELS[at] for at in table.argmax(1)])
    said = [pair.label for pair, each in zip(pairs, judgements, strict=True) if checker.verdict(each) == "contradicted"]
    error = calibration_error(table, np.array([LABELS.index(label) for label in gold]))
    return MeasuredSet(name, len(pairs), "macro-F1", value, error, (len(said), said.count("contradicted")))


def turned(checker: Checker, name: str, statements: Sequence[Turned]) -> MeasuredSet:
    """Share of true statements that are held for better supported than the same turned around; ties are wrong."""
    right = checker.judge([(each.right, each.evidence) for each in statements])
    other = checker.judge([(each.turned, each.evidence) for each in statements])
    found = ["right" if _leaning(a) > _leaning(b) else "wrong" for a, b in zip(right, other, strict=True)]
    pairs = [Pair(each.right, each.evidence, "supported", name, each.document) for each in statements]
    return MeasuredSet(name, len(pairs), "true above turned", estimated(accuracy, pairs, ["right"] * len(pairs), found))


def _leaning(judgement: PremiseJudgement) -> float:
    return judgement.supported - judgement.contradicted


def markdown(rows: Sequence[MeasuredSet]) -> str:
    """The table, with 95 % intervals over papers."""
    lines = [
        "| set | n | figure | value | calibration error | said contradicted, right |",
        "|---|---:|---|---|---:|---:|",
    ]
    for row in rows:
        error = "" if row.calibration is None else f"{row.calibration:.3f}"
        said = "" if row.calibration is None else f"{row.contradictions[0]}, {row.contradictions[1]}"
        lines.append(f"| {row.name} | {row.count} | {row.figure} | {row.value} | {error} | {said} |")
    return "\n".join(lines) + "\n"
