"""A finished run small enough to work out on paper: three questions on three papers, before and after compiling.

The uncompiled program answers all three; the compiled one answers the first, abstains from the second, and turns the
finding of the third around.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from optimize.dataset import Example, GoldEvidence
from optimize.generate import Record
from optimize.judging import KeptLedger
from optimize.report import AskedExamples, MeasuredProgram, ReportHeader, build_report
from optimize.run_folder import RunFolder, open_run
from optimize.scoring import score
from programs.certificate import certify
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verified import unverified

METRICS = ("grounded_utility", "claim_groundedness", "contradiction_rate", "answerability")
PAPERS = ("P1", "P2", "P3")
FINDING = "Femur density fell by 12 percent in flight mice."
TURNED = "Femur density rose by 12 percent in flight mice."
CONTEXT = "Ten mice were flown for thirty days."
OTHER = "Body mass was measured weekly in all animals."
SIGNALS = ({"sim": 0.5, "bm25": 1.0, "final": 0.36}, {"sim": 0.6, "bm25": 0.0, "final": 0.216})
"""Without bm25 the second passage would come first: 0.18 and 0.216."""
COST = {"latency_ms": 100.0, "lm_calls": 2, "tokens": {"prompt": 90, "completion": 10, "total": 100}}
SETTINGS = {"command": "compile", "split": "test", "dataset": "invented", "splits": {"test": "h1"}, "seed": 0}
COMPILED = "few_shot-1-seed0"


def example(paper: str, question: str = "How did femur density change?") -> Example:
    evidence = (GoldEvidence(paper, FINDING),)
    return Example(f"{paper}-a", question, (paper,), answer=FINDING, nuggets=(FINDING,), evidence=evidence)


def prediction(paper: str, sentence: str, *, title: str = "", context: str = CONTEXT) -> dict[str, Any]:
    """A result as programs write it; without a sentence an abstention."""
    found = f"{context} {FINDING}"
    passages = [
        Passage("x::0", paper, "results", "Results", found, 0, len(found), SIGNALS[0], title=title, year=2020),
        Passage("x::1", paper, "methods", "Methods", OTHER, 200, 200 + len(OTHER), SIGNALS[1], title=title),
    ]
    answer = f"{sentence.rstrip('.')} [1]." if sentence else ""
    cited = CitedAnswer(answer, passages)
    made = as_json(result("How did femur density change?", unverified("", passages)))
    # A program would withhold a turned finding; a report must show what it would cost.
    said = {"answer": answer, "answerable": bool(answer), "uncited": cited.uncited}
    return {**made, **said, "citations": [each.as_dict() for each in certify(cited)], "metrics": COST}


def state(instructions: str, demos: Sequence[Mapping[str, Any]] = (), **parameters: Any) -> str:
    """A compiled state's file."""
    fields = [{"prefix": "Question:", "description": "${question}"}]
    step = {"demos": list(demos), "signature": {"instructions": instructions, "fields": fields}}
    made_of = {"answer.write": {"inputs": [["question", "str"]], "outputs": [["answer", "str"]]}}
    metadata = {"program": "multi_signal", "format": 1, "fingerprint": made_of, "provenance": {"lm": "extractive/1"}}
    return json.dumps({"answer.write": step, "parameters": parameters, "metadata": metadata})


def write(
    path: Path,
    after: Mapping[str, Record] | None = None,
    *,
    settings: Mapping[str, Any] = SETTINGS,
    examples: Sequence[Example] | None = None,
    warnings: Sequence[str] = (),
) -> RunFolder:
    """Write the run's folder.

    Args:
        path: A new one.
        after: Records of the compiled program by paper, in place of those described above.
        settings: Its manifest.
        examples: One for each paper, in place of ``example``.
        warnings: Of the report.
    """
    run = open_run(path, settings, resume=False)
    split = str(settings["split"])
    asked = {each.id: each for each in examples or map(example, PAPERS)}
    name = "uncompiled" if settings["command"] == "compile" else "multi_signal"
    first = [record(name, paper, prediction(paper, FINDING), split) for paper in PAPERS]
    said = {"P1": FINDING, "P2": "", "P3": TURNED}
    second = [
        (after or {}).get(paper) or record(COMPILED, paper, prediction(paper, said[paper]), split) for paper in PAPERS
    ]
    programs = [(name, first), (COMPILED, second)][: 2 if settings["command"] == "compile" else 1]
    ledger = KeptLedger(run.judgements)
    measured = [MeasuredProgram(each, records, score(records, asked, METRICS, ledger)) for each, records in programs]
    for each in (answer for _, records in programs for answer in records):
        run.predictions.append(asdict(each))
    clusters = {each.id: each.cluster for each in asked.values()}
    run.write_questions(asked, clusters, split)
    run.scores.replace(line.as_dict() for each in measured for line in each.scores)
    about = {"lm": "extractive/1", "judge": ledger.judge.name, "spent": "9 calls"}
    choice = {"uncompiled": 0.5, COMPILED: 0.75} if len(measured) > 1 else {}
    header = ReportHeader("An invented run", about, "extractive/1", choice)
    report = build_report(header, AskedExamples(asked, clusters, split), measured, ledger, warnings=warnings)
    ledger.write()
    run.write("report.json", json.dumps(report.as_dict()))
    run.state("uncompiled").parent.mkdir(exist_ok=True)
    run.state("uncompiled").write_text(state("Answer the question.", w_sim=0.36, w_bm25=0.18, top_k=6))
    demos = [{"augmented": True, "question": "Which bone?", "answer": "The femur [1]."}]
    run.state(COMPILED).write_text(state("Answer the question briefly.", demos, w_sim=0.36, w_bm25=0.18, top_k=8))
    return run


def record(candidate: str, paper: str, made: Mapping[str, Any], split: str = "test") -> Record:
    return Record(candidate, split, f"{paper}-a", "answered", "", made)
