"""Choosing one of a fixed set of labels."""

import dspy
import pytest

from programs.errors import MalformedOutput, UsageError
from programs.lm import LM
from programs.main_points import Labelling, MainPoints
from programs.passages import Passage
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_lm import Script

PASSAGES = [Passage("P::1", "P", "results", "", "Body mass did not differ significantly between the groups.", 0, 58)]
CHOICES = ("increased", "decreased", "no difference")


def test_the_extractive_lm_reads_the_label_off_the_passages():
    with dspy.context(lm=LM("extractive")):
        label = Labelling()(PASSAGES, "What is the effect of flight on body mass?", CHOICES)
    assert label == "no difference"


def test_a_label_outside_the_set_is_asked_for_again():
    script = Script(label=[{"label": "it depends"}, {"label": "decreased"}])
    with dspy.context(lm=script.lm(), adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        assert Labelling()(PASSAGES, "q", CHOICES, num_tries=2) == "decreased"


def test_a_model_that_never_names_a_label_is_an_error():
    script = Script(label={"label": "it depends"})
    with dspy.context(lm=script.lm()), pytest.raises(MalformedOutput, match="label"):
        Labelling()(PASSAGES, "q", CHOICES)


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
