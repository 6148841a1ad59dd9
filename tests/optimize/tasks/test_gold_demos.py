import random
import re
from dataclasses import replace

import pytest

from metrics.grounded_utility import grounded_utility
from metrics.support import check
from optimize.job import task_of
from optimize.tasks import falsify
from optimize.tasks.main_points import demos_from_gold
from tests.hashing_embedder import HashingEmbedder

pytestmark = pytest.mark.slow

TASK = task_of("main_points")


def taught(task, bundled, every=1):
    return [(each, task.demos(each, bundled, random.Random(each.id))) for each in bundled.split("train")[::every]]


@pytest.fixture(scope="module")
def demos(bundled):
    return taught(TASK, bundled)


@pytest.fixture(scope="module")
def repairs(demos):
    return [(example, made["answer.correct"]) for example, made in demos if "answer.correct" in made]


def sentences_in(evidence):
    return {int(number): text for number, text in re.findall(r"^\((\d+)\) (.*)$", evidence, re.MULTILINE)}


def unspaced(texts):
    return "".join("".join(texts).split())


@pytest.mark.parametrize(
    ("name", "untold"),
    [
        ("main_points", {"labelling.choose"}),
        ("evidence_table", set()),
        ("paper_retriever", set()),
        ("paper_writer", {"gatherer.plan", "writer.write", "writer.checking.correct", "writer.entitle"}),
    ],
)
def test_demos_hold_exactly_the_fields_of_their_predictors(bundled, name, untold):
    without_papers = replace(bundled, documents={})
    predictors = dict(task_of(name).program(without_papers, HashingEmbedder()).named_predictors())
    shown = [made for _, made in taught(task_of(name), bundled, every=1 if name == "main_points" else 3)]
    for step, demo in ((step, demo) for made in shown for step, demo in made.items()):
        signature = predictors[step].signature
        assert list(demo) == [*signature.input_fields, *signature.output_fields]
        if step == "fill":
            assert bool(demo["answer"]) is demo["answerable"] is bool(demo["value"])
            assert all(f"({number}) " in demo["evidence"] for each in demo["answer"] for number in each["evidence"])
    assert sum(map(bool, shown)) > len(shown) / 2
    told = {step for made in shown for step in made}
    assert predictors.keys() - told <= untold | {"answer.find", "answer.conflicts", "in_english.translate"}


def test_a_question_with_a_label_teaches_the_label(bundled, demos):
    example, _ = demos[0]
    paper = bundled.documents[example.document_ids[0]]
    made = demos_from_gold(replace(example, label="yes", choices=("yes", "no")), paper, random.Random(0))
    assert made["labelling.choose"]["label"] == "yes"
    shown = " ".join(made["labelling.choose"]["passages"].split())
    assert all(each in shown for each in sentences_in(made["answer.write"]["evidence"]).values())


def test_points_are_the_gold_quotes_and_stand_in_the_excerpt(demos):
    for example, made in demos:
        demo = made["extract.predict"]
        assert demo["points"] == [each.quote for each in example.evidence]
        assert all(point in demo["paper"] for point in demo["points"])
        assert len(demo["paper"].split()) < 600


def test_the_gold_sentences_are_chosen_among_others_and_answers_rest_on_them(demos):
    for example, made in demos:
        select, write = made["answer.select"], made["answer.write"]
        shown, numbers = sentences_in(select["evidence"]), select["numbers"]
        quotes = [" ".join(each.quote.split()) for each in example.evidence]
        assert bool(numbers) == example.answerable == write["answerable"] == bool(write["answer"])
        assert all(any(shown[at] in quote or quote in shown[at] for quote in quotes) for at in numbers)
        assert len(shown) > len(numbers)
        assert unspaced(each["text"] for each in write["answer"]) == unspaced(example.answer)
        assert all(each["evidence"] and {*each["evidence"]} <= {*numbers} for each in write["answer"])


def test_what_follows_the_first_sentence_is_a_bullet_where_there_are_some(bundled):
    shown = taught(task_of("rag_fusion"), bundled, every=3)
    made = [demo["answer.write"] for _, demo in shown]
    assert {len(each["answer"]) for each in made} == {0, 1}
    assert any(each["bullets"] for each in made)
    for (example, _), demo in zip(shown, made, strict=True):
        assert unspaced(each["text"] for each in (*demo["answer"], *demo["bullets"])) == unspaced(example.answer)


def test_true_sentences_are_worth_more_than_falsified_ones(repairs):
    values = {"true": 0.0, "false": 0.0}
    for example, demo in repairs[::3]:
        shown = list(sentences_in(demo["evidence"]).values())
        for name, text in (("true", demo["corrected"]["text"]), ("false", demo["sentence"])):
            cited = "".join(f"[{at}]" for at in range(1, len(shown) + 1))
            answer = f"{text.rstrip('.')} {cited}."
            values[name] += float(grounded_utility(example, {"answer": answer, "passages": shown}))
    assert values["true"] > 4 * values["false"]


def test_planted_sentences_are_false_and_one_of_the_answer_corrects_them(demos, repairs):
    assert len(repairs) > 30
    for _, made in demos:
        if demo := made.get("answer.correct"):
            assert demo["corrected"] in made["answer.write"]["answer"]
            assert demo["sentence"] != demo["corrected"]["text"]
    verdicts = [check(demo["sentence"], [demo["evidence"]]).verdict for _, demo in repairs]
    assert verdicts.count("supported") == 0


def test_the_check_sees_true_and_false_claims_beside_their_evidence_alone(demos):
    seen = [made for _, made in demos if "answer.check" in made]
    assert {made["answer.check"]["verdict"] for made in seen} == {"all of it", "something else"}
    for made in seen:
        demo = made["answer.check"]
        assert [*sentences_in(demo["evidence"])] == sorted(made["answer.select"]["numbers"])
        true = [each["text"] for each in made["answer.write"]["answer"]]
        false = [made["answer.correct"]["sentence"]] if "answer.correct" in made else []
        assert demo["claim"] in (true if demo["verdict"] == "all of it" else false)


def test_the_same_seed_gives_the_same_demos(bundled):
    example = bundled.split("train")[0]
    assert TASK.demos(example, bundled, random.Random(3)) == TASK.demos(example, bundled, random.Random(3))


@pytest.mark.parametrize("sentence", ["Density fell by 12.4 % [1].", "Es sank um 15,3 % [2].", "It was 7 g in all."])
def test_a_number_is_changed_and_keeps_its_form(sentence):
    wrong = falsify(sentence, random.Random(0))
    assert wrong.text != sentence
    assert wrong.text.count("[") == sentence.count("[")
    assert ("," in wrong.text, "." in wrong.text) == ("," in sentence, "." in sentence)


@pytest.mark.parametrize(
    ("sentence", "shown", "wrong"),
    [
        ("It fell by 12 %.", "It was 6, 18 or 24.", "It rose by 12 %."),
        ("It rose in flight [1].", "", "It fell in flight [1]."),
        ("Nothing of note [1].", "", None),
    ],
)
def test_numbers_of_the_passages_are_not_planted_a_direction_is_turned_and_anything_else_left(sentence, shown, wrong):
    made = falsify(sentence, random.Random(0), shown)
    assert (made and made.text) == wrong
