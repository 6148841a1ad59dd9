"""`main_points` from question to result, every branch of it driven by a model that says what the test wrote down."""

import copy

import dspy
import pytest

from programs.errors import MalformedOutput, UsageError
from programs.ingest.document import Document, DocumentBuilder
from programs.lm import LM
from programs.main_points import Labelling, MainPoints, MainPointsParameters
from programs.passages import Passage
from tests.hashing_embedder import HashingEmbedder
from tests.main_points import (
    DOUBLED,
    FALSE,
    FAR,
    FELL,
    PAPER,
    QUESTION,
    TRUE,
    ask,
    ask_by_order,
    at_most,
    is_proved,
    program,
    said,
)
from tests.papers import paper
from tests.scripted_lm import Script, correcting, evidence, judging, points, saying


def test_the_name_of_a_file_is_not_taken_for_a_paper(tmp_path):
    path = tmp_path / "paper.txt"
    path.write_text(FELL)
    for named in (str(path), "some/mistyped.nxml", "smith2019.PDF"):
        with pytest.raises(UsageError, match=r"is a path, not a paper's text; give paper=programs\.read"):
            ask(Script(), document=named)


@pytest.mark.parametrize("nothing", [None, 5])
def test_what_is_no_paper_is_refused(nothing):
    with pytest.raises(UsageError, match=rf"paper={nothing} is not a paper"):
        ask(Script(), document=nothing)


@pytest.mark.parametrize("length", [20, 300, 3000, 5000])
def test_a_paper_of_one_line_is_no_path(length):
    line = ("Femur density fell by 12 percent in flight mice. " * 200)[:length]
    script = Script(points=points("Femur density fell by 12 percent"), answer=saying())
    assert ask(script, document=line).answer == ""


def test_a_paper_is_embedded_ahead_once():
    embedder = HashingEmbedder()
    embedded, embed = [], embedder.embed
    embedder.embed = lambda texts: embedded.append(list(texts)) or embed(texts)
    prepared = MainPoints(embedder, MainPointsParameters(reader="both"))
    prepared.prepare(question=QUESTION, paper=PAPER, choices=("yes", "no"))
    prepared.prepare(question=QUESTION, paper="bare text")
    (chunks,) = embedded
    with dspy.context(lm=Script(points=points(FELL), numbers={"numbers": [1]}, answer=saying(FELL)).lm()):
        prepared(question=QUESTION, paper=PAPER)
    assert len(embedded) > 1
    assert chunks not in embedded[1:]


# Steps and calls


def test_by_default_a_clean_answer_takes_one_call():
    script = Script(answer=saying(FELL))
    prediction = ask_by_order(script)
    assert (prediction.answer, prediction.answerable, prediction.unsupported_claims) == (TRUE, True, [])
    assert [citation.verdict for citation in prediction.citations] == ["supported"]
    assert script.steps == ["answer"]
    assert prediction.metrics["lm_calls"] == 1
    assert is_proved(prediction)
    shown = script.calls[0].values["evidence"].splitlines()
    assert shown[:3] == ["Paper: Bone in flight (2014)", "[results] Results", f"(1) {FELL}"]
    assert prediction.points[0] == FELL
    assert set(prediction.points) <= set(evidence(script.calls[0]).values())


def test_the_points_alone_bring_the_passages_of_the_seed_and_the_model_checks():
    script = Script(points=points(FELL, DOUBLED), answer=saying(FELL), verdict=judging())
    prediction = ask(script)
    assert (prediction.answer, prediction.answerable) == (TRUE, True)
    assert prediction.points == [FELL, DOUBLED]
    assert [passage.text.split("\n\n") for passage in prediction.passages] == [
        [FELL, "Mice were housed in pairs."],
        ["Nobody slept.", DOUBLED],
    ]
    assert [citation.verdict for citation in prediction.citations] == ["supported"]
    assert script.steps == ["points", "answer"]
    assert prediction.metrics["lm_calls"] == 2
    assert is_proved(prediction)


@pytest.mark.parametrize("rounds", [1, 2])
def test_each_round_of_repair_writes_a_sentence_once_more(rounds):
    fixes = [*(correcting(FALSE.replace("90", str(91 + number))) for number in range(rounds - 1)), correcting(FELL)]
    script = Script(answer=saying(FALSE), corrected=list(fixes))
    prediction = ask_by_order(script, max_iterations=rounds)
    assert (prediction.answer, prediction.unsupported_claims) == (TRUE, [])
    assert script.steps == ["answer", *["corrected"] * rounds]
    assert len(prediction.repairs) == rounds
    assert prediction.metrics["lm_calls"] == 1 + rounds
    shown = script.calls[1].values
    assert (shown["sentence"], shown["problem"]) == (FALSE, "the quotes do not hold 90 percent")


def test_what_is_never_proved_is_left_out_and_named():
    script = Script(answer=saying(FELL, FALSE), corrected=correcting(FALSE.replace("90", "91")))
    prediction = ask_by_order(script, max_iterations=2)
    assert prediction.answer == TRUE
    assert said(prediction.unsupported_claims) == [FALSE.replace("90", "91")]
    assert [citation.verdict for citation in prediction.citations] == ["supported"]
    assert prediction.metrics["grounded_ratio"] == 1.0
    assert [each.after for each in prediction.repairs] == [f"{TRUE} {FALSE[:-1].replace('90', '91')} [1].", TRUE]
    assert is_proved(prediction)


def numbered(text, *numbers):
    return {"answerable": True, "answer": [{"text": text, "evidence": list(numbers)}]}


# Abstention


@pytest.mark.parametrize("none", [points(), points("", "  ")])
def test_without_points_nothing_more_is_asked(none):
    script = Script(points=none)
    prediction = ask(script)
    assert (prediction.answer, prediction.answerable, prediction.passages) == ("", False, [])
    assert script.steps == ["points"]


def test_where_no_sentence_bears_on_the_question_nothing_is_asked():
    script = Script()
    prediction = ask_by_order(script, question="Which lettuce grew on the station?")
    assert (prediction.answer, prediction.answerable, prediction.points) == ("", False, [])
    assert prediction.passages


def test_a_point_that_quotes_nothing_in_the_paper_brings_no_passage_and_no_answer():
    script = Script(points=points(FAR))
    prediction = ask(script)
    assert (prediction.answer, prediction.answerable, prediction.passages) == ("", False, [])
    assert prediction.points == [FAR]
    assert prediction.notes == [f"1 of 1 points were found in no passage of the paper: “{FAR}”."]
    assert script.steps == ["points"]


@pytest.mark.parametrize(
    "reply",
    [
        saying(),
        {**numbered("Bone probably fell.", 1), "answerable": False},
        numbered("  ", 1),
        {"answerable": "No", "answer": []},
    ],
)
def test_an_unanswerable_question_has_no_answer_but_its_passages(reply):
    script = Script(points=points(FELL), answer=reply)
    prediction = ask(script)
    assert (prediction.answer, prediction.answerable, prediction.citations) == ("", False, [])
    assert len(prediction.passages) == 1
    assert script.steps == ["points", "answer"]


# Output that does not parse


@pytest.mark.parametrize("step", ["points", "answer", "verdict", "corrected"])
def test_a_step_that_never_parses_is_an_error_after_its_tries(step):
    replies = {"points": points(FELL), "answer": saying(FALSE), "verdict": judging(FALSE)}
    script = Script(**{**replies, step: "I would rather talk."})
    with pytest.raises(MalformedOutput, match=rf"{step} in 3 tries.*I would rather talk"):
        ask(script, num_tries=3)
    assert script.steps[-3:] == [step] * 3


# Passages


def test_a_point_brings_as_many_chunks_as_asked_for():
    script = Script(points=points(FELL), answer=saying(FELL), verdict=judging())
    prediction = ask(script, threshold=4.0, num_chunks_per_point=6, window_size=1)
    assert len(prediction.passages) == 6
    assert prediction.passages[0].text == FELL


def test_points_that_share_windows_share_passages_and_are_counted():
    script = Script(points=points(DOUBLED, FELL, "Mice were housed in pairs."), answer=saying())
    prediction = ask(script)
    assert [passage.text.split("\n\n")[0] for passage in prediction.passages] == ["Nobody slept.", FELL]
    assert prediction.metrics["dedup_count"] == 1


# Passages by the learned order, which is the default, and by points, where the model reads too

NONE = {"numbers": []}


class Words:
    """A cross-encoder that counts the words of the question, and knows what a passage is about."""

    def __init__(self):
        self.about = set()

    def scores(self, question, passages, about=()):
        self.about.update(about)
        asked = set(question.casefold().strip(".?").split())
        return [len(asked & set(text.casefold().strip(".").split())) / len(asked) for text in passages]

    def parts(self, passage):
        return ()


@pytest.fixture
def words(monkeypatch):
    encoder = Words()
    monkeypatch.setattr("programs.main_points.cross_encoder", lambda name: encoder if name else None)
    return encoder


def test_what_answers_the_question_is_shown_whatever_the_points_say(words):
    script = Script(points=points(FELL), numbers=NONE, answer=saying())
    washed = [" ".join(f"Cage {number} was cleaned on day {day}." for day in range(13)) for number in range(14)]
    replay_report, fillers, slept = f"{FELL} {washed[0]}", washed[1:-1], f"{washed[-1]} Nobody slept in orbit."
    document = paper("bone", "\n\n".join([replay_report, *fillers, slept]), title="Bone in flight")
    prediction = ask(script, document, "Who slept in orbit?", cross_encoder="learned", reader="model", window_size=1)
    first, second = prediction.passages
    assert first.text.startswith("\n\n".join([replay_report, *fillers[:4]])), "too few to be left out"
    assert second.text.endswith("Nobody slept in orbit.")
    assert second.scores == {"relevance": 0.75}
    assert second.relevance_reason == "number 1 of the paper by its probability to answer (0.75)"
    assert words.about == {"Bone in flight. Results"}
    assert is_proved(prediction, document)
    assert [each.text for each in ask(script, document, "Who slept in orbit?", window_size=1).passages] == [
        replay_report
    ]


def test_a_table_is_shown_whole_with_its_caption_however_improbable(words):
    script = Script(points=points(FELL), numbers=NONE, answer=saying())
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph(FELL)
    for number in range(9):
        builder.add_paragraph(" ".join(f"Cage {number} was cleaned on day {day}." for day in range(14)))
    builder.add_figure("Table 1.", "Bone.")
    builder.add_paragraph("| | Flight | Ground |\n| Femur, mg | 12 | 31 |", keep_lines=True)
    document = builder.build(id="bone", title="Bone in flight")
    prediction = ask(script, document, "Who slept in orbit?", cross_encoder="learned", reader="model", window_size=1)
    (table,) = [each for each in prediction.passages if each.id == "bone::table1"]
    assert table.text == "Table 1. Bone.\n\n| | Flight | Ground |\n| Femur, mg | 12 | 31 |"
    seeds = ask(script, document, "Who slept in orbit?", window_size=1).passages
    assert not any("Femur, mg" in each.text for each in seeds)


@pytest.mark.slow
def test_a_model_that_cannot_read_so_much_gets_half(words):
    sentences = [f"Sample {number} weighed {number * 7 % 1000} grams in flight." for number in range(400)]
    document = paper("long", "\n\n".join(" ".join(sentences[start : start + 12]) for start in range(0, 400, 12)))
    script = Script(answer=at_most(9_000, saying()))
    prediction = ask_by_order(script, document, "What weighed most in flight?", evidence=500)
    assert set(script.steps) == {"answer"}
    assert len(script.steps) > 1
    assert 0 < sum(len(each.text) for each in prediction.passages) < 9_000


# Papers


def test_a_bare_text_is_a_paper():
    script = Script(points=points(FELL), answer=saying(FELL), verdict=judging())
    prediction = ask(script, document=f"{FELL}\n\nFood was weighed daily.")
    assert prediction.passages[0].document_id.startswith("text-")
    assert prediction.citations[0].quote == FELL


@pytest.mark.parametrize("empty", ["", " \n ", Document("empty", "")])
def test_an_empty_paper_is_refused_before_anything_is_asked(empty):
    script = Script()
    with pytest.raises(UsageError, match="the paper has no text; give the whole text"):
        ask(script, document=empty)
    assert script.calls == []


# Many at once


def test_a_copy_shares_the_embedded_papers_but_not_the_prompts():
    qa = program()
    other = copy.deepcopy(qa)
    assert other.matcher is qa.matcher
    other.extract.predict.signature = other.extract.predict.signature.with_instructions("Other.")
    other.set_parameters(threshold=0.5)
    assert qa.extract.predict.signature.instructions != "Other."
    assert qa.settings.threshold == 0.4


def test_its_eight_prompts_are_what_an_optimizer_sees():
    assert [name for name, _ in program().named_predictors()] == [
        "in_english.translate", "extract.predict", "answer.select", "answer.write", "answer.check", "answer.correct",
        "answer.find", "labelling.choose",
    ]  # fmt: skip


# Labels

PASSAGES = [Passage("P::1", "P", "results", "", "Body mass did not differ significantly between the groups.", 0, 58)]
CHOICES = ("increased", "decreased", "no difference")


def test_a_label_outside_the_set_is_asked_for_again():
    script = Script(label=[{"label": "it depends"}, {"label": "decreased"}])
    with dspy.context(lm=script.lm(), adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        assert Labelling()(PASSAGES, "q", CHOICES, num_tries=2) == "decreased"


def test_without_passages_nothing_is_asked():
    assert Labelling()([], "q", CHOICES) == ""
    assert Labelling()([], "q", ("SUPPORT", "CONTRADICT", "NOT_ENOUGH_INFO")) == "NOT_ENOUGH_INFO"


def test_a_choice_of_one_is_none():
    with pytest.raises(UsageError, match="at least two"):
        Labelling()(PASSAGES, "q", ["yes", "yes"])


def test_main_points_gives_a_label_where_it_gets_choices():
    paper = "Results\n\nBody mass of the mice did not differ significantly between flight and ground groups.\n"
    with dspy.context(lm=LM("extractive")):
        found = MainPoints(HashingEmbedder())(question="Did body mass of mice differ?", paper=paper, choices=CHOICES)
    assert found.label == "no difference"
