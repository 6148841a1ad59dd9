"""The extractive LM behind an engine that counts what it is asked, and can be pulled out in the middle."""

from __future__ import annotations

import threading

import dspy
from dspy import lm15

from programs.lm.extractive import ExtractiveEngine
from tests.scripted_lm import Call, written


class PowerCut(BaseException):
    """What ends a process from outside; nothing that handles errors may catch it."""


class CountingEngine(ExtractiveEngine):
    """Answers like the extractive LM.

    Args:
        stop_after: Calls after which the power fails.
        fail_on: Text in a prompt that makes a call fail.
    """

    def __init__(self, stop_after: int | None = None, fail_on: str = "\0") -> None:
        super().__init__()
        # The engine is a frozen dataclass without fields.
        object.__setattr__(self, "asked", [])
        object.__setattr__(self, "_lock", threading.Lock())
        object.__setattr__(self, "_stop_after", stop_after)
        object.__setattr__(self, "_fail_on", fail_on)

    def complete(self, request: lm15.Request) -> lm15.Response:
        prompt = "\n".join(part.text for message in request.messages for part in message.parts)
        with self._lock:
            if self._stop_after is not None and len(self.asked) >= self._stop_after:
                raise PowerCut
            self.asked.append(prompt)
        if self._fail_on in request.messages[-1].parts[0].text:
            raise ValueError("the model tripped over its own feet")
        return super().complete(request)

    def lm(self, cache: bool = False) -> dspy.LM:
        """The model; with a cache only where a run keeps its calls, else answers of one test would serve the next."""
        return dspy.LM("extractive/1", engine=self, cache=cache, num_retries=0)


PHRASE = "word for word"


class InstructedEngine(CountingEngine):
    """An LM that has to be told: without a phrase in its instruction, or a demo, it declines to answer.

    So an optimizer that writes the phrase, or shows a run that went well, makes a program better, by as much as
    answering is worth. Warm, it answers every other time untold, as models do; that is what SIMBA learns from.
    """

    def complete(self, request: lm15.Request) -> lm15.Response:
        reply = super().complete(request)
        given = request.system or ()
        system = given if isinstance(given, str) else "".join(part.text for part in given)
        outputs = Call.of(system, "", None).outputs
        if "answerable" not in outputs or self._is_told(request, system):
            return reply
        part = lm15.TextPart(written(outputs, {"answerable": False, "answer": ""}))
        message = lm15.Message.assistant([part])
        return lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=reply.usage)

    def _is_told(self, request: lm15.Request, system: str) -> bool:
        is_warm = (request.config.temperature or 0) >= 1
        return PHRASE in system or len(request.messages) > 1 or (is_warm and len(self.asked) % 2 == 0)

    def lm(self, cache: bool = True) -> dspy.LM:
        """The model."""
        return dspy.LM("instructed/1", engine=self, cache=cache, num_retries=0)
