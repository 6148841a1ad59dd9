"""Pairs that are made: of sentences of unlabelled papers, of trials' findings, and of labelled claims."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from metrics.sentences import sentences
from optimize.training import altered_sentences
from optimize.training.altered_sentences import BEYOND, FALSE, changed_by, copy_of
from optimize.training.labelled_claims import (
    Label,
    Pair,
    nearest,
    plain,
    reported_documents,
    rows,
    scifact_abstracts,
    scifact_reported,
)
from optimize.training.wording import EFFECTS, TrialFinding, any_statement, false_statement, swapped, true_statement

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
    held = scifact_reported(data) | {document.removeprefix("scifact:") for document in apart}
    abstracts = scifact_abstracts(data).items()
    return found + [Text(f"scifact:{key}", " ".join(text)) for key, text in abstracts if key not in held]


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
        false, beyond = changed_by(FALSE, parts[at], generator), changed_by(BEYOND, parts[at], generator)
        claims: list[tuple[str | None, Label]] = [(copy_of(parts[at], generator), "supported")]
        claims += [(false, "contradicted"), (beyond, "unverifiable")]
        other = parts[generator.choice([each for each in usable if each != at])]
        if other not in premise:
            is_altered = generator.random() < 0.4
            claim = changed_by(FALSE, other, generator) if is_altered else copy_of(other, generator)
            claims.append((claim or other, "unverifiable"))
        yield from (Pair(claim, premise, label, "copies", text.document) for claim, label in claims if claim)


@dataclass(frozen=True, slots=True)
class Finding:
    """A trial's finding with the experts' evidence and its paper."""

    said: TrialFinding
    premise: str
    document: str


def findings(data: Path) -> list[Finding]:
    """Trials' findings, none of a paper that is reported."""
    apart = reported_documents(data)
    return [
        Finding(finding_of(row), row["premise"], row["pmcid"])
        for row in rows(data / "claims" / "evidence_inference_v2.jsonl")
        if row["pmcid"] not in apart and row["effect"] in EFFECTS
    ]


def finding_of(row: dict[str, str]) -> TrialFinding:
    """The finding of a row of Evidence Inference, whose effect must be one of `EFFECTS`."""
    intervention, comparator, outcome = (plain(row[name]) for name in ("intervention", "comparator", "outcome"))
    return TrialFinding(intervention, comparator, outcome, EFFECTS[row["effect"]])


def worded(found: Sequence[Finding], generator: random.Random, words: int = 70) -> Iterator[Pair]:
    """Statements of each finding: true, made false, on another outcome of the paper, against another outcome's text."""
    outcomes: dict[str, list[str]] = {}
    for each in found:
        outcomes.setdefault(each.document, []).append(each.said.outcome)
    for each in found:

        def pair(claim: str, label: Label, of: Finding = each) -> Pair:
            return Pair(claim, nearest(claim, of.premise, words), label, "worded", of.document)

        true, false = true_statement(each.said, generator), false_statement(each.said, generator)
        yield pair(true, "supported")
        yield pair(false, "contradicted")
        statement = f"{each.said.outcome} {each.premise}"
        if others := [one for one in outcomes[each.document] if not _mentioned(one, statement)]:
            moved = replace(each.said, outcome=generator.choice(others))
            moved = swapped(moved) if generator.random() < 0.3 else moved
            yield pair(any_statement(moved, generator), "unverifiable")


def _mentioned(outcome: str, text: str) -> bool:
    """Whether half of an outcome's words are in a text, so that the text may speak of it."""
    own, there = set(_WORD.findall(outcome.lower())), set(_WORD.findall(text.lower()))
    return not own or len(own & there) / len(own) >= 0.5


def disturbed(pairs: Iterable[Pair], generator: random.Random) -> Iterator[Pair]:
    """Each claim that people labelled supported, and the same made false in one thing.

    premise "Thymol, eugenol and menthol reduced decay, thymol most of all."
    claim   "Thymol slowed decay best."      supported
    made    "Eugenol slowed decay best."     not_supported
    """
    for pair in pairs:
        if pair.label == "supported" and (false := altered_sentences.disturbed(pair.claim, pair.premise, generator)):
            yield replace(pair, source="disturbed")
            yield replace(pair, claim=false, label="not_supported", source="disturbed")
