"""Every optimizer through its real code: what it finds is better, is saved whole, and gives its score again."""

import json
import re
from dataclasses import dataclass, field, replace
from functools import cache, partial

import pytest
from dspy import lm15

from optimize.compiling import compile_program, plan
from optimize.job import TASKS, Job, JobSetup, evaluate
from optimize.optimizers import OPTIMIZERS, Copro, Gepa, Mipro, ParameterSearch, Simba, optimizer_of
from optimize.policy import Bootstrap, FewShot, RandomSearch
from optimize.run_folder import open_run
from optimize.tasks import real
from optimize.tasks.main_points import MainPointsTask
from programs.compiled_state import UNCOMPILED, fingerprint, read_state
from programs.errors import LMUnavailable, UsageError
from programs.lm.ollama_errors import NoServer
from programs.registry import load
from signatures.evidence import WriteAnswer
from tests.counting_lm import PHRASE, CountingEngine, InstructedEngine
from tests.hashing_embedder import HashingEmbedder
from tests.optimize.conftest import compiled, finish, setup
from tests.scripted_lm import Writer

pytestmark = pytest.mark.slow

SMALL = {
    "few_shot": partial(FewShot, sizes=(2,)),
    "bootstrap": partial(Bootstrap, sizes=(2,)),
    "random_search": partial(RandomSearch, size=2),
    "mipro": partial(Mipro, size=3, trials=2),
    "gepa": partial(Gepa, metric_calls=60),
    "simba": partial(Simba, batch=4, size=2, steps=1),
    "copro": partial(Copro, breadth=3, depth=1),
    "parameters": partial(ParameterSearch, trials=4, kept=2),
}
TUNE = pytest.mark.needs("tune")
MIPRO = pytest.param("mipro", marks=TUNE)
WRITING = (MIPRO, "gepa", "simba", "copro")
OFFLINE = {"few_shot": (), "bootstrap": (), "random_search": (), "parameters": TUNE}
"""Optimizers that need no model, and what they need."""
PAIRS = [
    pytest.param(program, optimizer, marks=OFFLINE[optimizer])
    for program, optimizer in sorted(
        {
            *zip(TASKS, list(OFFLINE) * 2, strict=False),
            *((each, "parameters") for each, task in TASKS.items() if task().space),
        }
    )
]
"""Each program with one of the optimizers, and with `parameters` where it has some to tune."""


@pytest.fixture(scope="module", autouse=True)
def small_sizes():
    """All optimizers at sizes that take a second."""
    with pytest.MonkeyPatch.context() as patch:
        for name, make in SMALL.items():
            patch.setitem(OPTIMIZERS, name, make)
        yield


@pytest.fixture(scope="module")
def written(dataset, tmp_path_factory):
    """Compilations with a model that writes, each done once."""

    @cache
    def made(optimizer):
        writer = Writer("Answer at length.", f"Say what the passages say, {PHRASE}.")
        return finish(dataset, tmp_path_factory.mktemp("runs") / optimizer, optimizer, InstructedEngine(), writer)

    return made


@pytest.mark.parametrize("optimizer", WRITING)
def test_what_a_writer_proposes_makes_the_program_better(written, optimizer):
    run = written(optimizer)
    choice = run.result.report.choice
    assert max(choice.values()) > choice[UNCOMPILED]
    step = read_state(run.result.state).content["answer.write"]
    assert PHRASE in step["signature"]["instructions"] or step["demos"]


def test_a_compiled_state_gives_its_score_again(written, dataset, tmp_path):
    run = written("gepa")
    job = Job("eval", "main_points", dataset, split="test", state=str(run.result.state))
    setup = JobSetup(job, embedder=HashingEmbedder(), lm=InstructedEngine().lm())
    report = evaluate(setup, open_run(tmp_path / "run", setup.manifest(), resume=False))
    promised = read_state(run.result.state).provenance.scores["test"]
    assert round(report.row("grounded_utility").before.value, 6) == promised


@pytest.mark.parametrize("optimizer", WRITING)
def test_it_keeps_to_its_plan_prints_nothing_and_leaves_plain_files_without_a_model(written, optimizer):
    run = written(optimizer)
    planned = plan(run.setup)
    assert len(run.writer.prompts) <= planned.writing
    assert run.writer.prompts or optimizer == "simba"  # which writes only where answers to one question differ
    assert len(run.engine.asked) <= planned.runs * planned.calls.most
    assert run.printed == ""
    for path in (run.path / "candidates").iterdir():
        assert {step["lm"] for step in read_state(path).content.values() if "lm" in step} == {None}
    own = [path for path in run.path.rglob("*") if path.is_file() and "calls" not in path.relative_to(run.path).parts]
    assert {path.suffix for path in own} <= {".json", ".jsonl", ".md", ".html"}


def test_copro_tries_every_instruction_of_a_round_and_gepa_tells_the_writer_what_is_wrong(written):
    run = written("copro")
    per_step = [prompt for prompt in run.writer.prompts if WriteAnswer.instructions.splitlines()[0] in prompt]
    assert len(per_step) == SMALL["copro"]().breadth - 1
    assert len(run.writer.prompts) == 2 * len(run.setup.new_program().predictors())
    shown = "\n".join(written("gepa").writer.prompts)
    assert "missing: the root length of the cress decreased by 31 percent in flight" in shown


@pytest.mark.parametrize("optimizer", WRITING)
def test_without_a_writer_nothing_is_begun_nor_with_one_that_is_of_no_use(dataset, tmp_path, optimizer):
    engine = CountingEngine()
    with pytest.raises(UsageError, match=f"{optimizer} has instructions written, which extractive/1 cannot do"):
        finish(dataset, tmp_path / "run", f"few_shot,{optimizer}", engine=engine)
    with pytest.raises(UsageError, match="few_shot has no use for a second model"):
        finish(dataset, tmp_path / "run", "few_shot", engine=engine, writer=Writer("Answer at length."))
    assert engine.asked == []


@pytest.mark.parametrize("optimizer", ["gepa", "simba"])
def test_a_server_that_goes_away_ends_the_search_at_once(dataset, tmp_path, optimizer):
    class Unplugged(InstructedEngine):
        """Answers the uncompiled program on val, and then no more."""

        def complete(self, request):
            if len(self.asked) >= 2:
                self.asked.append("")
                raise NoServer("no Ollama; start it with `ollama serve`")
            return super().complete(request)

    engine = Unplugged()
    with pytest.raises(LMUnavailable, match="ollama serve"):
        finish(dataset, tmp_path / "run", optimizer, engine=engine, writer=Writer("Answer at length."))
    assert engine.asked.count("") == 1


class Rewording(CountingEngine):
    """Leaves every second word of a point out, so that only a paper's neighbourhood of a point can be matched."""

    def complete(self, request):
        reply = super().complete(request)
        text = re.sub(r'(?<=")[^"]{20,}(?=")', lambda found: " ".join(found[0].split()[::-2]), reply.text)
        message = lm15.Message.assistant([lm15.TextPart(text)])
        return replace(reply, message=message) if "## points ##" in text else reply


@dataclass(frozen=True, slots=True)
class Deaf(MainPointsTask):
    """`main_points` with a threshold below which it matches nothing."""

    space: dict = field(default_factory=lambda: {"threshold": real(0.05, 1.4)})

    def program(self, dataset, embedder):
        program = MainPointsTask.program(self, dataset, embedder)
        program.set_parameters(threshold=0.05, cross_encoder="")
        return program


@TUNE
def test_parameters_finds_a_better_threshold_and_the_next_starts_from_it(dataset, tmp_path):
    made = setup(dataset, "parameters,few_shot", Rewording())
    vars(made)["task"] = Deaf()
    result = compiled(made, tmp_path / "run")
    choice = result.report.choice
    best = max((name for name in choice if name.startswith("parameters")), key=lambda name: choice[name])
    assert choice[best] > choice[UNCOMPILED]
    found, next_ = (
        read_state(tmp_path / "run" / "candidates" / f"{name}.json").content for name in (best, "few_shot-2-seed0")
    )
    assert found["parameters"]["threshold"] > 0.05
    assert next_["parameters"] == found["parameters"]
    assert next_["answer.write"]["demos"]
    assert not found["answer.write"]["demos"]


@pytest.fixture(scope="module", params=TASKS)
def opened(request, dataset):
    """A program with its index open, by which all optimizers ask."""
    job = Job("compile", request.param, dataset, optimizer="few_shot")
    setup = JobSetup(job, embedder=HashingEmbedder(), lm=CountingEngine().lm(cache=True))
    yield setup
    program = setup.new_program()
    source = getattr(program, "retriever", None) or getattr(program, "index", None)
    if source is not None:
        source.close()


@pytest.mark.parametrize(("opened", "optimizer"), PAIRS, indirect=["opened"])
def test_every_program_compiles_without_a_model(opened, tmp_path, optimizer):
    engine, job = CountingEngine(), replace(opened.job, optimizer=optimizer)
    setup = replace(opened, job=job, lm=engine.lm(cache=True), threads=2)
    vars(setup).update(dataset=opened.dataset, task=opened.task, _program=opened.new_program())
    result = compile_program(setup, open_run(tmp_path / "run", setup.manifest(), resume=False))
    planned = plan(setup)
    assert len(result.report.choice) == planned.candidates
    assert 0 < len(engine.asked) <= planned.most_calls
    scores = read_state(result.state).provenance.scores
    assert scores["val"] == pytest.approx(max(result.report.choice.values()), abs=1e-6)
    assert json.loads((tmp_path / "run" / "report.json").read_text())["headline"]
    if index := vars(setup.new_program()).get("index"):  # the task's program may be one that is made for it
        program = load(job.program, index=index, state=result.state)
        assert fingerprint(program) == read_state(result.state).fingerprint


def test_copies_of_a_program_share_one_index(opened):
    first, second = opened.new_program(), opened.new_program().deepcopy()
    for source in ("retriever", "index"):
        assert getattr(first, source, None) is getattr(second, source, None)


@TUNE
def test_an_optimizer_has_the_name_it_is_called_by():
    assert [optimizer_of(name).name for name in OPTIMIZERS] == list(OPTIMIZERS)
