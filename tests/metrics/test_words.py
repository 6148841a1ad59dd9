"""How much of a question an answer and its quotations hold."""

import json
from pathlib import Path

import pytest

from metrics.words import missing_words, question_coverage

QUESTION = "Does spaceflight reduce the bone density of mice?"


@pytest.mark.parametrize(
    ("texts", "covered"),
    [
        (["Spaceflight reduces bone density in a mouse."], 4 / 5),  # "mouse" is no inflection of "mice"
        (["Bone density of mice", "fell after spaceflight, reduced by 12 percent"], 1.0),
        (["Lettuce roots hold bacteria."], 0.0),
        (["Bones."], 1 / 5),
        ([], 0.0),
    ],
)
def test_content_words_are_counted_once_by_their_stems(texts, covered):
    assert question_coverage(QUESTION, texts) == pytest.approx(covered)


def test_words_of_grammar_count_nowhere():
    assert question_coverage(QUESTION, ["Does the of?"]) == 0.0
    assert question_coverage("What is it?", ["Lettuce."]) == 1.0, "nothing can be missing"


@pytest.mark.parametrize(
    "question",
    [
        "Welcher Salat wuchs im All?",
        "La vitamine D réduit-elle la mortalité ?",
        "¿Qué lechuga creció en la estación?",
        "Снижает ли витамин смертность?",
        "骨密度は低下しましたか？",
    ],
)
def test_nothing_is_missing_from_a_question_in_another_language(question):
    assert question_coverage(question, ["Lettuce."]) == 1.0


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Does metformin improve survival in breast cancers?", ["metformin", "survival"]),
        ("doez metfromin improv breats cancer cancer?", ["doez", "metfromin", "breats"]),
        ("How tall is the Eiffel Tower?", ["tall", "eiffel", "tower"]),
        ("Was vitamin D improving cancer?", ["vitamin"]),
        ("¿Mejora la supervivencia el jugo?", []),
        ("骨密度は低下しましたか？", []),
        ("", []),
    ],
)
def test_words_that_no_text_has_are_told_in_their_order(question, missing):
    assert missing_words(question, ["Tamoxifen improved it.", "Breast cancer grew."]) == missing


def test_english_questions_of_the_bundled_set_are_seen_to_be_english():
    folder = Path(__file__).resolve().parents[2] / "datasets" / "space_biology" / "questions"
    lines = [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()]
    for line in lines:
        assert (question_coverage(line["question"], []) == 0.0) == (line["language"] == "en"), line["question"]
