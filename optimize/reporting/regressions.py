"""The questions on which a run did worst: what compiling made worse, or the worst answers of one program."""

from __future__ import annotations

from dataclasses import dataclass, replace

from metrics.outcome import outcome
from optimize.dataset.example import Example
from optimize.reporting.finished_run import FinishedRun
from optimize.reporting.ledger import Claim, claims_in
from optimize.running.generate import Record
from programs.results.harmless import clipped

MOST = 10
MOST_CLAIMS = 12
LONGEST_GOLD = 1_200
LONGEST_REMARK = 500
SAME = 1e-9
OUTCOMES = {
    "answered": "answered",
    "abstained": "abstained",
    "abstained_with_claims": "abstained, and makes claims",
    "empty": "empty",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One program on one question.

    Attributes:
        program: Its name.
        value: The objective.
        outcome: In words.
        remark: What the objective found wrong, or the error.
        claims: The sentences of the answer, the first MOST_CLAIMS.
        left_out: How many more there are.
        withdrawn: Claims that the program itself could not prove, with its reasons.
        repairs: Rounds of repair.
    """

    program: str
    value: float
    outcome: str
    remark: str
    claims: tuple[Claim, ...]
    left_out: int
    withdrawn: tuple[tuple[str, str], ...]
    repairs: int


@dataclass(frozen=True, slots=True)
class Case:
    """One question.

    Attributes:
        id: The example's.
        paper: Whose question it is.
        question: As it was asked.
        gold: What is known to be true of the answer, by name.
        change: Of the objective, after − before; the objective itself where there is one program.
        answers: Before and after, or the only one.
    """

    id: str
    paper: str
    question: str
    gold: tuple[tuple[str, str], ...]
    change: float
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Regressions:
    """The worst questions.

    Attributes:
        is_difference: Whether two programs are compared.
        better: Questions that got better; 0 where there is one program.
        same: That stayed as they were.
        worse: That got worse; of one program, that have less than the full value.
        cases: The worst, worst first, at most MOST.
    """

    is_difference: bool
    better: int
    same: int
    worse: int
    cases: tuple[Case, ...]


def regressions(run: FinishedRun) -> Regressions:
    """The worst questions of a run, by its objective."""
    changes = _changes(run)
    worse = sorted((name for name in changes if changes[name] < -SAME), key=lambda name: changes[name])
    better = sum(change > SAME for change in changes.values())
    cases = tuple(_case(run, name, changes[name]) for name in worse[:MOST])
    if run.after is None:
        cases = tuple(replace(case, change=1 + case.change) for case in cases)
    return Regressions(run.after is not None, better, len(changes) - better - len(worse), len(worse), cases)


def _changes(run: FinishedRun) -> dict[str, float]:
    """By id: what compiling changed; of one program what is missing of the full value."""
    after = _values(run, run.reported)
    if run.after is None:
        return {name: value - 1 for name, value in after.items()}
    before = _values(run, run.before)
    return {name: value - before[name] for name, value in after.items() if name in before}


def _values(run: FinishedRun, program: str) -> dict[str, float]:
    found = run.values(program, run.report.objective)
    return {name: score.value for name, score in found.items() if score.value is not None and name in run.examples}


def _case(run: FinishedRun, name: str, change: float) -> Case:
    example = run.examples[name]
    return Case(
        id=name,
        paper=run.clusters[name],
        question=clipped(example.question, LONGEST_GOLD),
        gold=tuple(_gold(example)),
        change=change,
        answers=tuple(_answer(run, program, run.answers(program)[name]) for program in run.programs),
    )


def _outcome(record: Record) -> str:
    """What became of the question, and the label that was given, where one was."""
    label = str(record.prediction.get("label") or "")
    return OUTCOMES[outcome(record.as_scored)] + (f", label {clipped(label, LONGEST_REMARK)}" if label else "")


def _gold(example: Example) -> list[tuple[str, str]]:
    if not example.answerable:
        return [("answer", "The papers do not answer this; to abstain is right.")]
    texts = [
        ("label", example.label),
        ("answer", " / ".join(filter(None, (example.answer, *example.answers)))),
        ("facts", "; ".join(example.nuggets)),
        ("evidence", " … ".join(each.quote for each in example.evidence)),
    ]
    return [(name, clipped(text, LONGEST_GOLD)) for name, text in texts if text]


def _answer(run: FinishedRun, program: str, record: Record) -> Answer:
    score, claims = run.values(program, run.report.objective)[record.id], claims_in(run, record)
    withdrawn: list[dict[str, str]] = record.prediction.get("unsupported_claims", [])
    return Answer(
        program=program,
        value=float(score),
        outcome=_outcome(record),
        remark=clipped(record.error or score.feedback, LONGEST_REMARK),
        claims=claims[:MOST_CLAIMS],
        left_out=max(0, len(claims) - MOST_CLAIMS),
        withdrawn=tuple(
            (clipped(each["claim"], LONGEST_REMARK), clipped(each["reason"], LONGEST_REMARK))
            for each in withdrawn[:MOST_CLAIMS]
        ),
        repairs=len(record.prediction.get("repairs", [])),
    )
