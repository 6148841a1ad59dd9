"""One compilation with several seeds: how much of its result is luck.

RUN/seed-0/ …     one ordinary run for each seed
RUN/calls/        the model's answers, for all of them: the uncompiled program is asked once
RUN/report.json, report.md, compiled.json: all together, and the state that is best on val
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import stdev
from typing import Any

from optimize.compiling.compile import Compiled, compile_program, plan
from optimize.job import JobSetup
from optimize.measuring.statistics import Paired, compare, difference, number, table
from optimize.running.cost import WorkPlan, spent_in
from optimize.running.run_folder import RunFolder, open_run
from programs.budget import Budget, Spent
from programs.errors import UsageError
from programs.state import UNCOMPILED


@dataclass(frozen=True, slots=True)
class SeedResult:
    """The result of one seed.

    Attributes:
        seed: The seed.
        candidate: What was chosen.
        val: Its objective on val.
        before: Objective of the uncompiled program on test; None if undefined.
        after: Of the chosen one.
        paired: Their difference; None if undefined.
        warnings: Of its report.
    """

    seed: int
    candidate: str
    val: float
    before: float | None
    after: float | None
    paired: Paired | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeedsReport:
    """All seeds together.

    Attributes:
        title: What was done.
        objective: The metric that was maximised.
        seeds: One result each.
        together: The difference on test, of each question averaged over seeds; None if undefined.
        spread: Standard deviation of the seeds' differences; None of fewer than two.
        best: The seed whose state is the best on val.
        spent: By all, in words.
    """

    title: str
    objective: str
    seeds: tuple[SeedResult, ...]
    together: Paired | None
    spread: float | None
    best: int
    spent: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)

    def __str__(self) -> str:
        header = ("candidate", "seed", "val", "uncompiled on test", "compiled", "difference [95 % interval]")
        rows = [
            (each.candidate, str(each.seed), *map(number, (each.val, each.before, each.after)), difference(each.paired))
            for each in self.seeds
        ]
        warnings = dict.fromkeys(f"> **Warning.** {text}\n" for each in self.seeds for text in each.warnings)
        about = f"The state of seed {self.best} is the best on val. Spent: {self.spent}."
        lines = [f"# {self.title}", "", f"**{self.headline}**", "", *warnings, *table(header, rows), about]
        return "\n".join(lines) + "\n"

    @property
    def headline(self) -> str:
        """The result in a sentence."""
        seeds = f"over {len(self.seeds)} seeds"
        if self.together is None:
            return f"{self.objective} is undefined on test {seeds}."
        spread = "" if self.spread is None else f", spread over seeds {self.spread:.3f}"
        found = f"{self.objective} on test changes by {difference(self.together)} {seeds}{spread}."
        return found if self.together.is_significant else f"No significant difference: {found}"


@dataclass(frozen=True, slots=True)
class CompiledSeeds:
    """What compiling with several seeds ends with: a report, and the best state in the run's folder."""

    report: SeedsReport
    state: Path


def read_seeds(text: str) -> tuple[int, ...]:
    """Seeds as the command line takes them: "0,1,2".

    Raises:
        UsageError: They are not whole numbers from 0 on, or one is named twice.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts) or len(set(map(int, parts))) < len(parts):
        raise UsageError(f"--seeds={text} is not a list of valid seeds; give different whole numbers, like 0,1,2")
    return tuple(map(int, parts))


def for_each(setup: JobSetup, seeds: Sequence[int]) -> list[JobSetup]:
    """The same job with each seed, and an equal share of the budget."""
    budget = _share(setup, seeds)
    return [setup.with_seed(seed, budget) for seed in seeds]


def _share(setup: JobSetup, seeds: Sequence[int]) -> Budget:
    return setup.budget.divided(len(seeds)) if setup.budget else setup.budget


def plan_seeds(setup: JobSetup, seeds: Sequence[int]) -> WorkPlan:
    """What all seeds will cost; each has the uncompiled program on val and test, whose answers are kept."""
    return plan(setup, len(seeds)).times(len(seeds))


def manifest(setup: JobSetup, seeds: Sequence[int]) -> dict[str, Any]:
    """Everything that the result depends on."""
    return {**setup.manifest(), "seed": list(seeds)}


def compile_seeds(
    setup: JobSetup, seeds: Sequence[int], run: RunFolder, on_done: Callable[[int, str], None] = lambda *_: None
) -> CompiledSeeds:
    """Compile with one seed after the other; what the folder holds already is not done again.

    Args:
        setup: The job; its own seed plays no part.
        seeds: Different ones.
        run: Where everything goes.
        on_done: As ``compile_program`` tells it, over all seeds.
    """
    done: list[tuple[int, Compiled, RunFolder]] = []
    for place, each in enumerate(for_each(setup, seeds)):
        planned = plan(each)
        before = place * (planned.choosing + planned.reporting)
        folder = open_run(run.path / f"seed-{each.job.seed}", each.manifest(), resume=True)
        own = replace(folder, kept=run.path / "calls")
        tell = _shifted(on_done, before, each.job.seed)
        done.append((each.job.seed, compile_program(each, own, tell), own))
    report = _report(setup, done)
    best = next(compiled.state for seed, compiled, _ in done if seed == report.best)
    state = Path(shutil.copyfile(best, run.path / "compiled.json"))
    run.write("report.json", json.dumps(report.as_dict(), ensure_ascii=False, indent=1) + "\n")
    run.write("report.md", str(report))
    return CompiledSeeds(report, state)


def _shifted(on_done: Callable[[int, str], None], before: int, seed: int) -> Callable[[int, str], None]:
    return lambda done, message: on_done(before + done, f"{message}, seed {seed}")


def _report(setup: JobSetup, done: Sequence[tuple[int, Compiled, RunFolder]]) -> SeedsReport:
    results = tuple(_result(seed, compiled) for seed, compiled, _ in done)
    seeds = ", ".join(str(each.seed) for each in results)
    differences = [each.paired.difference for each in results if each.paired]
    return SeedsReport(
        title=f"{setup.job.program} compiled for {setup.lm.model} with seeds {seeds}",
        objective=done[0][1].report.objective,
        seeds=results,
        together=_together([run for _, _, run in done], done[0][1].report.objective),
        spread=stdev(differences) if len(differences) > 1 else None,
        best=max(results, key=lambda each: each.val).seed,
        spent=str(sum((spent_in(run.sessions) for _, _, run in done), Spent())),
    )


def _result(seed: int, compiled: Compiled) -> SeedResult:
    report = compiled.report
    row = report.row(report.objective)
    after = row.after.value if row.after else None
    candidate = str(report.about["candidate"])
    return SeedResult(seed, candidate, report.choice[candidate], row.before.value, after, row.paired, report.warnings)


def _together(runs: Sequence[RunFolder], objective: str) -> Paired | None:
    """The paired difference of each question's mean over seeds."""
    by_seed = [_differences(run, objective) for run in runs]
    shared = [each for each in by_seed[0] if all(each in found for found in by_seed)]
    if not shared:
        return None
    clusters = {line["id"]: line["cluster"] for line in runs[0].questions.read()}
    means = [math.fsum(found[each] for found in by_seed) / len(by_seed) for each in shared]
    return compare(means, [clusters[each] for each in shared])


def _differences(run: RunFolder, objective: str) -> dict[str, float]:
    """Chosen − uncompiled by question of test; 0 where the uncompiled one was chosen."""
    scores: dict[str, dict[str, Mapping[str, Any]]] = {}
    for line in run.scores.read():
        if (line["split"], line["metric"]) == ("test", objective) and line["value"] is not None:
            scores.setdefault(line["candidate"], {})[line["id"]] = line
    before = scores.pop(UNCOMPILED, {})
    after = next(iter(scores.values()), before)
    return {each: after[each]["value"] - before[each]["value"] for each in before if each in after}
