"""Second and third step of an evaluation: claims are judged, then metrics count. No program runs here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from metrics.catalogue import METRICS
from metrics.judgements import Judge, Judgement, Ledger
from metrics.score import Score
from optimize.example import Example
from optimize.generate import Record
from optimize.journal import Journal


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One metric of one prediction; a line of ``scores.jsonl``."""

    candidate: str
    split: str
    id: str
    metric: str
    score: Score

    def as_dict(self) -> dict[str, object]:
        """JSON-ready values."""
        names = {"candidate": self.candidate, "split": self.split, "id": self.id, "metric": self.metric}
        return {**names, **self.score.as_dict()}


class KeptLedger(Ledger):
    """A ledger that writes every new judgement to the run's file, so that nothing is judged twice.

    Args:
        journal: ``judgements.jsonl``.
        judge: By default the deterministic support check.
    """

    def __init__(self, journal: Journal, judge: Judge | None = None) -> None:
        super().__init__(judge, (Judgement.from_dict(line) for line in journal.read()))
        self._journal = journal
        self._written = len(self.judgements)

    def write(self) -> None:
        """Append what was judged since the last time."""
        for judgement in self.judgements[self._written :]:
            self._journal.append(asdict(judgement))
        self._written = len(self.judgements)


def score(
    records: Iterable[Record], examples: Mapping[str, Example], metrics: Sequence[str], ledger: Ledger
) -> list[ItemScore]:
    """Apply metrics to records.

    Args:
        records: What programs answered.
        examples: Gold data by id, as the questions were posed.
        metrics: Names in ``metrics.catalogue``.
        ledger: Judgements, and the judge of what is not judged yet.
    """
    return [
        ItemScore(record.candidate, record.split, record.id, name, _score(name, examples[record.id], record, ledger))
        for record in records
        for name in metrics
    ]


def _score(name: str, example: Example, record: Record, ledger: Ledger) -> Score:
    metric = METRICS[name]
    if metric.judged:
        return metric.score(example, record.as_scored, ledger=ledger)
    return metric.score(example, record.as_scored)
