"""A model that writes instructions, for DSPy's optimizers: real requests, replies from a list.

    writer = Writer("Answer at length.", "Copy what the passages say, word for word.")
    JobSetup(job, prompt_lm=writer.lm())
    writer.prompts[0]       what it was shown the first time

It gives every output field of the signature that it is asked the next text of the list, over and over; a field of
advice for several steps gets that text for each of them.
"""

from __future__ import annotations

import json
import re
import threading
from typing import Any

import dspy
from dspy import lm15

_NAME = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
_MODULES = re.compile(r"^Module (\S+)$", re.MULTILINE)


class Writer:
    """See the module.

    Args:
        *texts: What it writes, in turn.
    """

    supports_response_schema = False
    supported_params = frozenset({"temperature", "max_tokens"})

    def __init__(self, *texts: str) -> None:
        self.prompts: list[str] = []
        self._texts = texts
        self._lock = threading.Lock()

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Write the next text in the form that is asked for."""
        system = _text(request.system or ())
        prompt = "\n".join([system, *(_text(message.parts) for message in request.messages)])
        with self._lock:
            text = self._texts[len(self.prompts) % len(self._texts)]
            self.prompts.append(prompt)
        part = lm15.TextPart(_reply(system, prompt, text))
        usage = lm15.Usage(input_tokens=len(prompt.split()), output_tokens=len(text.split()))
        message = lm15.Message.assistant([part])
        return lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)

    def lm(self) -> dspy.LM:
        """The model; its answers are kept where a run keeps them."""
        return dspy.LM("writer/1", engine=self, cache=True, num_retries=0)


def _reply(system: str, prompt: str, text: str) -> str:
    listed = system.partition("Your output fields are:")[2].partition("All interactions")[0]
    names = _NAME.findall(listed)
    advice = dict.fromkeys(_MODULES.findall(prompt), text)
    values: dict[str, Any] = {name: advice if name == "module_advice" else text for name in names}
    if "JSON object" in system:
        return json.dumps(values)
    sections = [
        f"[[ ## {name} ## ]]\n{value if isinstance(value, str) else json.dumps(value)}"
        for name, value in values.items()
    ]
    return "\n\n".join([*sections, "[[ ## completed ## ]]"])


def _text(parts: Any) -> str:
    return parts if isinstance(parts, str) else "\n".join(part.text for part in parts)
