"""Questions and claims written by hand on papers, each with the sentences that answer it.

{"paper": "PMC3606612", "question": "Which iron treatment left people with more stored iron?",
 "answers": [["PMC3606612::sec2::chunk0", [[112, 287]]]],
 "supported": "…", "contradicted": "…", "unverifiable": "…"}

``written.jsonl`` beside this file holds our own words (CC0) and positions in the passages of `trials_train` and the
abstracts of SciFact, whose texts are read from the folder of data: ``[start, end]`` are characters of a passage, and of
an abstract its sentences joined by a space. The three claims are held against the first passage that answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import accumulate
from pathlib import Path

from metrics.sentences import sentences
from optimize.training.labelled_claims import LABELS, Pair, nearest, reported_documents, rows, scifact_reported

SOURCE, EVIDENCE_SOURCE = "written", "written_evidence"
_ABSTRACT = "scifact:"


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
    claims: dict[str, str]

    @property
    def is_on_abstract(self) -> bool:
        """Whether all that is known of the paper is its abstract, which is one passage."""
        return self.document.startswith(_ABSTRACT)

    def judged_claims(self) -> list[str]:
        """The claims that the sentences speak of: the one they support and the one they contradict."""
        return [self.claims["supported"], self.claims["contradicted"]]

    @property
    def evidence(self) -> str:
        """The sentences of the first passage that answer."""
        passage, spans = self.answers[0]
        return " ".join(passage.text[start:end].strip() for start, end in spans)


@dataclass(frozen=True, slots=True)
class WrittenSet:
    """What was written, and all passages of the papers that it was written on."""

    items: Sequence[WrittenItem]
    passages: Sequence[PaperPassage]


def written(data: Path) -> WrittenSet:
    """What was written on papers of the folder that are not reported on; TrainingDataMissing if a file is not there."""
    apart = reported_documents(data) | {f"{_ABSTRACT}{each}" for each in scifact_reported(data)}
    lines = (files("optimize.training") / "written.jsonl").read_text(encoding="utf-8").splitlines()
    wanted = [row for row in map(json.loads, lines) if row["paper"] not in apart]
    passages = {each.id: each for each in _passages(data, {row["paper"] for row in wanted})}
    known = {each.document for each in passages.values()}
    items = []
    for row in wanted:
        if row["paper"] in known:
            answers = [(passages[name], [(start, end) for start, end in spans]) for name, spans in row["answers"]]
            items.append(WrittenItem(row["paper"], row["question"], answers, {label: row[label] for label in LABELS}))
    return WrittenSet(items, list(passages.values()))


def _passages(data: Path, papers: set[str]) -> Iterator[PaperPassage]:
    for paper in rows(data / "trials_train" / "papers.jsonl"):
        if paper["pmcid"] in papers:
            for each in paper["passages"]:
                spans = [(span.start, span.end) for span in sentences(each["text"])]
                about = f"{paper['title']}. {each['heading']}"
                yield PaperPassage(paper["pmcid"], each["id"], each["text"], about, spans)
    for row in rows(data / "scifact" / "corpus.jsonl"):
        if (name := f"{_ABSTRACT}{row['doc_id']}") in papers:
            ends = list(accumulate(len(each) + 1 for each in row["abstract"]))
            spans = [(end - 1 - len(each), end - 1) for end, each in zip(ends, row["abstract"], strict=True)]
            yield PaperPassage(name, name, " ".join(row["abstract"]), row["title"], spans)


def claim_pairs(found: WrittenSet, words: int) -> list[Pair]:
    """Each claim against the sentences of its passage that are nearest, ``words`` at most."""
    said = [(each, label, each.claims[label]) for each in found.items for label in LABELS]
    return [
        Pair(claim, nearest(claim, each.answers[0][0].text, words), label, SOURCE, each.document)
        for each, label, claim in said
    ]


def evidence_pairs(found: WrittenSet) -> list[Pair]:
    """Each claim against the sentences alone that it was written on."""
    return [
        Pair(each.claims[label], each.evidence, label, EVIDENCE_SOURCE, each.document)
        for each in found.items
        for label in LABELS
    ]
