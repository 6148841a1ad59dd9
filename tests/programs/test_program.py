"""What all programs share, on the smallest program there is."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError

import programs
from programs.errors import MalformedOutput, StateMismatch, UsageError
from programs.main_points import MainPoints, MainPointsParameters
from programs.multi_signal import MultiSignalParameters
from programs.paper_retriever import PaperRetrieverParameters
from programs.passages.passage_selection import Limits
from programs.program import RETRY_TEMPERATURE, Program, attempt
from programs.rag_fusion import RagFusion, RagFusionParameters
from programs.retrieval.index import Index
from tests.papers import paper
from tests.scripted_lm import Script

COMPLETE = {"reply": "Good morning."}
NO_FIELD = "Good morning, said without any field."


@dataclass(frozen=True)
class Parameters:
    tries: int = 2
    loud: bool = False

    def __post_init__(self):
        if self.tries < 1:
            raise UsageError(f"tries must be at least 1, got {self.tries}")


class Greeter(Program[Parameters]):
    name = "greeter"

    def __init__(self):
        super().__init__(Parameters())
        self.greet = dspy.Predict("name -> reply")

    def run(self, name):
        return dspy.Prediction(reply=attempt(self.greet, self.settings.tries, name=name).reply, metrics={"own": 1})


def greeted(script, greeter=None):
    with dspy.context(lm=script.lm()):
        return (greeter or Greeter())(name="Ada")


def test_a_step_is_asked_again_a_little_warmer():
    script = Script(reply=[NO_FIELD, COMPLETE])
    assert greeted(script).reply == "Good morning."
    assert [call.temperature for call in script.calls] == [None, RETRY_TEMPERATURE]


def test_output_that_never_parses_is_an_error_that_quotes_it():
    script = Script(reply=NO_FIELD)
    with pytest.raises(
        MalformedOutput, match=r"fields reply in 2 tries; use a model .* in code\. It wrote: .Good morning, said"
    ) as caught:
        greeted(script)
    assert isinstance(caught.value.__cause__, AdapterParseError)
    assert len(script.calls) == 2


def test_a_parse_error_brings_no_call_beyond_the_tries():
    script = Script(reply=NO_FIELD)
    with dspy.context(lm=script.lm(), adapter=None), pytest.raises(MalformedOutput):
        Greeter()(name="Ada")
    assert all("JSON object" not in call.user for call in script.calls)
    assert len(script.calls) == 2


def test_other_errors_of_the_model_are_not_tried_again():
    script = Script(reply=dspy.LMServerError("overloaded"))
    with pytest.raises(dspy.LMServerError, match="overloaded"):
        greeted(script)
    assert len(script.calls) == 1


def test_a_run_says_what_it_cost():
    script = Script(reply=[NO_FIELD, COMPLETE], delay=0.02)
    metrics = greeted(script).metrics
    assert metrics["own"] == 1
    assert metrics["lm_calls"] == 2
    assert 40 <= metrics["latency_ms"] < 4_000
    tokens = metrics["tokens"]
    assert tokens["total"] == tokens["prompt"] + tokens["completion"]
    assert tokens["prompt"] > tokens["completion"] > 0


def test_the_predictors_are_what_dspy_calls_parameters():
    greeter = Greeter()
    assert greeter.parameters() == greeter.predictors() == [greeter.greet]


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"volume": 3}, "greeter has no parameter volume; it has tries, loud"), ({"tries": 0}, "at least 1, got 0")],
)
def test_parameters_that_do_not_exist_or_fit_are_refused(changed, message):
    greeter = Greeter()
    with pytest.raises(UsageError, match=message):
        greeter.set_parameters(**changed)
    assert greeter.settings == Parameters()


def test_prompts_demos_and_parameters_are_saved_together(tmp_path):
    greeter = Greeter()
    greeter.set_parameters(loud=True)
    greeter.greet.demos = [dspy.Example(name="Bo", reply="Hello Bo.").with_inputs("name")]
    greeter.greet.signature = greeter.greet.signature.with_instructions("Greet politely.")
    greeter.save(tmp_path / "state.json")
    read = Greeter()
    read.load(tmp_path / "state.json")
    assert read.settings == Parameters(loud=True)
    assert read.greet.signature.instructions == "Greet politely."
    assert read.dump_state() == greeter.dump_state()


async def _asked_async(script):
    with dspy.context(lm=script.lm()):
        return await Greeter().acall(name="Ada")


def test_it_can_be_awaited():
    import asyncio

    prediction = asyncio.run(_asked_async(Script(reply=COMPLETE)))
    assert prediction.reply == "Good morning."
    assert prediction.metrics["lm_calls"] == 1


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        (MainPointsParameters, {"threshold": 0}, r"threshold must be in \(0, 4\], got 0"),
        (MainPointsParameters, {"threshold": 4.1}, "got 4.1"),
        (MainPointsParameters, {"num_chunks_per_point": 0}, "num_chunks_per_point must be at least 1, got 0"),
        (MainPointsParameters, {"window_size": 0}, "window_size must be at least 1, got 0"),
        (MainPointsParameters, {"max_iterations": -1}, "max_iterations must be at least 0, got -1"),
        (MainPointsParameters, {"num_tries": 0}, "num_tries must be at least 1, got 0"),
        (MultiSignalParameters, {"candidates": 0}, "candidates must be at least 1, got 0"),
        (MultiSignalParameters, {"temperature": 3}, r"temperature must be in \[0, 2\], got 3"),
        (MultiSignalParameters, {"mode": "loud"}, "mode must be one of scaled, raw, got 'loud'"),
        (MultiSignalParameters, {"w_sim": float("nan")}, "weight of sim must be a finite number"),
        (RagFusionParameters, {"k": 0}, "k must be at least 1, got 0"),
        (RagFusionParameters, {"top_k": 0}, "top_k must be at least 1, got 0"),
        (RagFusionParameters, {"num_queries": 0}, "num_queries must be at least 1, got 0"),
        (RagFusionParameters, {"num_queries": 7}, "num_queries must be at most 6, got 7"),
        (PaperRetrieverParameters, {"docs_top_k": 0}, "docs_top_k must be at least 1, got 0"),
        (PaperRetrieverParameters, {"re_retrieve_top_k": 0}, "re_retrieve_top_k must be at least 1, got 0"),
        (PaperRetrieverParameters, {"summary_similarity_top_k": -1}, "summary_similarity_top_k must be at least 0"),
        (PaperRetrieverParameters, {"batch_size": 0}, "batch_size must be at least 1, got 0"),
        (Limits, {"context_tokens": 0}, "context_tokens must be at least 1, got 0"),
        (Limits, {"min_sources": 0}, "min_sources must be at least 1, got 0"),
        (Limits, {"least_relevance": 2}, r"least_relevance must be in \[0, 1\], got 2"),
    ],
)
def test_numbers_out_of_range_are_refused(kind, wrong, message):
    with pytest.raises(UsageError, match=message):
        kind(**wrong)


# The suite from a notebook: its classes, its results, and programs that DSPy saves and loads.

QUESTION = "By how much did femur density fall in flight mice?"
PAPER = paper(
    "bone", "Femur density fell by 12 percent in flight mice.\n\nFood was weighed daily.", title="Bone <b>loss</b>"
)


@pytest.fixture(autouse=True)
def lm():
    with dspy.context(lm=programs.LM("extractive")):
        yield


@pytest.fixture(scope="module")
def answered(embedder):
    with dspy.context(lm=programs.LM("extractive")):
        return MainPoints(embedder)(QUESTION, PAPER)


@pytest.mark.parametrize("name", programs.__all__)
def test_every_public_name_is_there_and_listed(name):
    assert getattr(programs, name).__name__ == name
    assert name in dir(programs)


@pytest.mark.parametrize("inputs", [(), (QUESTION,), (QUESTION, PAPER, (), "more")])
def test_inputs_that_do_not_fit_are_named(inputs):
    with pytest.raises(UsageError, match=r"main_points .*it takes question, paper, choices"):
        MainPoints()(*inputs)


def test_a_result_is_a_line_a_page_and_a_dictionary(answered):
    assert repr(answered) == ("Result('“Femur density fell by 12 percent in flight mice” [1].', 1 quoted, 1 passages)")
    assert answered.to_dict()["citations"][0]["verdict"] == "supported"
    page = answered._repr_html_()
    assert "<h2>Nearest in your papers</h2>" in page
    assert "&lt;b&gt;loss" in page
    assert "<b>" not in page


def test_a_state_of_another_program_is_refused(tmp_path, embedder):
    MainPoints(embedder).save(tmp_path / "state.json")
    with pytest.raises(StateMismatch, match=r"state\.json does not fit rag_fusion: it was made for the program"):
        RagFusion(lambda _: []).load(tmp_path / "state.json")


def test_a_shipped_state_is_loaded_by_dspys_own_method():
    from programs.state_choice import state_path

    qa = MainPoints()
    qa.load(state_path("main_points.extractive.json"))
    assert qa.compiled_from is not None


@pytest.mark.parametrize("name", ["main_points", "rag_fusion", "multi_signal", "paper_retriever"])
def test_a_whole_program_is_saved_after_use(name, tmp_path, embedder):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=embedder) as index:
        index.add([PAPER])
        qa = programs.load(name, index=index, embedder=embedder)
        asked = (QUESTION, PAPER) if name == "main_points" else (QUESTION,)
        before = qa(*asked).answer
        qa.save(tmp_path / "program", save_program=True)
        again = dspy.load(tmp_path / "program", allow_pickle=True)
        assert before
        assert again(*asked).answer == before
        if name != "main_points":
            (getattr(again, "index", None) or again.retriever).close()


# The examples run as somebody who tries them would, in one process: they index the same papers.

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAYS = {
    "evidence_table.py": "Not found without a model",
    "main_points.py": "supported: “",
    "multi_signal.py": "bone volume fraction",
    "paper_retriever.py": "Papers:",
    "paper_writer.py": "## Abstract",
    "rag_fusion.py": "Searched for:",
    "tour.ipynb": "faults: []",
}
RUN = """
import io, json, runpy, sys, traceback
from contextlib import redirect_stdout
from tests.computed_once import computed_once
said = {}
with computed_once():
    for script in sys.argv[1:]:
        sys.argv = [script]
        with redirect_stdout(io.StringIO()) as printed:
            try:
                runpy.run_path(script, run_name="__main__")
            except Exception:
                traceback.print_exc(file=printed)
        said[script] = printed.getvalue()
json.dump(said, sys.stdout)
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """By name, what each example prints; the code of the notebook's cells is a script as well."""
    cells = json.loads((EXAMPLES / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    tour = tmp_path_factory.mktemp("tour") / "tour.ipynb"
    tour.write_text("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"), "utf-8")
    scripts = [str(path) for path in (*sorted(EXAMPLES.glob("*.py")), tour)]
    command = [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", RUN, *scripts]
    done = subprocess.run(command, cwd=EXAMPLES.parent, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    return {Path(script).name: text for script, text in json.loads(done.stdout).items()}


@pytest.mark.slow
def test_every_example_is_tried():
    assert sorted(SAYS) == sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(name, printed):
    assert SAYS[name] in printed[name]
    assert "Traceback" not in printed[name]


@pytest.mark.slow
def test_the_notebook_finds_what_was_changed(printed):
    assert "faults after a change: " in printed["tour.ipynb"]
    assert "faults after a change: 0" not in printed["tour.ipynb"]
