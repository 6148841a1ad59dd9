"""A finished run, read back from its folder, and the questions on which it did worst."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from metrics.catalogue import METRICS
from metrics.judgements import Judgement, judgement_key
from metrics.passages import passages_of
from metrics.score import Score
from metrics.statements import Statement, answer_of, outcome, statements_of
from optimize.dataset import Example
from optimize.generate import Record, Records
from optimize.report import AskedExamples, Report
from optimize.run_folder import RunFolder, read_manifest
from programs.compiled_state import State, read_state
from programs.errors import UsageError
from programs.results.rendering import clipped, paper_address
from signatures.values import Verdict

UNFINISHED = "the run in {path} is not finished; continue it with --resume"
_REPORT = TypeAdapter(Report)
_EXAMPLE = TypeAdapter(Example)
_EXAMPLE_FIELDS = {each.name for each in fields(Example)}


@dataclass(frozen=True)
class FinishedRun:
    """What a run's folder holds; ``asked`` are the questions of the report."""

    folder: RunFolder
    manifest: Mapping[str, Any]
    report: Report
    asked: AskedExamples
    records: tuple[Record, ...]
    judgements: Mapping[str, Judgement]

    @property
    def is_compilation(self) -> bool:
        """Whether a program was compiled, not only asked."""
        return self.manifest.get("command") == "compile"

    @property
    def programs(self) -> tuple[str, ...]:
        """The program as it was, and the compiled one where that is another; names of candidates."""
        return tuple(self.report.aggregates)

    @property
    def before(self) -> str:
        """The uncompiled program, or the only one."""
        return self.programs[0]

    @property
    def after(self) -> str | None:
        """The compiled program; None if it is the same as ``before``."""
        return self.programs[1] if len(self.programs) > 1 else None

    @property
    def reported(self) -> str:
        """The program that the run ends with."""
        return self.programs[-1]

    def answers(self, candidate: str) -> dict[str, Record]:
        """A candidate's records that the report is on, by id of the question."""
        wanted = (candidate, self.asked.split)
        return {each.id: each for each in self.records if (each.candidate, each.split) == wanted}

    def values(self, candidate: str, metric: str) -> dict[str, Score]:
        """A metric of the answers that the report is on, by id of the question."""
        return self._scores.get((candidate, metric), {})

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of its answers, the objective first."""
        return tuple(dict.fromkeys((self.report.objective, *(metric for _, metric in self._scores))))

    @property
    def judge(self) -> str:
        """The name of the judge that it was measured by."""
        return str(self.report.about.get("judge", ""))

    @property
    def data(self) -> tuple[str, str]:
        """The name of its data set, and the hash of the split."""
        return str(self.manifest.get("dataset", "")), str(self.manifest.get("splits", {}).get(self.asked.split, ""))

    def state(self, candidate: str) -> State | None:
        """A candidate's prompts, demos and parameters, where the run made it."""
        path = self.folder.state(candidate)
        return read_state(path) if path.is_file() else None

    @cached_property
    def _scores(self) -> dict[tuple[str, str], dict[str, Score]]:
        """By candidate and metric, each by id of the question."""
        found: dict[tuple[str, str], dict[str, Score]] = {}
        for line in self.folder.scores.read():
            if line["split"] == self.asked.split:
                score = Score(line["value"], line["feedback"], status=line["status"])
                found.setdefault((line["candidate"], line["metric"]), {})[line["id"]] = score
        return found


def read_run(path: Path) -> FinishedRun:
    """Read a run's folder; a UsageError if it holds none, one that is not finished, or a file that cannot be read."""
    folder = RunFolder(path)
    manifest = read_manifest(path)
    report = _report(path, manifest)
    split = "test" if manifest["command"] == "compile" else manifest.get("split")
    if not isinstance(split, str):
        raise UsageError(f"{path / 'manifest.json'} was changed: it names no split; name another run")
    questions = list(folder.questions.read())
    if not questions:
        raise UsageError(
            f"{path} does not hold its questions; run its command again with --resume, which asks nothing again and "
            "writes them down"
        )
    finished = FinishedRun(
        folder=folder,
        manifest=manifest,
        report=report,
        asked=AskedExamples(
            {
                line["id"]: _EXAMPLE.validate_python({name: line[name] for name in line.keys() & _EXAMPLE_FIELDS})
                for line in questions
            },
            {line["id"]: str(line["cluster"]) for line in questions},
            split,
        ),
        records=tuple(Records(folder.predictions)),
        judgements={line["key"]: Judgement.from_dict(line) for line in folder.judgements.read()},
    )
    for program in finished.programs:
        answers = finished.answers(program)
        if lacking := [name for name in finished.asked.examples if name not in answers]:
            raise UsageError(
                f"{folder.predictions.path} has no answer of {program} to {lacking[0]}; the run's command with "
                "--resume asks it again"
            )
        if not finished.values(program, finished.report.objective):
            raise UsageError(UNFINISHED.format(path=path))
    return finished


def _report(path: Path, manifest: Mapping[str, Any]) -> Report:
    place = path / "report.json"
    try:
        values = json.loads(place.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UsageError(UNFINISHED.format(path=path)) from error
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{place} cannot be read ({error}); continue the run with --resume, which writes it"
        ) from error
    why = ""
    try:
        report = _REPORT.validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    else:
        metrics = {row.metric for row in report.rows}
        if unknown := sorted(metrics - METRICS.keys()):
            why = f"there is no metric {unknown[0]!r}"
        elif report.objective not in metrics:
            why = f"its objective {report.objective!r} has no row"
        elif not 1 <= len(report.aggregates) <= 2:
            why = f"it is on {len(report.aggregates)} programs, not on one or two"
    if why:
        raise UsageError(
            f"{place} is of another version ({why}); the run's command with --resume writes it anew and asks nothing "
            f"again: python -m optimize {manifest['command']} {manifest.get('program', '')} … --output {path} --resume"
        )
    return report


# The questions on which a run did worst, and their answers claim by claim: what was judged, by which quote.

MOST = 10
MOST_CLAIMS = 12
AROUND = 500
"""Characters of a passage that are shown before and after its quote."""
LONGEST = 1_200
"""Characters of a sentence, a quote, gold data or a remark."""
SAME = 1e-9


@dataclass(frozen=True, slots=True)
class LedgerProof:
    """A passage, parted by the words that decide, that a sentence cites, or else that decided: it has no marker then.

    ``verdict`` is whether the passage, alone, says it.
    """

    marker: str
    verdict: Verdict
    reason: str
    source: str
    link: str
    before: str
    quote: str
    after: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer; ``verdict`` is empty where nothing has to be proved or nothing was judged."""

    text: str
    needs_proof: bool
    verdict: Verdict | str
    reason: str
    proofs: tuple[LedgerProof, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One program on one question, by the objective, with its first MOST_CLAIMS sentences.

    ``remark`` is what the objective found wrong, or the error.
    """

    program: str
    value: float
    outcome: str
    remark: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One question with the answers before and after, or the only one, and what is known to be true of it, by name.

    ``change`` is that of the objective, after − before; the objective itself where there is one program.
    """

    id: str
    paper: str
    question: str
    gold: Mapping[str, str]
    change: float
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Regressions:
    """The worst questions, worst first, at most MOST; of one program ``worse`` have less than the full value."""

    better: int
    same: int
    worse: int
    cases: tuple[Case, ...]


def regressions(run: FinishedRun) -> Regressions:
    """The worst questions of a run, by its objective."""
    after = run.values(run.reported, run.report.objective)
    before = run.values(run.before, run.report.objective) if run.after else {}
    # Of one program: what is missing of the full value.
    changes = {
        name: score.value - (float(before[name]) if run.after else 1.0)
        for name, score in after.items()
        if score.value is not None and not (run.after and (name not in before or before[name].value is None))
    }
    worse = sorted((name for name in changes if changes[name] < -SAME), key=lambda name: changes[name])
    better = sum(change > SAME for change in changes.values())
    cases = tuple(
        Case(
            id=name,
            paper=run.asked.clusters[name],
            question=clipped(run.asked.examples[name].question, LONGEST),
            gold=_gold(run.asked.examples[name]),
            change=changes[name] + (run.after is None),
            answers=tuple(_answer(run, program, run.answers(program)[name]) for program in run.programs),
        )
        for name in worse[:MOST]
    )
    return Regressions(better, len(changes) - better - len(worse), len(worse), cases)


def _gold(example: Example) -> dict[str, str]:
    if not example.answerable:
        return {"answer": "The papers do not answer this; to abstain is right."}
    texts = {
        "label": example.label,
        "answer": " / ".join(filter(None, (example.answer, *example.answers))),
        "facts": "; ".join(example.nuggets),
        "evidence": " … ".join(each.quote for each in example.evidence),
    }
    return {name: clipped(text, LONGEST) for name, text in texts.items() if text}


def _answer(run: FinishedRun, program: str, record: Record) -> Answer:
    score, label = run.values(program, run.report.objective)[record.id], record.prediction.get("label")
    prediction = record.as_scored
    return Answer(
        program=program,
        value=float(score),
        outcome=outcome(prediction).replace("_", " ") + (f", label {clipped(str(label), 80)}" if label else ""),
        remark=clipped(record.error or score.feedback, LONGEST),
        claims=tuple(_claim(run, prediction, each) for each in statements_of(prediction)[:MOST_CLAIMS]),
    )


def _claim(run: FinishedRun, prediction: Mapping[str, Any], statement: Statement) -> Claim:
    """Verdict and reason are the judge's, else those of the best certificate."""
    question, sentence = str(prediction.get("question", "")), answer_of(prediction)[statement.start : statement.end]
    passages = {each["id"]: each for each in prediction.get("passages", [])}
    certificates = [given for given in prediction.get("citations", []) if given["sentence"] == sentence]
    key = judgement_key(statement.text, passages_of(prediction), question, run.judge)
    judged = run.judgements.get(key) if statement.needs_citation else None
    proofs = [_proof(passages[each["passage"]], each, passages[each["passage"]]["start"]) for each in certificates]
    verdict, reason = "", ""
    if judged is not None:
        verdict, reason = judged.verdict, judged.reason
        if judged.passage in passages.keys() - {each["passage"] for each in certificates}:
            proofs.append(_proof(passages[judged.passage], {**judged.as_dict(), "marker": ""}))
    elif statement.needs_citation:
        verdict, reason = "unverifiable", "it cites nothing"
        if certificates:
            best = max(certificates, key=lambda each: (each["verdict"] == "supported", each["score"]))
            verdict, reason = best["verdict"], best["reason"]
    return Claim(clipped(sentence, LONGEST), statement.needs_citation, verdict, reason, tuple(proofs))


def _proof(passage: Mapping[str, Any], found: Mapping[str, Any], offset: int = 0) -> LedgerProof:
    """A passage with its quote, whose places in a certificate or a judgement begin to count at an offset."""
    year, text = f" ({passage['year']})" if passage.get("year") else "", passage["text"]
    paper = f"{passage.get('title') or passage['document_id']}{year}"
    start, end = found["start"] - offset, found["end"] - offset
    if text[start:end] != found["quote"]:  # its place was lost: the passage is shown without a mark
        start = end = 0
    return LedgerProof(
        found["marker"],
        found["verdict"],
        found["reason"],
        source=", ".join(filter(None, (paper, passage.get("heading") or passage.get("section")))),
        link=paper_address({"key": "", "doi": "", "url": "", **passage}),
        before=("… " if start > AROUND else "") + text[max(0, start - AROUND) : start],
        quote=clipped(text[start:end], LONGEST),
        after=clipped(text[end:], AROUND),
    )
