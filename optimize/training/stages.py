"""What is trained on, in which order: short and made pairs first, handwritten claims last."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from optimize.training import generated_pairs
from optimize.training import labelled_claims as labelled
from optimize.training.labelled_claims import LABELS, Pair, held_out
from optimize.training.wording import figures

CALIBRATION_SHARE = 0.08
"""Share of the training papers whose pairs are kept for calibration and thresholds."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Part of the training.

    Attributes:
        shares: How many pairs of each source an epoch holds at most; sources that are made are made anew each epoch.
        epochs: Passes through the shares; the last one may be a part.
        rate: Highest learning rate; the last one is reached along a cosine.
        words: Words of a premise at most.
        batch: Pairs a step.
    """

    name: str
    shares: Mapping[str, int]
    epochs: float
    rate: float
    last_rate: float
    words: int
    batch: int = 16


STAGES = (
    Stage(
        "relations",
        {
            "copies": 2_400,
            "worded": 4_800,
            "figures": 1_600,
            "disturbed": 2_400,
            "scifact": 800,
            "scifact_beside": 200,
            "check_covid": 900,
            "citation_integrity": 600,
            "handwritten_evidence": 1_800,
            "written_evidence": 1_800,
        },
        epochs=0.25,
        rate=1.3e-4,
        last_rate=8e-5,
        words=45,
    ),
    Stage(
        "claims",
        {
            "handwritten": 2_000,
            "handwritten_evidence": 600,
            "written": 2_400,
            "written_evidence": 900,
            "copies": 300,
            "worded": 900,
            "figures": 300,
            "disturbed": 1_200,
            "scifact": 800,
            "check_covid": 900,
            "citation_integrity": 500,
        },
        epochs=2,
        rate=1e-4,
        last_rate=5e-6,
        words=55,
    ),
)
"""What the shipped checker continued with."""


LABELLED = ("handwritten", "handwritten_evidence", "written", "written_evidence", "scifact", "check_covid")
"""Sources of claims that people wrote for a passage; those of Citation Integrity were written for their own paper."""
CALIBRATED_ON: Mapping[str, int] = {
    "handwritten": 500,
    "written": 250,
    "scifact": 200,
    "check_covid": 200,
    "citation_integrity": 250,
    "worded": 200,
    "copies": 200,
}


class Sources:
    """Pairs by source, read once; made ones are made again for each seed."""

    def __init__(self, data: Path) -> None:
        """Take the folder of data; its files are read when a source is asked for."""
        self._data = data
        self._kept: dict[tuple[str, int], list[Pair]] = {}

    @cached_property
    def _paragraphs(self) -> list[generated_pairs.Text]:
        return generated_pairs.paragraphs(self._data)

    @cached_property
    def _findings(self) -> list[generated_pairs.Finding]:
        return generated_pairs.findings(self._data)

    def pairs(self, source: str, seed: int, words: int) -> list[Pair]:
        """All pairs of a source; a made source gives others for another seed."""
        generator = random.Random(f"{source} {seed}")  # noqa: S311 - repeatable, not secret
        if source == "copies":
            half = generator.sample(self._paragraphs, len(self._paragraphs) // 2)
            made = list(generated_pairs.copies(half, generator))
            count = min(sum(pair.label == label for pair in made) for label in LABELS)
            return [
                each for label in LABELS for each in _sampled((p for p in made if p.label == label), count, generator)
            ]
        if source == "worded":
            return list(generated_pairs.worded(self._findings, generator, words))
        if source == "figures":
            return list(figures(((each.said, each.document) for each in self._findings), generator))
        if source == "disturbed":
            whole = (pair for each in LABELLED for pair in self.pairs(each, seed, words))
            return list(generated_pairs.disturbed(whole, generator))
        if (source, words) not in self._kept:
            self._kept[source, words] = self._labelled(source, words)
        return self._kept[source, words]

    def _labelled(self, source: str, words: int) -> list[Pair]:
        if source in ("written", "written_evidence"):
            found = labelled.written(self._data)
            return found.pairs(words) if source == "written" else found.evidence_pairs()
        if source == "handwritten_evidence":
            return labelled.handwritten_evidence(self._data)
        if source in ("scifact", "scifact_beside"):
            beside, apart = source != "scifact", labelled.reported_documents(self._data)
            read = labelled.scifact_beside(self._data) if beside else labelled.scifact(self._data, "train")
            return [pair for pair in read if pair.document not in apart]
        return labelled.claim_set(self._data, source, "train", words)


def _sampled(pairs: Iterable[Pair], count: int, generator: random.Random) -> list[Pair]:
    """So many pairs at random without repetition, or all of them in random order where there are fewer."""
    pool = list(pairs)
    return generator.sample(pool, min(count, len(pool)))


def epoch_pairs(stage: Stage, sources: Sources, seed: int) -> list[Pair]:
    """The training pairs of one epoch in random order, without those kept for calibration."""
    generator = random.Random(f"{stage.name} {seed}")  # noqa: S311 - repeatable, not secret
    found: list[Pair] = []
    for source, count in stage.shares.items():
        kept, _ = held_out(sources.pairs(source, seed, stage.words), CALIBRATION_SHARE, "calibration")
        found += _sampled(kept, count, generator)
    generator.shuffle(found)
    return found


def calibration_pairs(sources: Sources, seed: int = 0, words: int = 80) -> list[Pair]:
    """Pairs of papers that no stage trains on, of every labelled source and some that are made."""
    generator = random.Random(f"calibration {seed}")  # noqa: S311 - repeatable, not secret
    found: list[Pair] = []
    for source, count in CALIBRATED_ON.items():
        _, apart = held_out(sources.pairs(source, seed, words), CALIBRATION_SHARE, "calibration")
        found += _sampled(apart, count, generator)
    return found
