"""`rag_fusion` from question to result, every branch of it driven by a model that says what the test wrote down."""

import re
import threading

import dspy
import pytest
from dspy.utils.exceptions import LMTransportError

from programs.errors import LMUnavailable, MalformedOutput, UnknownFilterField
from programs.ingest.document import DocumentBuilder
from programs.lm import LM
from programs.progress import listening
from programs.rag_fusion import RagFusion, RagFusionParameters
from programs.replay import replay
from programs.results.rendering import as_json
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, ROOTS, YEAST
from tests.scripted_lm import Script, evidence, resting, saying

QUESTION = "What happened to femur density and osteoclasts of mice in flight?"
FELL = "Femur density fell by 12 percent in flight mice."
DOUBLED = "Osteoclast counts doubled."
BALANCE = "Snails kept their balance in orbit."
FALSE = FELL.replace("12", "90")
ALL = {"verdict": "all of it"}
ENGLISH = {"english": "What happened to the density of the femur?"}
PASSAGE = "Flight lowers the density of the femur in mice."


def figured():
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(BALANCE)
    builder.add_figure("Figure 1", "Shell size of every snail.")
    builder.add_figure("Figure 2", "Paths on a tilted plate.")
    return builder.build(id="PMC77", pmcid="PMC77", title="Snails in orbit")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    place = tmp_path_factory.mktemp("rag_fusion") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as made:
        made.add([BONE, ROOTS, YEAST, figured()])
        yield made


def queries(*texts):
    return {"queries": list(texts)}


def imagined(text=PASSAGE):
    return {"hypothetical_passage": text}


def cited(sentence, key="bone"):
    return f"{sentence[:-1]} [{key}]."


def script(reply=None, **replies):
    """A model that rewords, and answers."""
    return Script(
        **{
            "queries": queries("mouse femur"),
            "hypothetical_passage": imagined(),
            "bullets": reply or saying(FELL, bullets=[DOUBLED]),
            **replies,
        }
    )


def ask(index, replay_report, question=QUESTION, filters=None, **parameters):
    with dspy.context(lm=replay_report.lm()):
        return RagFusion(index, RagFusionParameters(**{"reform": True, **parameters}))(
            question=question, filters=filters
        )


def is_proved(prediction, index):
    return replay(as_json(prediction), index.document) == []


# Steps and calls


def test_an_answer_is_a_summary_and_bullets_that_cite_papers(index):
    replay_report = script()
    prediction = ask(index, replay_report)
    assert prediction.answer == f"{cited(FELL)}\n\n- {cited(DOUBLED)}"
    assert (prediction.answerable, prediction.topic, prediction.notes) == (True, "Femur Osteoclasts", [])
    assert [(each.marker, each.document_id, each.verdict) for each in prediction.citations] == [
        ("bone", "bone", "supported")
    ] * 2
    assert sorted(replay_report.steps[:2]) == ["hypothetical_passage", "queries"]
    assert replay_report.steps[2:] == ["bullets"]
    assert prediction.metrics["lm_calls"] == 3
    assert prediction.metrics["grounded_ratio"] == 1.0
    assert is_proved(prediction, index)


def test_rewrites_and_hypothetical_passage_are_asked_for_side_by_side(index):
    together = threading.Barrier(2, timeout=300)  # breaks unless both calls are in flight at once

    def reply(values):
        def waiting(call):
            together.wait()
            return values

        return waiting

    replay_report = script(queries=reply(queries("mouse femur")), hypothetical_passage=reply(imagined()))
    prediction = ask(index, replay_report)
    assert prediction.queries == [QUESTION, "mouse femur", PASSAGE]
    assert prediction.metrics["lm_calls"] == 3


@pytest.mark.parametrize(("said", "bullets"), [([FALSE], []), ([DOUBLED], [FALSE])])
def test_what_is_unsupported_is_repaired_and_verified_again(index, said, bullets):
    replay_report = script(saying(*said, bullets=bullets), corrected=lambda call: {"corrected": resting(call, FELL)})
    prediction = ask(index, replay_report, max_iterations=1)
    assert (prediction.unsupported_claims, len(prediction.repairs)) == ([], 1)
    assert prediction.answer == (f"{cited(DOUBLED)}\n\n- {cited(FELL)}" if bullets else cited(FELL))
    assert replay_report.asked("corrected")[0].values["sentence"] == FALSE
    assert is_proved(prediction, index)


# Searching


def test_the_question_is_searched_first_whatever_is_switched_off(index):
    assert ask(index, script()).queries == [QUESTION, "mouse femur", PASSAGE]
    assert ask(index, script(), hyde=False).queries == [QUESTION, "mouse femur"]
    assert ask(index, replay_report := script(), reform=False).queries == [QUESTION]
    assert replay_report.steps == ["bullets"]


@pytest.mark.parametrize(("model", "rewords"), [("ollama/qwen2.5:1.5b", False), ("ollama/llama3.3:70b", True)])
def test_a_small_model_is_not_asked_to_reword(index, model, rewords):
    assert ask(index, script(), reform=None).queries == [QUESTION]
    with dspy.context(lm=LM(model)):
        assert RagFusionParameters().rewords is rewords


def test_rewrites_obey_their_rules_whatever_the_model_writes(index):
    long = " ".join(f"word{number}" for number in range(20))
    written = ["  ", "Mouse femur", "mouse  FEMUR", QUESTION.upper(), long, "a b", "c d", "e f", "g h", "i j", "k l"]
    found = ask(index, script(queries={"queries": written}), hyde=False).queries
    assert found == [QUESTION, "Mouse femur", " ".join(long.split()[:15]), "a b", "c d", "e f", "g h"]
    assert ask(index, script(queries={"queries": written}), hyde=False, num_queries=2).queries == found[:3]


@pytest.mark.parametrize(
    "failure", [LMUnavailable("nobody answers"), LMTransportError("connection reset"), "no field at all"]
)
@pytest.mark.parametrize(("step", "left"), [("queries", [PASSAGE]), ("hypothetical_passage", ["mouse femur"])])
def test_where_rewording_fails_the_search_goes_on_and_says_so(index, failure, step, left):
    prediction = ask(index, script(**{step: failure}))
    assert prediction.queries == [QUESTION, *left]
    assert prediction.answer
    [note] = prediction.notes
    assert note.startswith("The search continued without")


def test_where_the_model_writes_no_rewrite_the_result_says_so(index):
    prediction = ask(index, script(queries=queries(" ")))
    assert prediction.notes == ["The search continued without rewrites: the model wrote none."]


def test_an_answer_that_does_not_parse_is_an_error_and_is_asked_again(index):
    with pytest.raises(MalformedOutput):
        ask(index, script("no field at all"))
    replay_report = script(["no field at all", saying(FELL)])
    assert ask(index, replay_report, num_tries=2).answer == cited(FELL)


def test_filters_hold_for_every_query(index):
    prediction = ask(index, script(saying()), filters={"organism": ["Arabidopsis thaliana"]})
    assert {each.document_id for each in prediction.passages} == {"roots"}
    with pytest.raises(UnknownFilterField):
        ask(index, script(), filters={"colour": ["red"]})


def test_passages_say_why_they_are_there(index):
    best = ask(index, script()).passages[0]
    assert (best.document_id, best.key) == ("bone", "bone")
    assert best.scores.keys() == {"fused", "dense", "sparse", "relevance"}
    assert re.match(
        r"number 1 by its probability to answer \(0\.\d\d\) and its paper's rank; at best number 1 by",
        best.relevance_reason,
    )
    fused = ask(index, script(verdict=ALL), cross_encoder="").passages[0]
    assert fused.scores.keys() == {"fused", "dense", "sparse"}
    assert fused.relevance_reason.startswith("number 1 of all queries fused; at best number 1 by meaning")


def test_passages_stand_in_the_order_in_which_they_answer(index, monkeypatch):
    class Named:
        def scores(self, question, passages, about=()):
            assert question == QUESTION
            return [0.999 if place == "Root growth in orbit. Results" else 0.001 for place in about]

        def parts(self, passage):
            return ()

    monkeypatch.setattr("programs.rag_fusion.cross_encoder", lambda name: Named())
    assert ask(index, script()).passages[0].document_id == "roots"


def test_the_preset_seed_has_the_numbers_of_the_system_as_described(index):
    seed = RagFusionParameters.seed()
    assert (seed.k, seed.candidates, seed.top_k, seed.cross_encoder, seed.merge) == (6, 6, 6, "", False)
    with dspy.context(lm=script(verdict=ALL).lm()):
        found = RagFusion(index, seed)(question=QUESTION)
    assert [each.relevance_reason.split(";")[0] for each in found.passages][:2] == [
        "number 1 of all queries fused",
        "number 2 of all queries fused",
    ]


# Figures


def test_a_figure_that_is_asked_for_is_shown_and_returned(index):
    replay_report = script(saying("Paths on a tilted plate."))
    asked = {"top_k": 1, "reform": False, "least_evidence": 0}
    prediction = ask(index, replay_report, "What does Figure 2 show?", {"pmcid": ["PMC77"]}, **asked)
    assert [each.id for each in prediction.passages][-1] == "PMC77::fig2"
    [call] = replay_report.asked("bullets")
    assert "[results] Figure 2" in call.values["evidence"].splitlines()
    assert "Figure 2. Paths on a tilted plate." in evidence(call).values()
    assert (prediction.figures[0].label, prediction.figures[0].document_id) == ("Figure 2", "PMC77")
    assert prediction.answer == "Paths on a tilted plate [PMC77]."
    assert len({each.id for each in prediction.passages}) == len(prediction.passages)
    assert is_proved(prediction, index)


def test_without_a_model_the_caption_of_a_figure_that_is_asked_for_is_quoted_first(index):
    with dspy.context(lm=LM("extractive")):
        prediction = RagFusion(index)(question="What does Figure 2 of PMC77 show?")
    assert prediction.citations[0].quote == "Figure 2. Paths on a tilted plate."
    assert is_proved(prediction, index)


def test_a_paper_that_is_named_is_among_the_passages(index):
    question = "What did PMC77 find on femur density of mice in flight?"
    replay_report = script(saying(FELL), verdict=ALL)
    prediction = ask(index, replay_report, question, reform=False, top_k=2, cross_encoder="")
    assert [each.document_id for each in prediction.passages] == ["PMC77", "bone"]
    reasons = [each.relevance_reason.partition(";")[0] for each in prediction.passages]
    assert reasons == ["number 1, of a paper that the question names", "number 2 of all queries fused"]
    assert len({each.id for each in prediction.passages}) == 2
    assert is_proved(prediction, index)
    elsewhere = ask(index, script(saying(FELL)), question, {"document": ["bone"]}, reform=False)
    assert {each.document_id for each in elsewhere.passages} == {"bone"}


def test_a_figure_that_is_not_there_is_noted(index):
    assert ask(index, script(saying(FELL)), "What does Figure 99 show?").notes == [
        "Figure 99 was not found in any retrieved paper."
    ]
    assert ask(index, script(saying(FELL)), "What does Figure 99 show?", figures=False).notes == []


def test_an_abstention_has_no_topic(index):
    assert ask(index, script(saying()), "Did the valves of hearts thicken in flight?").topic == ""


# What models write


@pytest.mark.parametrize(
    "written",
    [
        "Snails kept their balance in orbit [pmc 77].",
        "Snails kept their balance in orbit [[PMC77]].",
        "Snails kept their balance [PMC77, roots] in orbit.",
        "Snails kept their balance in orbit [PMC77::sec0::chunk0].",
        "Snails kept their balance in orbit [PMC999].",
        "Snails kept their balance in orbit [3].",
        "Snails kept their balance in orbit.[1]",
        "Snails kept their balance in orbit (PMC77).",
    ],
)
def test_papers_are_cited_by_the_numbers_of_sentences_and_a_models_own_brackets_are_taken_out(index, written):
    prediction = ask(index, script(saying(written)), "Did snails keep their balance in orbit?")
    assert (prediction.answer, prediction.unsupported_claims) == (cited(BALANCE, "PMC77"), [])
    assert is_proved(prediction, index)


def test_bullets_are_tidied_and_a_note_tells_of_those_left_out(index):
    bullets = [f"- {DOUBLED}", FELL.upper(), "  ", f"• {DOUBLED}", *(f"Finding {n}." for n in "ABCDEFGHI")]
    prediction = ask(index, script(saying(FELL, bullets=bullets)), verify=False)
    lines = prediction.answer.splitlines()
    assert lines[:3] == [cited(FELL), "", f"- {cited(DOUBLED)}"]
    assert len(lines) == 2 + 6
    left_out = "; ".join(f"“Finding {n}.”" for n in "FGHI")
    assert prediction.notes == [f"4 sentences too many are left out: {left_out}."]


def test_a_question_for_several_papers_keeps_a_bullet_of_each(index):
    bullets = [f"Paper {number} is on bone." for number in range(9)]
    replay_report = script(saying(FELL, bullets=bullets))
    prediction = ask(index, replay_report, "Which papers are on bone?", verify=False, least_evidence=0)
    assert len(prediction.answer.splitlines()) == 2 + 9


def test_the_answer_to_a_question_in_another_language_is_proved_in_english_and_translated(index):
    question, answer = "¿Qué le pasó a la densidad del fémur?", "La densidad del fémur bajó un 12 por ciento."
    replies = script(saying(FELL), english=ENGLISH, translations={"translations": [answer]})
    found = ask(index, replies, question)
    assert found.answer == cited(answer)
    assert [each.by for each in found.citations[0].judges if each.verdict == "supported"] == ["checker"]
    assert is_proved(found, index)
    assert replies.asked("translations")[0].values["question"] == question
    for step in ("queries", "hypothetical_passage", "bullets"):
        (asked,) = replies.asked(step)
        assert asked.values["question"] == ENGLISH["english"]


# Steps told, errors, state


def test_steps_are_told_as_they_happen(index):
    steps = []
    with listening(lambda step: steps.append(step.name)):
        ask(index, script())
    assert steps == ["reform", "reform", "retrieve", "answer", "verify"]
