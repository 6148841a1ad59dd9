"""Pairs made from unlabelled papers and from trials' findings."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from metrics.sentences import sentences
from optimize.training.altered import BEYOND, FALSE, changed_by, copy_of
from optimize.training.pairs import Label, Pair
from optimize.training.readers import nearest, plain, reported_documents, rows, scifact_reported
from optimize.training.wording import EFFECTS, Finding, any_statement, false_statement, swapped, true_statement

_WORD = re.compile(r"[a-z]{4,}")
SENTENCE = (50, 330)
"""Characters of a sentence that copies are made of."""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph of a paper."""

    document: str
    text: str


def paragraphs(data: Path) -> list[Text]:
    """Running text to copy sentences from: trials' passages and abstracts, none of a paper that is reported."""
    apart = reported_documents(data)
    found = [
        Text(paper["pmcid"], passage["text"])
        for paper in rows(data / "trials_train" / "papers.jsonl")
        if paper["pmcid"] not in apart
        for passage in paper["passages"]
        if passage["kind"] == "text" and passage["section"] in ("abstract", "results", "discussion", "conclusion")
    ]
    abstracts = {str(row["doc_id"]): row["abstract"] for row in rows(data / "scifact" / "corpus.jsonl")}
    held = scifact_reported(data) | {document.removeprefix("scifact:") for document in apart}
    return found + [Text(f"scifact:{key}", " ".join(text)) for key, text in abstracts.items() if key not in held]


def copies(texts: Iterable[Text], generator: random.Random) -> Iterator[Pair]:
    """A true, a false and a too wide copy of a sentence of each text, against it and perhaps its neighbours."""
    for text in texts:
        parts = [text.text[span.start : span.end] for span in sentences(text.text)]
        usable = [at for at, part in enumerate(parts) if SENTENCE[0] <= len(part) <= SENTENCE[1] and part[0].isupper()]
        if len(usable) < 2:
            continue
        at = generator.choice(usable)
        near = [part for part in parts[max(0, at - 1) : at + 2] if len(part) <= SENTENCE[1]]
        premise = " ".join(near) if generator.random() < 0.35 else parts[at]

        def pair(claim: str, label: Label, text: Text = text, premise: str = premise) -> Pair:
            return Pair(claim, premise, label, "copies", text.document)

        false, beyond = changed_by(FALSE, parts[at], generator), changed_by(BEYOND, parts[at], generator)
        yield pair(copy_of(parts[at], generator), "supported")
        if false:
            yield pair(false, "contradicted")
        if beyond:
            yield pair(beyond, "unverifiable")
        other = generator.choice([each for each in usable if each != at])
        if parts[other] not in premise:
            claim = (
                changed_by(FALSE, parts[other], generator)
                if generator.random() < 0.4
                else copy_of(parts[other], generator)
            )
            yield pair(claim or parts[other], "unverifiable")


def findings(data: Path) -> list[tuple[Finding, str, str]]:
    """Trials' findings with their evidence and paper, none of a paper that is reported."""
    apart = reported_documents(data)
    return [
        (finding_of(row), row["premise"], row["pmcid"])
        for row in rows(data / "claims" / "evidence_inference_v2.jsonl")
        if row["pmcid"] not in apart and row["effect"] in EFFECTS
    ]


def findings_in_passages(data: Path) -> list[tuple[Finding, str, str]]:
    """Trials' findings with the passages that hold the evidence."""
    apart = reported_documents(data)
    texts = {
        passage["id"]: passage["text"]
        for paper in rows(data / "trials_train" / "papers.jsonl")
        for passage in paper["passages"]
    }
    return [
        (finding_of(row), "\n\n".join(texts[each] for each in row["gold"][:2] if each in texts), row["pmcid"])
        for row in rows(data / "trials_train" / "prompts.jsonl")
        if row["pmcid"] not in apart and row["gold"] and row["effect"] in EFFECTS
    ]


def worded(
    found: list[tuple[Finding, str, str]], source: str, generator: random.Random, words: int = 70
) -> Iterator[Pair]:
    """Statements of each finding: true, made false, on another outcome of the paper, against another outcome's text."""
    by_paper: dict[str, list[tuple[Finding, str]]] = {}
    for finding, premise, document in found:
        by_paper.setdefault(document, []).append((finding, premise))
    for finding, premise, document in found:
        true, false = true_statement(finding, generator), false_statement(finding, generator)
        yield Pair(true, nearest(true, premise, words), "supported", source, document)
        yield Pair(false, nearest(false, premise, words), "contradicted", source, document)
        others = [
            each for each, _ in by_paper[document] if not _mentioned(each.outcome, finding.outcome + " " + premise)
        ]
        if others:
            other = generator.choice(others)
            moved = Finding(finding.intervention, finding.comparator, other.outcome, finding.effect)
            moved = swapped(moved) if generator.random() < 0.3 else moved
            claim = any_statement(moved, generator)
            yield Pair(claim, nearest(claim, premise, words), "unverifiable", source, document)


def finding_of(row: dict[str, str]) -> Finding:
    """The finding of a row of Evidence Inference, whose effect must be one of `EFFECTS`."""
    return Finding(plain(row["intervention"]), plain(row["comparator"]), plain(row["outcome"]), EFFECTS[row["effect"]])


def _mentioned(outcome: str, text: str) -> bool:
    """Whether half of an outcome's words stand in a text, so that the text may speak of it."""
    own, there = set(_WORD.findall(outcome.lower())), set(_WORD.findall(text.lower()))
    return not own or len(own & there) / len(own) >= 0.5
