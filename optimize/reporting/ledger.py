"""An answer claim by claim: what was judged of each sentence, and the passages it cites with the quote that decides.

Femur density fell by 12 % [1].   supported
    [1] supported   … Thirteen males were flown. >Femur density fell by 12.4% in flight mice.< Muscle was …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.judgements import Judgement, judgement_key
from metrics.outcome import answer_of, statements_of
from metrics.passages import passages_of
from metrics.statements import Statement
from optimize.reporting.finished_run import FinishedRun
from optimize.running.generate import Record
from programs.results.harmless import clipped
from programs.results.rendering import paper_address
from signatures.values import Verdict

AROUND = 500
"""Characters of a passage that are shown before and after its quote."""
LONGEST = 2_000
"""Characters of a sentence or a quote."""


@dataclass(frozen=True, slots=True)
class LedgerProof:
    """One passage that a sentence cites, or that decided.

    Attributes:
        marker: What the sentence writes in brackets; empty for a passage that it does not cite.
        verdict: Whether the passage, alone, says it; empty where that was not asked.
        reason: What differs, or what bears it out.
        source: The paper and the section.
        link: Where the paper can be read; may be empty.
        before: The passage up to the quote.
        quote: The words that decide; empty when there are none.
        after: The passage after them.
    """

    marker: str
    verdict: Verdict | str
    reason: str
    source: str
    link: str
    before: str
    quote: str
    after: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer.

    Attributes:
        text: As it stands in the answer.
        needs_proof: Whether it says something that has to be proved.
        verdict: What was found of it; empty where nothing has to be proved or nothing was judged.
        reason: Why.
        unresolved: What it cites that was not given.
        proofs: The passages it cites, and the one that decided.
    """

    text: str
    needs_proof: bool
    verdict: Verdict | str
    reason: str
    unresolved: tuple[str, ...]
    proofs: tuple[LedgerProof, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """One answer with what is known of it.

    Attributes:
        record: Where it was written down.
        judge: Name of the run's judge.
        judgements: What was judged in the run, by key.
    """

    record: Record
    judge: str
    judgements: Mapping[str, Judgement]

    @property
    def prediction(self) -> Mapping[str, Any]:
        """As metrics read it."""
        return self.record.as_scored

    @property
    def passages(self) -> Mapping[str, Mapping[str, Any]]:
        """What it was written from, by id."""
        return {each["id"]: each for each in self.prediction.get("passages", [])}

    def certificates(self, sentence: str) -> list[Mapping[str, Any]]:
        """Those of a sentence, as it stands in the answer."""
        return [each for each in self.prediction.get("citations", []) if each["sentence"] == sentence]

    def judged(self, statement: Statement) -> Judgement | None:
        """What the judge said of a sentence by all passages together; None where it was not asked."""
        question = str(self.prediction.get("question", ""))
        key = judgement_key(statement.text, passages_of(self.prediction), question, self.judge)
        return self.judgements.get(key) if statement.needs_citation else None


def claims_in(run: FinishedRun, record: Record) -> tuple[Claim, ...]:
    """The sentences of an answer, in order; none of a failure or an empty answer."""
    answer = _Answer(record, str(run.report.about.get("judge", "")), run.judgements)
    text = answer_of(answer.prediction)
    return tuple(_claim(answer, each, text[each.start : each.end]) for each in statements_of(answer.prediction))


def _claim(answer: _Answer, statement: Statement, sentence: str) -> Claim:
    certificates, judged = answer.certificates(sentence), answer.judged(statement)
    cited = {each["passage"] for each in certificates}
    verdict, reason = _finding(judged, certificates) if statement.needs_citation else ("", "")
    proofs = [_certified(each, answer.passages[each["passage"]]) for each in certificates]
    if judged is not None and judged.passage in answer.passages and judged.passage not in cited:
        proofs.append(_decided(judged, answer.passages[judged.passage]))
    given = {each["marker"] for each in certificates}
    unresolved = tuple(each for each in statement.cites if each not in given)
    return Claim(clipped(sentence, LONGEST), statement.needs_citation, verdict, reason, unresolved, tuple(proofs))


def _finding(judged: Judgement | None, certificates: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Verdict and reason: the judge's, else those of the best certificate."""
    if judged is not None:
        return judged.verdict, judged.reason
    best = max(certificates, key=lambda each: (each["verdict"] == "supported", each["score"]), default=None)
    return (best["verdict"], best["reason"]) if best else ("unverifiable", "it cites nothing")


def _certified(certificate: Mapping[str, Any], passage: Mapping[str, Any]) -> LedgerProof:
    start, end = certificate["start"] - passage["start"], certificate["end"] - passage["start"]
    parts = _parted(passage["text"], certificate["quote"], start, end)
    return LedgerProof(certificate["marker"], certificate["verdict"], certificate["reason"], *_source(passage), *parts)


def _decided(judged: Judgement, passage: Mapping[str, Any]) -> LedgerProof:
    parts = _parted(passage["text"], judged.quote, judged.start, judged.end)
    return LedgerProof("", judged.verdict, judged.reason, *_source(passage), *parts)


def _source(passage: Mapping[str, Any]) -> tuple[str, str]:
    """Paper and section in words, and where the paper can be read."""
    year = f" ({passage['year']})" if passage.get("year") else ""
    paper = f"{passage.get('title') or passage['document_id']}{year}"
    heading = passage.get("heading") or passage.get("section") or ""
    known = {"key": "", "doi": "", "url": "", **passage}
    return f"{paper}, {heading}" if heading else paper, paper_address(known)


def _parted(text: str, quote: str, start: int, end: int) -> tuple[str, str, str]:
    """A passage before, in and after its quote; the quote is looked for where its place has been lost."""
    if text[start:end] != quote:
        start = max(0, text.find(quote))
        end = start + len(quote) if text[start:].startswith(quote) else start
    before, after = text[:start], text[end:]
    if len(before) > AROUND:
        before = f"… {before[-AROUND:].partition(' ')[2]}"
    if len(after) > AROUND:
        after = f"{after[:AROUND].rpartition(' ')[0]} …"
    return before, clipped(text[start:end], LONGEST), after
