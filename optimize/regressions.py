"""The questions on which a run did worst, and their answers claim by claim: what was judged, by which quote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics.judgements import Judgement, judgement_key
from metrics.passages import passages_of
from metrics.statements import Statement, answer_of, outcome, statements_of
from optimize.dataset import Example
from optimize.finished_run import FinishedRun
from optimize.generate import Record
from programs.results.rendering import clipped, paper_address
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
        before, quote, after: The passage, parted by the words that decide.
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
        verdict: What was found of it; empty where nothing has to be proved or nothing was judged.
        unresolved: What it cites that was not given.
    """

    text: str
    needs_proof: bool
    verdict: Verdict | str
    reason: str
    unresolved: tuple[str, ...]
    proofs: tuple[LedgerProof, ...]


def claims_in(run: FinishedRun, record: Record) -> tuple[Claim, ...]:
    """The sentences of an answer, in order; none of a failure or an empty answer."""
    prediction = record.as_scored
    question, text = str(prediction.get("question", "")), answer_of(prediction)
    passages = {each["id"]: each for each in prediction.get("passages", [])}
    claims = []
    for each in statements_of(prediction):
        sentence = text[each.start : each.end]
        certificates = [given for given in prediction.get("citations", []) if given["sentence"] == sentence]
        key = judgement_key(each.text, passages_of(prediction), question, run.judge)
        judged = run.judgements.get(key) if each.needs_citation else None
        claims.append(_claim(each, sentence, certificates, judged, passages))
    return tuple(claims)


def _claim(
    statement: Statement,
    sentence: str,
    certificates: Sequence[Mapping[str, Any]],
    judged: Judgement | None,
    passages: Mapping[str, Mapping[str, Any]],
) -> Claim:
    verdict, reason = _finding(judged, certificates) if statement.needs_citation else ("", "")
    proofs = []
    for each in certificates:
        start = passages[each["passage"]]["start"]
        proofs.append(_proof(passages[each["passage"]], each, each["start"] - start, each["end"] - start))
    if judged is not None and judged.passage in passages.keys() - {each["passage"] for each in certificates}:
        found = {**judged.as_dict(), "marker": ""}
        proofs.append(_proof(passages[judged.passage], found, judged.start, judged.end))
    given = {each["marker"] for each in certificates}
    unresolved = tuple(each for each in statement.cites if each not in given)
    return Claim(clipped(sentence, LONGEST), statement.needs_citation, verdict, reason, unresolved, tuple(proofs))


def _finding(judged: Judgement | None, certificates: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Verdict and reason: the judge's, else those of the best certificate."""
    if judged is not None:
        return judged.verdict, judged.reason
    best = max(certificates, key=lambda each: (each["verdict"] == "supported", each["score"]), default=None)
    return (best["verdict"], best["reason"]) if best else ("unverifiable", "it cites nothing")


def _proof(passage: Mapping[str, Any], found: Mapping[str, Any], start: int, end: int) -> LedgerProof:
    """A passage with its quote, which a certificate or a judgement has from ``start`` to ``end`` of its text."""
    year = f" ({passage['year']})" if passage.get("year") else ""
    paper = f"{passage.get('title') or passage['document_id']}{year}"
    source = ", ".join(filter(None, (paper, passage.get("heading") or passage.get("section"))))
    link = paper_address({"key": "", "doi": "", "url": "", **passage})
    parts = _split(passage["text"], found["quote"], start, end)
    return LedgerProof(found["marker"], found["verdict"], found["reason"], source, link, *parts)


def _split(text: str, quote: str, start: int, end: int) -> tuple[str, str, str]:
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


MOST = 10
MOST_CLAIMS = 12
LONGEST_GOLD = 1_200
LONGEST_REMARK = 500
SAME = 1e-9
OUTCOMES = {"abstained_with_claims": "abstained, and makes claims"}
"""Names of outcomes that are not words."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One program on one question, by the objective.

    Attributes:
        remark: What the objective found wrong, or the error.
        claims: The sentences of the answer, the first MOST_CLAIMS; ``left_out`` are how many more there are.
        withdrawn: Claims that the program itself could not prove, with its reasons.
    """

    program: str
    value: float
    outcome: str
    remark: str
    claims: tuple[Claim, ...]
    left_out: int
    withdrawn: tuple[tuple[str, str], ...]
    repairs: int


@dataclass(frozen=True, slots=True)
class Case:
    """One question with the answers before and after, or the only one, and what is known to be true of it, by name.

    ``change`` is that of the objective, after − before; the objective itself where there is one program.
    """

    id: str
    paper: str
    question: str
    gold: tuple[tuple[str, str], ...]
    change: float
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Regressions:
    """The worst questions, worst first, at most MOST; of one program ``worse`` have less than the full value."""

    is_difference: bool
    better: int
    same: int
    worse: int
    cases: tuple[Case, ...]


def regressions(run: FinishedRun) -> Regressions:
    """The worst questions of a run, by its objective."""
    changes = _changes(run)
    worse = sorted((name for name in changes if changes[name] < -SAME), key=lambda name: changes[name])
    better = sum(change > SAME for change in changes.values())
    # Of one program, whose changes are from the full value, the value itself is shown.
    cases = tuple(_case(run, name, changes[name] + (run.after is None)) for name in worse[:MOST])
    return Regressions(run.after is not None, better, len(changes) - better - len(worse), len(worse), cases)


def _changes(run: FinishedRun) -> dict[str, float]:
    """By id: what compiling changed; of one program what is missing of the full value."""

    def values(program: str) -> dict[str, float]:
        found = run.values(program, run.report.objective)
        return {name: score.value for name, score in found.items() if score.value is not None}

    after = values(run.reported)
    before = values(run.before) if run.after else dict.fromkeys(after, 1.0)
    return {name: value - before[name] for name, value in after.items() if name in before}


def _case(run: FinishedRun, name: str, change: float) -> Case:
    example = run.examples[name]
    return Case(
        id=name,
        paper=run.clusters[name],
        question=clipped(example.question, LONGEST_GOLD),
        gold=tuple(_gold(example)),
        change=change,
        answers=tuple(_answer(run, program, run.answers(program)[name]) for program in run.programs),
    )


def _gold(example: Example) -> list[tuple[str, str]]:
    if not example.answerable:
        return [("answer", "The papers do not answer this; to abstain is right.")]
    texts = [
        ("label", example.label),
        ("answer", " / ".join(filter(None, (example.answer, *example.answers)))),
        ("facts", "; ".join(example.nuggets)),
        ("evidence", " … ".join(each.quote for each in example.evidence)),
    ]
    return [(name, clipped(text, LONGEST_GOLD)) for name, text in texts if text]


def _answer(run: FinishedRun, program: str, record: Record) -> Answer:
    score, claims = run.values(program, run.report.objective)[record.id], claims_in(run, record)
    label = clipped(str(record.prediction.get("label") or ""), LONGEST_REMARK)
    withdrawn: list[dict[str, str]] = record.prediction.get("unsupported_claims", [])
    found = outcome(record.as_scored)
    return Answer(
        program=program,
        value=float(score),
        outcome=OUTCOMES.get(found, found) + (f", label {label}" if label else ""),
        remark=clipped(record.error or score.feedback, LONGEST_REMARK),
        claims=claims[:MOST_CLAIMS],
        left_out=max(0, len(claims) - MOST_CLAIMS),
        withdrawn=tuple(
            (clipped(each["claim"], LONGEST_REMARK), clipped(each["reason"], LONGEST_REMARK))
            for each in withdrawn[:MOST_CLAIMS]
        ),
        repairs=len(record.prediction.get("repairs", [])),
    )
