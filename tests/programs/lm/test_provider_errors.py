import pytest
from dspy.utils import exceptions as dspy_errors

from programs import errors
from programs.lm import translated
from programs.lm.ollama_errors import TooLong


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


@pytest.mark.parametrize("error", [dspy_errors.LMServerError, dspy_errors.LMInvalidRequestError])
def test_of_a_server_of_ones_own_the_address_is_to_be_checked(error):
    said = str(raised(error("404 page not found"), "openai/x?api_base=http://127.0.0.1:8000"))
    assert "did not answer at http://127.0.0.1:8000; check that a server runs there" in said
    assert "ends in /v1" in said


@pytest.mark.parametrize("error", [TooLong("too long"), errors.UsageError("wrong"), KeyError("x")])
def test_other_errors_pass_unchanged(error):
    assert raised(error) is error
