"""A language model that says what a test wrote down: a real engine behind a real ``dspy.LM``.

    script = Script(points=points("Femur density fell."), answer=[saying("It fell."), "no field at all"])
    with dspy.context(lm=script.lm()):
        qa(question="…", paper="…")
    script.calls[0].values["paper"]

It reads from the prompt which signature is asked: replies stand under the name of its last output field.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import dspy
from dspy import lm15

from metrics.words import words

_OUTPUTS = re.compile(r"Your output fields are:\n(.*?)\nAll interactions", re.DOTALL)
_NAME = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
_HEADER = re.compile(r"^\[\[ ## (\w+) ## \]\]$", re.MULTILINE)
_OBJECT = re.compile(r"\nAnswer with a JSON object: (.*)\.\Z", re.DOTALL)
_NESTED = re.compile(r"\([^()]*\)")
_FIELD = re.compile(r"(?:\A|\n\n)(\w+):\n")


@dataclass(frozen=True)
class Call:
    """What the model was asked once.

    Attributes:
        step: The signature's last output field.
        outputs: All of its output fields.
        system: The system prompt.
        user: The last message.
        temperature: As it was sent.
    """

    step: str
    outputs: tuple[str, ...]
    system: str
    user: str
    temperature: float | None

    @classmethod
    def of(cls, system: str, user: str, temperature: float | None) -> Call:
        """Read a prompt of one of our adapters, or of JSONAdapter."""
        if asked := _OBJECT.search(user):
            named = asked[1]
            while (bare := _NESTED.sub("", named)) != named:
                named = bare
            outputs = tuple(re.findall(r"\w+", named))
        else:
            listed = _OUTPUTS.search(system)
            outputs = tuple(_NAME.findall(listed[1] if listed else ""))
        return cls(outputs[-1], outputs, system, user, temperature)

    @property
    def wants_json(self) -> bool:
        """Whether the prompt is one of EvidenceFirst or JSONAdapter."""
        return bool(_OBJECT.search(self.user)) or "Outputs will be a JSON object" in self.system

    @property
    def values(self) -> dict[str, str]:
        """The input fields, parted wherever a line looks like a field's header, as a model would see them."""
        if _OBJECT.search(self.user):  # the instruction follows the last field, which is of one paragraph
            _, *parts = _FIELD.split(self.user)
            parts[-1] = parts[-1].partition("\n\n")[0]
        else:
            _, *parts = _HEADER.split(self.user.rpartition("\n\nRespond with ")[0])
        return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}


Reply: TypeAlias = Mapping[str, Any] | str | Exception | Callable[[Call], Any]
"""Values of output fields, raw text, an error to raise, or a function of the call that gives one of these."""


class Script:
    """Replies by step, and a record of what was asked.

    Args:
        delay: Seconds that every reply takes.
        **replies: For each step one reply, given every time, or a list of them, given in order; a call beyond the
            list, or of a step that is not named, is an error.
    """

    def __init__(self, delay: float = 0.0, **replies: Reply | Sequence[Reply]) -> None:
        self.delay = delay
        self.calls: list[Call] = []
        self._replies = replies
        self._lock = threading.Lock()

    @property
    def steps(self) -> list[str]:
        """The steps asked so far, in order."""
        return [call.step for call in self.calls]

    def asked(self, step: str) -> list[Call]:
        """The calls of one step."""
        return [call for call in self.calls if call.step == step]

    def lm(self) -> dspy.LM:
        """The model; without a cache and without retries, so that every call is seen once."""
        return dspy.LM("scripted/1", engine=ScriptedEngine(self), cache=False, num_retries=0)

    def reply(self, call: Call) -> str:
        """Record a call and give the text of its reply, or raise it."""
        with self._lock:
            turn = len(self.asked(call.step))
            self.calls.append(call)
        time.sleep(self.delay)
        reply = self._replies.get(call.step)
        if isinstance(reply, list):
            reply = reply[turn] if turn < len(reply) else None
        while callable(reply):
            reply = reply(call)
        if reply is None:
            raise AssertionError(f"the script holds no reply number {turn + 1} for {call.step}")
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, str):
            return reply
        return written_as_json(call.outputs, reply) if call.wants_json else written(call.outputs, reply)


@dataclass(frozen=True)
class ScriptedEngine:
    """What ``dspy.LM`` calls."""

    script: Script
    supports_response_schema: bool = False
    supported_params: frozenset[str] = field(default=frozenset({"temperature", "max_tokens"}))

    def complete(self, request: lm15.Request) -> lm15.Response:
        """Answer a request from the script."""
        system, user = _text(request.system or ()), _text(request.messages[-1].parts)
        reply = self.script.reply(Call.of(system, user, request.config.temperature))
        return lm15.Response(
            id=None,
            model=request.model,
            message=lm15.Message.assistant([lm15.TextPart(reply)]),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=len(f"{system} {user}".split()), output_tokens=len(reply.split())),
        )


def written(outputs: Sequence[str], values: Mapping[str, Any]) -> str:
    """Values in the form of ChatAdapter; an output that is not given is empty."""
    texts = {name: values.get(name, "") for name in outputs}
    sections = [
        f"[[ ## {name} ## ]]\n{value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in texts.items()
    ]
    return "\n\n".join([*sections, "[[ ## completed ## ]]"])


def written_as_json(outputs: Sequence[str], values: Mapping[str, Any]) -> str:
    """The same in the form of JSONAdapter."""
    return json.dumps({name: values.get(name, "") for name in outputs}, ensure_ascii=False)


def points(*texts: str) -> dict[str, Any]:
    """The reply of the step that extracts points."""
    return {"points": list(texts)}


def saying(*texts: str, bullets: Sequence[str] = ()) -> Callable[[Call], dict[str, Any]]:
    """A reply of the step that writes from numbered evidence: these sentences, each with the number nearest to it.

    Without any it abstains.
    """

    def reply(call: Call) -> dict[str, Any]:
        answer, more = ([resting(call, each) for each in said] for said in (texts, bullets))
        return {"answerable": bool(texts), "answer": answer, "bullets": more}

    return reply


def resting(call: Call, text: str) -> dict[str, Any]:
    """A sentence with the number of the evidence that shares most words with it."""
    said = set(words(text))
    number = max(given := evidence(call), key=lambda each: len(said.intersection(words(given[each]))))
    return {"text": text, "evidence": [number]}


def correcting(text: str) -> Callable[[Call], dict[str, Any]]:
    """A reply of the step that writes a sentence once more: this one, with the number nearest to it."""
    return lambda call: {"corrected": resting(call, text)}


def judging(*false: str) -> Callable[[Call], dict[str, Any]]:
    """A reply of the step that checks a sentence: its evidence says all of it, unless it holds one of the texts."""

    def reply(call: Call) -> dict[str, Any]:
        return {"verdict": "something else" if any(text in call.values["claim"] for text in false) else "all of it"}

    return reply


def evidence(call: Call) -> dict[int, str]:
    """The numbered sentences that a prompt shows."""
    found = re.finditer(r"^\((\d+)\) (.*)$", call.values["evidence"], re.MULTILINE)
    return {int(each[1]): each[2] for each in found}


def _text(parts: Any) -> str:
    return parts if isinstance(parts, str) else "\n\n".join(part.text for part in parts)


_MODULES = re.compile(r"^Module (\S+)$", re.MULTILINE)


class Writer:
    """A model that writes instructions, for DSPy's optimizers: real requests, replies from a list.

        writer = Writer("Answer at length.", "Copy what the passages say, word for word.")
        JobSetup(job, prompt_lm=writer.lm())
        writer.prompts[0]       what it was shown the first time

    It gives every output field of the signature that it is asked the next text of the list, over and over; a field of
    advice for several steps gets that text for each of them.

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
    call = Call.of(system, prompt, None)
    advice = dict.fromkeys(_MODULES.findall(prompt), text)
    values: dict[str, Any] = {name: advice if name == "module_advice" else text for name in call.outputs}
    return written_as_json(call.outputs, values) if call.wants_json else written(call.outputs, values)
