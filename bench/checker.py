"""The shipped checker beside simpler judges, on data that it was neither trained, calibrated nor tuned on.

    python -m bench.checker                        # all
    python -m bench.checker --only labelled        # labelled, turned, answers, altered or speed

"Under guards" is `metrics.support.check`. "Overlap" says supported above a share of the claim's words that
is tuned on the calibration pairs, else unverifiable. "Claim alone" is a logistic regression on the claim's words,
trained on the training claims of the same set. "Counts alone" is the linear model beside the checker's network.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bench import perturbations
from bench.intervals import Estimate, calibration_error, estimated_macro_f1, estimated_mean, macro_f1
from bench.support import sampled_sentences, scifact_texts, trial_texts
from metrics.support import check
from metrics.support.claim_check import GuardedCheck, unread
from metrics.support.premise import WORDS, keys
from optimize.training import labelled_claims
from optimize.training.labelled_claims import LABELS, Pair
from optimize.training.stages import Sources, calibration_pairs
from optimize.training.wording import EFFECTS
from programs.models.checker import SHIPPED, SmallChecker
from tests.benchmarks import BENCHMARKS

OVERLAPS = np.arange(0.2, 0.95, 0.05)
TRAINING = {
    "handwritten dev": "handwritten",
    "Check-COVID dev": "check_covid",
    "Citation Integrity dev": "citation_integrity",
}
# Altered sentences looked at, of each kind and source.
AT_MOST = 40

Judge = Callable[[Sequence[Pair]], list[str]]


def report_labelled(checker: SmallChecker) -> None:
    """Macro-F1 with intervals over papers, of the checker and of simpler judges."""
    overlap = best_overlap(calibration_pairs(Sources(BENCHMARKS)))
    for name, pairs in reported_sets(BENCHMARKS).items():
        gold = [pair.label for pair in pairs]
        found = checker.judge([(pair.claim, pair.premise) for pair in pairs])
        table = np.array([[each.supported, each.contradicted, each.neither] for each in found])
        error = calibration_error(table, np.array([LABELS.index(label) for label in gold]))
        said = [label for label, each in zip(gold, found, strict=True) if checker.verdict(each) == "contradicted"]
        print(f"\n{name}: {len(pairs)} pairs {dict(Counter(gold))}, calibration error {error:.3f}, "
              f"said contradicted {len(said)}, right {said.count('contradicted')}")  # fmt: skip
        judges: dict[str, Judge] = {
            "checker, likeliest label": lambda pairs: likeliest(checker, pairs),
            "checker, verdict": lambda pairs: verdicts(checker, pairs),
            "counts alone": lambda pairs: counts_alone(checker, pairs),
            "under guards": lambda pairs: [check(pair.claim, [pair.premise]).verdict for pair in pairs],
            "overlap": lambda pairs: [overlapping(pair, overlap) for pair in pairs],
            "majority": lambda pairs, gold=gold: [Counter(gold).most_common(1)[0][0]] * len(pairs),
            "claim alone": lambda pairs, name=name: claim_alone(name, pairs),
        }
        for judge, judged in judges.items():
            value = estimated_macro_f1(gold, judged(pairs), [pair.document for pair in pairs])
            print(f"  {judge:26}{value}", flush=True)


def likeliest(checker: SmallChecker, pairs: Sequence[Pair]) -> list[str]:
    found = checker.judge([(pair.claim, pair.premise) for pair in pairs])
    return [LABELS[int(np.argmax([each.supported, each.contradicted, each.neither]))] for each in found]


def verdicts(checker: SmallChecker, pairs: Sequence[Pair]) -> list[str]:
    return [checker.verdict(each) for each in checker.judge([(pair.claim, pair.premise) for pair in pairs])]


def counts_alone(checker: SmallChecker, pairs: Sequence[Pair]) -> list[str]:
    scores = checker.surface.scores([(pair.claim, pair.premise) for pair in pairs])
    return [LABELS[at] for at in scores.argmax(1)]


def overlapping(pair: Pair, least: float) -> str:
    own = keys(pair.claim)
    return "supported" if len(own & keys(pair.premise)) >= least * len(own) else "unverifiable"


def best_overlap(pairs: Sequence[Pair]) -> float:
    gold = [pair.label for pair in pairs]
    return max(OVERLAPS, key=lambda least: macro_f1(gold, [overlapping(pair, least) for pair in pairs]))


def claim_alone(name: str, pairs: Sequence[Pair]) -> list[str]:
    known = TRAINING.get(name)
    trained = (
        labelled_claims.claim_set(BENCHMARKS, known, "train")
        if known
        else list(labelled_claims.scifact(BENCHMARKS, "train"))
    )
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LogisticRegression(max_iter=1000))
    model.fit([pair.claim for pair in trained], [pair.label for pair in trained])
    return list(model.predict([pair.claim for pair in pairs]))


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


def turned(checker: SmallChecker, statements: Sequence[Turned]) -> Estimate:
    """Share of true statements that are held for better supported than the same turned around; ties are wrong."""
    right = checker.judge([(each.right, each.evidence) for each in statements])
    other = checker.judge([(each.turned, each.evidence) for each in statements])
    leaning = [[each.supported - each.contradicted for each in side] for side in (right, other)]
    return estimated_mean(np.greater(*leaning).tolist(), [each.document for each in statements])


def report_turned(checker: SmallChecker) -> None:
    """True statements on trials above the same turned around; apart for trials of which nothing was trained on."""
    hand = labelled_claims.rows(BENCHMARKS / "claims" / "handwritten.jsonl")
    known = {row["document"] for row in hand if row["split"] == "train"}
    for name, other in (("the plain wording", False), ("another wording", True)):
        statements = turned_statements(BENCHMARKS, other_wording=other)
        print(f"\nEvidence Inference, {name}, true statement above the turned one")
        guarded = [
            check(each.right, [each.evidence]).score > check(each.turned, [each.evidence]).score for each in statements
        ]
        print(f"  checker, all {len(statements)}: {turned(checker, statements)}")
        unknown = [each for each in statements if each.document not in known]
        print(f"  checker, {len(unknown)} on trials without a training claim: {turned(checker, unknown)}")
        documents = [each.document for each in statements]
        print(f"  under guards: {estimated_mean(guarded, documents)}", flush=True)


def report_answers(checker: SmallChecker) -> None:
    """A strong reader's true English sentences against the passages that they cite."""
    judge = GuardedCheck(checker)
    judges = {"checker alone": judge.alone, "under guards": judge.check}
    cases = []
    for answer in labelled_claims.rows(BENCHMARKS / "answers" / "answers.jsonl"):
        texts = {passage["id"]: passage["text"] for passage in answer["passages"]}
        for sentence in answer["sentences"]:
            cited = [texts[cite["passage"]] for cite in sentence["cites"] if cite["passage"] in texts]
            if sentence["true"] and cited and not unread(sentence["text"]):
                cases.append((sentence["text"], cited, answer["id"]))
    print(f"\n{len(cases)} true English sentences of a strong reader")
    for name, judged in judges.items():
        said = [judged(text, cited).verdict for text, cited, _ in cases]
        for verdict in ("supported", "contradicted"):
            share = estimated_mean([each == verdict for each in said], [document for *_, document in cases])
            print(f"  {name}: {verdict} {share}", flush=True)


def report_altered(checker: SmallChecker) -> None:
    """Altered copies of real sentences refused, with the guards and without; true copies supported."""
    judge = GuardedCheck(checker)
    print("\naltered copies refused: checker alone, with guards; true copies supported: checker alone, with guards")
    for name, texts, per_text in (("SciFact", scifact_texts(False), 4), ("trials", trial_texts(False), 30)):
        pool = sampled_sentences(texts, per_text, seed=1)
        for kinds, harmless in ((perturbations.KINDS, False), (perturbations.HARMLESS, True)):
            counts = np.zeros(3, dtype=int)
            for change in kinds.values():
                drawn = random.Random(2)
                made = ((change(sentence, passage, drawn), passage) for sentence, passage in pool)
                cases = [(new, passage) for new, passage in made if new is not None and new not in passage][:AT_MOST]
                counts += sum((outcome(judge, new, passage) for new, passage in cases), np.zeros(3, dtype=int))
            alone, guarded, n = (counts[1], counts[2], counts[0])
            shares = (alone / n, guarded / n) if harmless else (1 - alone / n, 1 - guarded / n)
            print(
                f"  {name}, {'still true' if harmless else 'made false'}, {n}: {shares[0]:.3f}, {shares[1]:.3f}",
                flush=True,
            )


def outcome(judge: GuardedCheck, claim: str, passage: str) -> np.ndarray:
    """One case: counted, supported by the checker alone, and under its guards."""
    alone, guarded = (each(claim, [passage]).verdict == "supported" for each in (judge.alone, judge.check))
    return np.array([1, alone, guarded])


def report_speed(checker: SmallChecker) -> None:
    """An answer of six sentences, each against five passages, and claims a minute."""
    papers = labelled_claims.rows(BENCHMARKS / "trials_train" / "papers.jsonl")[:12]
    texts = [[each["text"] for each in paper["passages"] if each["kind"] == "text"][:5] for paper in papers]
    claims = [pair.claim for pair in labelled_claims.claim_set(BENCHMARKS, "handwritten", "dev")[:12]]
    judge = GuardedCheck(checker)
    judge.check(claims[0], texts[0])
    taken, busy = [], []
    for at in range(6):
        began, used = time.perf_counter(), time.process_time()
        for claim, passages in zip(claims[at : at + 6], texts[at : at + 6], strict=True):
            judge.check(claim, passages)
        taken.append(time.perf_counter() - began)
        busy.append(time.process_time() - used)
    pairs = [(pair.claim, pair.premise) for pair in labelled_claims.claim_set(BENCHMARKS, "handwritten", "dev")[:100]]
    began, used = time.perf_counter(), time.process_time()
    for claim, premise in pairs:
        judge.check(claim, [premise])
    rate, own = (60 * len(pairs) / each for each in (time.perf_counter() - began, time.process_time() - used))
    print(
        f"\nsix sentences, verdict and quote: median {np.median(taken):.2f} s, {np.median(busy):.2f} s of it computing"
    )
    print(f"one after the other, under guards: {rate:.0f} claims a minute, {own:.0f} a minute of computing")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("labelled", "turned", "answers", "altered", "speed"))
    parser.add_argument("--folder", type=Path, default=SHIPPED, help="another checker than the shipped one")
    options = parser.parse_args()
    checker = SmallChecker(options.folder)
    print(checker.name)
    reports = {"labelled": report_labelled, "turned": report_turned, "answers": report_answers,
               "altered": report_altered, "speed": report_speed}  # fmt: skip
    for name, report in reports.items():
        if options.only in (None, name):
            report(checker)


if __name__ == "__main__":
    main()
