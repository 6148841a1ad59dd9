"""What a checker is reported on, and never trained, calibrated or tuned on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from metrics.support.premise import WORDS
from optimize.training import readers
from optimize.training.pairs import Pair
from optimize.training.wording import EFFECTS

RIGHT = {"more": "increased", "less": "decreased", "same": "had no significant effect on"}
TURNED = {"more": "decreased", "less": "increased", "same": "increased"}
# A second wording, whose forms no training statement has.
OTHER_RIGHT = {
    "more": "was followed by a climb in",
    "less": "was followed by a slump in",
    "same": "made no real difference to",
}
OTHER_TURNED = {
    "more": "was followed by a slump in",
    "less": "was followed by a climb in",
    "same": "was followed by a climb in",
}


@dataclass(frozen=True, slots=True)
class Turned:
    """A true statement on a trial, the same turned around, and the experts' evidence."""

    right: str
    turned: str
    evidence: str
    document: str


def reported_sets(data: Path) -> dict[str, list[Pair]]:
    """Labelled pairs by the name of their set."""
    return {
        "handwritten dev": readers.handwritten(data, "dev", WORDS),
        "SciFact validation": list(readers.scifact(data, "validation")),
        "Check-COVID dev": readers.claim_set(data, "check_covid", "dev", WORDS),
        "Citation Integrity dev": readers.claim_set(data, "citation_integrity", "dev", WORDS),
    }


def turned_statements(data: Path, *, other_wording: bool = False) -> list[Turned]:
    """Evidence Inference's prompts on the trials that are reported, worded as the true and the turned statement."""
    right, turned = (OTHER_RIGHT, OTHER_TURNED) if other_wording else (RIGHT, TURNED)
    found = []
    for row in readers.rows(data / "evidence_inference" / "prompts.jsonl"):
        intervention, comparator, outcome = (
            readers.plain(row[key]) for key in ("intervention", "comparator", "outcome")
        )
        effect = EFFECTS[row["label"]]
        evidence = " ".join(dict.fromkeys(each["text"] for each in row["evidence"]))
        said, unsaid = (
            f"{intervention} {verbs[effect]} {outcome} compared with {comparator}." for verbs in (right, turned)
        )
        found.append(Turned(said, unsaid, evidence, row["pmcid"]))
    return found
