import random

import dspy
import pytest

from metrics.words import words
from optimize.dataset.example import Evidence, Example
from optimize.dataset.near_duplicates import leaked, near_duplicates, same_papers
from programs.registry import create


def jaccard(one, other):
    first, second = set(words(one)), set(words(other))
    return len(first & second) / len(first | second)


def test_the_short_way_finds_what_comparing_all_pairs_finds():
    rng = random.Random(1)
    texts = [
        (
            rng.choice("ab"),
            " ".join(rng.choices(["bone", "root", "cell", "mass", "heart", "skin"], k=rng.randint(1, 7))),
        )
        for _ in range(120)
    ]
    expected = [
        (first, second)
        for first in range(len(texts))
        for second in range(first + 1, len(texts))
        if texts[first][0] != texts[second][0] and jaccard(texts[first][1], texts[second][1]) >= 0.7
    ]
    assert expected
    assert list(near_duplicates(texts, 0.7)) == expected


def test_the_same_split_may_ask_twice():
    assert list(near_duplicates([("train", "How much bone?"), ("train", "How much bone?")])) == []


def invented(seed, length=400):
    rng = random.Random(seed)
    return " ".join(
        rng.choices(["bone", "root", "cell", "mass", "heart", "skin", "in", "the", "rose", "fell"], k=length)
    )


def test_versions_of_a_paper_are_found_and_others_are_not():
    first, other = invented(1), invented(2)
    version = first[:1200] + " a new middle " + first[1300:] + " Acknowledgements: we thank the crew."
    papers = {"first": first, "other": other, "version": version, "abstract": first[:300], "empty": ""}
    assert set(same_papers(papers)) == {("first", "version"), ("first", "abstract"), ("version", "abstract")}


def test_a_licence_that_many_papers_share_does_not_make_them_one():
    licence = invented(0, 60)
    assert list(same_papers({str(number): f"{licence} {invented(number + 1, 40)}" for number in range(30)})) == []


QUOTE = "Bone volume fell by 18.0\u00a0% in eleven flown mice."
SEEN = Example(
    "t1",
    "How much bone volume did the eleven flown mice lose in orbit?",
    ("P1",),
    answer="They lost 18 percent of it, and no more than that.",
    answers=("Eighteen percent of their bone volume was gone.",),
    nuggets=("bone volume was lower by 18 percent in mice",),
    evidence=(Evidence("P1", QUOTE),),
)


@pytest.fixture
def program():
    return create("main_points")


def planted(program, **demo):
    _, predictor = next(iter(program.named_predictors()))
    predictor.demos = [dspy.Example(**demo)]
    return list(leaked(program, [SEEN]))


@pytest.mark.parametrize("text", [SEEN.question, SEEN.answer, SEEN.answers[0], SEEN.nuggets[0], QUOTE])
@pytest.mark.parametrize("wrap", [str, lambda text: [f"[1] {text}"], lambda text: {"passages": (text.upper(),)}])
def test_gold_text_in_a_demo_is_found_however_it_is_kept(program, text, wrap):
    assert planted(program, context=wrap(text)) == [f"t1: {text[:80]!r}"]


def test_gold_text_in_what_an_optimizer_wrote_is_found(program):
    _, predictor = next(iter(program.named_predictors()))
    name = next(iter(predictor.signature.output_fields))
    predictor.signature = predictor.signature.with_updated_fields(name, desc=f"Such as: {SEEN.answer}")
    assert list(leaked(program, [SEEN])) == [f"t1: {SEEN.answer!r}"]


def test_other_text_and_a_few_words_are_no_leak(program):
    assert planted(program, context="Bone volume fell by 12.0 % in eleven flown mice.", answer="18 percent") == []
