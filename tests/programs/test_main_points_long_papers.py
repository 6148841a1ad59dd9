"""`main_points` on papers that are longer than the context of the model."""

from itertools import pairwise

import dspy
import pytest
from dspy.utils.exceptions import ContextWindowExceededError

from tests.main_points import DOUBLED, FELL, QUESTION, ask, at_most, program
from tests.papers import paper
from tests.scripted_lm import Script, judging, points, saying

SENTENCES = [f"Sample {number} weighed {number * 7 % 1000} grams." for number in range(60_000)]
LONG = paper("long", "\n\n".join(" ".join(SENTENCES[start : start + 15]) for start in range(0, 60_000, 15)))
READER_OF_LONG = program()  # embeds it once
WANTED = ("Sample 17 weighed 119 grams.", "Sample 30000 weighed 0 grams.", "Sample 59999 weighed 993 grams.")


def wanted_points(call):
    return points(*(each for each in WANTED if each in call.values["paper"]))


@pytest.mark.slow
def test_a_paper_of_300_000_words_is_read_in_overlapping_parts():
    assert len(LONG.text.split()) == 300_001
    script = Script(points=at_most(400_000, wanted_points), answer=saying(WANTED[0]), verdict=judging())
    with dspy.context(lm=script.lm()):
        prediction = READER_OF_LONG(question=QUESTION, paper=LONG)
    assert prediction.points == list(WANTED)
    assert prediction.answer == f"{WANTED[0][:-1]} [1]."
    assert [any(each in passage.text for passage in prediction.passages) for each in WANTED] == [True] * 3
    parts = [call.values["paper"] for call in script.asked("points") if len(call.user) <= 400_000]
    assert len(parts) >= 5
    assert parts[0].startswith(LONG.text[:1000])
    assert parts[-1].endswith(LONG.text[-1000:])
    for part, following in pairwise(parts):
        shared = following[:2000]
        assert shared in part
        assert len(part) - part.index(shared) > 0.15 * len(part)  # a tenth of both together


def test_a_point_that_two_parts_hold_is_one_point():
    document = paper("two", "\n\n".join([FELL, *SENTENCES[:200], DOUBLED]))
    script = Script(points=at_most(6_000, points(DOUBLED, FELL)), answer=saying())
    prediction = ask(script, document=document)
    assert len(script.calls) == 1 + 2 + 1
    assert prediction.points == [DOUBLED, FELL]


def test_points_that_bring_more_than_the_model_can_read_are_chosen_from_again():
    chosen = (SENTENCES[0], SENTENCES[900])

    def some_points(call):
        listed = [each for each in SENTENCES[:900:15] if each in call.values["paper"]]
        return points(*(chosen if call.values["paper"].count("\n") > 50 and len(call.user) < 9_000 else listed))

    document = paper("long", "\n\n".join(" ".join(SENTENCES[start : start + 15]) for start in range(0, 1200, 15)))
    script = Script(
        points=at_most(60_000, some_points),
        answer=at_most(2_000, saying(SENTENCES[0])),
    )
    prediction = ask(script, document=document, window_size=1)
    assert script.steps == ["points", "answer", "points", "answer"]
    assert prediction.points == list(chosen)
    assert len(prediction.passages) == 2
    assert prediction.answer == f"{SENTENCES[0].rstrip('.')} [1]."


def test_points_that_cannot_be_fewer_are_an_error_and_no_endless_loop():
    script = Script(points=points(FELL), answer=ContextWindowExceededError(message="too long"))
    with pytest.raises(ContextWindowExceededError, match="too long"):
        ask(script)
    assert script.steps == ["points", "answer", "points"]


def test_a_context_too_small_for_a_page_is_an_error():
    script = Script(points=ContextWindowExceededError(message="too long"))
    with pytest.raises(ContextWindowExceededError, match="too long"):
        ask(script, document=LONG)
    assert len(script.calls) < 20
