"""Servers of OpenAI's interface that the user names, over real HTTP."""

import asyncio
import json

import dspy
import pytest

from programs import errors
from programs.lm import LM, translated
from programs.lm.adapters import adapter_for
from programs.lm.checked_lm import OBJECT, SCHEMA, TEXT
from tests.loopback import LoopbackOpenAI


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    """No form of a server that had the same port before."""
    monkeypatch.setattr("programs.lm.checked_lm._TAKEN", {})


def lm_of(server, **options):
    given = {"api_base": f"{server.url}/v1", "cache": False, "num_retries": 0, **options}
    return LM("openai/mine", **given)


def test_a_server_at_an_address_of_its_own_is_sent_a_schema():
    with LoopbackOpenAI(json.dumps({"points": ["a"], "sure": True})) as server:
        lm = lm_of(server)
        with dspy.context(lm=lm, adapter=adapter_for(lm)):
            found = dspy.Predict("text -> points: list[str], sure: bool")(text="t")
        ((_, body),) = server.requests
    assert (found.points, found.sure) == (["a"], True)
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["points"]["items"] == {"type": "string"}


def test_a_providers_key_is_not_sent_to_another_server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai")
    with LoopbackOpenAI() as server:
        lm_of(server)("hello")
    assert server.keys == ["Bearer none"]


def test_a_server_without_schemas_can_be_named_so():
    with LoopbackOpenAI("[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]") as server:
        lm = lm_of(server, schema=False)
        with dspy.context(lm=lm, adapter=adapter_for(lm)):
            assert dspy.Predict("question -> answer")(question="q").answer == "yes"
        assert "response_format" not in server.requests[0][1]


def test_a_prompt_that_was_cut_is_an_error_with_the_figures():
    with LoopbackOpenAI(window=50) as server, translated("openai/mine"):
        lm = lm_of(server)
        assert lm("word " * 50) == ["ok"]
        with pytest.raises(errors.ContextExceeded, match=r"read 50 tokens of a prompt of 60 words.*larger context"):
            lm("word " * 60)
        with pytest.raises(errors.ContextExceeded):
            lm(dspy.lm15.Request("openai/mine", (dspy.lm15.Message.user("word " * 30),), system="word " * 30))


def test_usage_still_reaches_who_tracks_it():
    with LoopbackOpenAI() as server, dspy.track_usage() as tracker:
        lm_of(server)("three words here")
    assert tracker.get_total_tokens()["openai/mine"]["prompt_tokens"] == 3


def test_an_ollama_at_that_address_is_named():
    with LoopbackOpenAI(root="Ollama is running") as server:
        with pytest.raises(errors.UsageError, match=rf"use ollama/mine with --lm-option host={server.url}"):
            lm_of(server)("hello")
        assert server.requests == []


SAID = json.dumps({"answer": "yes"})
JSON_MODE = "json_object"
REFUSALS = (
    (400, "This response_format type is unavailable now"),
    (422, "body.response_format.type: unexpected value; permitted: 'text', 'json_object'"),
    (400, "Invalid grammar: unsupported keyword maxItems"),
    (400, "请求无效"),
    (501, "structured outputs are not built into this server"),
)
"""As DeepSeek's API, llama-cpp-python, vLLM and others word them."""


def asked(lm):
    with dspy.context(lm=lm, adapter=adapter_for(lm)):
        return dspy.Predict("question -> answer")(question="q").answer


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize(
    ("formats", "form", "first", "then"),
    [
        ((JSON_MODE,), OBJECT, ["json_schema", JSON_MODE], [JSON_MODE]),
        ((), TEXT, ["json_schema", JSON_MODE, None], [None]),
    ],
)
def test_a_server_without_schemas_is_asked_for_less_which_is_remembered(refusal, formats, form, first, then):
    with LoopbackOpenAI(SAID, formats=formats, refusal=refusal) as server:
        assert lm_of(server).form == SCHEMA
        assert asked(lm_of(server)) == "yes"
        assert server.asked_formats == first
        assert lm_of(server).form == form
        assert asked(lm_of(server)) == "yes"
        assert server.asked_formats == [*first, *then]
        contents = {json.dumps(body["messages"]) for _, body in server.requests}
    assert len(contents) == 1


def test_what_a_server_takes_is_of_that_address_and_model():
    with LoopbackOpenAI(SAID, formats=()) as other, LoopbackOpenAI(SAID) as server:
        assert asked(lm_of(other)) == asked(lm_of(server)) == "yes"
        assert LM("openai/another", api_base=f"{other.url}/v1").form == SCHEMA
        assert server.asked_formats == ["json_schema"]


def test_an_awaited_call_is_asked_for_less_too():
    with LoopbackOpenAI(SAID, formats=(JSON_MODE,)) as server:
        lm = lm_of(server)
        with dspy.context(lm=lm, adapter=adapter_for(lm)):
            assert asyncio.run(dspy.Predict("question -> answer").acall(question="q")).answer == "yes"
        assert server.asked_formats == ["json_schema", JSON_MODE]


def test_a_server_that_refuses_everything_takes_no_form_of_it():
    with LoopbackOpenAI(SAID, faults=[400] * 3) as server:
        lm = lm_of(server)
        with (
            pytest.raises(errors.LMError, match=rf"{server.url}/v1 refused the request; check"),
            translated(named(server)),
        ):
            asked(lm)
        assert server.asked_formats == ["json_schema", JSON_MODE, None]
        assert lm.form == SCHEMA


@pytest.mark.parametrize("status", [401, 429, 500])
def test_other_errors_are_not_of_the_form(status):
    with LoopbackOpenAI(SAID, faults=[status]) as server:
        with pytest.raises(errors.CorroborateError, match="not now"), translated(named(server)):
            asked(lm_of(server))
        assert server.asked_formats == ["json_schema"]


def named(server):
    return f"openai/mine?api_base={server.url}/v1"


def test_an_absent_server_is_told_with_its_address():
    with LoopbackOpenAI() as server:
        lm = lm_of(server)
    absent = rf"did not answer at {server.url}/v1; check that a server runs there"
    with pytest.raises(errors.LMError, match=absent), translated(named(server)):
        asked(lm)


def test_a_server_that_ends_in_the_middle_of_an_answer_is_told_and_nothing_is_kept():
    with LoopbackOpenAI(SAID, cut=1) as server:
        lm = lm_of(server, cache=True)
        with pytest.raises(errors.LMError, match="ended before its answer did"), translated(named(server)):
            asked(lm)
        assert asked(lm) == "yes"
        assert asked(lm) == "yes"
    assert len(server.requests) == 2


def test_servers_of_one_model_name_do_not_share_answers():
    with LoopbackOpenAI('{"answer": "of one"}') as one, LoopbackOpenAI('{"answer": "of another"}') as another:
        answers = [asked(lm_of(each, cache=True)) for each in (one, another, one, another)]
    assert answers == ["of one", "of another"] * 2
    assert [len(each.requests) for each in (one, another)] == [1, 1]
