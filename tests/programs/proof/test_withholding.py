"""Answers that are beside the point: withheld where a program is told to, and said to be."""

import dspy
import pytest

from programs.errors import UsageError
from programs.main_points import MainPointsParameters
from programs.multi_signal import MultiSignalParameters
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.rag_fusion import RagFusionParameters
from programs.registry import create
from programs.results.result import relevant
from programs.retrieval.index import Index
from programs.verification import Repair, Verified
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS
from tests.scripted_lm import PROVED, Script, points

FELL = "Femur density fell by 12 percent in flight mice."
PASSAGE = Passage.of(BONE, 9, 84, id="bone::9-84", section="results", scores={})
ABOUT, BESIDE = "Did femur density of mice fall in flight?", "Which lettuce grew on the station?"
REPAIRS = (Repair(1, (), "before", "after", ()),)


@pytest.mark.parametrize(
    ("question", "least", "is_given"),
    [(ABOUT, 0.8, True), (BESIDE, 0.0, True), (BESIDE, 0.1, False), ("Welcher Salat wuchs im All?", 0.9, True)],
)
def test_what_holds_too_little_of_the_question_is_withheld(question, least, is_given):
    verified = Verified(CitedAnswer(f"{FELL[:-1]} [1].", [PASSAGE]), (), REPAIRS)
    kept, notes = relevant(verified, question, least)
    assert (kept == verified, not notes) == (is_given, is_given)
    if not is_given:
        assert (kept.answer, kept.repairs) == ("", REPAIRS)
        assert notes == ["An answer was withheld: it holds 0.00 of the question's words; least_coverage=0.1."]


def test_an_abstention_is_not_withheld():
    nothing = Verified(CitedAnswer("", [PASSAGE]))
    assert relevant(nothing, BESIDE, 1.0) == (nothing, [])


def test_what_a_citation_quotes_counts_as_said():
    cited = Verified(CitedAnswer("It fell [1].", [PASSAGE]))
    assert relevant(cited, ABOUT, 0.5) == (cited, [])


@pytest.fixture
def index(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


@pytest.mark.parametrize("least", [0.0, 0.9])
@pytest.mark.parametrize("name", ["main_points", "rag_fusion", "multi_signal"])
def test_every_program_that_answers_withholds(index, name, least):
    cited = f"{FELL[:-1]} {'[bone]' if name == 'rag_fusion' else '[1]' if name == 'main_points' else '[1][2][3]'}."
    replies = {
        "main_points": {"points": points(FELL), "answer": {"answerable": True, "answer": cited}},
        "rag_fusion": {"topic": {"answerable": True, "summary": cited, "bullets": [], "topic": "bone"}},
        "multi_signal": {"answer": {"answerable": True, "conflicts": [], "answer": cited}},
    }[name]
    program = create(name, embedder=HashingEmbedder()) if name == "main_points" else create(name, index=index)
    program.set_parameters(least_coverage=least, **({"reform": False} if name == "rag_fusion" else {}))
    asked = {"paper": BONE} if name == "main_points" else {}
    with dspy.context(lm=Script(**replies, proofs=PROVED).lm()):
        found = program(question=BESIDE, **asked)
    assert found.answerable == bool(found.answer) == (least == 0.0)
    assert any("withheld" in note for note in found.notes) == (least > 0.0)
    assert bool(found.citations) == found.answerable


@pytest.mark.parametrize("parameters", [MainPointsParameters, RagFusionParameters, MultiSignalParameters])
@pytest.mark.parametrize("least", [-0.1, 1.5, float("nan")])
def test_a_share_is_from_0_to_1(parameters, least):
    with pytest.raises(UsageError, match=r"least_coverage must be in \[0, 1\]"):
        parameters(least_coverage=least)
