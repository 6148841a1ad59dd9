"""The result that every program returns."""

from __future__ import annotations

import json
from dataclasses import replace

import dspy
import pytest

from programs.lm import LM
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.proof import CitedAnswer
from programs.registry import create
from programs.results.finds import is_quotation
from programs.results.rendering import as_json
from programs.results.result import ENGLISH_ONLY, QUOTED_AS_PRINTED, concluded, language_notes, relevant, result
from programs.retrieval.index import Index
from programs.verified import Repair, Verified
from signatures.values import UnsupportedClaim
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS
from tests.scripted_lm import Script, saying

FIELDS = [
    "form", "question", "answer", "answerable", "citations", "passages", "unsupported_claims", "repairs", "figures",
    "topic", "uncited", "metrics",
]  # fmt: skip
PASSAGE = Passage.of(BONE, 9, 84, id="bone::9-84", section="results", scores={"similarity": 0.9})
CLAIM = UnsupportedClaim(claim="Muscle shrank.", reason="no passage says it")
ANSWER = "Femur density fell by 12 percent in flight mice [1]. Osteoclast counts doubled."
VERIFIED = Verified(CitedAnswer(ANSWER, [PASSAGE]), (CLAIM,), (Repair(1, (CLAIM,), "before", ANSWER, (CLAIM,)),))


def test_it_has_the_same_fields_in_all_programs_and_those_of_one():
    made = result("What happened?", VERIFIED, points=["Femur density fell."])
    assert list(made.keys()) == [*FIELDS, "points"]


def test_what_was_found_is_counted():
    made = result("What happened?", VERIFIED, dedup_count=3)
    assert made.answerable is True
    assert [citation.verdict for citation in made.citations] == ["supported"]
    assert made.uncited == ["Osteoclast counts doubled."]
    assert made.metrics == {
        "retrieved_k": 1, "grounded_ratio": 0.5, "section_distribution": {"results": 1}, "dedup_count": 3,
    }  # fmt: skip


def test_an_abstention_has_no_answer_and_no_ratio():
    made = result("What happened?", Verified(CitedAnswer("", [PASSAGE])))
    assert (made.answer, made.answerable, made.citations, made.uncited) == ("", False, [], [])
    assert made.metrics["grounded_ratio"] is None


def test_it_survives_json():
    written = as_json(result("What happened?", VERIFIED))
    assert json.loads(json.dumps(written)) == written
    assert written["passages"][0] == PASSAGE.as_dict()
    assert written["unsupported_claims"] == [{"claim": "Muscle shrank.", "reason": "no passage says it"}]
    assert written["repairs"][0]["remaining"] == written["unsupported_claims"]
    assert (
        BONE.text[written["citations"][0]["start"] : written["citations"][0]["end"]] == written["citations"][0]["quote"]
    )


# Answers that are beside the point: withheld where a program is told to, and said to be.

FELL = "Femur density fell by 12 percent in flight mice."
UNSCORED = Passage.of(BONE, 9, 84, id="bone::9-84", section="results", scores={})
ABOUT, BESIDE = "Did femur density of mice fall in flight?", "Which lettuce grew on the station?"
REPAIRS = (Repair(1, (), "before", "after", ()),)


@pytest.mark.parametrize(
    ("question", "least", "is_given"),
    [(ABOUT, 0.8, True), (BESIDE, 0.0, True), (BESIDE, 0.1, False), ("Welcher Salat wuchs im All?", 0.9, True)],
)
def test_what_holds_too_little_of_the_question_is_withheld(question, least, is_given):
    verified = Verified(CitedAnswer(f"{FELL[:-1]} [1].", [UNSCORED]), (), REPAIRS)
    kept, notes = relevant(verified, question, least)
    assert (kept == verified, not notes) == (is_given, is_given)
    if not is_given:
        assert (kept.answer, kept.repairs) == ("", REPAIRS)
        assert notes == ["An answer was withheld: it holds 0.00 of the question's words; least_coverage=0.1."]


def test_an_abstention_is_not_withheld():
    nothing = Verified(CitedAnswer("", [UNSCORED]))
    assert relevant(nothing, BESIDE, 1.0) == (nothing, [])


def test_what_a_citation_quotes_counts_as_said():
    cited = Verified(CitedAnswer("It fell [1].", [UNSCORED]))
    assert relevant(cited, ABOUT, 0.5) == (cited, [])


@pytest.fixture
def index(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


@pytest.mark.parametrize("least", [0.0, 0.9])
@pytest.mark.parametrize("name", ["main_points", "rag_fusion", "multi_signal"])
def test_every_program_that_answers_withholds(index, name, least):
    program = create(name, embedder=HashingEmbedder()) if name == "main_points" else create(name, index=index)
    program.set_parameters(
        least_coverage=least, least_evidence=0.0, evidence=6, **({"reform": False} if name == "rag_fusion" else {})
    )
    asked = {"paper": BONE} if name == "main_points" else {}
    script = Script(**{"bullets" if name == "rag_fusion" else "answer": saying(FELL)})
    with dspy.context(lm=script.lm()):
        found = program(question=BESIDE, **asked)
    assert found.answerable == bool(found.answer) == (least == 0.0)
    assert any("withheld" in note for note in found.notes) == (least > 0.0)
    assert bool(found.citations) == found.answerable


# Quotations in another language than the question's are said to be such; and which languages are read.

QUOTED = "“Femur density fell by 12 percent in flight mice” [1]. “Osteoclast counts of the mice doubled” [2]."


@pytest.mark.parametrize(
    ("question", "answer", "is_noted"),
    [
        ("¿Qué le pasó a la densidad del fémur?", QUOTED, True),
        ("Wie wird die Knochendichte von Mäusen verändert?", QUOTED, True),
        ("骨密度は低下したか", QUOTED, True),
        ("What happened to the femur?", QUOTED, False),
        ("¿Qué le pasó a la densidad del fémur?", "La densidad del fémur bajó un 12 por ciento [1].", False),
        ("¿Qué le pasó a la densidad del fémur?", "“La densidad del fémur bajó un 12 por ciento” [1].", False),
        ("¿Qué le pasó a la densidad del fémur?", "", False),
    ],
)
def test_a_note_stands_where_quotations_are_in_another_language(question, answer, is_noted):
    assert language_notes(Asked.of(question), answer) == ([QUOTED_AS_PRINTED] if is_noted else [])


@pytest.mark.parametrize(
    "question",
    [
        "太空飞行对小鼠股骨密度有什么影响?",
        "Как изменилась плотность бедренной кости мышей?",
        "هل انخفضت كثافة العظام؟",
        "Quels sont les effets du vol spatial sur la densité des os?",
        "Qual è la densità del femore nei topi della missione?",
        "Qual foi a densidade do fêmur dos camundongos?",
        "¿Qué le pasó a la densidad del fémur?",
    ],
)
def test_without_a_model_no_answer_to_another_language_says_that_english_is_read(question):
    with dspy.context(lm=LM("extractive")):
        assert language_notes(Asked.of(question), "") == [ENGLISH_ONLY]
    with dspy.context(lm=dspy.utils.DummyLM([])):
        assert language_notes(Asked.of(question), "") == []


@pytest.mark.parametrize(
    "question",
    [
        "Did femur density fall in mice?",
        "zinc common cold duration",
        "Does β-carotene lower TNF-α in naïve T cells?",
        "Which of Ménière's disease and São Paulo do the authors name?",
        "Do adults on no diet lose as much as those on a Mediterranean one?",
    ],
)
def test_an_english_question_is_taken_for_one(question):
    with dspy.context(lm=LM("extractive")):
        assert language_notes(Asked.of(question), "") == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (QUOTED, "1 quoted, 1 unverifiable, 2 passages"),
        ("Femur density fell by 12 percent in flight mice [1].", "1 supported by the checker's word, 2 passages"),
        ("", "nothing cited, 2 passages"),
    ],
)
def test_its_line_calls_a_copy_quoted_and_says_who_judged(answer, said):
    assert said in repr(result("q", Verified(CitedAnswer(answer, [UNSCORED, replace(UNSCORED, id="bone::b")]))))


def test_without_a_model_what_is_nearest_comes_with_no_answer():
    with dspy.context(lm=LM("extractive")):
        found = concluded(Asked.of(BESIDE), Verified(CitedAnswer("", [UNSCORED])), 0.0)
        assert FELL in [each.quote for each in found.nearest]
        assert "the nearest sentences alone" in repr(found)
        (said,) = found.notes
        assert said.startswith("No passage that was read has: lettuce")
        assert said.endswith("; check the spelling, or ask in other words.")
        near = concluded(Asked.of("Femur density in mice?"), Verified(CitedAnswer("", [UNSCORED])), 0.0)
        assert not near.get("notes")
    with dspy.context(lm=dspy.utils.DummyLM([])):
        assert "nearest" not in concluded(Asked.of(BESIDE), Verified(CitedAnswer("", [UNSCORED])), 0.0)


@pytest.mark.parametrize("cited", ["[1]", "[a_b_c]", "[Bone][1]", "(Author10_2019)", "[1], [2]"])
def test_a_copy_is_one_by_whatever_key_it_is_cited(cited):
    assert is_quotation({"sentence": f"- “Femur density fell (by 12 percent)” {cited}."})
    assert not is_quotation({"sentence": f"“Femur density fell” in mice {cited}."})
