"""A saved answer, and whether its passages are in their papers; what has another form is refused."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from string import ascii_lowercase
from textwrap import shorten
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from programs.certificate import FORM
from programs.errors import UsageError
from programs.ingest.document import Document, Figure
from programs.ingest.regions import place_of, regions, section_of
from programs.ingest.table_parts import part_heading, table_span
from programs.passages import WHERE_KNOWN, Passage
from programs.proof import CitedAnswer
from programs.references import item_of
from programs.results.citation_keys import Named, citation_key
from programs.results.result import OWN_FIELDS


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that does not replay: which citation, passage or figure, and what was expected and what was found."""

    what: str
    problem: str

    def __str__(self) -> str:
        return f"{self.what}: {self.problem}"


def differences(what: str, expected: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Fault]:
    """A fault for every name whose values differ, or that only one of the two has."""
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            yield Fault(what, f"it has no {name}, replayed it is {expected[name]!r}")
            continue
        for path, one, other in _differing((name,), expected.get(name), found[name]):
            part = printable(" of ".join(reversed(path)))
            yield Fault(what, f"its {part} is {other!r}, replayed it is {one!r}")


def _differing(path: tuple[str, ...], one: Any, other: Any) -> Iterator[tuple[tuple[str, ...], Any, Any]]:  # noqa: ANN401
    """Where two JSON values differ: at "quotes 1", "places 2", "page"."""
    if as_json(one) == as_json(other):
        return
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, pair in enumerate(zip(one, other, strict=True), start=1):
            yield from _differing((*path[:-1], f"{path[-1]} {number}"), *pair)
    elif isinstance(one, Mapping) and isinstance(other, Mapping):
        for key in sorted(one.keys() | other.keys()):
            yield from _differing((*path, key), one.get(key), other.get(key))
    else:
        yield path, one, other


def as_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as JSON, in which 1, 1.0 and true are three values."""
    return json.dumps(value, sort_keys=True)


def printable(name: object) -> str:
    """A name out of the file that a terminal can show: half a character is as its escape."""
    return str(name).encode("utf-8", "backslashreplace").decode("utf-8")


def with_places(saved: SavedAnswer, papers: Mapping[str, Document]) -> SavedAnswer:
    """The answer, its passages with what their papers have of them and a file does not, as far as papers are known."""

    def completed(passage: Passage) -> Passage:
        if (paper := papers.get(passage.document_id)) is None:
            return passage
        span = passage.start, passage.end
        made = Passage.of(paper, *span, id=passage.id, section=passage.section)
        before, after = (made.before, made.after) if made.text == passage.text else ("", "")
        return replace(passage, places=made.places, repeated=made.repeated, before=before, after=after)

    return replace(saved, passages=[completed(each) for each in saved.passages])


_NEEDED = ("answer", "passages", "citations")
_OPTIONAL = ("uncited", "figures", "metrics", "notes", "nearest", "references", "question")
_WRITTEN = ("answerable", "uncited", "metrics")
"""What every answer has besides; without one of them something was taken out."""
_ASKED = {"program", "lm", "question", "topic", "label", "document_id", "references", *OWN_FIELDS}
"""What only an answer may have, beside what every one has and sections have too."""
_OF_SECTIONS = {"section", "evidence", "unknown_citations", "notes"}
_OF_BOTH = {"form", *_NEEDED, *_WRITTEN, "unsupported_claims", "repairs"}
_MEASURED = "retrieved_k|grounded_ratio|section_distribution|dedup_count|latency_ms|lm_calls|tokens"
_Number: TypeAlias = int | float | None
_Name: TypeAlias = Annotated[str, Field(pattern="^[a-z_0-9]{1,40}$")]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _PassageForm(_Form, extra="forbid"):
    id: str
    document_id: str
    section: str
    heading: str
    text: str
    start: int
    end: int
    scores: dict[_Name, int | float]
    relevance_reason: str
    title: str
    year: int | None
    doi: str
    url: str
    key: str
    corrections: list[str] = []
    authors: list[str] = []


class _CitationForm(_Form, extra="allow"):
    english: str = ""
    judges: list[dict[str, Any]] = []
    quotes: list[dict[str, Any]] = []


class _AnswerForm(_Form):
    """Of what types the parts of a saved answer are; no other measures are accepted from a file."""

    answer: str
    question: str = ""
    passages: list[_PassageForm]
    citations: list[_CitationForm]
    uncited: list[str] = []
    notes: list[str] = []
    figures: list[dict[str, Any]] = []
    nearest: list[dict[str, Any]] = []
    references: dict[str, dict[str, Any]] = {}
    metrics: dict[Annotated[str, Field(pattern=f"^({_MEASURED})$")], _Number | dict[_Name, _Number]] = {}


@dataclass(frozen=True)
class SavedAnswer:
    """A saved answer; its citations and figures as they are in the file.

    Attributes:
        answerable: As stated; None where it is missing.
        uncited: The sentences that it lists as citing nothing.
        missing: Names that every answer has and this one has not.
        section: Whether it is a section of a draft, which is not withheld.
        references: Items of the papers, by id.
        question: As it is stated; empty where it is missing, as in sections.
    """

    answer: str
    answerable: Any
    passages: Sequence[Passage]
    citations: Sequence[Mapping[str, Any]]
    missing: Sequence[str]
    uncited: Sequence[str] = ()
    figures: Sequence[Mapping[str, Any]] = ()
    metrics: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    nearest: Sequence[Mapping[str, Any]] = ()
    section: bool = False
    references: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""

    @cached_property
    def cited(self) -> CitedAnswer:
        """The answer with the passages that it cites."""
        return CitedAnswer(self.answer, self.passages)

    @cached_property
    def english(self) -> dict[str, str]:
        """What is proved of sentences that are translations, by how the answer has them."""
        found = ((str(each.get("sentence")), each.get("english")) for each in self.citations)
        return {sentence: english for sentence, english in found if isinstance(english, str)}


def read_saved(result: Mapping[str, Any]) -> SavedAnswer:
    """Read a saved answer, or a section of a saved draft, which has no figures.

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
    if type(form := result.get("form")) is not int or form != FORM:
        raise UsageError(f"this answer has the form {form!r}, this version reads {FORM}; ask the question again")
    try:
        _AnswerForm.model_validate_json(json.dumps(dict(result)))
    except ValidationError as error:
        first = error.errors()[0]
        said = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
        raise UsageError(f"this is not a saved answer: {said}; make one with `ask --format json`") from error
    optional = {name: result[name] for name in _OPTIONAL if name in result}
    written = _WRITTEN if section else (*_WRITTEN, "figures")
    return SavedAnswer(
        answer=result["answer"],
        answerable=result.get("answerable"),
        passages=[
            Passage(**{**each, **{name: tuple(each.get(name, ())) for name in WHERE_KNOWN}})
            for each in result["passages"]
        ],
        citations=result["citations"],
        missing=[name for name in written if name not in result],
        section=section,
        **optional,
    )


def key_faults(passages: Sequence[Passage], papers: Mapping[str, Document]) -> Iterator[Fault]:
    """Keys that are not those of the papers, by author or by id: all passages have them, or none; papers share none."""
    has_keys = sum(bool(each.key) for each in passages) * 2 > len(passages)
    for passage in passages:
        paper = papers[passage.document_id]
        expected = citation_key(Named.of(paper)) if has_keys else ""
        of_id = citation_key(Named(paper.id, pmcid=paper.pmcid))
        if passage.key != expected and not (has_keys and (is_key_of(passage.key, expected) or passage.key == of_id)):
            yield Fault(f"passage {passage.id}", f"its key is {passage.key!r}, replayed it is {expected!r}")
    owners = Counter(key for key, _ in {(each.key.casefold(), each.document_id) for each in passages} if key)
    for key, count in owners.items():
        if count > 1:
            yield Fault("passages", f"{count} papers have the key {key!r}; each must have its own")


def reference_faults(listed: Mapping[str, Any], papers: Mapping[str, Document]) -> Iterator[Fault]:
    """References that say what their papers do not."""
    used = {str(each.get("id")).casefold() for each in listed.values()}
    if len(used) < len(listed):
        yield Fault("references", "two papers have one key; each must have its own")
    for name in sorted(listed.keys() & papers.keys()):
        item, key = listed[name], citation_key(Named.of(papers[name]))
        shown = str(item.get("id"))
        yield from differences(f"reference {name}", item_of(papers[name], shown), item)
        if not is_key_of(shown, key):
            yield Fault(f"reference {name}", f"its key is {shown!r}, replayed it is {key!r}")


def is_key_of(key: str, shared: str) -> bool:
    """Whether a key is a paper's, with the letters that part it from others that would have the same."""
    return key.startswith(shared) and all(each in ascii_lowercase for each in key.removeprefix(shared))


_OF_THE_PAPER = ("title", "year", "doi", "url", "corrections")
_LATER_PART = re.compile(r"[1-9][0-9]{0,5}")
_CHUNK = re.compile(r"sec\d+::chunk\d+")
"""Which text a chunk's number means depends on how an index was cut, which an answer does not say."""


def repeated(passages: Sequence[Passage]) -> Iterator[Fault]:
    """Ids that several passages have."""
    for name, count in Counter(passage.id for passage in passages).items():
        if count > 1:
            yield Fault(f"passage {name}", f"{count} passages have this id; each must have its own")


def passage_faults(passage: Passage, paper: Document) -> Iterator[Fault]:
    """What of a passage its paper does not support."""
    what = f"passage {passage.id}"
    place = f"{paper.id}[{passage.start}:{passage.end}]"
    if not 0 <= passage.start < passage.end <= len(paper.text):
        yield Fault(what, f"{place} is not a place in a paper of {len(paper.text)} characters")
    elif paper.text[passage.start : passage.end] != passage.text:
        found = paper.text[passage.start : passage.end]
        pairs = enumerate(zip(found, passage.text, strict=False))
        parted = (
            f" from character {at} on: {other!r} stands for {one!r}" for at, (one, other) in pairs if one != other
        )
        lengths = f": it has {len(passage.text)} characters, the paper {len(found)}"
        yield Fault(what, f"its text differs from {place}{next(parted, lengths)}")
    yield from _id_faults(what, passage, paper)
    named = (*_OF_THE_PAPER, *(["authors"] if passage.authors else []))  # which those of drafts do not have
    yield from differences(
        what, {name: getattr(paper, name) for name in named}, {name: getattr(passage, name) for name in named}
    )
    section, heading = _place(passage, paper)
    yield from differences(what, {"section": section}, {"section": passage.section})
    yield from differences(what, {"heading": heading}, {"heading": passage.heading})
    if apparatus := _no_evidence(passage, paper):
        yield Fault(what, f"it holds {shorten(apparatus, 80)!r}, which is a heading, a reference or a notice")


def _no_evidence(passage: Passage, paper: Document) -> str:
    """The first of a passage's words that no passage may have: of headings, reference lists and notices."""
    spans = [span for region in regions(paper, figures=()) for span in region.spans]
    spans += [table_span(paper, figure) for figure in paper.figures]
    at, end = max(passage.start, 0), min(passage.end, len(paper.text))
    for span in sorted(spans, key=lambda span: span.start):
        if left := paper.text[at : min(span.start, end)].strip():
            return left
        at = max(at, span.end)
    return paper.text[at:end].strip()


def _id_faults(what: str, passage: Passage, paper: Document) -> Iterator[Fault]:
    """An id is its paper's, and behind it a place, a figure or table, or the number of a chunk."""
    prefix = f"{paper.id}::"
    if not passage.id.startswith(prefix):
        yield Fault(what, f"its id does not begin with that of its paper, {paper.id}")
        return
    rest = passage.id.removeprefix(prefix)
    figure, is_part = _figure(passage, paper)
    if figure is None:
        if rest != f"{passage.start}-{passage.end}" and not _CHUNK.fullmatch(rest):
            yield Fault(what, f"its id ends in {rest!r}, which is neither its place nor a figure, table or chunk")
        return
    whole = table_span(paper, figure)
    begins = whole.start <= passage.start if is_part else whole.start == passage.start
    if not begins or passage.end > whole.end:
        yield Fault(what, f"its id names {figure.label}, which is at {paper.id}[{whole.start}:{whole.end}]")


def _figure(passage: Passage, paper: Document) -> tuple[Figure | None, bool]:
    """The figure or table that a passage's id names, and whether the passage is a part of it behind the first."""
    name, parted, part = passage.id.removeprefix(f"{paper.id}::").partition("::part")
    is_named = not parted or _LATER_PART.fullmatch(part)
    return next((each for each in paper.figures if each.id == name and is_named), None), bool(parted)


def _place(passage: Passage, paper: Document) -> tuple[str, str]:
    """Kind of section and heading that a passage has by its id and place."""
    figure, is_part = _figure(passage, paper)
    if figure is None:
        return place_of(paper, passage.start, passage.end)
    if not is_part:
        return section_of(paper, figure), figure.label
    return section_of(paper, figure), part_heading(paper.text, figure, table_span(paper, figure), passage.start)
