"""Servers of OpenAI's interface that the user names, over real HTTP."""

import json

import dspy
import pytest

from programs import errors
from programs.lm import LM, translated
from programs.lm.adapters import adapter_for
from tests.loopback import LoopbackOpenAI


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
