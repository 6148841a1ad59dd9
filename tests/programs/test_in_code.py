"""The suite from a notebook: its classes, its results, and programs that DSPy saves and loads."""

import logging

import dspy
import pytest

import programs
from programs.errors import StateMismatch, UsageError
from programs.ingest.reader import read
from programs.main_points import MainPoints, MainPointsParameters
from programs.rag_fusion import RagFusion
from programs.retrieval.index import Index
from tests.papers import paper

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


def test_inputs_may_be_given_in_order(answered):
    assert answered.question == QUESTION
    assert "12 percent" in answered.answer


@pytest.mark.parametrize("inputs", [(), (QUESTION,), (QUESTION, PAPER, (), "more")])
def test_inputs_that_do_not_fit_are_named(inputs):
    with pytest.raises(UsageError, match=r"main_points .*it takes question, paper, choices"):
        MainPoints()(*inputs)


def test_a_result_is_a_line_a_page_and_a_dictionary(answered):
    assert repr(answered) == (
        "Result('“Femur density fell by 12 percent in flight mice” [1].', 1 of 1 citations proved, 1 passages)"
    )
    assert answered.to_dict()["citations"][0]["verdict"] == "supported"
    page = answered._repr_html_()
    assert "<h2>Sources</h2>" in page
    assert "&lt;b&gt;loss" in page
    assert "<b>" not in page


def changed(qa):
    qa.set_parameters(max_iterations=2)
    qa.answer.predict.demos = [dspy.Example(passages="p", question="q", answerable=True, answer="a [1].")]
    return qa


def test_a_state_that_dspy_saved_is_loaded_by_both(tmp_path, embedder):
    changed(MainPoints(embedder)).save(tmp_path / "state.json")
    for qa in (programs.load("main_points", embedder=embedder, state=tmp_path / "state.json"), MainPoints(embedder)):
        qa.load(tmp_path / "state.json")
        assert len(qa.answer.predict.demos) == 1
        assert qa.settings == MainPointsParameters(max_iterations=2)


def test_a_state_of_another_program_is_refused(tmp_path, embedder):
    MainPoints(embedder).save(tmp_path / "state.json")
    with pytest.raises(StateMismatch, match=r"state\.json does not fit rag_fusion: it has the predictors"):
        RagFusion(lambda _: []).load(tmp_path / "state.json")


def test_the_model_of_a_saved_state_is_left_out_with_a_warning(tmp_path, embedder, caplog):
    made = MainPoints(embedder)
    made.set_lm(dspy.LM("openai/gpt-x", api_key="secret-key"))
    made.save(tmp_path / "state.json")
    with caplog.at_level(logging.WARNING):
        qa = programs.load("main_points", embedder=embedder, state=tmp_path / "state.json")
    assert qa.answer.predict.lm is None
    assert "names the language model openai/gpt-x, which is left out" in caplog.text


def test_a_shipped_state_is_loaded_by_dspys_own_method():
    from programs.registry import state_path

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


def test_read_is_the_reader_of_papers():
    assert programs.read is read
