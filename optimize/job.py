"""What a run was asked to do, and everything that this needs: read once, written into the run's manifest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import dspy

from metrics.judgements import Judge
from optimize.dataset.data import DEFAULT_DATASET, Dataset, load_dataset
from optimize.dataset.example import SPLITS, digest
from optimize.judging import judge_of
from optimize.running.cost import Meter
from optimize.running.run_folder import RunFolder
from optimize.tasks import task_of
from optimize.tasks.task import Posed, Task
from programs.budget import Budget
from programs.errors import UsageError
from programs.lm import LM
from programs.program import Program
from programs.retrieval.embedding.embedder import Embedder

EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True)
class Job:
    """Settings on which a result depends.

    Attributes:
        command: What is done.
        program: Name of the program.
        dataset: A folder, or the name of a bundled set.
        lm: The model that is compiled for, or evaluated.
        optimizer: How candidates are made; empty for an evaluation.
        prompt_lm: The model that shows how; empty for ``lm``.
        judge_lm: The model that judges claims; empty for the shipped checker.
        judge_nli: Or an NLI cross-encoder that does.
        objective: The metric that counts; empty for the task's own.
        seed: Of everything random.
        limit: Questions of each split at most.
        split: What an evaluation asks.
        state: Compiled state of an evaluation: "best", "none" or a path.
    """

    command: Literal["compile", "eval"]
    program: str
    dataset: str = DEFAULT_DATASET
    lm: str = EXTRACTIVE
    optimizer: str = ""
    prompt_lm: str = ""
    seed: int = 0
    limit: int | None = None
    split: str = "test"
    state: str = "best"
    judge_lm: str = ""
    judge_nli: str = ""
    objective: str = ""


@dataclass
class JobSetup:
    """A job with what it needs, each thing made once.

    Attributes:
        job: The settings.
        embedder: What programs turn text into vectors with; None for the configured model.
        threads: Questions at a time.
        lm: The model; by default made from its name, with its answers kept by the run.
        prompt_lm: The model that shows how, likewise; None for ``lm``.
        budget: What a compilation may cost. It is not a setting of the run: a run that it stopped can be
            resumed with a larger one.
    """

    job: Job
    embedder: Embedder | None = None
    threads: int = 1
    lm: dspy.LM = field(default=None)
    prompt_lm: dspy.LM | None = field(default=None)
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        if self.job.seed < 0:
            raise UsageError(f"--seed={self.job.seed} is not a valid seed; give 0 or more")
        if self.threads < 1:
            raise UsageError(f"--threads={self.threads} is not a valid number of threads; give 1 or more")
        if self.lm is None:
            self.lm = LM(self.job.lm, cache=True)
        if self.prompt_lm is None and self.job.prompt_lm:
            self.prompt_lm = LM(self.job.prompt_lm, cache=True)

    @cached_property
    def judge(self) -> Judge:
        """Who decides what passages say of a claim, when candidates are made, chosen and reported."""
        return judge_of(self.job.judge_lm, self.job.judge_nli)

    @cached_property
    def dataset(self) -> Dataset:
        """The data, checked."""
        return load_dataset(self.job.dataset)

    @cached_property
    def task(self) -> Task:
        """The program as optimizers see it."""
        return task_of(self.job.program, self.job.objective)

    @cached_property
    def _program(self) -> Program[Any]:
        return self.task.program(self.dataset, self.embedder)

    @cached_property
    def bare_program(self) -> Program[Any]:
        """The uncompiled program without its papers, which says what it will cost before any of them is indexed."""
        return self.task.program(replace(self.dataset, documents={}), self.embedder)

    def new_program(self) -> Program[Any]:
        """The uncompiled program; all share one embedder, and the vectors of papers it has read."""
        program: Program[Any] = self._program.deepcopy()
        return program

    def with_seed(self, seed: int, budget: Budget) -> JobSetup:
        """The same job with another seed and budget, over the same data and index, which can be opened only once."""
        made = replace(self.with_budget(budget), job=replace(self.job, seed=seed))
        vars(made).update(dataset=self.dataset, task=self.task, _program=self._program)
        return made

    def with_budget(self, budget: Budget) -> JobSetup:
        """The same job with another budget, over the same data; its papers are not indexed for that."""
        made = replace(self, budget=budget)
        vars(made).update(dataset=self.dataset, task=self.task)
        return made

    def posed(self, split: str) -> list[Posed]:
        """The questions of a split as the program is asked them."""
        return [self.task.pose(each, self.dataset) for each in self.dataset.split(split, self.job.limit)]

    def split_hashes(self) -> dict[str, str]:
        """SHA-256 of the examples that are used of each split."""
        used = [split for split in SPLITS if split in self.dataset.splits]
        return {split: digest(self.dataset.split(split, self.job.limit)) for split in used}

    def manifest(self) -> dict[str, Any]:
        """Everything that the result depends on, JSON-ready."""
        return {**asdict(self.job), "model": self.lm.model, "splits": self.split_hashes(), "version": project_version()}

    @contextmanager
    def session(self, run: RunFolder) -> Iterator[Meter]:
        """Work on a run: with its model, and with what it costs written down even when it is interrupted."""
        meter = Meter(run.sessions)
        try:
            with dspy.context(lm=self.lm, meter=meter):
                yield meter
        finally:
            meter.write()


def project_version() -> str:
    """The version of this project; "source" when it runs from a checkout that is not installed."""
    try:
        return version("corroborate")
    except PackageNotFoundError:
        return "source"
