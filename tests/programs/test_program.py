"""What all programs share, on the smallest program there is."""

import copy
from dataclasses import dataclass

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError

from programs.errors import MalformedOutput, UsageError
from programs.program import RETRY_TEMPERATURE, Program, attempt
from tests.scripted_lm import Script

COMPLETE = {"reply": "Good morning."}
NO_FIELD = "Good morning, said without any field."


@dataclass(frozen=True)
class Parameters:
    tries: int = 2
    loud: bool = False

    def __post_init__(self):
        if self.tries < 1:
            raise UsageError(f"tries must be at least 1, got {self.tries}")


class Greeter(Program[Parameters]):
    name = "greeter"

    def __init__(self):
        super().__init__(Parameters())
        self.greet = dspy.Predict("name -> reply")

    def run(self, name):
        return dspy.Prediction(reply=attempt(self.greet, self.settings.tries, name=name).reply, metrics={"own": 1})


def greeted(script, greeter=None):
    with dspy.context(lm=script.lm()):
        return (greeter or Greeter())(name="Ada")


def test_a_step_is_asked_once_when_its_output_parses():
    script = Script(reply=COMPLETE)
    assert greeted(script).reply == "Good morning."
    assert len(script.calls) == 1


def test_a_step_is_asked_again_a_little_warmer():
    script = Script(reply=[NO_FIELD, COMPLETE])
    assert greeted(script).reply == "Good morning."
    assert [call.temperature for call in script.calls] == [None, RETRY_TEMPERATURE]


def test_output_that_never_parses_is_an_error_that_quotes_it():
    script = Script(reply=NO_FIELD)
    with pytest.raises(
        MalformedOutput, match=r"fields reply in 2 tries; use a model .* in code\. It wrote: .Good morning, said"
    ) as caught:
        greeted(script)
    assert isinstance(caught.value.__cause__, AdapterParseError)
    assert len(script.calls) == 2


def test_a_parse_error_brings_no_call_beyond_the_tries():
    script = Script(reply=NO_FIELD)
    with dspy.context(lm=script.lm(), adapter=None), pytest.raises(MalformedOutput):
        Greeter()(name="Ada")
    assert all("JSON object" not in call.user for call in script.calls)
    assert len(script.calls) == 2


def test_other_errors_of_the_model_are_not_tried_again():
    script = Script(reply=dspy.LMServerError("overloaded"))
    with pytest.raises(dspy.LMServerError, match="overloaded"):
        greeted(script)
    assert len(script.calls) == 1


def test_an_adapter_that_the_user_chose_is_kept():
    script = Script(reply='{"reply": "Good morning."}')
    with dspy.context(lm=script.lm(), adapter=dspy.JSONAdapter()):
        assert Greeter()(name="Ada").reply == "Good morning."


def test_a_run_says_what_it_cost():
    script = Script(reply=[NO_FIELD, COMPLETE], delay=0.02)
    metrics = greeted(script).metrics
    assert metrics["own"] == 1
    assert metrics["lm_calls"] == 2
    assert 40 <= metrics["latency_ms"] < 4_000
    tokens = metrics["tokens"]
    assert tokens["total"] == tokens["prompt"] + tokens["completion"]
    assert tokens["prompt"] > tokens["completion"] > 0


def test_the_predictors_are_what_dspy_calls_parameters():
    greeter = Greeter()
    assert greeter.parameters() == greeter.predictors() == [greeter.greet]


def test_parameters_are_changed_by_name():
    greeter = Greeter()
    greeter.set_parameters(tries=1)
    assert greeter.settings == Parameters(tries=1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"volume": 3}, "greeter has no parameter volume; it has tries, loud"), ({"tries": 0}, "at least 1, got 0")],
)
def test_parameters_that_do_not_exist_or_fit_are_refused(changed, message):
    greeter = Greeter()
    with pytest.raises(UsageError, match=message):
        greeter.set_parameters(**changed)
    assert greeter.settings == Parameters()


def test_prompts_demos_and_parameters_are_saved_together(tmp_path):
    greeter = Greeter()
    greeter.set_parameters(loud=True)
    greeter.greet.demos = [dspy.Example(name="Bo", reply="Hello Bo.").with_inputs("name")]
    greeter.greet.signature = greeter.greet.signature.with_instructions("Greet politely.")
    greeter.save(tmp_path / "state.json")
    read = Greeter()
    read.load(tmp_path / "state.json")
    assert read.settings == Parameters(loud=True)
    assert read.greet.signature.instructions == "Greet politely."
    assert read.dump_state() == greeter.dump_state()


def test_a_copy_has_its_own_parameters():
    greeter = Greeter()
    other = copy.deepcopy(greeter)
    other.set_parameters(loud=True)
    assert not greeter.settings.loud


async def _asked_async(script):
    with dspy.context(lm=script.lm()):
        return await Greeter().acall(name="Ada")


def test_it_can_be_awaited():
    import asyncio

    prediction = asyncio.run(_asked_async(Script(reply=COMPLETE)))
    assert prediction.reply == "Good morning."
    assert prediction.metrics["lm_calls"] == 1
