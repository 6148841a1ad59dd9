import asyncio

import dspy
import pytest

from programs.lm import LM
from programs.lm.extractive import AsyncExtractiveEngine, ExtractiveEngine
from programs.lm.extractive.prompt import UnknownTask
from signatures.main_points import AnswerFromPassages

INPUTS = {
    "passages": "[1] (results) Low pH shortened the lifespan of yeast.\n[2] Buffer restored it.",
    "question": "Does low pH shorten yeast lifespan?",
}
ANSWER = "“Low pH shortened the lifespan of yeast” [1]."


@pytest.fixture(params=["chat", "json"])
def adapter(request):
    return {"chat": dspy.ChatAdapter(use_json_adapter_fallback=False), "json": dspy.JSONAdapter()}[request.param]


def test_the_same_prompt_has_the_same_answer_whatever_the_sampling(adapter):
    answers = set()
    for options in ({}, {"temperature": 1.0, "rollout_id": 3}, {"temperature": 0.7, "max_tokens": 100}):
        with dspy.context(lm=LM("extractive", cache=False, **options), adapter=adapter):
            answers.add(dspy.Predict(AnswerFromPassages)(**INPUTS).answer)
    assert answers == {ANSWER}


def test_it_reports_its_own_name_and_words_as_tokens(adapter):
    lm = LM("extractive", cache=False)
    with dspy.context(lm=lm, adapter=adapter, track_usage=True):
        usage = dspy.Predict(AnswerFromPassages)(**INPUTS).get_lm_usage()
    assert lm.model == "extractive/1"
    assert list(usage) == ["extractive/1"]
    assert usage["extractive/1"]["prompt_tokens"] > 100
    assert usage["extractive/1"]["completion_tokens"] >= len(ANSWER.split())


def test_async_calls_give_the_same(adapter):
    async def answer():
        with dspy.context(lm=LM("extractive", cache=False), adapter=adapter):
            return (await dspy.Predict(AnswerFromPassages).acall(**INPUTS)).answer

    assert asyncio.run(answer()) == ANSWER


def test_a_stream_adds_up_to_the_answer(adapter):
    async def stream():
        listeners = [dspy.streaming.StreamListener(signature_field_name="answer")]
        program = dspy.streamify(dspy.Predict(AnswerFromPassages), stream_listeners=listeners)
        with dspy.context(lm=LM("extractive", cache=False), adapter=adapter):
            return [piece async for piece in program(**INPUTS)]

    *pieces, prediction = asyncio.run(stream())
    assert prediction.answer == ANSWER
    assert len(pieces) > 3
    # DSPy streams a JSON answer as its raw JSON, quotes included.
    assert "".join(piece.chunk for piece in pieces).strip().strip('"') == ANSWER


def test_a_program_with_this_lm_is_saved_and_loaded(tmp_path, adapter):
    program = dspy.Predict(AnswerFromPassages)
    program.set_lm(LM("extractive", cache=False))
    program.save(tmp_path / "program.json")
    loaded = dspy.Predict(AnswerFromPassages)
    loaded.load(tmp_path / "program.json", allow_unsafe_lm_state=True)
    assert isinstance(loaded.lm.engine, ExtractiveEngine)
    with dspy.context(adapter=adapter):
        assert loaded(**INPUTS).answer == ANSWER


def test_engines_have_no_state():
    assert ExtractiveEngine.load_state(ExtractiveEngine().dump_state()) == ExtractiveEngine()
    assert AsyncExtractiveEngine.load_state({}) == AsyncExtractiveEngine()


def test_a_refused_task_is_not_tried_again(adapter):
    lm = LM("extractive", cache=False)
    with dspy.context(lm=lm, adapter=adapter), pytest.raises(UnknownTask, match="'poem'"):
        dspy.Predict("text -> poem")(text="T.")
    assert len(lm.history) <= 1
