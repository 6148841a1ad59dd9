"""How much of a language model's time an evaluation uses: it waits 200 ms a call, 16 questions are asked at a time.

    python -m bench.evaluation_throughput                     # 1,000 questions to main_points
    python -m bench.evaluation_throughput --questions 200     # quicker

The ideal is that 16 calls are under way all the time. What the program does itself, writing answers down and keeping
the model's replies are the rest. Then the same run is broken off in the middle and gone on with: nothing may be asked
twice.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import dspy
from dspy import lm15

from bench.gates import Gate, load, report
from optimize.dataset import Example
from optimize.generate import Record, Records, generate
from optimize.run_folder import RunFolder, kept_calls
from optimize.tasks import Posed
from programs.files import Journal
from programs.registry import create
from tests.counting_lm import PowerCut
from tests.scripted_lm import Call, written
from tests.small_dataset import text_of

SECONDS = 0.2
AT_ONCE = 16
PAPERS = 20
LEAST_SHARE = 0.7

FINDING = "Femur density fell in flight compared with ground controls."
REPLIES: dict[str, dict[str, Any]] = {
    "points": {"points": [FINDING]},
    "answer": {"answerable": True, "answer": f"{FINDING[:-1]} [1]."},
    "proofs": {"proofs": [{"number": 1, "quotes": [{"passage": "1", "quote": FINDING}], "verdict": "proved"}]},
}


class SleepingEngine:
    """A model behind a real ``dspy.LM`` that takes its time and says what is written down.

    Args:
        stop_after: Calls after which the power fails.
        replies: What it says, by the last output field that is asked for.
    """

    supports_response_schema = False
    supported_params = frozenset({"temperature", "max_tokens"})

    def __init__(self, stop_after: int | None = None, replies: Mapping[str, Any] = REPLIES) -> None:
        self.asked: list[str] = []
        self._replies = replies
        self._stop_after = stop_after
        self._counting = threading.Lock()

    def complete(self, request: lm15.Request) -> lm15.Response:
        system = (
            "".join(part.text for part in request.system or ())
            if not isinstance(request.system, str)
            else request.system
        )
        user = "".join(part.text for part in request.messages[-1].parts)
        call = Call.of(system, user, None)
        with self._counting:
            if self._stop_after is not None and len(self.asked) >= self._stop_after:
                raise PowerCut
            self.asked.append(f"{call.step}: {user}")
        time.sleep(SECONDS)
        reply = written(call.outputs, self._replies[call.step])
        message = lm15.Message.assistant([lm15.TextPart(reply)])
        usage = lm15.Usage(input_tokens=300, output_tokens=30)
        return lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)

    def lm(self) -> dspy.LM:
        return dspy.LM("sleeping/1", engine=self, cache=True, num_retries=0)


def questions(number: int) -> list[Posed]:
    """Questions on papers that differ, none twice."""
    papers = [f"{text_of('heart volume', f'line {place}', 10 + place, 'rose')}{FINDING}\n" for place in range(PAPERS)]
    return [
        Posed(
            Example(f"q{place}", f"What happened to bone {place}?", (f"P{place % PAPERS}",), answer="It fell."),
            {"question": f"What happened to the femur density of mouse {place}?", "paper": papers[place % PAPERS]},
        )
        for place in range(number)
    ]


def asked(engine: SleepingEngine, posed: list[Posed], folder: Path) -> tuple[float, list[Record]]:
    """Seconds, and what was answered."""
    run, program = RunFolder(folder), create("main_points")
    folder.mkdir(exist_ok=True)
    with dspy.context(lm=engine.lm()), kept_calls(run):
        records = Records(Journal(run.predictions.path))
        started = time.perf_counter()
        found = generate(program, "plain", "dev", posed, records, threads=AT_ONCE)
        return time.perf_counter() - started, found


def content(records: list[Record]) -> list[Any]:
    return [(each.id, each.status, each.prediction.get("answer"), each.prediction.get("citations")) for each in records]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=1_000)
    posed = questions(parser.parse_args().questions)
    with tempfile.TemporaryDirectory() as folder:
        asked(SleepingEngine(), questions(1), Path(folder) / "warm")
        engine = SleepingEngine()
        seconds, whole = asked(engine, posed, Path(folder) / "whole")
        ideal = len(engine.asked) * SECONDS / AT_ONCE
        cut, rest = SleepingEngine(stop_after=len(engine.asked) // 2), SleepingEngine()
        try:
            asked(cut, posed, Path(folder) / "cut")
        except PowerCut:
            print(f"broken off after {len(cut.asked)} of {len(engine.asked)} calls")
        _, resumed = asked(rest, posed, Path(folder) / "cut")
    again = len(set(cut.asked) & set(rest.asked))
    print(f"{len(posed)} questions, {len(engine.asked)} calls in {seconds:.1f} s, ideally {ideal:.1f} s; {load()}")
    holds = report(
        [
            Gate("answered", sum(each.status == "answered" for each in whole), at_least=len(posed)),
            Gate("share of the ideal throughput", ideal / seconds, at_least=LEAST_SHARE),
            Gate("calls made twice by the run that was broken off", again, at_most=0),
            Gate(
                "answers that differ after going on",
                sum(a != b for a, b in zip(content(whole), content(resumed), strict=True)),
                at_most=0,
            ),
        ]
    )
    sys.exit(not holds)


if __name__ == "__main__":
    main()
