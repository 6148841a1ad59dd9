"""Compile a program: make candidates from train, choose one on val, report on test.

    train → optimizer → candidates → val → the best → test → report, compiled.json

Every candidate is saved and loaded again before it is asked anything, so what is measured is what the file holds. The
uncompiled program is a candidate too: what does not beat it on val is not chosen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import dspy

from metrics.score import mean
from optimize.generate import Records, generate
from optimize.job import EXTRACTIVE, Bench, project_version, spent
from optimize.leakage import leaked
from optimize.objective import Objective
from optimize.optimizers import optimizer_of
from optimize.optimizers.policy import UNCOMPILED, Candidate, Optimizer, Workshop
from optimize.plan import Plan, plan_compile
from optimize.report import Measured, Report, build_report
from optimize.report_text import markdown
from optimize.run_folder import RunFolder, kept_calls
from optimize.scoring import ItemScore, KeptLedger, score
from programs.errors import CorroborateError, UsageError
from programs.program import Program
from programs.state import Provenance, apply_state, read_state, save_state


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a compilation ends with.

    Attributes:
        report: On the test split.
        state: The chosen program's state, in the run's folder.
    """

    report: Report
    state: Path


def plan(bench: Bench) -> Plan:
    """What compiling will cost.

    Raises:
        UsageError: The data lack a split, or the optimizer has no use for a prompt LM.
    """
    sizes = [len(bench.dataset.split(split, bench.job.limit)) for split in ("train", "val", "test")]
    return plan_compile(_optimizers(bench), bench.task.calls(bench.new_program()), *sizes)


def compile_program(bench: Bench, run: RunFolder, on_done: Callable[[int, str], None] = lambda *_: None) -> Compiled:
    """Compile a program in a run's folder; what the folder holds already is not done again.

    Args:
        bench: The job and what it needs.
        run: Where everything goes.
        on_done: Told how many of the plan's runs on val and test are behind, and what is being asked.
    """
    compiler = _Compiler(bench, run, on_done)
    with bench.session(run), kept_calls(run):
        choice = compiler.choose()
        best = best_of(choice)
        compiler.test(best)
    return compiler.finish(best, choice)


class _Compiler:
    """The steps of one compilation, over the files of its run."""

    def __init__(self, bench: Bench, run: RunFolder, on_done: Callable[[int, str], None]) -> None:
        self.bench = bench
        self.run = run
        self.on_done = on_done
        self.done = 0
        self.optimizers = _optimizers(bench)
        self.records = Records(run.predictions)
        self.ledger = KeptLedger(run.judgements)
        self.objective = bench.task.metrics[0]

    def choose(self) -> dict[str, float]:
        """The objective of every candidate on val; each optimizer starts from the best that those before it found."""
        choice = {UNCOMPILED: self._validated(Candidate(UNCOMPILED, self.bench.new_program))}
        for optimizer in self.optimizers:
            start = best_of(choice)
            for candidate in optimizer.candidates(self._workshop(partial(self._loaded, start))):
                choice[candidate.name] = self._validated(candidate)
        return choice

    def _workshop(self, new_program: Callable[[], Program[Any]]) -> Workshop:
        return Workshop(
            task=self.bench.task,
            new_program=new_program,
            dataset=self.bench.dataset,
            train=self.bench.dataset.split("train", self.bench.job.limit),
            val=self.bench.dataset.split("val", self.bench.job.limit),
            objective=Objective(self.objective, self.ledger),
            seed=self.bench.job.seed,
            prompt_lm=self.bench.prompt_lm,
            threads=self.bench.threads,
        )

    def test(self, best: str) -> None:
        """Ask the uncompiled and the chosen program the questions of the test split, which is opened here."""
        found = list(leaked(self._loaded(best), self.bench.dataset.split("test")))
        if found:
            raise CorroborateError(
                f"{best} holds text of the test split, so nothing measured there would count: {'; '.join(found[:3])}; "
                "correct the data set"
            )
        for name in dict.fromkeys((UNCOMPILED, best)):
            self._generate(name, "test")

    def finish(self, best: str, choice: Mapping[str, float]) -> Compiled:
        """Judge, score and report, from the run's files alone."""
        before, after = self._measured(UNCOMPILED), self._measured(best)
        validated = [each for name in choice for each in self._scores(name, "val", (self.objective,))]
        reported = [*before.scores, *(after.scores if after.name != before.name else ())]
        self.run.scores.replace(each.as_dict() for each in (*validated, *reported))
        examples = {posed.example.id: posed.example for posed in self.bench.posed("test")}
        clusters = {each.id: each.cluster for each in self.bench.dataset.split("test", self.bench.job.limit)}
        self.run.write_questions(examples, clusters, "test")
        report = build_report(
            f"{self.bench.job.program} compiled for {self.bench.lm.model}",
            self._about(best),
            examples,
            before,
            after,
            self.ledger,
            clusters=clusters,
            choice=choice,
            seed=self.bench.job.seed,
            warnings=tuple(_warnings(self.bench)),
        )
        self.ledger.write()
        state = self._save(best, choice[best], report)
        self.run.write("report.json", json.dumps(report.as_dict(), ensure_ascii=False, indent=1) + "\n")
        self.run.write("report.md", markdown(report))
        return Compiled(report, state)

    def _validated(self, candidate: Candidate) -> float:
        path = self.run.state(candidate.name)
        if not path.exists():
            self.on_done(self.done, f"building {candidate.name}")
            save_state(candidate.build(), path, self._provenance(candidate.name))
        self._generate(candidate.name, "val")
        scores = self._scores(candidate.name, "val", (self.objective,))
        self.ledger.write()
        value = mean(each.score for each in scores).value
        if value is None:
            raise UsageError(f"{self.objective} is undefined on val: none of its questions has a gold answer")
        return value

    def _generate(self, candidate: str, split: str) -> None:
        before = self.done
        questions = self.bench.posed(split)
        generate(
            self._loaded(candidate),
            candidate,
            split,
            questions,
            self.records,
            threads=self.bench.threads,
            on_done=lambda done: self.on_done(before + done, f"{candidate} on {split}"),
        )
        self.done = before + len(questions)

    def _loaded(self, candidate: str) -> Program[Any]:
        program = self.bench.new_program()
        apply_state(program, read_state(self.run.state(candidate)))
        return program

    def _scores(self, candidate: str, split: str, metrics: tuple[str, ...]) -> list[ItemScore]:
        examples = {posed.example.id: posed.example for posed in self.bench.posed(split)}
        return score(self.records.of(candidate, split, examples), examples, metrics, self.ledger)

    def _measured(self, candidate: str) -> Measured:
        ids = [posed.example.id for posed in self.bench.posed("test")]
        records = self.records.of(candidate, "test", ids)
        return Measured(candidate, records, self._scores(candidate, "test", self.bench.task.metrics))

    def _provenance(self, candidate: str, scores: Mapping[str, float] | None = None) -> Provenance:
        job = self.bench.job
        return Provenance(
            lm=self.bench.lm.model,
            prompt_lm=job.prompt_lm,
            judge=self.ledger.judge.name,
            adapter=type(dspy.settings.adapter).__name__ if dspy.settings.adapter else "ChatAdapter",
            optimizers=tuple(each.name for each in self.optimizers),
            candidate=candidate,
            seed=job.seed,
            budget={**{each.name: dict(each.budget) for each in self.optimizers}, "limit": job.limit},
            dataset=self.bench.dataset.name,
            splits=self.bench.split_hashes(),
            scores=dict(scores or {}),
            date=datetime.now(UTC).date().isoformat(),
            version=project_version(),
        )

    def _about(self, best: str) -> dict[str, Any]:
        made = asdict(self._provenance(best))
        names = ("lm", "prompt_lm", "judge", "optimizers", "candidate", "seed", "budget", "dataset", "date", "version")
        sizes = {
            split: len(self.bench.dataset.split(split, self.bench.job.limit)) for split in ("train", "val", "test")
        }
        predictions = [record.prediction for record in self.records]
        return {**{name: made[name] for name in names}, "questions": sizes, "spent": spent(self.run, predictions)}

    def _save(self, best: str, val: float, report: Report) -> Path:
        after = report.row(self.objective).after
        test = {} if after is None or after.value is None else {"test": round(after.value, 6)}
        provenance = self._provenance(best, {"val": round(val, 6), **test})
        return save_state(self._loaded(best), self.run.path / "compiled.json", provenance)


def best_of(choice: Mapping[str, float]) -> str:
    """The candidate with the highest value; of equals the first, so the uncompiled before compiled ones."""
    return max(choice, key=lambda name: choice[name])


def _optimizers(bench: Bench) -> list[Optimizer]:
    names = [name.strip() for name in bench.job.optimizer.split(",")]
    if len(set(names)) < len(names):
        raise UsageError(
            f"--optimizer {bench.job.optimizer} names one twice; each starts where the one before it ended"
        )
    optimizers = [optimizer_of(name) for name in names]
    if bench.job.prompt_lm and not any(each.uses_prompt_lm for each in optimizers):
        raise UsageError(f"{' and '.join(names)} has no use for a second model; leave --prompt-lm out")
    return optimizers


def _warnings(bench: Bench) -> Iterator[str]:
    if bench.job.lm == EXTRACTIVE:
        yield "No language model was used: the extractive LM takes its answers from the text."
    if bench.job.limit is not None:
        yield f"Only {bench.job.limit} questions of each split were used."
