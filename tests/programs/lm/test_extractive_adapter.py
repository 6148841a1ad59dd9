"""The seam: values of our signatures are answered without a call, others are refused with what to do."""

import asyncio
import copy

import dspy
import pytest

import programs
from programs.errors import LMError, UsageError
from programs.lm import LM
from programs.lm.extractive import NoModel
from programs.lm.extractive.tasks import UnknownTask
from programs.main_points import MainPoints
from signatures.evidence import WriteAnswer, WrittenSentence
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_lm import Script, saying

INPUTS = {
    "evidence": "Yeast in acid (2010)\n[results]\n(1) Low pH shortened the lifespan of yeast.\n(2) Buffer restored it.",
    "question": "Does low pH shorten yeast lifespan?",
}
ANSWER = [WrittenSentence(text="“Low pH shortened the lifespan of yeast”.", evidence=(1,))]
DEMO = dspy.Example(**INPUTS, answerable=True, answer=[{"text": "It does.", "evidence": [1]}])


def demonstrated():
    predictor = dspy.Predict(WriteAnswer)
    predictor.demos = [DEMO]
    return predictor


def reworded():
    return dspy.Predict(WriteAnswer.with_instructions("Answer as a physicist would."))


VARIANTS = {
    "plain": lambda: dspy.Predict(WriteAnswer),
    "thinking first": lambda: dspy.ChainOfThought(WriteAnswer),
    "with demos": demonstrated,
    "with other instructions": reworded,
    "copied": lambda: copy.deepcopy(reworded()),
    "reset": lambda: demonstrated().reset_copy(),
}


@pytest.fixture
def lm():
    made = LM("extractive")
    with dspy.context(lm=made, adapter=programs.adapter_for(made)):
        yield made


@pytest.mark.parametrize("made", VARIANTS.values(), ids=VARIANTS)
def test_a_signature_is_known_by_its_fields(lm, made):
    assert made()(**INPUTS).answer == ANSWER


def test_neither_calls_nor_tokens_are_counted(lm):
    with dspy.context(track_usage=True):
        assert dspy.Predict(WriteAnswer)(**INPUTS).get_lm_usage() == {}
    assert lm.history == []
    with dspy.context(lm=lm):
        metrics = MainPoints(HashingEmbedder())(INPUTS["question"], "Low pH shortened the lifespan of yeast.").metrics
    assert (metrics["lm_calls"], metrics["tokens"]["total"]) == (0, 0)


def test_runs_are_recorded_for_optimizers(lm):
    with dspy.context(trace=[]):
        predictor = dspy.Predict(WriteAnswer)
        predictor(**INPUTS)
        ((who, inputs, outputs),) = dspy.settings.trace
    assert (who, inputs, outputs.answer) == (predictor, INPUTS, ANSWER)


def test_async_calls_give_the_same(lm):
    assert asyncio.run(dspy.Predict(WriteAnswer).acall(**INPUTS)).answer == ANSWER


def test_a_program_with_this_lm_is_saved_and_loaded(lm, tmp_path):
    program, loaded = dspy.Predict(WriteAnswer), dspy.Predict(WriteAnswer)
    program.set_lm(LM("extractive"))
    program.save(tmp_path / "program.json")
    loaded.load(tmp_path / "program.json", allow_unsafe_lm_state=True)
    assert isinstance(loaded.lm.engine, NoModel)
    assert loaded(**INPUTS).answer == ANSWER


@pytest.mark.parametrize("signature", ["text -> poem", "evidence, question -> answerable: bool, answer: int"])
def test_a_signature_that_is_not_ours_is_refused(lm, signature):
    with pytest.raises(UnknownTask, match=r"extractive cannot answer .* name a model such as ollama/gpt-oss") as caught:
        dspy.Predict(signature)(text="T.", **INPUTS)
    assert isinstance(caught.value, LMError)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_prompt_is_refused_with_what_to_do(asynchronous):
    ask = dspy.Predict(WriteAnswer)
    with dspy.context(lm=LM("extractive")), pytest.raises(UsageError, match=r"adapter=programs.adapter_for\(lm\)"):
        asyncio.run(ask.acall(**INPUTS)) if asynchronous else ask(**INPUTS)


def test_a_step_with_another_model_is_asked_of_that(lm):
    script = Script(answer=saying("It does."))
    step = dspy.Predict(WriteAnswer)
    step.set_lm(script.lm())
    assert [each.text for each in step(**INPUTS).answer] == ["It does."]
    with dspy.context(lm=script.lm(), adapter=programs.adapter_for(script.lm())):
        step.set_lm(lm)
        assert step(**INPUTS).answer == ANSWER
