"""A judge against people: every labelled claim is put to it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

import dspy
from pydantic import ConfigDict, TypeAdapter, ValidationError

from metrics.passages import Citable
from metrics.support.verdict import Judge
from optimize.dataset.loading import load_dataset
from optimize.dataset.splits import spread
from optimize.generate import Meter, spent_in
from optimize.judging import KeptLedger, Unjudged
from optimize.report_rendering import markdown_of
from optimize.run_folder import RunFolder, kept_calls
from optimize.statistics import VERDICTS, Agreement, JudgedClaim, agreement
from programs.errors import UsageError
from programs.program import in_threads
from signatures.values import Verdict

_MEANINGS: Mapping[Verdict, re.Pattern[str]] = {
    "unverifiable": re.compile(
        r"not[ _-]?enough|nei$|neutral|neither|unverifiable|insufficient|no[ _-]?evidence", re.I
    ),
    "contradicted": re.compile(r"contradict|refute", re.I),
    "supported": re.compile(r"support|entail", re.I),
}


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """One claim with a person's verdict, and the passages that it was judged by."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    claim: str
    passages: tuple[str, ...]
    label: str
    question: str = ""
    document_id: str = ""

    @property
    def verdict(self) -> Verdict:
        """The label as judges give it."""
        return verdict_of(self.label)


_LINE = TypeAdapter(LabelledClaim)


def verdict_of(label: str) -> Verdict:
    """A label of any of the usual sets as a verdict; a ValueError if it is of none."""
    for verdict, pattern in _MEANINGS.items():
        if pattern.match(label.strip()):
            return verdict
    raise ValueError(f"the label {label!r} is not one of supported, contradicted and unverifiable")


def read_labelled(dataset: str, split: str, limit: int | None = None) -> tuple[LabelledClaim, ...]:
    """Read ``limit`` claims of a file ``….jsonl`` or a data set, spread over all; a UsageError if it is not valid."""
    found = _from_file(Path(dataset)) if dataset.endswith(".jsonl") else _from_dataset(dataset, split)
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} leaves no claim; give 1 or more")
    return spread(found, limit)


def digest(claims: Iterable[LabelledClaim]) -> str:
    """SHA-256 (hex) over labelled claims."""
    content = json.dumps([asdict(each) for each in claims], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _from_dataset(name: str, split: str) -> tuple[LabelledClaim, ...]:
    dataset = load_dataset(name)
    claims = []
    for each in dataset.split(split):
        if each.label:
            passages = tuple(dataset.documents[paper].text for paper in each.document_ids)
            claims.append(LabelledClaim(each.question, passages, each.label, document_id=each.cluster))
    return _checked(claims, f"{dataset.name} {split}")


def _from_file(path: Path) -> tuple[LabelledClaim, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    claims = [_parsed(line, f"{path}:{place}") for place, line in enumerate(lines, start=1) if line.strip()]
    return _checked(claims, str(path))


def _parsed(line: str, place: str) -> LabelledClaim:
    try:
        claim = _LINE.validate_json(line)
    except ValidationError as error:
        wrong = [": ".join([*filter(None, [".".join(map(str, each["loc"]))]), each["msg"]]) for each in error.errors()]
        raise UsageError(f"{place}: {'; '.join(wrong)}") from error
    if not claim.claim.strip():
        raise UsageError(f"{place}: the claim is empty; give a sentence, or delete the line")
    return _checked([claim], place)[0]


def _checked(claims: Iterable[LabelledClaim], place: str) -> tuple[LabelledClaim, ...]:
    found = tuple(claims)
    if not found:
        raise UsageError(f"{place} holds no labelled claim; give claims with the label that people chose")
    for each in found:
        try:
            verdict_of(each.label)
        except ValueError as error:
            raise UsageError(f"{place}: {error}, at {each.claim[:80]!r}") from error
    return found


FEW_DOCUMENTS = 20
"""With fewer, intervals of a percentile bootstrap are too narrow."""


@dataclass(frozen=True, slots=True)
class JudgeCalibration:
    """What is known of a judge: how it agrees with people on some data."""

    judge: str
    data: str
    agreement: Agreement
    spent: str


def calibrate(
    judge: Judge,
    labelled: Sequence[LabelledClaim],
    data: str,
    folder: RunFolder,
    *,
    threads: int = 1,
    seed: int = 0,
    on_done: Callable[[int, str], None] = lambda *_: None,
) -> JudgeCalibration:
    """Compare a judge with people; what it said in the folder already is not asked again.

    A CorroborateError says that it had no verdict on most claims.
    """
    with kept_calls(folder):
        ledger, meter = KeptLedger(folder.judgements, judge), Meter(folder.sessions)
        try:
            with dspy.context(meter=meter):
                judged: list[JudgedClaim] = []
                with closing(in_threads(partial(_one, ledger=ledger), labelled, threads)) as found:
                    for each in found:
                        judged.append(each)
                        on_done(len(judged), judge.name)
                ledger.check_judge()
        finally:
            ledger.write()
            meter.write()
    return JudgeCalibration(judge.name, data, agreement(judged, seed), str(spent_in(folder.sessions)))


def markdown(calibration: JudgeCalibration) -> str:
    """The calibration for people."""
    more = {"verdicts": list(VERDICTS), "few_documents": FEW_DOCUMENTS}
    return markdown_of("calibration.md", calibration=calibration, **more)


def _one(labelled: LabelledClaim, ledger: KeptLedger) -> JudgedClaim:
    passages = [Citable(number, text) for number, text in enumerate(labelled.passages, start=1)]
    # A claim whose document is not known is its own cluster.
    document = labelled.document_id or labelled.claim
    try:
        found = ledger.consult(labelled.claim, passages, labelled.question)
    except Unjudged:
        return JudgedClaim(labelled.verdict, None, document)
    return JudgedClaim(labelled.verdict, found.verdict, document)
