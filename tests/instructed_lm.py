"""An LM that has to be told: without a phrase in its instruction, or a demo, it declines to answer.

So an optimizer that writes the phrase, or shows a run that went well, makes a program better, by as much as answering
is worth. Warm, it answers every other time untold, as models do; that is what SIMBA learns from.
"""

from __future__ import annotations

import dspy
from dspy import lm15

from tests.counting_lm import CountingEngine
from tests.scripted_lm import Call, written

PHRASE = "word for word"


class InstructedEngine(CountingEngine):
    """Answers like the extractive LM if it is told to."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        reply = super().complete(request)
        system = (
            "".join(part.text for part in request.system) if not isinstance(request.system, str) else request.system
        )
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
