"""A saved answer, as far as it can be proved; what is not of its form is refused here."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from programs.certificate import FORM
from programs.errors import UsageError
from programs.passages.passage import Passage
from programs.proof.cited_answer import CitedAnswer
from programs.results.result import OWN_FIELDS

_NEEDED = ("answer", "passages", "citations")
_WRITTEN = ("answerable", "uncited", "metrics")
"""What every answer has besides; without one of them something was taken out."""
_ASKED = {"program", "lm", "question", "topic", "label", "document_id", *OWN_FIELDS}
"""What only an answer may have, beside what every one has and sections have too."""
_OF_SECTIONS = {"section", "evidence", "unknown_citations", "notes"}
_OF_BOTH = {"form", *_NEEDED, *_WRITTEN, "unsupported_claims", "repairs"}
MEASURED = {
    *("retrieved_k", "grounded_ratio", "section_distribution", "dedup_count"),
    *("latency_ms", "lm_calls", "tokens"),
}
"""What the metrics of an answer may hold; no other values are accepted from a file."""
_NAMES = {field.name for field in fields(Passage)} - {"places", "corrections"}
_TEXTS = ("id", "document_id", "section", "heading", "text", "key", "title", "doi", "url", "relevance_reason")


@dataclass(frozen=True)
class SavedAnswer:
    """A saved answer.

    Attributes:
        answer: Its text.
        answerable: As stated; None where it is missing.
        passages: What it was written from.
        citations: Its certificates as they stand in the file.
        uncited: The sentences that it lists as citing nothing.
        figures: As they stand in the file.
        metrics: As stated.
        notes: As they stand in the file.
        missing: Names that every answer has and this one has not.
        form: Of its certificates; 1 for a file without that name.
        section: Whether it is a section of a draft, which is not withheld.
    """

    answer: str
    answerable: Any
    passages: Sequence[Passage]
    citations: Sequence[Mapping[str, Any]]
    uncited: Sequence[str]
    figures: Sequence[Mapping[str, Any]]
    metrics: Mapping[str, Any]
    missing: Sequence[str]
    notes: Sequence[str] = ()
    form: int = FORM
    section: bool = False

    @cached_property
    def cited(self) -> CitedAnswer:
        """The answer with the passages that it cites."""
        return CitedAnswer(self.answer, self.passages)


def read_saved(result: Mapping[str, Any]) -> SavedAnswer:
    """Read a saved answer, or a section of a saved draft, which has no figures of its own.

    Raises:
        UsageError: It is not of the form that ``ask`` writes.
    """
    lacking = [name for name in _NEEDED if name not in result]
    if lacking:
        raise UsageError(
            f"this is not a saved answer: it has no {', '.join(lacking)}; make one with `ask --format json`"
        )
    section = "section" in result
    if unknown := result.keys() - _OF_BOTH - (_OF_SECTIONS if section else {*_ASKED, "figures"}):
        names = ", ".join(sorted(map(repr, unknown)))
        raise UsageError(
            f"this is not a saved answer: it has {names}, which {'`write`' if section else '`ask`'} does not write"
        )
    lists = {name: result.get(name, []) for name in ("passages", "citations", "uncited", "figures", "notes")}
    answer, metrics, notes = result["answer"], result.get("metrics", {}), lists["notes"]
    if not (all(isinstance(each, list) for each in lists.values()) and isinstance(metrics, Mapping)):
        raise UsageError("answer, passages or citations are not as `ask --format json` writes them: text and lists")
    if not all(isinstance(each, str) for each in (answer, *lists["uncited"], *notes)):
        raise UsageError("answer, uncited or notes are not as `ask --format json` writes them: text, lists of texts")
    if unknown := metrics.keys() - MEASURED:
        names = ", ".join(sorted(map(repr, unknown)))
        raise UsageError(f"this is not a saved answer: its metrics have {names}, which `ask` does not write")
    if not all(map(_is_unicode, (answer, *lists["uncited"]))):
        raise UsageError("answer or uncited hold half a character (a lone surrogate), which no program writes")
    for name in ("citations", "figures"):
        if not all(isinstance(each, Mapping) for each in lists[name]):
            raise UsageError(f"{name} of this answer are not as `ask --format json` writes them: objects with names")
    written = _WRITTEN if section else (*_WRITTEN, "figures")
    return SavedAnswer(
        answer,
        result.get("answerable"),
        [_passage(each) for each in lists["passages"]],
        lists["citations"],
        lists["uncited"],
        lists["figures"],
        metrics,
        [name for name in written if name not in result],
        notes,
        _form(result),
        section,
    )


def _form(result: Mapping[str, Any]) -> int:
    form = result.get("form", 1)
    if type(form) is not int or not 1 <= form <= FORM:
        raise UsageError(
            f"this answer has the form {form!r}, this version reads forms 1 to {FORM}; use a newer version"
        )
    return form


def _passage(values: Any) -> Passage:  # noqa: ANN401 - whatever stands in the file
    if not isinstance(values, Mapping):
        raise UsageError("a passage of this answer is not as `ask --format json` writes it: an object with names")
    named = f"the passage {values.get('id', '?')!r} is not as `ask --format json` writes it"
    if wrong := sorted(_NAMES ^ (values.keys() - {"corrections"})):
        raise UsageError(f"{named}: it has {', '.join(map(repr, values))}, which differs in {', '.join(wrong)}")
    corrections = values.get("corrections", [])
    if not isinstance(corrections, list):
        raise UsageError(f"{named}: corrections are a list of texts")
    texts = [*(values[name] for name in _TEXTS), *corrections]
    if not all(isinstance(each, str) for each in texts) or not type(values["start"]) is type(values["end"]) is int:
        raise UsageError(f"{named}: text, and whole offsets")
    if not _are_scores(values["scores"]):
        raise UsageError(f"{named}: scores are numbers with names")
    if not all(_is_unicode(each) for each in texts):
        raise UsageError(f"{named}: it holds half a character (a lone surrogate), which no paper does")
    return Passage(**{**values, "corrections": tuple(corrections)})


def _are_scores(scores: Any) -> bool:  # noqa: ANN401 - whatever stands in the file
    return isinstance(scores, Mapping) and all(
        re.fullmatch(r"[a-z_0-9]{1,40}", name) and type(score) in {int, float} and math.isfinite(score)
        for name, score in scores.items()
    )


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
