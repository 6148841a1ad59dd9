"""Claims that people have judged: what a judge is compared with.

A data set of claims whose choices say supported, contradicted or neither, such as ``scifact``; or a file of lines

    {"claim": "Femur density fell by 12 %.", "passages": ["In flight mice, …"], "label": "supported"}

with ``question`` and ``document_id`` where known. Claims on one document are not independent of one another.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from optimize.dataset.data import load_dataset
from programs.errors import UsageError
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
    """One claim with a person's verdict.

    Attributes:
        claim: A sentence.
        passages: What it was judged by.
        label: What the person said.
        question: That it answers, where known.
        document_id: What the passages are from, where known.
    """

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
    """A label of any of the usual sets as a verdict.

    Raises:
        ValueError: It is of none.
    """
    for verdict, pattern in _MEANINGS.items():
        if pattern.match(label.strip()):
            return verdict
    raise ValueError(f"the label {label!r} is not one of supported, contradicted and unverifiable")


def read_labelled(dataset: str, split: str, limit: int | None = None) -> tuple[LabelledClaim, ...]:
    """Read labelled claims.

    Args:
        dataset: A file ``….jsonl``, or a data set by name or folder.
        split: Of a data set.
        limit: Claims at most, spread over all.

    Raises:
        UsageError: There is no such data, or something in it is wrong.
    """
    found = _from_file(Path(dataset)) if dataset.endswith(".jsonl") else _from_dataset(dataset, split)
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} leaves no claim; give 1 or more")
    if limit is None or limit >= len(found):
        return found
    return tuple(found[place * len(found) // limit] for place in range(limit))


def digest(claims: Iterable[LabelledClaim]) -> str:
    """SHA-256 (hex) over labelled claims."""
    content = json.dumps([asdict(each) for each in claims], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _from_dataset(name: str, split: str) -> tuple[LabelledClaim, ...]:
    dataset = load_dataset(name)
    examples = [each for each in dataset.split(split) if each.label]
    documents = dataset.documents
    claims = [
        LabelledClaim(
            claim=each.question,
            passages=tuple(documents[paper].text for paper in each.document_ids),
            label=each.label,
            document_id=each.cluster,
        )
        for each in examples
    ]
    return _checked(claims, f"{dataset.name} {split}")


def _from_file(path: Path) -> tuple[LabelledClaim, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    claims = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            claims.append(_parsed(line, f"{path}:{number}"))
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
