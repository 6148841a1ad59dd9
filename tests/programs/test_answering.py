"""Answering from numbered evidence: what a model may say of it, and what becomes of that."""

from __future__ import annotations

import json
from functools import partial

import dspy
import pytest

from programs.answering import MOST_WRITTEN, Answering
from programs.ingest.document import Document, Figure, Section
from programs.lm.adapters import adapter_for
from programs.multi_signal import MultiSignalParameters
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.passages.numbered_sentences import MOST_WORDS
from programs.proof.sentence_proof import GIVEN
from programs.replay import only_models_say, replay
from programs.results.rendering import as_json
from programs.results.result import result
from programs.sentence_checking import LITTLE_SUPPORT, NO_NUMBER
from signatures.evidence import WriteAnswer
from tests.papers import BONE, RESULTS, ROOTS, YEAST, paper
from tests.scripted_lm import Script, evidence, saying

QUESTION = "What happened to femur density in mice?"
BOTH = "What happened to femur density and osteoclasts of mice?"
FELL = "Femur density fell by 12 percent in flight mice."
FALSE = FELL.replace("12", "90")
DOUBLED = "Osteoclast counts doubled."
ALL = {"verdict": "all of it"}


def passage(document):
    """All of a paper's results, or its table."""
    start, end = len(RESULTS), len(document.text)
    name, heading = (document.figures[0].id, "Table 1") if document.figures else (f"{start}-{end}", "Results")
    return Passage.of(document, start, end, id=f"{document.id}::{name}", section="results", heading=heading)


def answered(script, *papers, question=QUESTION, **settings):
    """What comes of a model's word on papers; every result replays."""
    lm, passages = script.lm(), list(map(passage, papers or (BONE, ROOTS)))
    with dspy.context(lm=lm, adapter=adapter_for(lm)):
        found = Answering()(passages, Asked.of(question), MultiSignalParameters(**settings))
    assert faults(saved(found), *papers) == []
    return found


def saved(found):
    return json.loads(json.dumps(as_json(result(QUESTION, found.verified))))


def faults(answer, *papers):
    return [str(each) for each in replay(answer, {each.id: each for each in papers or (BONE, ROOTS)}.__getitem__)]


def writing(*said):
    """A reply of the step that writes: sentences, each with its numbers."""
    return {"answerable": True, "answer": [{"text": text, "evidence": list(given)} for text, given in said]}


def reasons(found):
    return [each.reason for each in found.verified.unsupported_claims]


@pytest.mark.parametrize("numbers", [[], [0], [-1], [99, 1000], [2], [3, 4], [99, 1], [1, 1, 1]])
def test_a_true_sentence_cites_what_proves_it_whatever_numbers_it_was_given(numbers):
    found = answered(Script(answer=writing((FELL, numbers))))
    assert (found.verified.answer, reasons(found)) == (f"{FELL[:-1]} [1].", [])
    assert [each.quote for each in found.verified.citations] == [FELL]


@pytest.mark.parametrize("said", [FELL, FALSE])
def test_a_sentence_may_be_given_all_numbers(said):
    found = answered(Script(answer=lambda call: writing((said, evidence(call)))), BONE, max_iterations=0)
    assert [each.quotes[0].quote for each in found.verified.citations] == [FELL]
    assert bool(reasons(found)) is (said == FALSE)


def test_a_model_may_write_numbers_and_marks_of_lists_into_its_sentences():
    texts = (f"(1) {FELL}", f"{FELL[:-1]} (1).", f"{FELL[:-1]} (1, 2).", f"- {FELL}", f"{FELL[:-1]} [1].", FELL.upper())
    found = answered(Script(answer=writing(*((each, [1, 2]) for each in texts))))
    assert (found.verified.answer, reasons(found)) == (f"{FELL[:-1]} [1].", [])
    other = answered(Script(answer=writing((f"{FELL[:-1]} (7).", [1]))), max_iterations=0)
    assert "do not hold 7" in reasons(other)[0]


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [([], NO_NUMBER), ([0, 99], "it gives the numbers 0, 99, which no sentence has"), ([1], "90"), ([99, 1], "90")],
)
@pytest.mark.parametrize("word", ["checker", "model"])
def test_a_false_sentence_is_refused_whatever_numbers_it_was_given(numbers, reason, word):
    found = answered(Script(answer=writing((FALSE, numbers)), verdict=ALL), max_iterations=0, word=word)
    assert found.verified.answer == f"“{FELL[:-1]}” [1]."
    assert reason in reasons(found)[0]


def test_a_sentence_of_two_thousand_words_is_shown_in_part_and_proves_as_a_whole():
    long = f"{FELL[:-1]}, as did {' and '.join(f'marker{n}' for n in range(1000))}, and tail length by 7 percent."
    script = Script(answer=writing((FELL, [1])))
    found = answered(script, paper("long", long, DOUBLED, title="Bone loss in flight mice"))
    shown = evidence(script.calls[0])
    assert len(shown[1].split()) == MOST_WORDS + 1
    assert found.verified.answer == f"{FELL[:-1]} [1]."
    assert found.verified.citations[0].quote == long


ROWS = "\n".join(f"| marker {n} | {n}.4 | {n}.9 |" for n in range(300))
CAPTION, COLUMNS = "Table 1. Serum markers of bone.", "| Marker | Flight | Ground |"
TEXT = f"{RESULTS}{CAPTION}\n\n{COLUMNS}\n{ROWS}"
FIGURE = Figure("table1", "table", "Table 1", "Serum markers of bone.", len(RESULTS), len(RESULTS) + len(CAPTION))
TABLE = Document("table", TEXT, sections=(Section("Results", "results", 9, len(TEXT)),), figures=(FIGURE,))


@pytest.mark.slow
def test_of_a_table_of_three_hundred_rows_those_that_answer_are_shown_and_quoted_under_their_head():
    script = Script(answer=saying("Marker 217 was 217.4 in flight."))
    found = answered(script, TABLE, question="What was marker 217 in flight?", least_evidence=0)
    shown = evidence(script.calls[0])
    assert (len(shown), shown[218]) == (3, "| marker 217 | 217.4 | 217.9 |")
    assert script.calls[0].values["evidence"].count(f"{CAPTION} {COLUMNS}") == 1
    assert found.verified.answer == "Marker 217 was 217.4 in flight [1]."
    assert [each.quote for each in found.verified.citations[0].quotes] == [CAPTION, COLUMNS, shown[218]]


SCRIPTS = (
    FELL,
    "Плотность бедренной кости снизилась на 12 процентов у мышей в полёте.",
    "Η πυκνότητα του μηριαίου μειώθηκε κατά 12 τοις εκατό στα ποντίκια.",
    "飛行マウスの大腿骨密度は12パーセント低下した。",
)


def test_evidence_in_four_scripts_is_numbered_cited_and_certified():
    script = Script(answer=saying(*SCRIPTS), verdict=ALL)
    papers = [paper(f"p{n}", each, title="Bone") for n, each in enumerate(SCRIPTS)]
    found = answered(script, *papers, question="¿Qué le pasó a la densidad del fémur?")
    assert list(evidence(script.calls[0]).values()) == list(SCRIPTS)
    assert [each.quote for each in found.verified.citations] == list(SCRIPTS)
    assert found.verified.answer.endswith("低下した [4]。")
    read = answered(Script(answer=saying(*SCRIPTS)), *papers, max_iterations=0, evidence=4)
    assert (read.verified.answer, reasons(read)) == (found.verified.answer, [])


# What models write beside an answer, or instead of one


@pytest.mark.parametrize("beside", [QUESTION, QUESTION.lower()[:-1], WriteAnswer.instructions])
def test_what_repeats_the_question_or_the_instruction_is_no_part_of_an_answer(beside):
    assert answered(Script(answer=saying(beside, FELL))).verified.answer == f"{FELL[:-1]} [1]."
    alone = answered(Script(answer=saying(beside)))
    assert (alone.verified.answer, reasons(alone)) == (f"“{FELL[:-1]}” [1].", [])


@pytest.mark.parametrize(
    ("question", "answer"), [(QUESTION, f"“{FELL[:-1]}” [1]."), ("What happened to the kidneys of mice in flight?", "")]
)
def test_where_nothing_is_proved_the_best_sentence_is_quoted_if_it_is_likely_to_answer(question, answer):
    refused = answered(Script(answer=saying(FALSE)), question=question, max_iterations=0)
    assert (refused.verified.answer, len(reasons(refused))) == (answer, 1)
    declined = answered(Script(answer={**writing((FALSE, [1])), "answerable": False}), question=question)
    assert (declined.verified.answer, reasons(declined)) == (answer, [])


def test_a_question_that_no_sentence_is_likely_to_answer_is_not_asked():
    assert answered(script := Script(), YEAST).verified.answer == ""
    assert script.calls == []


def test_sentences_too_many_are_left_out_and_noted():
    found = answered(Script(answer=saying(*(f"Finding {letter}." for letter in "ABCDEFGH"))), verify=False)
    assert found.verified.answer.count("Finding") == MOST_WRITTEN
    assert found.notes == ("2 sentences too many are left out: “Finding G.”; “Finding H.”.",)


@pytest.mark.parametrize("same", [FALSE, f" {FALSE} [1]", ""])
def test_a_correction_that_changes_nothing_ends_the_repair(same):
    script = Script(answer=saying(DOUBLED, FALSE), corrected={"corrected": {"text": same, "evidence": [1]}})
    found = answered(script, question=BOTH, max_iterations=3)
    assert script.steps == ["answer", "corrected"]
    assert (found.verified.answer, len(reasons(found))) == (f"{DOUBLED[:-1]} [1].", 1)
    assert "90" in script.calls[1].values["problem"]


@pytest.mark.parametrize(("days", "is_proved"), [(30, True), (60, False)])
def test_a_number_that_the_question_gave_is_proved_by_the_sentence_that_holds_it(days, is_proved):
    flight = "Mice were in flight for 30 days."
    script = Script(answer=writing((f"Femur density fell by 12 percent in mice in flight for {days} days.", [4])))
    question = f"Did femur density fall in mice in flight for {days} days?"
    flown = paper("flown", flight, DOUBLED, DOUBLED, FELL, title="Bone loss")
    found = answered(script, flown, question=question, max_iterations=0)
    assert [each.quote for each in found.verified.citations[0].quotes] == [FELL, flight][: 1 + is_proved]
    assert bool(reasons(found)) is not is_proved


# Who chooses, and whose word counts


def test_a_model_may_choose_the_sentences():
    script = Script(numbers={"numbers": [2, 99, 2]}, answer=saying(DOUBLED))
    found = answered(script, question=BOTH, reader="model")
    assert script.steps == ["numbers", "answer"]
    assert len(evidence(script.calls[0])) == 4
    assert [each.text for each in found.selected] == [DOUBLED]
    assert list(evidence(script.calls[1])) == [1, 2]
    none = Script(numbers={"numbers": [99]})
    assert answered(none, reader="model").verified.answer == ""
    assert none.steps == ["numbers"]


def test_model_and_order_may_both_choose():
    script = Script(numbers={"numbers": [4]}, answer=saying(FELL))
    found = answered(script, reader="both", evidence=2)
    assert [each.number for each in found.selected] == [4, 1]
    assert list(evidence(script.calls[1])) == [1, 3, 4]


def test_where_a_models_word_counts_it_is_asked_of_what_the_checker_doubts():
    script = Script(answer=saying(FELL, FALSE), verdict=ALL)
    found = answered(script, word="model", max_iterations=0)
    assert (script.steps, len(reasons(found))) == (["answer", "verdict"], 1)
    assert script.asked("verdict")[0].values["claim"] == FALSE
    assert [each.by for each in found.verified.citations[0].judges] == ["model", "checker"]
    reworded = "The thigh bones of travelling mice were less dense."
    for said, wanted in (("all of it", []), ("a part of it", ["its evidence says a part of it"])):
        script = Script(answer=writing((reworded, [1])), verdict={"verdict": said})
        assert reasons(answered(script, BONE, word="model", max_iterations=0)) == wanted


def test_where_a_models_word_counts_it_says_itself_whether_sentences_answer():
    beside = "Who sponsored the expedition to the pole?"
    asked = [Script(answer=saying()), Script(answer=saying(FELL))]
    answers = [answered(each, question=beside, word="model").verified.answer for each in asked]
    assert ([each.steps for each in asked], answers) == ([["answer"], ["answer"]], ["", f"{FELL[:-1]} [1]."])
    assert answered(Script(), question=beside, word="checker").verified.answer == ""


def test_an_answer_that_is_not_to_be_verified_is_not_checked():
    unchecked = Script(answer=saying(FELL))
    assert answered(unchecked, word="model", verify=False).verified.answer == f"{FELL[:-1]} [1]."
    assert unchecked.steps == ["answer"]


PAIN = "Pain fell by 3 points with zinc and by 4 points with placebo."
SAME_PAIN = "The difference in pain between zinc and placebo was not significant (p = 0.4)."
ATTACKS = "Attacks fell significantly from baseline in the probiotic group and in the placebo group."
SAME_ATTACKS = "There was no significant difference in attacks between probiotics and placebo."


@pytest.mark.parametrize(
    ("one", "other", "said", "question"),
    [
        (PAIN, SAME_PAIN, "Zinc reduced pain compared with placebo.", "What was the effect of zinc on pain?"),
        (
            ATTACKS,
            SAME_ATTACKS,
            "Probiotics significantly reduced attacks compared with placebo.",
            "What was the effect of probiotics on attacks, compared with placebo?",
        ),
    ],
)
def test_a_sentence_that_one_line_would_prove_is_refused_where_another_that_was_shown_denies_it(
    one, other, said, question
):
    script, paper_of = Script(answer=writing((said, [1]))), partial(paper, "trial", title="Trial")
    assert reasons(answered(script, paper_of(one), question=question, least_support=0.6)) == []
    both = answered(script, paper_of(one, other), question=question, least_support=0.6)
    assert reasons(both) == [LITTLE_SUPPORT]
    assert both.verified.answer == f"“{other[:-1]}” [1]."


def test_that_a_model_gave_numbers_is_in_the_certificate_and_decides_nothing():
    answer = saved(answered(Script(answer=saying(FELL))))
    [citation] = answer["citations"]
    said, checked = citation["judges"]
    assert (said["by"], said["verdict"], said["reason"]) == ("model", "unverifiable", GIVEN)
    assert (checked["by"], checked["verdict"], citation["verdict"]) == ("checker", "supported", "supported")
    assert only_models_say(answer) == []
    citation["judges"].pop(0)
    assert faults(answer) == [], "the checker finds the same without the numbers"


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [("quotes", "start", 10), ("judges", "reason", "it is so"), ("judges", "verdict", "supported")],
)
def test_a_changed_certificate_of_given_numbers_is_named(part, name, value):
    answer = saved(answered(Script(answer=saying(FELL))))
    answer["citations"][0][part][0][name] = value
    assert faults(answer) != []
