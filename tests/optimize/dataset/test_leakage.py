import dspy
import pytest

from optimize.dataset.example import Evidence, Example
from optimize.dataset.near_duplicates import leaked
from programs.registry import create

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
