"""What a run was asked to do, with everything that this needs, and evaluations: ask, judge, score, report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import dspy

from metrics.catalogue import METRICS
from metrics.support.verdict import Judge
from optimize.assess import Measures, assess
from optimize.dataset import SPLITS, digest
from optimize.dataset.loading import DEFAULT_DATASET, Dataset, load_dataset
from optimize.finished_run import read_run
from optimize.generate import Meter, Records, WorkPlan, generate
from optimize.judging import judge_of
from optimize.report import AskedExamples, MeasuredProgram, Report, ReportHeader
from optimize.run_folder import RunFolder, kept_calls
from optimize.tasks import CallCount, Task, TaskInput
from optimize.tasks.corpus import (
    MULTI_SIGNAL_SPACE,
    RAG_FUSION_SPACE,
    CorpusTask,
    EvidenceTableTask,
    PaperRetrieverTask,
    rag_fusion_demos,
)
from optimize.tasks.main_points import BASELINES, BaselineTask, MainPointsTask
from optimize.tasks.paper_writer import PaperWriterTask
from programs.budget import Budget
from programs.compiled_state import apply_state, read_state
from programs.errors import UsageError
from programs.lm import LM, translated
from programs.lm.adapters import is_without_model
from programs.lm.pace import pace_of
from programs.program import Program
from programs.rag_fusion import MOST_BULLETS
from programs.registry import PROGRAMS
from programs.retrieval.embedder import Embedder
from programs.state_choice import best_state, state_path

_OWN: Mapping[str, Callable[[], Task]] = {
    "main_points": MainPointsTask,
    "rag_fusion": partial(
        CorpusTask, "rag_fusion", space=RAG_FUSION_SPACE, demos_of=rag_fusion_demos, steps=2, bullets=MOST_BULLETS
    ),
    "multi_signal": partial(CorpusTask, "multi_signal", space=MULTI_SIGNAL_SPACE, conflicts=True),
    "paper_retriever": PaperRetrieverTask,
    "paper_writer": PaperWriterTask,
    "evidence_table": EvidenceTableTask,
}
TASKS: Mapping[str, Callable[[], Task]] = {
    each.name: _OWN.get(each.name, partial(CorpusTask, each.name))
    for each in PROGRAMS
    if each.name in _OWN or (each.answers and each.asks == "index")
}
"""Of each program; one that answers from an index has the usual one where there is none for it alone."""


def task_of(name: str, objective: str = "") -> Task:
    """The task of a program or a baseline, by an objective; a UsageError if it has none."""
    if name not in TASKS.keys() | BASELINES.keys():
        raise UsageError(
            f"{name!r} cannot be compiled or evaluated; there are {', '.join(TASKS)}, and the baselines "
            f"{', '.join(BASELINES)}"
        )
    task = BaselineTask(name) if name in BASELINES else TASKS[name]()
    if not objective:
        return task
    known = [metric for metric in task.metrics if METRICS[metric].higher_is_better]
    if objective not in known:
        raise UsageError(f"{name} has no objective {objective!r}; it has {', '.join(known)}")
    return replace(task, metrics=tuple(dict.fromkeys((objective, *task.metrics))))


EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True)
class Job:
    """Settings on which a result depends.

    Attributes:
        dataset: A folder, or the name of a bundled set.
        optimizer: How candidates are made; empty for an evaluation.
        prompt_lm: The model that shows how; empty for ``lm``.
        judge_lm: The model that judges claims; empty for the shipped checker.
        objective: The metric that counts; empty for the task's own.
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
    objective: str = ""


@dataclass
class JobSetup:
    """A job with what it needs, each thing made once.

    Attributes:
        embedder: What programs turn text into vectors with; None for the configured model.
        lm, prompt_lm: The models; by default made from their names, with their answers kept by the run.
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
        return judge_of(self.job.judge_lm)

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

    def calls(self, program: Program[Any]) -> CallCount:
        """Calls that a run of the program takes: none without a model."""
        if is_without_model(self.lm) and self.prompt_lm is None:
            return CallCount(0, 0)
        return self.task.calls(program, self.dataset)

    def seconds(self) -> float | None:
        """How long a usual run takes; None where the model was not timed, or the program does not know its prompts."""
        pace = pace_of(self.lm)
        with dspy.context(lm=self.lm):
            prompts = self.bare_program.prompts() if pace else []
        return pace.seconds(prompts) if pace and prompts else None

    def posed(self, split: str) -> list[TaskInput]:
        """The questions of a split as the program is asked them."""
        return [self.task.pose(each, self.dataset) for each in self.dataset.split(split, self.job.limit)]

    def asked(self, split: str) -> AskedExamples:
        """The questions of a split as reports see them."""
        clusters = {each.id: each.cluster for each in self.dataset.split(split, self.job.limit)}
        return AskedExamples({posed.example.id: posed.example for posed in self.posed(split)}, clusters, split)

    def split_hashes(self) -> dict[str, str]:
        """SHA-256 of the examples that are used of each split."""
        used = [split for split in SPLITS if split in self.dataset.splits]
        return {split: digest(self.dataset.split(split, self.job.limit)) for split in used}

    def manifest(self) -> dict[str, Any]:
        """Everything that the result depends on, JSON-ready."""
        made_by = {"model": self.lm.model, "splits": self.split_hashes(), "version": project_version()}
        return {**asdict(self.job), **made_by}

    @contextmanager
    def session(self, run: RunFolder) -> Iterator[Meter]:
        """Work on a run: with its model, and with what it costs written down even when it is interrupted."""
        meter = Meter(run.sessions)
        try:
            with translated(self.job.lm), dspy.context(lm=self.lm, meter=meter):
                yield meter
        finally:
            meter.write()


def project_version() -> str:
    """The version of this project; "source" when it runs from a checkout that is not installed."""
    try:
        return version("corroborate-papers")
    except PackageNotFoundError:
        return "source"


def plan(setup: JobSetup, *, judged: bool = False) -> WorkPlan:
    """What evaluating will cost; ``judged`` when another model judges the answers."""
    _with_state(setup, setup.bare_program.deepcopy())
    questions = len(setup.dataset.split(setup.job.split, setup.job.limit))
    judging, calls = questions if judged else 0, setup.calls(setup.bare_program)
    return WorkPlan(1, 0, 0, questions, calls, judged=judging, seconds=setup.seconds())


def evaluate(
    setup: JobSetup,
    run: RunFolder,
    measures: Measures | None = None,
    on_done: Callable[[int, str], None] = lambda *_: None,
) -> Report:
    """Evaluate a program in a run's folder; questions that have an answer there are not asked again.

    The judge is not a setting of the run: it changes no answer, and a run that is resumed may have another. By default
    it is the shipped checker. ``on_done`` is called with how many questions are behind, and what is being asked.
    """
    job, asked = setup.job, setup.asked(setup.job.split)
    with kept_calls(run), setup.session(run) as meter:
        records = Records(run.predictions)
        program = setup.new_program()
        state = _with_state(setup, program)
        _check_state(run, state)
        name = job.program if state is None else f"{job.program} ({state.name})"
        found = generate(
            program,
            name,
            job.split,
            setup.posed(job.split),
            records,
            threads=setup.threads,
            on_done=lambda done: on_done(done, job.split),
        )
        about: dict[str, Any] = {
            **{each: asdict(job)[each] for each in ("program", "dataset", "limit", "split")},
            "lm": setup.lm.model,
            "compiled state": str(state or "none"),
            "questions": len(asked.examples),
            **setup.dataset.about,
        }
        title = f"{job.program} on {setup.dataset.name} {job.split}"
        header, answers = ReportHeader(title, about, setup.lm.model, seed=job.seed), [MeasuredProgram(name, found)]
        return assess(run, asked, answers, setup.task.metrics, header, measures or Measures(), meter)


def _check_state(run: RunFolder, state: Path | None) -> None:
    """Refuse a state file that is another one by now: the run's answers are known by the file's name."""
    if state is None:
        return
    place = run.path / "states.json"
    known = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    content = json.dumps(read_state(state).content, sort_keys=True)
    found = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    if known.setdefault(state.name, found) != found:
        raise UsageError(f"{state} was changed since the run in {run.path} was started; name another --output")
    run.write("states.json", json.dumps(known) + "\n")


def _with_state(setup: JobSetup, program: Program[Any]) -> Path | None:
    """Give a program the state that the job names; its path."""
    named = setup.job.state
    if named == "none":
        return None
    state = best_state(program) if named == "best" else read_state(state_path(named))
    if state is not None:
        apply_state(program, state)
    return state.path if state else None


def rescore(path: Path, measures: Measures) -> Report:
    """Judge, score and report a finished run anew; what this judge said of it before is not asked again.

    Of a compilation, both programs of its report are measured; its choice among candidates stays as it was made.
    """
    with kept_calls(read_run(path).folder):
        run = read_run(path)
        meter = Meter(run.folder.sessions, counts_time=False)
        # Of a compilation always two, though it may have come out unchanged.
        names = (run.before, run.reported) if run.is_compilation else (run.reported,)
        answers = [MeasuredProgram(name, [run.answers(name)[each] for each in run.asked.examples]) for name in names]
        report = run.report
        header = ReportHeader(
            title=report.title,
            about=report.about,
            model=str(run.manifest.get("model", "")),
            choice=report.choice,
            warnings=report.lasting,
            seed=int(run.manifest.get("seed", 0)),
            chosen_by=str(report.about.get("chosen by", report.about["judge"])) if report.choice else "",
        )
        try:
            with dspy.context(meter=meter):
                return assess(run.folder, run.asked, answers, run.metrics, header, measures, meter)
        finally:
            meter.write()
