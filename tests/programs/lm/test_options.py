import pytest

from programs.errors import UsageError
from programs.lm import LM, split_options, with_options


def test_options_stand_behind_a_name_and_come_back_as_values():
    name = with_options("ollama/qwen3:8b", ["num_predict=8000", "think=false", "keep_alive=10m", "num_predict=900"])
    assert name == "ollama/qwen3:8b?num_predict=900&think=false&keep_alive=10m"
    assert split_options(name) == ("ollama/qwen3:8b", {"num_predict": 900, "think": False, "keep_alive": "10m"})
    assert with_options(name, None) == name
    assert with_options("openai/x", ["api_base=http://127.0.0.1:8000/v1"]) == (
        "openai/x?api_base=http://127.0.0.1:8000/v1"
    )


def test_a_named_option_reaches_the_engine():
    lm = LM("ollama/x?num_predict=900&think=low&temperature=0.5")
    assert (lm.model, lm.engine.num_predict, lm.engine.think, lm.kwargs["temperature"]) == ("ollama/x", 900, "low", 0.5)


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
