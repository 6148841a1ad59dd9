"""A model that answers like the baseline, from its prompt: it counts what it is asked, and can be pulled out midway."""

from __future__ import annotations

import re
import threading
from typing import Any, Literal

import dspy
from dspy import lm15
from pydantic import BaseModel

from programs.lm.extractive.tasks import answers, task_named
from tests.scripted_lm import Call, evidence, written


class PowerCut(BaseException):
    """What ends a process from outside; nothing that handles errors may catch it."""


class CountingEngine:
    """Reads prompts of ChatAdapter, and answers their values like the baseline.

    Args:
        stop_after: Calls after which the power fails.
        fail_on: Text in a prompt that makes a call fail.
        gone_after: Calls after which all fail.
        error: What such a call raises.
    """

    supports_response_schema = True
    supported_params = frozenset({"temperature", "max_tokens", "top_p", "seed", "response_format"})

    def __init__(
        self,
        stop_after: int | None = None,
        fail_on: str = "\0",
        gone_after: int | None = None,
        error: Exception | None = None,
    ) -> None:
        self.asked: list[str] = []
        self._lock = threading.Lock()
        self._stop_after = stop_after
        self._fail_on = fail_on
        self._gone_after = gone_after
        self._error = error or ValueError("the model tripped over its own feet")

    def complete(self, request: lm15.Request) -> lm15.Response:
        prompt = "\n".join(part.text for message in request.messages for part in message.parts)
        with self._lock:
            if self._stop_after is not None and len(self.asked) >= self._stop_after:
                raise PowerCut
            self.asked.append(prompt)
        last = request.messages[-1].parts[0].text
        if self._fail_on in last or (self._gone_after is not None and len(self.asked) > self._gone_after):
            raise self._error
        text = _answered(Call.of(_system(request), last, request.config.temperature))
        message, n_read = lm15.Message.assistant([lm15.TextPart(text)]), len(f"{_system(request)} {prompt}".split())
        usage = lm15.Usage(input_tokens=n_read, output_tokens=len(text.split()))
        return lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)

    def lm(self, cache: bool = False) -> dspy.LM:
        """The model; with a cache only where a run keeps its calls, else answers of one test would serve the next."""
        return dspy.LM("extractive/1", engine=self, cache=cache, num_retries=0)


PHRASE = "word for word"


class InstructedEngine(CountingEngine):
    """An LM that has to be told: without a phrase in its instruction, or a demo, it says not by how many percent.

    So an optimizer that writes the phrase, or shows a run that went well, makes a program better, by as much as the
    number is worth. Warm, it tells it every other time untold, as models do; that is what SIMBA learns from.
    """

    def complete(self, request: lm15.Request) -> lm15.Response:
        reply = super().complete(request)
        if self._is_told(request, _system(request)):
            return reply
        text = re.sub(r" by \d+ percent|[“”]", "", reply.text)
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(text)]),
            finish_reason="stop",
            usage=reply.usage,
        )

    def _is_told(self, request: lm15.Request, system: str) -> bool:
        is_warm = (request.config.temperature or 0) >= 1
        return PHRASE in system or len(request.messages) > 1 or (is_warm and len(self.asked) % 2 == 0)

    def lm(self, cache: bool = True) -> dspy.LM:
        """The model."""
        return dspy.LM("instructed/1", engine=self, cache=cache, num_retries=0)


def _system(request: lm15.Request) -> str:
    given = request.system or ()
    return given if isinstance(given, str) else "".join(part.text for part in given)


_CHOICES = re.compile(
    r"\{(\w+)\} +# note: the value you produce must exactly match \(no extra characters\) one of: (.*)"
)


def _answered(call: Call) -> str:
    """The values of a prompt in the form of ChatAdapter."""
    inputs: dict[str, Any] = dict(call.values)
    task = task_named(tuple(inputs), call.outputs)
    if task is None:
        return written(call.outputs, _beside_the_baseline(call))
    signature = task.signature
    for name, choices in _CHOICES.findall(call.system):
        if name in signature.output_fields and isinstance(signature.output_fields[name].annotation, type):
            signature = signature.with_updated_fields(name, type_=Literal[tuple(choices.split("; "))])
    values = answers(signature, (), inputs)
    return written(call.outputs, {name: _as_json(value) for name, value in values.items()})


def _beside_the_baseline(call: Call) -> dict[str, Any]:
    """What steps are answered that only a model has: all sentences are chosen and proved, and none is written anew."""
    match call.step:
        case "numbers":
            return {"numbers": list(evidence(call))}
        case "verdict":
            return {"verdict": "all of it"}
        case "corrected":
            return {"corrected": {"text": "", "evidence": []}}
        case "conflicts":
            return {"conflicts": []}
    raise AssertionError(f"no answer to {call.step}")


def _as_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_json(each) for each in value]
    return value.model_dump() if isinstance(value, BaseModel) else value
