"""Follows a question through `multi_signal`, and its answer through verification to the result, module by module.

A stay is a run of calls into one module that are given the text, or a value that has it as a field; rooms are the
modules. A question that is read once, and a sentence that is proved once, return seldom.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import groupby
from types import FrameType
from typing import Any

import dspy

from programs.multi_signal import MultiSignal
from programs.passages.asked import Asked
from programs.results.result import concluded
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS
from tests.scripted_lm import Script, evidence, judging, saying

PACKAGES = ("programs.", "metrics.", "signatures.")
QUESTION = "What happened to femur density in the mice of the flight study?"
SAID = "Femur density fell by 12 percent in flight mice.", "Osteoclast counts doubled."
JUDGE = "metrics.support"


def _has(value: Any, texts: set[str]) -> bool:
    if isinstance(value, str):
        return value in texts
    if isinstance(value, dict):
        held = list(value.values())
    elif isinstance(value, list | tuple):
        held = list(value)
    else:
        names = (*getattr(type(value), "__slots__", ()), *getattr(value, "__dict__", ()))
        held = [getattr(value, name, None) for name in names]
    return any(isinstance(each, str) and each in texts for each in held)


def follow(what: str, texts: set[str], run: Callable[[], object]) -> None:
    """Print how often calls that are given one of some texts enter a module; what the judge does inside is one."""
    modules: list[str] = []
    inside = 0  # calls that the judge is in

    def hook(frame: FrameType, event: str, _: object) -> None:
        nonlocal inside
        module = frame.f_globals.get("__name__", "")
        if inside:
            inside += (event == "call") - (event == "return")
        elif event == "call" and module.startswith(PACKAGES):
            names = frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount + 1]
            if any(_has(frame.f_locals.get(name), texts) for name in names):
                inside = int(module.startswith(JUDGE))
                modules.append(JUDGE if inside else module)

    sys.setprofile(hook)
    try:
        run()
    finally:
        sys.setprofile(None)
    stays, rooms = sum(1 for _ in groupby(modules)), len(set(modules))
    print(f"{what}: {stays} stays in {rooms} rooms, {stays - rooms} returns, {len(modules)} calls")


def main() -> None:
    """Follow both."""
    script = Script(answer=saying(*SAID), numbers=lambda call: {"numbers": [*evidence(call)]}, verdict=judging())
    with (
        tempfile.TemporaryDirectory() as folder,
        dspy.context(lm=script.lm()),
        Index.open(f"{folder}/papers.idx", create=True, embedder=HashingEmbedder()) as index,
    ):
        index.add(PAPERS)
        program = MultiSignal(index)
        passages, asked = program(question=QUESTION).passages, Asked.of(QUESTION)
        follow("question", {QUESTION}, lambda: program.run(QUESTION))

        def answered() -> object:
            return concluded(asked, program.answer(passages, asked, program.settings).verified, 0.0)

        follow("answer", {*SAID}, answered)


if __name__ == "__main__":
    main()
