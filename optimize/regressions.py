"""The questions on which a run did worst, and their answers claim by claim: what was judged, by which quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

MOST = 10
MOST_CLAIMS = 12
AROUND = 500
"""Characters of a passage that are shown before and after its quote."""
LONGEST = 1_200
"""Characters of a sentence, a quote, gold data or a remark."""
SAME = 1e-9


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
    """One sentence of an answer; ``verdict`` is empty where nothing has to be proved or nothing was judged."""

    text: str
    needs_proof: bool
    verdict: Verdict | str
    reason: str
    proofs: tuple[LedgerProof, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """One program on one question, by the objective, with its first MOST_CLAIMS sentences.

    ``remark`` is what the objective found wrong, or the error.
    """

    program: str
    value: float
    outcome: str
    remark: str
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One question with the answers before and after, or the only one, and what is known to be true of it, by name.

    ``change`` is that of the objective, after − before; the objective itself where there is one program.
    """

    id: str
    paper: str
    question: str
    gold: Mapping[str, str]
    change: float
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Regressions:
    """The worst questions, worst first, at most MOST; of one program ``worse`` have less than the full value."""

    better: int
    same: int
    worse: int
    cases: tuple[Case, ...]


def regressions(run: FinishedRun) -> Regressions:
    """The worst questions of a run, by its objective."""
    after = run.values(run.reported, run.report.objective)
    before = run.values(run.before, run.report.objective) if run.after else {}
    # Of one program: what is missing of the full value.
    changes = {
        name: score.value - (float(before[name]) if run.after else 1.0)
        for name, score in after.items()
        if score.value is not None and not (run.after and (name not in before or before[name].value is None))
    }
    worse = sorted((name for name in changes if changes[name] < -SAME), key=lambda name: changes[name])
    better = sum(change > SAME for change in changes.values())
    cases = tuple(_case(run, name, changes[name] + (run.after is None)) for name in worse[:MOST])
    return Regressions(better, len(changes) - better - len(worse), len(worse), cases)


def _case(run: FinishedRun, name: str, change: float) -> Case:
    example = run.examples[name]
    return Case(
        id=name,
        paper=run.clusters[name],
        question=clipped(example.question, LONGEST),
        gold=_gold(example),
        change=change,
        answers=tuple(_answer(run, program, run.answers(program)[name]) for program in run.programs),
    )


def _gold(example: Example) -> dict[str, str]:
    if not example.answerable:
        return {"answer": "The papers do not answer this; to abstain is right."}
    texts = {
        "label": example.label,
        "answer": " / ".join(filter(None, (example.answer, *example.answers))),
        "facts": "; ".join(example.nuggets),
        "evidence": " … ".join(each.quote for each in example.evidence),
    }
    return {name: clipped(text, LONGEST) for name, text in texts.items() if text}


def _answer(run: FinishedRun, program: str, record: Record) -> Answer:
    score, label = run.values(program, run.report.objective)[record.id], record.prediction.get("label")
    return Answer(
        program=program,
        value=float(score),
        outcome=outcome(record.as_scored).replace("_", " ") + (f", label {clipped(str(label), 80)}" if label else ""),
        remark=clipped(record.error or score.feedback, LONGEST),
        claims=tuple(claims_in(run, record))[:MOST_CLAIMS],
    )


def claims_in(run: FinishedRun, record: Record) -> Iterator[Claim]:
    """The sentences of an answer, in order; none of a failure or an empty answer."""
    prediction = record.as_scored
    question, text = str(prediction.get("question", "")), answer_of(prediction)
    passages = {each["id"]: each for each in prediction.get("passages", [])}
    for each in statements_of(prediction):
        sentence = text[each.start : each.end]
        certificates = [given for given in prediction.get("citations", []) if given["sentence"] == sentence]
        key = judgement_key(each.text, passages_of(prediction), question, run.judge)
        judged = run.judgements.get(key) if each.needs_citation else None
        yield _claim(each, sentence, certificates, judged, passages)


def _claim(
    statement: Statement,
    sentence: str,
    certificates: Sequence[Mapping[str, Any]],
    judged: Judgement | None,
    passages: Mapping[str, Mapping[str, Any]],
) -> Claim:
    """Verdict and reason are the judge's, else those of the best certificate."""
    proofs = []
    for each in certificates:
        passage = passages[each["passage"]]
        proofs.append(_proof(passage, each, each["start"] - passage["start"], each["end"] - passage["start"]))
    if judged is not None and judged.passage in passages.keys() - {each["passage"] for each in certificates}:
        found = {**judged.as_dict(), "marker": ""}
        proofs.append(_proof(passages[judged.passage], found, judged.start, judged.end))
    verdict, reason = "", ""
    if judged is not None:
        verdict, reason = judged.verdict, judged.reason
    elif statement.needs_citation:
        verdict, reason = "unverifiable", "it cites nothing"
        if certificates:
            best = max(certificates, key=lambda each: (each["verdict"] == "supported", each["score"]))
            verdict, reason = best["verdict"], best["reason"]
    return Claim(clipped(sentence, LONGEST), statement.needs_citation, verdict, reason, tuple(proofs))


def _proof(passage: Mapping[str, Any], found: Mapping[str, Any], start: int, end: int) -> LedgerProof:
    """A passage with its quote, which a certificate or a judgement has from ``start`` to ``end`` of its text."""
    year, text = f" ({passage['year']})" if passage.get("year") else "", passage["text"]
    paper = f"{passage.get('title') or passage['document_id']}{year}"
    if text[start:end] != found["quote"]:  # its place was lost: the passage is shown without a mark
        start = end = 0
    return LedgerProof(
        found["marker"],
        found["verdict"],
        found["reason"],
        source=", ".join(filter(None, (paper, passage.get("heading") or passage.get("section")))),
        link=paper_address({"key": "", "doi": "", "url": "", **passage}),
        before=("… " if start > AROUND else "") + text[max(0, start - AROUND) : start],
        quote=clipped(text[start:end], LONGEST),
        after=clipped(text[end:], AROUND),
    )
