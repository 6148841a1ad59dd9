import pytest
from dspy.utils import exceptions as dspy_errors

from programs import errors
from programs.lm.ollama_errors import TooLong
from programs.lm.provider_errors import translated


def raised(error):
    with pytest.raises((errors.CorroborateError, KeyError)) as caught, translated("openai/x"):
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


@pytest.mark.parametrize("error", [TooLong("too long"), errors.UsageError("wrong"), KeyError("x")])
def test_other_errors_pass_unchanged(error):
    assert raised(error) is error
