"""What a line of each of a run's files must be like; a changed file is named with its line before anything reads on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

from metrics.score import Score
from optimize.dataset.example import Example
from signatures.values import Verdict

_STRICT = ConfigDict(strict=True)


@with_config(_STRICT)
class _Passage(TypedDict):
    id: str
    document_id: str
    text: str
    start: int
    end: int
    scores: NotRequired[dict[str, float]]
    title: NotRequired[str]
    doi: NotRequired[str]
    url: NotRequired[str]
    key: NotRequired[str]
    year: NotRequired[int | None]


@with_config(_STRICT)
class _Citation(TypedDict):
    sentence: str
    marker: str
    passage: str
    quote: str
    start: int
    end: int
    verdict: Verdict
    reason: str
    score: NotRequired[float]


@with_config(_STRICT)
class _Besides(TypedDict, total=False):
    question: str
    answer: str
    answerable: bool
    citations: list[_Citation]
    unsupported_claims: list[dict[str, Any]]
    repairs: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    uncited: list[str]
    notes: list[str]
    metrics: dict[str, Any]


@with_config(_STRICT)
class _Answered(_Besides):
    passages: list[_Passage]


@with_config(_STRICT)
class _Record(TypedDict):
    candidate: str
    split: str
    id: str
    status: Literal["answered", "failed"]
    error: str
    prediction: dict[str, Any]


@with_config(_STRICT)
class _Score(TypedDict):
    candidate: str
    split: str
    id: str
    metric: str
    value: float | None
    feedback: str
    status: str


@with_config(ConfigDict(strict=True, extra="forbid"))
class _Judgement(TypedDict):
    claim: str
    verdict: Verdict
    passage: str
    quote: str
    start: int
    end: int
    reason: str
    judge: str
    key: str


_RECORD, _ANSWERED = TypeAdapter(_Record), TypeAdapter(_Answered)
_SCORE, _JUDGEMENT = TypeAdapter(_Score), TypeAdapter(_Judgement)
_EXAMPLE = TypeAdapter(Example)


def is_record(values: Mapping[str, Any]) -> None:
    """Of ``predictions.jsonl``; raises ``ValueError``."""
    _RECORD.validate_python(values)
    if values["status"] == "answered":
        prediction = _ANSWERED.validate_python(values["prediction"])
        given = {each["id"] for each in prediction["passages"]}
        if lacking := [each["passage"] for each in prediction.get("citations", ()) if each["passage"] not in given]:
            raise ValueError(f"prediction.citations: {lacking[0]!r} is none of its passages")


def is_score(values: Mapping[str, Any]) -> None:
    """Of ``scores.jsonl``; raises ``ValueError``."""
    _SCORE.validate_python(values)
    Score(values["value"], values["feedback"], status=values["status"])


def is_judgement(values: Mapping[str, Any]) -> None:
    """Of ``judgements.jsonl``; raises ``ValueError``."""
    _JUDGEMENT.validate_python(values)


def is_question(values: Mapping[str, Any]) -> None:
    """Of ``questions.jsonl``; raises ``ValueError``."""
    _EXAMPLE.validate_python({name: value for name, value in values.items() if name not in ("split", "cluster")})
