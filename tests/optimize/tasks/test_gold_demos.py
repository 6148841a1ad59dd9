import random
from dataclasses import replace

import pytest

from metrics.grounded_utility import grounded_utility
from metrics.grounding import citation_coverage, citation_validity
from metrics.support import check
from optimize.job import task_of
from optimize.tasks import falsify
from optimize.tasks.main_points import demos_from_gold
from programs.errors import UsageError
from programs.lm.extractive.sources import passages
from programs.proof.quote_alignment import place
from programs.registry import create
from tests.hashing_embedder import HashingEmbedder

pytestmark = pytest.mark.slow

TASK = task_of("main_points")


@pytest.fixture(scope="module")
def demos(bundled):
    train = bundled.split("train")
    return [(each, TASK.demos(each, bundled, random.Random(each.id))) for each in train]


def test_demos_hold_exactly_the_fields_of_their_predictors(demos):
    predictors = dict(create("main_points", embedder=HashingEmbedder()).named_predictors())
    for _, made in demos:
        for name, demo in made.items():
            signature = predictors[name].signature
            assert list(demo) == [*signature.input_fields, *signature.output_fields]
    assert {name for _, made in demos for name in made} == predictors.keys() - {"labelling.choose"}


def test_a_question_with_a_label_teaches_the_label(bundled, demos):
    example, _ = demos[0]
    paper = bundled.documents[example.document_ids[0]]
    made = demos_from_gold(replace(example, label="yes", choices=("yes", "no")), paper, random.Random(0))
    assert made["labelling.choose"]["label"] == "yes"
    assert made["labelling.choose"]["passages"] == made["answer.predict"]["passages"]


def test_points_are_the_gold_quotes_and_stand_in_the_excerpt(demos):
    for example, made in demos:
        demo = made["extract.predict"]
        assert demo["points"] == [each.quote for each in example.evidence]
        assert all(point in demo["paper"] for point in demo["points"])
        assert len(demo["paper"].split()) < 600


def test_answers_are_decided_and_cite_given_passages(demos):
    for example, made in demos:
        demo = made["answer.predict"]
        shown = [each.text for each in passages(demo["passages"])]
        predicted = {"answer": demo["answer"], "answerable": demo["answerable"], "passages": shown}
        assert len(shown) >= 2
        assert demo["answerable"] == example.answerable == bool(demo["answer"])
        if example.answerable:
            assert citation_coverage(example, predicted).value == citation_validity(example, predicted).value == 1


def test_true_answers_are_worth_more_than_falsified_ones(demos):
    fixes = [(example, made["verification.fix"]) for example, made in demos if "verification.fix" in made]
    values = {"fixed_answer": 0.0, "answer": 0.0}
    for example, demo in fixes:
        shown = [each.text for each in passages(demo["passages"])]
        for field in values:
            values[field] += float(grounded_utility(example, {"answer": demo[field], "passages": shown}))
    assert values["fixed_answer"] > 4 * values["answer"]


def test_planted_claims_are_false_and_stand_in_the_answer(demos):
    planted = [made["verification.fix"] for _, made in demos if "verification.fix" in made]
    assert len(planted) > 30
    for demo in planted:
        (claim,) = demo["unsupported_claims"]
        assert claim["claim"] in demo["answer"]
        assert demo["answer"] != demo["fixed_answer"]
    verdicts = [check(demo["unsupported_claims"][0]["claim"], [demo["passages"]]).verdict for demo in planted]
    assert verdicts.count("supported") == 0


def test_verification_sees_true_and_false_answers(demos):
    shown = [made["verification.prove"] for _, made in demos if "verification.prove" in made]
    verdicts = [[each["verdict"] for each in demo["proofs"]] for demo in shown]
    assert {"not proved" in found for found in verdicts} == {True, False}
    for demo in shown:
        given = {each.label: each.text for each in passages(demo["passages"])}
        quotes = [quote for each in demo["proofs"] for quote in each["quotes"]]
        assert all(place(quote["quote"], given[quote["passage"]]).spans for quote in quotes)
        assert all(bool(each["quotes"]) == (each["verdict"] == "proved") for each in demo["proofs"])


def test_the_same_seed_gives_the_same_demos(bundled):
    example = bundled.split("train")[0]
    assert TASK.demos(example, bundled, random.Random(3)) == TASK.demos(example, bundled, random.Random(3))


@pytest.mark.parametrize("sentence", ["Density fell by 12.4 % [1].", "Es sank um 15,3 % [2].", "It was 7 g in all."])
def test_a_number_is_changed_and_keeps_its_form(sentence):
    wrong = falsify(sentence, random.Random(0))
    assert wrong.text != sentence
    assert wrong.text.count("[") == sentence.count("[")
    assert ("," in wrong.text, "." in wrong.text) == ("," in sentence, "." in sentence)


def test_a_number_that_the_passages_hold_is_not_planted():
    shown = "It was 6, 18 or 24."
    assert falsify("It fell by 12 %.", random.Random(0), shown).text == "It rose by 12 %."


def test_a_direction_is_turned_around_and_anything_else_is_left():
    assert falsify("It rose in flight [1].", random.Random(0)).text == "It fell in flight [1]."
    assert falsify("Nothing of note [1].", random.Random(0)) is None


def test_an_unknown_task_says_what_there_is():
    with pytest.raises(UsageError, match="there are main_points"):
        task_of("poetry")
