"""Models by name, their options, and what DSPy raises for those that it reaches by itself."""

import dspy
import pytest
from dspy.utils import exceptions as dspy_errors

from programs import errors
from programs.config import settings
from programs.errors import UsageError
from programs.lm import LM, split_options, translated, with_options
from programs.lm.ollama_errors import TooLong
from tests.loopback_ollama import LoopbackOllama


@pytest.fixture
def memory_cache():
    """DSPy's cache, empty, and not on disk; ours, which closes its databases, is put back."""
    LM("ollama/any")  # the first model with a cache sets ours
    ours = dspy.cache
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
    yield
    dspy.cache = ours


def test_ollama_models_get_our_engine_with_its_defaults():
    lm = LM("ollama/hf.co/someone/model:Q4_K_M")
    assert lm.model == "ollama/hf.co/someone/model:Q4_K_M"
    assert lm.kwargs["temperature"] == 0
    assert lm.engine.num_predict == lm.kwargs["max_tokens"] == 4000
    assert lm.engine.host == settings().ollama_host
    assert lm.cache
    assert lm.supports_response_schema
    assert "response_format" in lm.supported_params


def test_options_reach_engine_and_lm():
    lm = LM("ollama/x", host="gpu-box", num_predict=50, keep_alive="5m", timeout=9, think="low", seed=3, cache=False)
    expected = {"host": "http://gpu-box:11434", "num_predict": 50, "keep_alive": "5m", "timeout": 9, "think": "low"}
    assert lm.engine.dump_state() == expected
    assert lm._async_engine_spec.dump_state() == expected
    assert lm.kwargs["seed"] == 3
    assert not lm.cache
    assert LM("ollama/x", max_tokens=70).engine.num_predict == 70


@pytest.mark.parametrize("name", ["", "  ", "/", "ollama", "ollama/", "openai/", "/gpt-oss"])
def test_a_name_without_a_model_is_refused(name):
    with pytest.raises(UsageError, match="names no model; give one such as 'ollama/gpt-oss'"):
        LM(name)


def test_dspys_own_route_to_ollama_is_refused():
    with pytest.raises(UsageError, match="use 'ollama/gpt-oss'"):
        LM("ollama_chat/gpt-oss")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temprature": 1}, "no option temprature; there are .*temperature"),
        ({"num_ctx": 9}, "no option num_ctx; the window .num_ctx. is chosen for every prompt; there are"),
        ({"host": "ftp://x"}, "host='ftp://x' is not a server address"),
        ({"timeout": 0}, "timeout='0' is not a valid duration"),
        ({"num_predict": 0}, "num_predict='0' is not a valid number of tokens"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(UsageError, match=message):
        LM("ollama/x", **options)


def test_other_names_go_to_dspy():
    lm = LM("openai/gpt-4o-mini", api_key="none", temperature=0.5)
    assert isinstance(lm, dspy.LM)
    assert (lm.model, lm.engine, lm.kwargs["temperature"]) == ("openai/gpt-4o-mini", "auto", 0.5)


def test_two_servers_do_not_share_cached_answers(memory_cache):
    with LoopbackOllama(["from one"]) as one, LoopbackOllama(["from two"]) as two:
        assert LM("ollama/tiny", host=one.url)("hello") == ["from one"]
        assert LM("ollama/tiny", host=two.url)("hello") == ["from two"]
        assert LM("ollama/tiny", host=one.url)("hello") == ["from one"]
        assert (len(one.chats), len(two.chats)) == (1, 1)


def test_thinking_is_part_of_what_the_cache_knows(memory_cache):
    with LoopbackOllama(["first", "second"]) as server:
        assert LM("ollama/tiny", host=server.url)("hello") == ["first"]
        assert LM("ollama/tiny", host=server.url, think=True)("hello") == ["second"]


def test_options_stand_behind_a_name_and_come_back_as_values():
    name = with_options("ollama/qwen3:8b", ["num_predict=8000", "think=false", "keep_alive=10m", "num_predict=900"])
    assert name == "ollama/qwen3:8b?num_predict=900&think=false&keep_alive=10m"
    assert split_options(name) == ("ollama/qwen3:8b", {"num_predict": 900, "think": False, "keep_alive": "10m"})
    assert with_options(name, None) == name
    assert with_options("openai/x", ["api_base=http://127.0.0.1:8000/v1"]) == (
        "openai/x?api_base=http://127.0.0.1:8000/v1"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["num_predict"], "write NAME=VALUE"),
        (["=3"], "write NAME=VALUE"),
        (["api_key=secret"], "is a secret"),
        (["engine=mine"], "in Python"),
    ],
)
def test_other_options_are_refused(options, message):
    with pytest.raises(UsageError, match=message):
        with_options("ollama/x", options)


def test_an_option_of_no_model_is_refused():
    with pytest.raises(UsageError, match="name the model too, with --judge-lm"):
        with_options("", ["think=low"], "--judge-lm-option")


@pytest.mark.parametrize("name", ["ollama/x?window=3", "extractive?think=low"])
def test_what_a_model_does_not_know_is_refused(name):
    with pytest.raises(UsageError, match="no option"):
        LM(name)


def raised(error, name="openai/x"):
    with pytest.raises((errors.CorroborateError, KeyError)) as caught, translated(name):
        raise error
    return caught.value


@pytest.mark.parametrize(
    "error", [dspy_errors.LMAuthError, dspy_errors.LMConfigurationError, dspy_errors.LMUnsupportedModelError]
)
def test_a_wrong_name_or_key_is_wrong_use(error):
    found = raised(error("no\n  such key"))
    assert isinstance(found, errors.UsageError)
    assert str(found).startswith("the model openai/x cannot be asked; check its name and its key")
    assert str(found).endswith("It was said: no such key")


def test_what_may_pass_is_a_failure():
    found = raised(dspy_errors.LMServerError("overloaded" * 100))
    assert isinstance(found, errors.LMError)
    assert not isinstance(found, errors.UsageError)
    assert len(str(found)) < 500


def test_a_name_without_a_provider_is_told_how_to_be_written():
    said = str(raised(dspy_errors.LMInvalidRequestError("LLM Provider NOT provided"), "qwen3:8b"))
    assert said.startswith("'qwen3:8b' names no provider that is known; write ollama/qwen3:8b")


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (dspy_errors.LMServerError, "did not answer at http://127.0.0.1:8000; check that a server runs there"),
        (dspy_errors.LMInvalidRequestError, "http://127.0.0.1:8000 refused the request; check that the address is"),
    ],
)
def test_of_a_server_of_ones_own_the_address_is_to_be_checked(error, what):
    said = str(raised(error("404 page not found"), "openai/x?api_base=http://127.0.0.1:8000"))
    assert what in said
    assert "ends in /v1" in said


@pytest.mark.parametrize("error", [TooLong("too long"), errors.UsageError("wrong"), KeyError("x")])
def test_other_errors_pass_unchanged(error):
    assert raised(error) is error
