"""Questions in another language: searched in English; answers written and proved in English, and translated last."""

from __future__ import annotations

import copy
import json

import dspy
import pytest

from programs.answering import Answering
from programs.errors import MalformedOutput
from programs.lm.adapters import adapter_for
from programs.passages import Passage
from programs.passages.asked import Asked
from programs.program import AnsweringParameters
from programs.replay import replay, replay_report
from programs.results.rendering import as_json
from programs.results.result import concluded
from programs.translation import NOT_ONE, TRANSLATED, InEnglish
from signatures.rag_fusion import SummarizeEvidence
from tests.papers import paper
from tests.scripted_lm import Script, saying

FELL = "Femur density fell by 12.4 % in 40 flight mice."
KEPT = "Tibia mass did not change in flight mice."
PAPER = paper("PMC1", FELL, KEPT, title="Bone loss in flight mice", year=2014)
START = PAPER.text.index(FELL)
PASSAGES = [
    Passage.of(
        PAPER, START, len(PAPER.text), id=f"PMC1::{START}-{len(PAPER.text)}", section="results", heading="Results"
    )
]
ENGLISH = "What happened to the bones of flight mice?"
ASKED = {
    "es": "¿Qué les pasó a los huesos de los ratones de vuelo?",
    "fr": "Qu'est-il arrivé aux os des souris de vol dans les études ?",
    "zh": "飞行小鼠的骨骼发生了什么？",
    "de": "Was geschah mit den Knochen der Mäuse im Flug?",
}
RIGHT = {
    "es": [
        "La densidad del fémur bajó un 12,4 % en 40 ratones de vuelo.",
        "La masa de la tibia no cambió en el vuelo.",
    ],
    "fr": ["La densité du fémur a baissé de 12,4 % chez 40 souris.", "La masse du tibia n'a pas changé en vol."],
    "zh": ["40只飞行小鼠的股骨密度下降了12.4%。", "飞行小鼠的胫骨质量没有变化。"],
    "de": ["Die Dichte des Femurs sank um 12,4 % bei 40 Mäusen.", "Die Masse der Tibia blieb im Flug nicht verändert."],
}
SETTINGS = AnsweringParameters(cross_encoder="", word="checker")


def answered(language, *translations, said=(FELL, KEPT), **replies):
    """What is answered, and the script: each of the translations is the reply of a call."""
    given = [each if isinstance(each, Exception) else {"translations": each} for each in translations]
    script = Script(answer=saying(*said), verdict={"verdict": "all of it"}, translations=given, **replies)
    asked = Asked.of(ASKED[language]).translated(ENGLISH)
    with dspy.context(lm=script.lm()):
        made = Answering()(PASSAGES, asked, SETTINGS)
        return json.loads(json.dumps(as_json(concluded(asked, made.verified, 0.0, made.notes)))), script


def replayed(saved):
    return replay(saved, {"PMC1": PAPER}.__getitem__)


@pytest.mark.parametrize("language", RIGHT)
def test_a_right_translation_is_shown_and_its_english_sentence_proved(language):
    saved, script = answered(language, RIGHT[language])
    first, second = saved["citations"]
    assert [each["english"] for each in (first, second)] == [f"“{FELL[:-1]}” [1].", f"{KEPT[:-1]} [1]."]
    assert [each["sentence"] for each in (first, second)] == [
        f"{each.rstrip('.。')} [1]{each[-1]}" for each in RIGHT[language]
    ]
    assert saved["answer"] == " ".join(each["sentence"] for each in (first, second))
    assert [each["verdict"] for each in (first, second)] == ["supported"] * 2
    assert (saved["metrics"]["grounded_ratio"], saved["uncited"], saved["notes"]) == (1.0, [], [TRANSLATED])
    assert script.steps.count("translations") == 1
    assert script.asked("answer")[0].values["question"] == ENGLISH
    assert script.asked("translations")[0].values["question"] == ASKED[language]
    assert "[1]" not in script.asked("translations")[0].values["sentences"]
    assert replayed(saved) == []
    report = replay_report(saved, {"PMC1": PAPER}.__getitem__)
    assert report["translated"] == [first["sentence"], second["sentence"]]


ALTERED = {
    "es": ["La densidad del fémur bajó un 14,2 % en 40 ratones de vuelo.", "La masa de la tibia cambió en el vuelo."],
    "fr": ["La densité du fémur a baissé de 12,4 kg chez 40 souris.", "La masse du tibia a changé dans les souris."],
    "zh": ["41只飞行小鼠的股骨密度下降了12.4%。", "飞行小鼠的胫骨质量发生变化。"],
    "de": ["Die Dichte des Femurs sank um 12,4 % bei Mäusen.", "Die Masse der Tibia war im Flug verändert."],
}


@pytest.mark.parametrize("language", ALTERED)
def test_what_differs_is_translated_once_more(language):
    right = RIGHT[language]
    saved, script = answered(language, ALTERED[language], right[:1], right[1:])
    assert [each["sentence"].replace(" [1]", "") for each in saved["citations"]] == right
    assert [each.values["problem"] != "" for each in script.asked("translations")] == [False, True, True]
    assert replayed(saved) == []


@pytest.mark.parametrize("language", ALTERED)
def test_what_differs_again_stays_in_english_with_a_note(language):
    wrong, right = ALTERED[language], RIGHT[language]
    saved, _ = answered(language, [right[0], wrong[1]], wrong[1:])
    first, second = saved["citations"]
    assert (first["sentence"], second["sentence"]) == (
        f"{right[0].rstrip('.。')} [1]{right[0][-1]}",
        f"{KEPT[:-1]} [1].",
    )
    assert "english" not in second
    assert "denies something" in saved["notes"][-1]
    assert replayed(saved) == []


@pytest.mark.parametrize(
    ("translations", "said"),
    [
        ([["", ""], [""], [""]], "it is empty"),
        ([[], [], [], [], []], "it is empty"),
        ([[FELL, KEPT], [FELL], [KEPT]], "still in English"),
        ([["Bajó. Subió.", "Subió ayer. No bajó."], ["Bajó. Subió."], ["Subió ayer. No bajó."]], NOT_ONE),
        ([MalformedOutput("it wrote nothing")], "the model failed: [scripted/1] it wrote nothing"),
    ],
)
def test_without_a_translation_the_english_answer_is_shown(translations, said):
    saved, _ = answered("es", *translations)
    assert saved["answer"] == f"“{FELL[:-1]}” [1]. {KEPT[:-1]} [1]."
    assert (saved["metrics"]["grounded_ratio"], len([each for each in saved["notes"] if said in each])) == (1.0, 2)
    assert TRANSLATED not in saved["notes"]
    assert replayed(saved) == []


def test_another_number_of_sentences_is_asked_for_one_by_one():
    saved, script = answered("es", RIGHT["es"][:1], RIGHT["es"][:1], RIGHT["es"][1:])
    assert script.steps.count("translations") == 3
    assert len([each for each in saved["citations"] if "english" in each]) == 2


def test_citations_that_a_model_writes_or_leaves_out_change_nothing():
    saved, _ = answered("es", [f"{RIGHT['es'][0][:-1]} [1][7].", RIGHT["es"][1]], RIGHT["es"][:1])
    assert [each["sentence"] for each in saved["citations"]] == [f"{each[:-1]} [1]." for each in RIGHT["es"]]


def test_one_sentence_for_two_is_not_taken_twice():
    saved, _ = answered("es", [RIGHT["es"][0]] * 2, [RIGHT["es"][0]])
    assert [each.get("english", "") for each in saved["citations"]] == [f"“{FELL[:-1]}” [1].", ""]


def test_a_question_in_english_asks_no_more_than_before():
    script = Script(answer=saying(FELL))
    with dspy.context(lm=script.lm()):
        made = Answering()(PASSAGES, Asked.of(ENGLISH), SETTINGS)
    assert script.steps == ["answer"]
    assert made.verified.english == {}
    assert not any("english" in each.as_dict() for each in made.verified.citations)


def change(saved, name, old, new):
    """Change one of the two forms of the first sentence, in every place that holds it."""
    changed = copy.deepcopy(saved)
    changed["citations"][0][name] = changed["citations"][0][name].replace(old, new)
    if name == "sentence":
        changed["answer"] = changed["answer"].replace(old, new, 1)
    return changed


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("sentence", "12,4", "12,5", "12,5"),
        ("sentence", "12,4 %", "12,4 kg", "became"),
        ("sentence", "bajó", "no bajó", "denies"),
        ("sentence", " [1]", "", ""),
        ("sentence", "vuelo [1].", "vuelo [1]?", "question"),
        ("sentence", "La densidad", "The density of the femur that", "still in English"),
        ("english", "12.4", "12.5", ""),
        ("english", "fell", "rose", ""),
        ("english", " [1]", "", "citations"),
        ("english", "Femur", "Tibia", ""),
    ],
)
def test_one_change_of_either_form_is_a_failure_with_its_name(name, old, new, said):
    saved, _ = answered("es", RIGHT["es"])
    faults = list(map(str, replayed(change(saved, name, old, new))))
    assert faults
    assert any(said in each for each in faults), faults
    assert any("citation" in each for each in faults)


SPANISH_PAPER = paper(
    "PMC2", "La densidad del fémur bajó un 12,4 % en 40 ratones de vuelo según los datos de los autores."
)


@pytest.mark.parametrize(("number", "verdicts"), [("12.4", ["supported"]), ("14.2", [])])
def test_evidence_in_another_language_is_proved_by_the_model_under_numbers(number, verdicts):
    text = SPANISH_PAPER.text
    start = text.index("La densidad")
    passages = [Passage.of(SPANISH_PAPER, start, len(text), id="PMC2::0", section="results", heading="Results")]

    def write(_):
        said = f"Femur density fell by {number}% in 40 flight mice."
        return {"answerable": True, "answer": [{"text": said, "evidence": [1]}]}

    script = Script(answer=write, verdict={"verdict": "all of it"})
    with dspy.context(lm=script.lm()):
        made = Answering()(passages, Asked.of(ENGLISH), SETTINGS)
    assert script.steps == ["answer", "verdict"]
    written = [each for each in made.verified.citations if not each.sentence.startswith("“")]
    assert [each.verdict for each in written] == verdicts
    for each in written:
        assert [(judge.by, judge.verdict) for judge in each.judges] == [
            ("model", "supported"), ("checker", "unverifiable"),
        ]  # fmt: skip
        assert "not in English" in each.judges[1].reason


OTHER = paper("PMC3", "Femur density rose by 9 % in 20 flight mice of another study.", title="Bone gain in flight mice")
ROSE = "Femur density rose by 9 % in 20 flight mice of another study."
BOTH = "Femur density fell by 12.4 % in 40 flight mice, but rose by 9 % in 20 flight mice of another study."


def test_bullets_and_conflicts_are_translated_with_their_citations():
    start = OTHER.text.index(ROSE)
    other = Passage.of(OTHER, start, len(OTHER.text), id="PMC3::0", section="results", heading="Results")
    said = [
        "La densidad del fémur bajó un 12,4 % en 40 ratones.",
        "La densidad del fémur subió un 9 % en 20 ratones.",
        "La densidad del fémur bajó un 12,4 % en 40 ratones, pero subió un 9 % en 20 de otro estudio.",
    ]
    script = Script(
        bullets=saying(FELL, bullets=[ROSE]),
        conflicts={"conflicts": [{"text": BOTH, "evidence": [1, 3]}]},
        verdict={"verdict": "all of it"},
        translations={"translations": said},
    )
    asked = Asked.of(ASKED["es"]).translated(ENGLISH)
    settings = AnsweringParameters(cross_encoder="", word="model")
    with dspy.context(lm=script.lm()):
        made = Answering(SummarizeEvidence)([*PASSAGES, other], asked, settings, conflicts=True, most_bullets=6)
    first, bullet, conflict = (each.rstrip(".") for each in said)
    assert made.verified.answer.split("\n\n- ") == [f"{first} [1].", f"{bullet} [2]. {conflict} [1][2]."]
    assert [each.cited for each in made.conflicts] == [f"{conflict} [1][2]."]
    assert [each.verdict for each in made.verified.citations] == ["supported"] * 4
    assert [each.english.startswith("- ") for each in made.verified.citations][:2] == [False, True]


# The question


def in_english(question, said=""):
    """A question that a model put in English in these words, and how often it was asked."""
    script = Script(english={"english": said})
    lm = script.lm()
    with dspy.context(lm=lm, adapter=adapter_for(lm)):
        return InEnglish()(Asked.of(question), 1), len(script.calls)


def test_a_question_is_searched_in_english_and_stays_as_it_was_asked():
    assert in_english(ENGLISH) == (Asked.of(ENGLISH), 0)
    asked, calls = in_english(ASKED["es"], ENGLISH)
    assert (asked.question, asked.searched, asked.reads_english, asked.is_english) == (
        ASKED["es"],
        ENGLISH,
        True,
        False,
    )
    assert (asked.as_english, calls) == (Asked.of(ENGLISH), 1)
    several, _ = in_english("¿Qué trabajos informan de pérdida ósea?", "Which papers report it, as Figure 2 shows?")
    assert (several.several, several.figures) == (True, ("2",)), "what it asks of papers is read in English too"


@pytest.mark.parametrize("said", ["", "  ", ASKED["es"]])
def test_without_an_english_form_it_is_searched_as_it_is(said):
    asked, _ = in_english(ASKED["es"], said)
    assert (asked.searched, asked.as_english) == (ASKED["es"], asked)
