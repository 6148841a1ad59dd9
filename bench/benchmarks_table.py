"""Programs and baselines on the public benchmarks, with the extractive LM, as a table in Markdown.

    python -m bench.benchmarks_table                          # the test splits; an hour on two cores
    python -m bench.benchmarks_table --only qasper --limit 20 # one benchmark, fewer questions

Each program is asked through ``optimize.job``, as `python -m optimize eval` does. Intervals are 95 % of
a bootstrap by paper. Published figures are of other splits unless the table says otherwise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.gates import Gate, load, report
from bench.intervals import resampled
from metrics.answers import macro_f1
from metrics.score import Score, mean
from optimize.dataset.loading import load_dataset
from optimize.job import Job, JobSetup, evaluate
from optimize.run_folder import RunFolder, open_run
from optimize.statistics import compare, difference, number
from optimize.tasks.main_points import BASELINES
from tests.benchmarks import BENCHMARKS

PROGRAM = "main_points"
MACRO = "macro_f1"
SHOWN: Mapping[str, tuple[str, ...]] = {
    "scifact": ("accuracy", MACRO, "evidence_recall", "grounded_utility"),
    "pubmed_qa": ("accuracy", MACRO, "token_f1", "grounded_utility"),
    "evidence_inference": ("accuracy", MACRO, "evidence_recall", "grounded_utility"),
    "qasper": ("token_f1", "claim_groundedness", "citation_f1", "grounded_utility"),
}
"""The first decides."""
PUBLISHED: Mapping[str, str] = {
    "scifact": "no figure is comparable: others choose the abstracts too, and most report the hidden test",
    "pubmed_qa": "accuracy on the authors' test, other questions: majority 0.552, one human 0.780 (Jin et al. 2019)",
    "evidence_inference": "no figure is comparable: 80 open papers, split by hash",
    "qasper": "no figure is comparable: 20 papers, answers without their evidence",
}


@dataclass(frozen=True)
class Measured:
    """Scores of one program by metric, question by question, and each question's paper."""

    scores: Mapping[str, Sequence[Score]]
    clusters: Sequence[str]
    questions: Sequence[Mapping[str, Any]] = ()
    predictions: Sequence[Mapping[str, Any]] = ()

    def value(self, metric: str) -> float | None:
        return mean(self.scores[metric]).value

    def cell(self, metric: str) -> str:
        """Mean and interval over the questions for which the metric is defined."""
        if metric not in self.scores:
            return "–"
        both = [
            (float(each), cluster)
            for each, cluster in zip(self.scores[metric], self.clusters, strict=True)
            if each.value is not None
        ]
        if not both:
            return "–"
        found = compare([value for value, _ in both], [cluster for _, cluster in both])
        return f"{found.difference:.3f} [{number(found.low)}, {number(found.high)}]"


def spec(name: str) -> str:
    return f"{name}={BENCHMARKS / name}"


def evaluated(setup: JobSetup, folder: Path) -> Measured:
    run = open_run(folder, setup.manifest(), resume=False)
    evaluate(setup, run)
    return read(run)


def read(run: RunFolder) -> Measured:
    questions = {line["id"]: line for line in run.questions.read()}
    scores: dict[str, list[Score]] = defaultdict(list)
    for line in run.scores.read():
        scores[line["metric"]].append(Score(line["value"], line["feedback"], status=line["status"]))
    predictions = {line["id"]: line["prediction"] for line in run.predictions.read()}
    asked = list(questions.values())
    return Measured(scores, [line["cluster"] for line in asked], asked, [predictions[line["id"]] for line in asked])


def macro_f1s(found: Mapping[str, Measured]) -> dict[str, NDArray[np.float64]]:
    """Macro-F1 of each program: of all questions first, then of papers drawn anew, the same for all programs."""
    clusters = next(iter(found.values())).clusters
    draws = [list(range(len(clusters))), *resampled(clusters)]
    return {name: np.array([_macro_f1(one, draw) for draw in draws]) for name, one in found.items()}


def _macro_f1(measured: Measured, places: Sequence[int]) -> float:
    value = macro_f1([measured.questions[one] for one in places], [measured.predictions[one] for one in places]).value
    return value or 0.0


def _interval(values: NDArray[np.float64], sign: str = "") -> str:
    low, high = np.quantile(values[1:], [0.025, 0.975])
    return f"{values[0]:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"


def answers(name: str, split: str, limit: int | None) -> list[Gate]:
    """Print a benchmark's table; what the program has to beat are gates."""
    dataset, shown = load_dataset(spec(name)), SHOWN[name]
    found: dict[str, Measured] = {}
    for program in (*BASELINES, PROGRAM):
        with tempfile.TemporaryDirectory() as folder:
            setup = JobSetup(Job("eval", program, spec(name), limit=limit, split=split, state="none"))
            vars(setup)["dataset"] = dataset
            found[program] = evaluated(setup, Path(folder) / "run")
        print(f"  {program}: {found[program].cell(shown[0])}", file=sys.stderr, flush=True)
    n, papers = len(found[PROGRAM].clusters), len(set(found[PROGRAM].clusters))
    sizes = ", ".join(f"{each} {len(examples)}" for each, examples in dataset.splits.items())
    print(f"\n**{name}**, {split}: {n} questions on {papers} papers (splits: {sizes}). {'; '.join(dataset.notes)}\n")
    macro = macro_f1s(found) if MACRO in shown else {}
    rows = [
        [each, *(_interval(macro[each]) if metric == MACRO else measured.cell(metric) for metric in shown)]
        for each, measured in found.items()
    ]
    for cells in (["", *shown], ["---", *("---:" for _ in shown)], *rows):
        print(f"| {' | '.join(cells)} |")
    print()
    first = shown[0]
    print("\n".join(_verdict(found, first, each) for each in BASELINES))
    print(
        "\n".join(
            f"- {MACRO} against {each}: {_interval(macro[PROGRAM] - macro[each], '+')}"
            for each in macro
            if each != PROGRAM
        )
    )
    print(f"\nPublished: {PUBLISHED[name]}.", flush=True)
    return [
        Gate(f"{name}: {first} over {each}", _over(found, first, each), at_least=0.0)
        for each in BASELINES
        if each in ("majority", "lead")
    ]


def _verdict(found: Mapping[str, Measured], metric: str, baseline: str) -> str:
    """Whether the program beats a baseline, in words, by the difference on the same questions."""
    pairs = zip(found[PROGRAM].scores[metric], found[baseline].scores[metric], strict=True)
    both = [
        (float(one) - float(other), place)
        for place, (one, other) in enumerate(pairs)
        if one.value is not None and other.value is not None
    ]
    paired = compare([value for value, _ in both], [found[PROGRAM].clusters[place] for _, place in both])
    if not paired.excludes_zero:
        verdict = "no significant difference"
    else:
        verdict = "better" if paired.difference > 0 else "worse"
    return f"- {metric} of {PROGRAM} against {baseline}: {difference(paired)}: {verdict}"


def _over(found: Mapping[str, Measured], metric: str, baseline: str) -> float:
    return (found[PROGRAM].value(metric) or 0.0) - (found[baseline].value(metric) or 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=[*SHOWN])
    parser.add_argument("--split", default="test")
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    print(load())
    gates: list[Gate] = []
    for name in SHOWN:
        if options.only in (None, name):
            gates += answers(name, options.split, options.limit)
    print()
    sys.exit(not report(gates))


if __name__ == "__main__":
    main()
