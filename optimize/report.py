"""The result of an evaluation: every metric for both programs, their paired difference, and what canaries would get.

The headline is the difference of the objective on questions that no choice was made by, with its interval, whatever it
is.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from metrics.answers import answerability
from metrics.canaries import CANARIES, skill
from metrics.catalogue import METRICS
from metrics.grounded_utility import grounded_utility
from metrics.judgements import Ledger
from metrics.score import Score, mean
from optimize.dataset import Example
from optimize.generate import Record
from optimize.scoring import GROUNDED_UTILITY, Aggregates, ItemScore, aggregates
from optimize.statistics import UNDEFINED, Paired, compare, counted, holm, number, signed

FEW_PAPERS = 10
"""Below this many clusters, a bootstrap by cluster gives intervals that are clearly too narrow (Cameron, Gelbach and
Miller 2008, Rev. Econ. Stat. 90:414)."""


@dataclass(frozen=True, slots=True)
class ReportCell:
    """A metric's mean over one program: ``n`` of ``total`` predictions have a value; failures count as the worst."""

    value: float | None
    n: int
    total: int


def shown(cell: ReportCell | None) -> str:
    """A mean, with the questions it rests on where not all have a value: "0.512 (35/49)"; or a dash."""
    if cell is None or cell.value is None:
        return UNDEFINED
    return number(cell.value) if cell.n == cell.total else f"{number(cell.value)} ({cell.n}/{cell.total})"


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric of the uncompiled program, or the only one, and of the compiled one, if there is one.

    Attributes:
        paired: The difference after − before over the questions for which both are defined.
        p_holm: Its p, adjusted for the number of metrics.
        alone: Where there is one program, its mean with an interval, as the difference from one that always gets 0.
    """

    metric: str
    higher_is_better: bool
    before: ReportCell
    after: ReportCell | None = None
    paired: Paired | None = None
    p_holm: float | None = None
    alone: Paired | None = None

    @property
    def is_judged(self) -> bool:
        """Whether it rests on the judge."""
        return METRICS[self.metric].judged

    @property
    def is_defined(self) -> bool:
        """Whether any prediction has a value."""
        return self.before.value is not None or (self.after is not None and self.after.value is not None)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is printed.

    Attributes:
        objective: The metric that was maximised, or comes first.
        canaries: What each worthless answer gets on ``grounded_utility``; empty where that is not the objective.
        skill: By program: (J − best canary) / (1 − best canary); None if a canary is perfect.
        choice: Candidates and their objective on val, in the order in which they were tried.
        failures: What failed, by program, with how often.
        lasting: Those of the warnings that hold whichever judge is used.
    """

    title: str
    objective: str
    headline: str
    about: Mapping[str, Any]
    rows: tuple[MetricRow, ...]
    canaries: Mapping[str, float]
    skill: Mapping[str, float | None]
    choice: Mapping[str, float]
    aggregates: Mapping[str, Aggregates]
    failures: Mapping[str, Mapping[str, int]]
    warnings: tuple[str, ...]
    lasting: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)

    def values(self) -> dict[str, float | None]:
        """Every number of the program that the run ends with, by metric; None where it is undefined."""
        cells = {row.metric: (row.after or row.before).value for row in self.rows}
        return {**cells, **list(self.aggregates.values())[-1].numbers()}

    @property
    def is_difference(self) -> bool:
        """Whether two programs are compared; not where the uncompiled one was chosen."""
        return len(self.aggregates) > 1

    @property
    def has_answers(self) -> bool:
        """Whether the program writes answers; one that only searches can neither abstain nor be sure."""
        asked = any(row.metric == answerability.__name__ for row in self.rows)
        return asked or any(each.risk_coverage or each.sections for each in self.aggregates.values())

    def row(self, metric: str) -> MetricRow:
        """The row of a metric."""
        return next(row for row in self.rows if row.metric == metric)


@dataclass(frozen=True, slots=True)
class MeasuredProgram:
    """One program's predictions and their scores, question by question in the same order for every program."""

    name: str
    records: Sequence[Record]
    scores: Sequence[ItemScore] = ()

    def of(self, metric: str) -> dict[str, Score]:
        """A metric's scores by example id."""
        return {each.id: each.score for each in self.scores if each.metric == metric}

    def failures(self) -> dict[str, int]:
        """What failed, with how often."""
        return dict(Counter(record.error for record in self.records if record.error))


@dataclass(frozen=True, slots=True)
class AskedExamples:
    """What was asked: gold data by id, as the questions were posed, the paper of each, and their split."""

    examples: Mapping[str, Example]
    clusters: Mapping[str, str]
    split: str


@dataclass(frozen=True, slots=True)
class ReportHeader:
    """What a report says beside its numbers.

    ``model`` answered; ``choice`` is the objective of every candidate on val, by the judge ``chosen_by``.
    """

    title: str
    about: Mapping[str, Any]
    model: str
    choice: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    seed: int = 0
    chosen_by: str = ""


def build_report(
    header: ReportHeader,
    asked: AskedExamples,
    measured: Sequence[MeasuredProgram],
    ledger: Ledger,
    *,
    warnings: Sequence[str] = (),
    canaries: bool = True,
) -> Report:
    """Put a report together from the programs' scores: the uncompiled one, or the only one, and the compiled one.

    ``warnings`` hold by this judge; ``canaries`` tells whether the judge is asked about worthless answers too, of which
    there are several a question.
    """
    before, after = measured[0], measured[1] if len(measured) > 1 else None
    main, papers = before.scores[0].metric, asked.clusters
    found = []
    for metric in dict.fromkeys(each.metric for each in before.scores):
        first = before.of(metric)
        row = metric_row(metric, papers, first, after.of(metric) if after else None, header.seed)
        if after is None or after.name == before.name:
            zero = {each: replace(score, value=0.0) for each, score in first.items() if score.value is not None}
            row = replace(row, alone=_paired(papers, zero, first, header.seed))
        found.append(row)
    rows = adjusted(row for row in found if row.is_defined)
    objective = {each.name: mean(each.of(main).values()).value for each in measured}
    noted = [*header.warnings, *few_papers(papers)]
    failed = {each.name: sum(each.failures().values()) for each in measured}
    if len(set(failed.values())) > 1:
        said = ", ".join(f"{name} {count}" for name, count in failed.items())
        noted += [f"Failed questions count as worst, and their numbers differ ({said}), perhaps by the server's doing."]
    lasting = tuple(dict.fromkeys(noted))
    worthless = _canaries(asked.examples, before, ledger) if canaries and main == GROUNDED_UTILITY else {}
    return Report(
        title=header.title,
        objective=main,
        headline=_headline(main, rows, before, after),
        about=header.about,
        rows=tuple(rows),
        canaries=worthless,
        skill={
            name: None if value is None else skill(value, worthless.values())
            for name, value in objective.items()
            if worthless
        },
        choice=header.choice,
        aggregates={
            each.name: aggregates(
                asked.examples, each.records, {name: score.value for name, score in each.of(main).items()}
            )
            for each in measured
        },
        failures={each.name: each.failures() for each in measured},
        warnings=(*lasting, *warnings, *_canary_warnings(worthless, objective)),
        lasting=lasting,
    )


def few_papers(papers: Mapping[str, str]) -> Iterator[str]:
    """That questions are on too few papers, given by question."""
    clusters = len(set(papers.values()))
    if 1 < clusters < FEW_PAPERS:
        yield f"{counted(clusters, 'paper')} are few to tell how much results vary: the intervals are too narrow."


def metric_row(
    metric: str,
    papers: Mapping[str, str],
    before: Mapping[str, Score],
    after: Mapping[str, Score] | None = None,
    seed: int = 0,
) -> MetricRow:
    """One metric by its scores by id; ``papers`` are those of the questions."""
    row = MetricRow(metric, METRICS[metric].higher_is_better if metric in METRICS else True, _cell(before))
    return replace(row, after=_cell(after), paired=_paired(papers, before, after, seed)) if after is not None else row


def adjusted(rows: Iterable[MetricRow]) -> list[MetricRow]:
    """The rows with their p adjusted for their number."""
    found = list(rows)
    p_holm = holm({row.metric: row.paired.p for row in found if row.paired})
    return [replace(row, p_holm=p_holm.get(row.metric)) for row in found]


def _cell(scores: Mapping[str, Score]) -> ReportCell:
    found = mean(scores.values())
    return ReportCell(found.value, found.n_scored, found.n_total)


def _paired(
    papers: Mapping[str, str], before: Mapping[str, Score], after: Mapping[str, Score], seed: int
) -> Paired | None:
    """The difference after − before over the questions for which both are defined; None if there is none."""
    both = [each for each in before if each in after and None not in (before[each].value, after[each].value)]
    differences = [float(after[each]) - float(before[each]) for each in both]
    return compare(differences, [papers[each] for each in both], seed) if both else None


def _headline(objective: str, rows: Sequence[MetricRow], before: MeasuredProgram, after: MeasuredProgram | None) -> str:
    row = next((row for row in rows if row.metric == objective), None)
    if row is None or row.before.value is None:
        return f"{objective} is undefined: no question has a gold answer."
    if after is None or row.after is None or row.paired is None or row.after.value is None:
        said, alone = f"{row.metric} of {before.name}: {row.before.value:.3f}", row.alone
        if alone is None or alone.low is None or alone.high is None:
            return f"{said} over {counted(row.before.total, 'question')}; one paper is too few for an interval."
        few = f"{alone.n} of " if alone.n < row.before.total else ""
        sample = f"{few}{counted(row.before.total, 'question')} on {counted(alone.n_clusters, 'paper')}"
        return f"{said} (95 % interval {alone.low:.3f} to {alone.high:.3f}, {sample})."
    if after.name == before.name:
        asked = counted(row.before.total, "question")
        return (
            f"No candidate beat the uncompiled program on val, so it is kept; its {objective} on the {asked} of this "
            f"report is {row.before.value:.3f}."
        )
    return difference_told(row, "uncompiled")


def difference_told(row: MetricRow, other: str) -> str:
    """Whether a metric of a program is better than that of another, with the difference, in a sentence."""
    paired = row.paired
    if paired is None or row.after is None or row.before.value is None or row.after.value is None:
        return f"No question has {row.metric} of both."
    change = f"{row.metric} {row.before.value:.3f} → {row.after.value:.3f}"
    if paired.low is None or paired.high is None:
        return (
            f"{change}, a difference of {signed(paired.difference)}; one paper is too few to say whether it is chance."
        )
    sample = f"p {paired.p:.3f}, {counted(paired.n, 'question')} on {counted(paired.n_clusters, 'paper')}"
    interval = f"95 % interval {signed(paired.low)} to {signed(paired.high)}"
    found = f"{change}, {signed(paired.difference)} ({interval}, {sample})."
    if not paired.excludes_zero:
        return f"No significant difference: {found}"
    verb = "Better" if paired.difference > 0 else "Worse"
    doubt = "" if paired.is_significant else " by its interval, though not by its p"
    return f"{verb} than {other}{doubt}: {found}"


def _canaries(examples: Mapping[str, Example], measured: MeasuredProgram, ledger: Ledger) -> dict[str, float]:
    """The objective of each canary over the passages that the program found."""
    values: dict[str, list[float]] = defaultdict(list)
    for record in measured.records:
        example, passages = examples[record.id], record.as_scored.get("passages", [])
        for name, canary in CANARIES.items():
            found = grounded_utility(example, canary(example, passages), ledger=ledger)
            if found.value is not None:
                values[name].append(found.value)
    return {name: math.fsum(each) / len(each) for name, each in values.items()}


def _canary_warnings(canaries: Mapping[str, float], objective: Mapping[str, float | None]) -> Iterator[str]:
    """One for each program that does not beat all canaries."""
    for name, value in objective.items():
        rivals = [each for each, of in canaries.items() if value is not None and of >= value]
        if rivals:
            best = sorted(rivals, key=lambda each: -canaries[each])
            listed = ", ".join(f"{each} ({canaries[each]:.3f})" for each in best)
            yield (
                f"{name} gets {value:.3f}, and worthless answers get no less: {listed}. Do not rely on "
                f"{GROUNDED_UTILITY} here."
            )


CHECKER = "corroborate-checker-1@sha256:bdf4e586c02e+guards/18"
"""The judge that is shipped."""

MEASURED = {
    CHECKER: (
        "of 321 claims of SciFact's validation set it judges 44 % rightly (the most frequent verdict: 43 %), and where "
        "it says supported 72 %; it says contradicted of 4 claims only. Of 135 findings of Evidence Inference it puts "
        "the true one above the same turned around in 86 %. Programs correct their answers with this same check, which "
        "flatters groundedness and citations"
    )
}
"""By name and version of the judge; from ``python -m bench.support``, on data that it was not tuned on."""


def accuracy_of(judge: str) -> str:
    """What is known of a judge's accuracy."""
    return MEASURED.get(judge, "its accuracy is not known here")


def plain(value: object) -> str:
    """A value of a run's description in words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or "none"
    return "none" if value is None else str(value)
