"""A claim, the text it is held against, and what the text says of it.

{"claim": "Relapses fell.", "premise": "Relapses halved (p = 0.01).", "label": "supported",
 "source": "trials", "document": "PMC123"}
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from metrics.support.premise import premise_parts, premise_text
from optimize.dataset.splits import fraction
from programs.errors import CorroborateError

Label = Literal["supported", "contradicted", "unverifiable", "not_supported"]
LABELS: tuple[Label, ...] = ("supported", "contradicted", "unverifiable")
"""The classes, in the order of the model's outputs; "not_supported" is either of the last two."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One example: a sentence, and several sentences at most that it is judged by.

    Attributes:
        label: What the premise says of the claim. "not_supported" where only that is known.
        source: The data set or the way it was made.
        document: The paper that the premise is from; documents, not pairs, are parted into splits.
    """

    claim: str
    premise: str
    label: Label
    source: str
    document: str


def valid_label(text: str) -> Label:
    """The label that a text names; else a ValueError."""
    if text not in get_args(Label):
        raise ValueError(f"{text!r} is not a label; give one of {', '.join(get_args(Label))}")
    return cast(Label, text)


def held_out(pairs: Sequence[Pair], share: float, salt: str) -> tuple[list[Pair], list[Pair]]:
    """Part pairs by document: (kept, held out), of which the latter have about that share of the documents.

    Another salt gives another, independent split; the same one the same split everywhere.
    """
    apart = {pair.document for pair in pairs if fraction(salt + pair.document) < share}
    return ([pair for pair in pairs if pair.document not in apart], [pair for pair in pairs if pair.document in apart])


def sampled(pairs: Iterable[Pair], count: int, generator: random.Random) -> list[Pair]:
    """So many pairs at random without repetition, or all of them in random order where there are fewer."""
    pool = list(pairs)
    return generator.sample(pool, min(count, len(pool)))


# Labelled claims from files, as pairs; what is reported is never handed out for training.
#
# The folder is laid out like `benchmarks/`: `claims/*.jsonl`, `scifact/`, `trials_train/`. Missing files are an error.

SCIFACT_LABELS = {"SUPPORT": "supported", "CONTRADICT": "contradicted", "": "unverifiable"}
_MARK = re.compile(
    r"\s*(?:\[[\d,;\s–-]*\]|\((?:[A-Z][\w'-]+(?: et al\.?| and [A-Z][\w'-]+)?,?\s*(?:\d{4}[a-z]?)?[;,\s]*)+\))"
)


class TrainingDataMissing(CorroborateError):
    """A file of training data is not where it should be."""


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSONL file; raises TrainingDataMissing if the file is missing."""
    if not path.is_file():
        raise TrainingDataMissing(
            f"No training data at {path}; give the folder that holds claims/ and scifact/ as --data."
        )
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def claim_set(data: Path, name: str, split: str, words: int = 80) -> list[Pair]:
    """One labelled set of `claims/`, train or dev, premises cut to the sentences nearest to the claim."""
    found = []
    for row in rows(data / "claims" / f"{name}.jsonl"):
        if row["split"] == split:
            claim = _MARK.sub("", row["claim"]) if name == "citation_integrity" else row["claim"]
            premise = nearest(claim, row["premise"], words)
            found.append(Pair(claim, premise, valid_label(row["label"]), name, document_of(row)))
    return found


def document_of(row: dict[str, Any]) -> str:
    """The paper behind a row; where a set names none, rows with the same premise are of one paper."""
    return str(row.get("document") or row.get("pmcid") or f"{row['source']}:{row['premise'][:80]}")


def handwritten_evidence(data: Path) -> list[Pair]:
    """Training claims written by hand against their evidence alone, short premises without distraction."""
    written = [row for row in rows(data / "claims" / "handwritten.jsonl") if row["split"] == "train"]
    return [
        Pair(row["claim"], evidence, valid_label(row["label"]), "handwritten_evidence", row["document"])
        for row in written
        if (evidence := " ".join(row["evidence"]))
    ]


def nearest(claim: str, passage: str, words: int = 80) -> str:
    """The sentences of a passage that are nearest to a claim; the passage itself when it is short."""
    if len(passage.split()) <= words:
        return passage
    return premise_text(premise_parts(claim, [passage], words), [passage])


def scifact(data: Path, split: str) -> Iterator[Pair]:
    """SciFact's claims: against their evidence sentences, or, without evidence, the nearest ones of the abstract cited.

    Training claims on papers of the validation claims are left out.
    """
    texts, apart = scifact_abstracts(data), scifact_reported(data) if split == "train" else set()
    for row in rows(data / "scifact" / f"claims_{split}.jsonl"):
        document = str(row["evidence_doc_id"] or row["cited_doc_ids"][0])
        if document in apart:
            continue
        if row["evidence_sentences"]:
            premise = " ".join(texts[document][at] for at in sorted(row["evidence_sentences"]))
        else:
            premise = nearest(row["claim"], " ".join(texts[document]), 60)
        label = valid_label(SCIFACT_LABELS[row["evidence_label"]])
        yield Pair(row["claim"], premise, label, "scifact", f"scifact:{document}")


def scifact_beside(data: Path) -> Iterator[Pair]:
    """Training claims against other sentences of the same abstract, those nearest to the claim: unverifiable."""
    texts, apart = scifact_abstracts(data), scifact_reported(data)
    evidence: dict[tuple[str, str], set[int]] = {}
    for row in rows(data / "scifact" / "claims_train.jsonl"):
        if row["evidence_doc_id"] and row["evidence_doc_id"] not in apart:
            evidence.setdefault((row["claim"], row["evidence_doc_id"]), set()).update(row["evidence_sentences"])
    for (claim, document), held in evidence.items():
        # The last sentences conclude and often say the claim again, so only what is before the evidence is taken.
        if others := texts[document][: min(held)]:
            premise = nearest(claim, " ".join(others), 40)
            yield Pair(claim, premise, "unverifiable", "scifact_beside", f"scifact:{document}")


def scifact_reported(data: Path) -> set[str]:
    """Abstracts that SciFact's validation claims cite; nothing of them is trained on."""
    claims = rows(data / "scifact" / "claims_validation.jsonl")
    return {str(each) for row in claims for each in (*row["cited_doc_ids"], row["evidence_doc_id"])}


def scifact_abstracts(data: Path) -> dict[str, list[str]]:
    """The sentences of SciFact's abstracts, by their ids."""
    return {str(row["doc_id"]): row["abstract"] for row in rows(data / "scifact" / "corpus.jsonl")}


def reported_documents(data: Path) -> set[str]:
    """Papers of the handwritten development claims and of the trials whose prompts are reported."""
    hand = {row["document"] for row in rows(data / "claims" / "handwritten.jsonl") if row["split"] == "dev"}
    prompts = data / "evidence_inference" / "prompts.jsonl"
    return hand | {row["pmcid"] for row in rows(prompts)}


def plain(text: str) -> str:
    """A field of Evidence Inference as running text: entities resolved, outer marks gone."""
    return " ".join(html.unescape(html.unescape(text)).split()).strip(" .,;:")
