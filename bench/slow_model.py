"""What programs make of a language model's time, each call of which takes 200 ms.

    python -m bench.slow_model                              # all, some twenty minutes
    python -m bench.slow_model --only evaluation            # or table, rag_fusion, draft, side-by-side
    python -m bench.slow_model --only table --size 20       # fewer questions or papers
    python -m bench.slow_model --only draft --show          # print the draft, to be read

evaluation    1,000 questions to `main_points`, 16 at a time
table         1,000 cells, 100 papers × 10 questions, 16 at a time
rag_fusion    how many calls an answer takes in time
draft         a whole draft from the example concept on the bundled papers, without a model
side-by-side  the same draft with one call at a time and with eight: calls and drafts have to be the same

The ideal of the first two is that 16 calls are under way all the time; the rest is what the program does itself. The
same run is then interrupted in the middle and continued: nothing may be asked twice, and what comes out must be the
same. The papers are short, so that the model's time is what is measured; with real papers the learned order reads up
to 24 passages a cell, some 0.1 s of a core.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import dspy
from dspy import lm15
from pybtex.database import parse_string

from bench.gates import Gate, load, report
from optimize.dataset import Example
from optimize.generate import Record, Records, generate
from optimize.run_folder import RunFolder, kept_calls
from optimize.tasks import TaskInput
from programs.atomic_files import Journal
from programs.evidence_table import EvidenceTable
from programs.evidence_table.columns import Column
from programs.evidence_table.filling import CELLS, TableFolder, chosen_papers, fill, maker
from programs.evidence_table.table import Table
from programs.ingest.chunking import TOKENS
from programs.ingest.formats import discover
from programs.paper_writer import PaperWriterParameters, PaperWritingPipeline, read_concept
from programs.paper_writer.evidence import WRITING_ORDER
from programs.rag_fusion import RagFusion, RagFusionParameters
from programs.registry import create
from programs.retrieval.file_indexing import index_files
from programs.retrieval.index import Index
from tests.counting_lm import CountingEngine, PowerCut
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper
from tests.scripted_lm import PROVED, Call, Script, written
from tests.small_dataset import text_of

SECONDS = 0.2
AT_ONCE = 16
THREADS = 8
QUESTIONS_OF_A_TABLE = 10
ROUNDS = 5
BUNDLED = Path("datasets/space_biology/papers")
CONCEPT = Path("programs/paper_writer/example/concept.yaml")
Result = TypeVar("Result")


class SleepingEngine:
    """A model behind a real ``dspy.LM`` that takes its time and says what is written down.

    Args:
        replies: What it says, by the last output field that is asked for.
        stop_after: Calls after which the power fails.
    """

    supports_response_schema = False
    supported_params = frozenset({"temperature", "max_tokens"})

    def __init__(self, replies: Mapping[str, Any], stop_after: int | None = None) -> None:
        self.asked: list[str] = []
        self._replies = replies
        self._stop_after = stop_after
        self._counting = threading.Lock()

    def complete(self, request: lm15.Request) -> lm15.Response:
        given = request.system or ()
        system = given if isinstance(given, str) else "".join(part.text for part in given)
        user = "".join(part.text for part in request.messages[-1].parts)
        call = Call.of(system, user, None)
        with self._counting:
            if self._stop_after is not None and len(self.asked) >= self._stop_after:
                raise PowerCut
            self.asked.append(f"{call.step}: {user}")
        time.sleep(SECONDS)
        message = lm15.Message.assistant([lm15.TextPart(written(call.outputs, self._replies[call.step]))])
        usage = lm15.Usage(input_tokens=300, output_tokens=30)
        return lm15.Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)

    def lm(self, *, cache: bool) -> dspy.LM:
        return dspy.LM("sleeping/1", engine=self, cache=cache, num_retries=0)


def evaluation(options: argparse.Namespace) -> list[Gate]:
    """Questions on papers that differ, none twice."""
    finding = "Femur density fell in flight compared with ground controls."
    replies = {
        "points": {"points": [finding]},
        "answer": {"answerable": True, "answer": f"{finding[:-1]} [1]."},
        "proofs": {"proofs": [{"number": 1, "quotes": [{"passage": "1", "quote": finding}], "verdict": "proved"}]},
    }
    papers = [f"{text_of('heart volume', f'line {place}', 10 + place, 'rose')}{finding}\n" for place in range(20)]
    posed = [
        TaskInput(
            Example(f"q{place}", f"What happened to bone {place}?", (f"P{place % 20}",), answer="It fell."),
            {"question": f"What happened to the femur density of mouse {place}?", "paper": papers[place % 20]},
        )
        for place in range(options.size or 1_000)
    ]

    def run(engine: SleepingEngine, folder: Path, questions: list[TaskInput] = posed) -> list[Record]:
        kept, program = RunFolder(folder), create("main_points")
        folder.mkdir(exist_ok=True)
        with dspy.context(lm=engine.lm(cache=True)), kept_calls(kept):
            records = Records(Journal(kept.predictions.path))
            return generate(program, "plain", "dev", questions, records, threads=AT_ONCE)

    with tempfile.TemporaryDirectory() as folder:
        run(SleepingEngine(replies), Path(folder) / "warm", posed[:1])
        share, whole, cut = interrupted(run, replies, Path(folder))
        rest = SleepingEngine(replies)
        resumed = run(rest, Path(folder) / "cut")
    pairs = zip(map(_content, whole), map(_content, resumed), strict=True)
    return [
        Gate("answered", sum(each.status == "answered" for each in whole), at_least=len(posed)),
        Gate("share of the ideal throughput", share, at_least=0.7),
        Gate("calls made twice by the run that was interrupted", len({*cut.asked} & {*rest.asked}), at_most=0),
        Gate("answers that differ after continuing", sum(one != other for one, other in pairs), at_most=0),
    ]


def _content(record: Record) -> tuple[Any, ...]:
    return record.id, record.status, record.prediction.get("answer"), record.prediction.get("citations")


def table(options: argparse.Namespace) -> list[Gate]:
    """Papers that differ × questions."""
    size, finding = options.size or 100, "Femur density fell by 12 percent in flight."
    value = {"quotes": [{"passage": "1", "quote": finding}], "value": "12 percent"}
    replies = {"value": {"answerable": True, "answer": f"{finding[:-1]} [1].", **value}}
    columns = [Column(f"c{day}", f"How did femur density change on day {day}?") for day in range(QUESTIONS_OF_A_TABLE)]
    texts = ((f"P{number:04}", f"Mouse {number} flew for thirty days.") for number in range(size))
    with tempfile.TemporaryDirectory() as folder, Index.open(Path(folder) / "papers.idx", create=True) as index:
        index.add(paper(name, finding, text, title=f"Flight {name}") for name, text in texts)

        def run(engine: SleepingEngine, folder: Path, limit: int | None = None) -> Table:
            with dspy.context(lm=engine.lm(cache=False)):
                program = EvidenceTable(index)
                kept = TableFolder(folder, maker(program), "sleeping", resume=True)
                return fill(program, columns, chosen_papers(index, limit=limit), kept, threads=AT_ONCE)

        run(SleepingEngine(replies), Path(folder) / "warm", 1)
        share, whole, _ = interrupted(run, replies, Path(folder))
        known = len((Path(folder) / "cut" / CELLS).read_text(encoding="utf-8").splitlines())
        rest = SleepingEngine(replies)
        resumed = run(rest, Path(folder) / "cut")
    cells = size * QUESTIONS_OF_A_TABLE
    return [
        Gate("cells proved", whole.count("reported"), at_least=cells),
        Gate("share of the ideal throughput", share, at_least=0.8),
        Gate("cells asked again that were written down", len(rest.asked) - (cells - known), at_most=0),
        Gate("tables that differ after continuing", int(whole.as_dict() != resumed.as_dict()), at_most=0),
    ]


def interrupted(
    run: Callable[[SleepingEngine, Path], Result], replies: Mapping[str, Any], folder: Path
) -> tuple[float, Result, SleepingEngine]:
    """Share of the ideal throughput, the result, and the model of a second run that the power failed in the middle."""
    engine, began = SleepingEngine(replies), time.perf_counter()
    result = run(engine, folder / "whole")
    seconds, ideal = time.perf_counter() - began, len(engine.asked) * SECONDS / AT_ONCE
    print(f"{len(engine.asked)} calls in {seconds:.1f} s, ideally {ideal:.1f} s", flush=True)
    cut = SleepingEngine(replies, stop_after=len(engine.asked) // 2)
    with suppress(PowerCut):
        run(cut, folder / "cut")
    return ideal / seconds, result, cut


def rag_fusion(_: argparse.Namespace) -> list[Gate]:
    """Median times, as multiples of one call's."""
    replies = {
        "queries": {"queries": ["mouse femur", "bone loss in orbit"]},
        "hypothetical_passage": {"hypothetical_passage": "Flight lowers the density of the femur in mice."},
        "topic": {
            "answerable": True,
            "summary": "Femur density fell by 12 percent in flight mice [bone].",
            "bullets": ["Osteoclast counts doubled [bone]."],
            "topic": "Bone Loss",
        },
        "proofs": PROVED,
    }
    question = "What happened to femur density in flight?"
    with (
        tempfile.TemporaryDirectory() as folder,
        Index.open(Path(folder) / "papers.idx", create=True, embedder=HashingEmbedder()) as index,
        dspy.context(lm=Script(SECONDS, **replies).lm()),
    ):
        index.add(PAPERS)
        program = RagFusion(index, RagFusionParameters(reform=True))
        unverified = RagFusion(index, RagFusionParameters(reform=True, verify=False))
        program(question=question)
        return [
            Gate("rewrites and hypothetical passage, in calls", _calls(program.reforming, question), at_most=1.5),
            Gate("an answer without verification, in calls", _calls(unverified, question), at_most=2.5),
            Gate("an answer with verification, in calls", _calls(program, question), at_most=3.5),
        ]


def _calls(run: Callable[..., object], question: str) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run(question=question)
        times.append(time.perf_counter() - started)
    return median(times) / SECONDS


def draft(options: argparse.Namespace) -> list[Gate]:
    """How long a draft takes without a model, and whether all of it is there."""
    (run,) = drafts(0.0, PaperWriterParameters())
    draft, evidence = run.prediction.draft, run.prediction.evidence.values()
    keys = set(re.findall(r"\b[a-z]+\d{4}[a-z]*\b", "\n".join(draft.model_dump().values())))
    entries = parse_string(run.prediction.bibliography, "bibtex").entries
    figures = re.findall(r"^\*Figure (\d+):", run.prediction.manuscript, re.MULTILINE)
    if options.show:
        print(run.prediction.manuscript)
    return [
        Gate("seconds", run.seconds, at_most=60),
        Gate("calls", len(run.asked)),
        Gate("parts that hold text", sum(map(bool, draft.model_dump().values())), at_least=8),
        Gate("sections that cite", sum(map(bool, (each.citations for each in run.prediction.sections))), at_least=7),
        Gate("cited sentences with their verdict", len(run.prediction.citations), at_least=1),
        Gate("of these weak", len(run.prediction.unsupported)),
        Gate(
            "citation keys outside of the evidence",
            len(keys - {each.key for found in evidence for each in found}),
            at_most=0,
        ),
        Gate("citation keys without BibTeX entry", len(keys - set(entries)), at_most=0),
        Gate("figures, each once", len(figures) if figures == ["1", "2"] else 0, at_least=2),
    ]


def side_by_side(_: argparse.Namespace) -> list[Gate]:
    """One call after another against eight at a time."""
    one, eight = drafts(SECONDS, *(PaperWriterParameters(threads=threads) for threads in (1, THREADS)))
    return [
        Gate("seconds, one at a time", one.seconds),
        Gate(f"seconds, {THREADS} at a time", eight.seconds),
        Gate("times faster", one.seconds / eight.seconds, at_least=6),
        Gate("calls", len(one.asked)),
        Gate("most calls at a time", eight.most_at_a_time, at_most=THREADS),
        Gate("same calls", sorted(one.asked) == sorted(eight.asked), at_least=1),
        Gate("same draft", one.prediction.manuscript == eight.prediction.manuscript, at_least=1),
    ]


@dataclass(frozen=True)
class Run:
    prediction: dspy.Prediction
    seconds: float
    asked: list[str]
    most_at_a_time: int


def drafts(latency: float, *ways: PaperWriterParameters) -> list[Run]:
    """The example's draft, once in each way."""
    runs = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Index.open(Path(folder, "i.idx"), create=True, chunking=TOKENS) as index,
    ):
        index_files(index, discover([BUNDLED]))
        index.search("warm up")
        for number, parameters in enumerate(ways):
            slow = SlowEngine(latency)
            with dspy.context(lm=slow.lm()):
                started = time.perf_counter()
                write = PaperWritingPipeline(index, parameters)
                prediction = write(concept=read_concept(CONCEPT), output=Path(folder, f"draft{number}"))
                seconds = time.perf_counter() - started
            if len(prediction.sections) != len(WRITING_ORDER):
                raise AssertionError(f"{len(prediction.sections)} sections were written")
            runs.append(Run(prediction, seconds, slow.asked, slow.running["most"]))
    return runs


class SlowEngine(CountingEngine):
    """Answers like the baseline, each call after some time; it counts them, also those under way."""

    def __init__(self, latency: float) -> None:
        super().__init__()
        self.latency = latency
        self.running: Counter[str] = Counter()

    def complete(self, request: lm15.Request) -> lm15.Response:
        with self._lock:
            self.running["now"] += 1
            self.running["most"] = max(self.running["most"], self.running["now"])
        time.sleep(self.latency)
        try:
            return super().complete(request)
        finally:
            with self._lock:
                self.running["now"] -= 1


PARTS = {
    "evaluation": evaluation,
    "table": table,
    "rag_fusion": rag_fusion,
    "draft": draft,
    "side-by-side": side_by_side,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--size", type=int, help="questions of the evaluation, or papers of the table")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    held = []
    for name in [options.only] if options.only else PARTS:
        print(f"\n{name}; {load()}", flush=True)
        held.append(report(PARTS[name](options)))
    sys.exit(not all(held))


if __name__ == "__main__":
    main()
