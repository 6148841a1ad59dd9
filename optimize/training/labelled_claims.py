"""A claim, the text it is held against, and what the text says of it: from labelled sets, and written by hand.

{"claim": "Relapses fell.", "premise": "Relapses halved (p = 0.01).", "label": "supported",
 "source": "trials", "document": "PMC123"}

The folder of data is laid out like `benchmarks/`: `claims/*.jsonl`, `scifact/`, `trials_train/`; a missing file is an
error. What is reported is never handed out for training. ``written.jsonl`` beside this file holds questions and claims
in our own words (CC0), each with the sentences that answer it:

{"paper": "PMC3606612", "question": "Which iron treatment left people with more stored iron?",
 "answers": [["PMC3606612::sec2::chunk0", [[112, 287]]]],
 "supported": "…", "contradicted": "…", "unverifiable": "…"}

``[start, end]`` are characters of a passage of `trials_train`, or of an abstract of SciFact, its sentences joined by a
space. The three claims are held against the first passage that answers.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, get_args

from metrics.sentences import sentences
from metrics.support.premise import premise_parts, premise_text
from optimize.dataset import fraction
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

    Raises:
        ValueError: The label is another one.
    """

    claim: str
    premise: str
    label: Label
    source: str
    document: str

    def __post_init__(self) -> None:
        if self.label not in get_args(Label):
            raise ValueError(f"{self.label!r} is not a label; give one of {', '.join(get_args(Label))}")


def held_out(pairs: Sequence[Pair], share: float, salt: str) -> tuple[list[Pair], list[Pair]]:
    """Part pairs by document: (kept, held out), of which the latter have about that share of the documents.

    Another salt gives another, independent split; the same one the same split everywhere.
    """
    apart = {pair.document for pair in pairs if fraction(salt + pair.document) < share}
    return ([pair for pair in pairs if pair.document not in apart], [pair for pair in pairs if pair.document in apart])


SCIFACT_LABELS: dict[str, Label] = {"SUPPORT": "supported", "CONTRADICT": "contradicted", "": "unverifiable"}
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
    """One labelled set of `claims/`, train or dev, premises cut to the sentences nearest to the claim.

    Where a set names no papers, rows with the same premise are of one paper.
    """
    found = []
    for row in rows(data / "claims" / f"{name}.jsonl"):
        if row["split"] == split:
            claim = _MARK.sub("", row["claim"]) if name == "citation_integrity" else row["claim"]
            paper = str(row.get("document") or row.get("pmcid") or f"{row['source']}:{row['premise'][:80]}")
            found.append(Pair(claim, nearest(claim, row["premise"], words), row["label"], name, paper))
    return found


def handwritten_evidence(data: Path) -> list[Pair]:
    """Training claims written by hand against their evidence alone, short premises without distraction."""
    return [
        Pair(row["claim"], evidence, row["label"], "handwritten_evidence", row["document"])
        for row in rows(data / "claims" / "handwritten.jsonl")
        if row["split"] == "train" and (evidence := " ".join(row["evidence"]))
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
        yield Pair(row["claim"], premise, SCIFACT_LABELS[row["evidence_label"]], "scifact", f"scifact:{document}")


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
    return hand | {row["pmcid"] for row in rows(data / "evidence_inference" / "prompts.jsonl")}


def plain(text: str) -> str:
    """A field of Evidence Inference as running text: entities resolved, outer marks gone."""
    return " ".join(html.unescape(html.unescape(text)).split()).strip(" .,;:")


ABSTRACT = "scifact:"
"""Begins the names of papers of which the abstract is all that is known, which is one passage."""


@dataclass(frozen=True, slots=True)
class PaperPassage:
    """A passage of a paper that something was written on, with title and heading, and the spans of its sentences."""

    document: str
    id: str
    text: str
    about: str
    sentences: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class WrittenItem:
    """A question in natural words, the passages and spans that answer it, the plainest first, and claims by label."""

    document: str
    question: str
    answers: Sequence[tuple[PaperPassage, Sequence[tuple[int, int]]]]
    claims: dict[Label, str]

    def judged_claims(self) -> list[str]:
        """The claims that the sentences speak of: the one they support and the one they contradict."""
        return [self.claims["supported"], self.claims["contradicted"]]


@dataclass(frozen=True, slots=True)
class WrittenSet:
    """What was written, and all passages of the papers that it was written on."""

    items: Sequence[WrittenItem]
    passages: Sequence[PaperPassage]

    def pairs(self, words: int) -> list[Pair]:
        """Each claim against the sentences of its passage that are nearest, ``words`` at most."""
        return [
            Pair(claim, nearest(claim, each.answers[0][0].text, words), label, "written", each.document)
            for each in self.items
            for label, claim in each.claims.items()
        ]

    def evidence_pairs(self) -> list[Pair]:
        """Each claim against the sentences alone that it was written on."""
        found = []
        for each in self.items:
            passage, spans = each.answers[0]
            evidence = " ".join(passage.text[start:end].strip() for start, end in spans)
            for label, claim in each.claims.items():
                found.append(Pair(claim, evidence, label, "written_evidence", each.document))
        return found


def written(data: Path) -> WrittenSet:
    """What was written on papers of the folder that are not reported on; TrainingDataMissing if a file is not there."""
    apart = reported_documents(data) | {f"{ABSTRACT}{each}" for each in scifact_reported(data)}
    lines = (files("optimize.training") / "written.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = [row for row in map(json.loads, lines) if row["paper"] not in apart]
    passages = {each.id: each for each in _passages(data, {row["paper"] for row in wanted})}
    known = {each.document for each in passages.values()}
    items = [
        WrittenItem(
            row["paper"],
            row["question"],
            [(passages[name], [(start, end) for start, end in spans]) for name, spans in row["answers"]],
            {label: row[label] for label in LABELS},
        )
        for row in wanted
        if row["paper"] in known
    ]
    return WrittenSet(items, list(passages.values()))


def _passages(data: Path, papers: set[str]) -> Iterator[PaperPassage]:
    for paper in rows(data / "trials_train" / "papers.jsonl"):
        if paper["pmcid"] in papers:
            for each in paper["passages"]:
                spans = [(span.start, span.end) for span in sentences(each["text"])]
                about = f"{paper['title']}. {each['heading']}"
                yield PaperPassage(paper["pmcid"], each["id"], each["text"], about, spans)
    for row in rows(data / "scifact" / "corpus.jsonl"):
        if (name := f"{ABSTRACT}{row['doc_id']}") in papers:
            ends = list(accumulate(len(each) + 1 for each in row["abstract"]))
            spans = [(end - 1 - len(each), end - 1) for end, each in zip(ends, row["abstract"], strict=True)]
            yield PaperPassage(name, name, " ".join(row["abstract"]), row["title"], spans)
