"""`python -m programs list`: programs and compiled states, those that fit and those that do not."""

import pytest

from programs.config import settings
from programs.evidence_table import EvidenceTable
from programs.main_points import MainPoints
from programs.multi_signal import MultiSignal
from programs.paper_retriever import PaperRetriever
from programs.paper_writer import PaperWritingPipeline
from programs.rag_fusion import RagFusion
from programs.retrieval.index import Index
from programs.state import Provenance, save_state
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder


@pytest.fixture
def compiled():
    """The user's folder of compiled states, which is empty again afterwards."""
    folder = settings().compiled
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
    for path in folder.iterdir():
        path.unlink()


def test_the_six_programs_are_listed():
    names = [entry["name"] for entry in run("list", "--format", "json").json]
    assert names == ["main_points", "rag_fusion", "multi_signal", "paper_retriever", "paper_writer", "evidence_table"]
    assert "paper_writer" in run("list").stdout


def listed(name):
    """A state's entry in the JSON, and its line in the text."""
    states = [state for entry in run("list", "--format", "json").json for state in entry["compiled"]]
    line = next(line for line in run("list").stdout.splitlines() if line.startswith(name))
    return next(state for state in states if state["file"] == name), line


def test_a_state_of_every_program_fits(compiled, tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        programs = [MainPoints(HashingEmbedder())]
        programs += [
            made(index) for made in (RagFusion, MultiSignal, PaperRetriever, PaperWritingPipeline, EvidenceTable)
        ]
        for program in programs:
            save_state(
                program, compiled / f"{program.name}.mine.json", Provenance(lm="openai/one", scores={"val": 0.4321})
            )
    for program in programs:
        state, line = listed(f"{program.name}.mine.json")
        assert (state["program"], state["problem"]) == (program.name, "")
        assert "val 0.432" in line


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"answerable",', '"decided",', "decided"),
        ('"threshold":', '"warp":', "no parameter warp"),
        ('"program": "main_points"', '"program": "other"', "it was made for the program 'other'"),
    ],
)
def test_a_state_that_does_not_fit_is_marked(compiled, old, new, problem):
    path = save_state(
        MainPoints(HashingEmbedder()), compiled / "main_points.old.json", Provenance(lm="a", scores={"val": 0.9})
    )
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    state, line = listed(path.name)
    assert state["program"] == "main_points"
    assert problem in state["problem"]
    assert "does not fit this version" in line
    assert "0.900" not in line


def test_a_state_that_cannot_be_read_is_left_out_by_name(compiled, caplog):
    (compiled / "main_points.deep.json").write_text("[" * 100_000, "utf-8")
    ran = run("list")
    assert (ran.code, "main_points.deep.json" in ran.stdout) == (0, False)
    assert "main_points.deep.json is not a compiled state" in caplog.text
