"""A saved answer, and whether its passages are in their papers; what has another form is refused."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from string import ascii_lowercase
from textwrap import shorten
from typing import Any, TypeAlias

from programs.certificate import FORM
from programs.errors import UsageError
from programs.ingest.document import Document, Figure
from programs.ingest.regions import place_of, regions, section_of
from programs.ingest.table_parts import part_heading, table_span
from programs.passages import OF_THE_PAPER, WHERE_KNOWN, Passage, cut_sentences, repeated_before
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
        one, other = expected.get(name), found.get(name)
        if name not in found:
            yield Fault(what, f"it has no {name}, replayed it is {one!r}")
        elif name not in expected or as_json(one) != as_json(other):
            yield Fault(what, f"its {name} is {other!r}, replayed it is {one!r}")


def as_json(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """A value as JSON, in which 1, 1.0 and true are three values."""
    return json.dumps(value, sort_keys=True)


def printable(name: object) -> str:
    """A name out of the file that a terminal can show: half a character is as its escape."""
    return str(name).encode("utf-8", "backslashreplace").decode("utf-8")


def with_places(saved: SavedAnswer, papers: Mapping[str, Document]) -> SavedAnswer:
    """The answer, its passages with what their papers have of them and a file does not, as far as papers are known.

    Where quotes are printed in a paper that is not there is unknown, so such places are left out: that the paper is
    missing is the fault.

    Args:
        saved: As it was read; lines of print are left out where none of its quotes names their place.
        papers: Documents by id.
    """
    has_places = any("places" in quote for citation in saved.citations for quote in _quotes(citation))

    def completed(passage: Passage) -> Passage:
        paper = papers.get(passage.document_id)
        if paper is None:
            return passage
        repeated = repeated_before(paper, passage.id, passage.start)
        is_there = passage.end <= len(paper.text) and paper.text[passage.start : passage.end] == passage.text
        before, after = cut_sentences(paper, passage.start, passage.end) if is_there else ("", "")
        places = paper.places_of(passage.start - len(before), passage.end + len(after)) if has_places else ()
        if not has_places:
            repeated = tuple(replace(each, places=()) for each in repeated)
        return replace(passage, places=places, repeated=repeated, before=before, after=after)

    lost = {passage.document_id for passage in saved.passages} - papers.keys()
    citations = [_without_places(each, lost) for each in saved.citations] if lost else saved.citations
    return replace(saved, passages=[completed(each) for each in saved.passages], citations=citations)


def _without_places(citation: Mapping[str, Any], lost: Collection[str]) -> Mapping[str, Any]:
    """A certificate as it is in the file, but for the places of its quotes of some papers."""
    if not _quotes(citation):
        return citation
    kept = (
        {
            name: value
            for name, value in each.items()
            if name != "places" or printable(each.get("document_id")) not in lost
        }
        if isinstance(each, Mapping)
        else each
        for each in citation["quotes"]
    )
    return {**citation, "quotes": list(kept)}


def laid_out(citation: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate in which every value of a place has its own name: "page of line 2 of quote 1"."""
    quotes = citation.get("quotes")
    if not isinstance(quotes, list):
        return dict(citation)
    rest = [
        {name: each[name] for name in each if name != "places"} if isinstance(each, Mapping) else each
        for each in quotes
    ]
    return {**citation, "quotes": rest, **dict(_named(citation))}


def _named(citation: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for number, quote in enumerate(_quotes(citation), start=1):
        places = quote.get("places", ())
        if isinstance(places, list) and places and all(isinstance(each, Mapping) for each in places):
            for line, place in enumerate(places, start=1):
                for name, value in place.items():
                    yield f"{printable(name)} of line {line} of quote {number}", value
        elif "places" in quote:
            yield f"places of quote {number}", places


def _quotes(citation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    quotes = citation.get("quotes")
    return [each for each in quotes if isinstance(each, Mapping)] if isinstance(quotes, list) else []


_NEEDED = ("answer", "passages", "citations")
_WRITTEN = ("answerable", "uncited", "metrics")
"""What every answer has besides; without one of them something was taken out."""
_ASKED = {"program", "lm", "question", "topic", "label", "document_id", "references", *OWN_FIELDS}
"""What only an answer may have, beside what every one has and sections have too."""
_OF_SECTIONS = {"section", "evidence", "unknown_citations", "notes"}
_OF_BOTH = {"form", *_NEEDED, *_WRITTEN, "unsupported_claims", "repairs"}
MEASURED = {
    *("retrieved_k", "grounded_ratio", "section_distribution", "dedup_count"),
    *("latency_ms", "lm_calls", "tokens"),
}
"""What the metrics of an answer may hold; no other values are accepted from a file."""
_NAMES = {field.name for field in fields(Passage)} - OF_THE_PAPER - WHERE_KNOWN
_TEXTS = ("id", "document_id", "section", "heading", "text", "key", "title", "doi", "url", "relevance_reason")


@dataclass(frozen=True)
class SavedAnswer:
    """A saved answer; its citations and figures as they are in the file.

    Attributes:
        answerable: As stated; None where it is missing.
        uncited: The sentences that it lists as citing nothing.
        missing: Names that every answer has and this one has not.
        form: Of its certificates; 1 for a file without that name.
        section: Whether it is a section of a draft, which is not withheld.
        references: Items of the papers, by id.
        question: As it is stated; empty where it is missing, as in sections.
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
    nearest: Sequence[Mapping[str, Any]] = ()
    form: int = FORM
    section: bool = False
    references: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""

    @cached_property
    def cited(self) -> CitedAnswer:
        """The answer with the passages that it cites."""
        return CitedAnswer(self.answer, self.passages)


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
    lists = {name: result.get(name, []) for name in ("passages", "citations", "uncited", "figures", "notes", "nearest")}
    answer, metrics, notes = result["answer"], result.get("metrics", {}), lists["notes"]
    question = result.get("question", "")
    if not (all(isinstance(each, list) for each in lists.values()) and isinstance(metrics, Mapping)):
        raise UsageError("answer, passages or citations are not as `ask --format json` writes them: text and lists")
    if not all(isinstance(each, str) for each in (answer, question, *lists["uncited"], *notes)):
        raise UsageError(
            "answer, question, uncited or notes are not as `ask --format json` writes them: text, lists of texts"
        )
    if unknown := metrics.keys() - MEASURED:
        names = ", ".join(sorted(map(repr, unknown)))
        raise UsageError(f"this is not a saved answer: its metrics have {names}, which `ask` does not write")
    if wrong := [name for name, value in metrics.items() if not _is_counted(value)]:
        raise UsageError(f"this is not a saved answer: {', '.join(map(repr, wrong))} among its metrics are not numbers")
    english = [str(each.get("english", "")) for each in lists["citations"] if isinstance(each, Mapping)]
    if not all(map(_is_unicode, (answer, *lists["uncited"], *english))):
        raise UsageError("answer, uncited or english hold half a character (a lone surrogate), which no program writes")
    for name in ("citations", "figures", "nearest"):
        if not all(isinstance(each, Mapping) for each in lists[name]):
            raise UsageError(f"{name} of this answer are not as `ask --format json` writes them: objects with names")
    references = result.get("references", {})
    if not isinstance(references, Mapping) or not all(isinstance(each, Mapping) for each in references.values()):
        raise UsageError("references of this answer are not as `ask --format json` writes them: items by papers' ids")
    written = _WRITTEN if section else (*_WRITTEN, "figures")
    lists["passages"] = [_passage(each) for each in lists["passages"]]
    return SavedAnswer(
        answer=answer,
        answerable=result.get("answerable"),
        metrics=metrics,
        missing=[name for name in written if name not in result],
        form=_form(result),
        section=section,
        references=references,
        question=question,
        **lists,
    )


def _form(result: Mapping[str, Any]) -> int:
    form = result.get("form", 1)
    if type(form) is not int or not 1 <= form <= FORM:
        raise UsageError(
            f"this answer has the form {form!r}, this version reads forms 1 to {FORM}; use a newer version"
        )
    return form


def _passage(values: Any) -> Passage:  # noqa: ANN401 - whatever is in the file
    if not isinstance(values, Mapping):
        raise UsageError("a passage of this answer is not as `ask --format json` writes it: an object with names")
    named = f"the passage {values.get('id', '?')!r} is not as `ask --format json` writes it"
    if wrong := sorted(_NAMES ^ (values.keys() - WHERE_KNOWN)):
        raise UsageError(f"{named}: it has {', '.join(map(repr, values))}, which differs in {', '.join(wrong)}")
    lists = {name: values.get(name, []) for name in WHERE_KNOWN}
    if not all(isinstance(each, list) for each in lists.values()):
        raise UsageError(f"{named}: {' and '.join(sorted(lists))} are lists of texts")
    texts = [*(values[name] for name in _TEXTS), *(each for listed in lists.values() for each in listed)]
    if not all(isinstance(each, str) for each in texts) or not type(values["start"]) is type(values["end"]) is int:
        raise UsageError(f"{named}: text, and whole offsets")
    if not _are_scores(values["scores"]):
        raise UsageError(f"{named}: scores are numbers with names")
    if not all(_is_unicode(each) for each in texts):
        raise UsageError(f"{named}: it holds half a character (a lone surrogate), which no paper does")
    return Passage(**{**values, **{name: tuple(listed) for name, listed in lists.items()}})


def _are_scores(scores: Any) -> bool:  # noqa: ANN401 - whatever is in the file
    return isinstance(scores, Mapping) and all(
        re.fullmatch(r"[a-z_0-9]{1,40}", name) and type(score) in {int, float} and math.isfinite(score)
        for name, score in scores.items()
    )


def _is_counted(value: Any) -> bool:  # noqa: ANN401 - whatever is in the file
    """Whether it is a number or none, or has only such by names, as ``ask`` measures."""
    if isinstance(value, Mapping):
        return all(re.fullmatch(r"[a-z_]{1,40}", name) and _is_counted(each) for name, each in value.items())
    return value is None or (type(value) in {int, float} and math.isfinite(value))


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


_Fits: TypeAlias = Callable[[Passage], bool]


def key_faults(passages: Sequence[Passage], papers: Mapping[str, Document]) -> Iterator[Fault]:
    """Keys that are not those of the papers: all passages must have them in one way, and no two papers share one."""
    now = {name: citation_key(Named.of(paper)) for name, paper in papers.items()}
    earlier = {name: citation_key(Named(paper.id, pmcid=paper.pmcid)) for name, paper in papers.items()}
    ways: list[tuple[_Fits, Mapping[str, str]]] = [
        (lambda passage: not passage.key, {}),
        (lambda passage: is_key_of(passage.key, now[passage.document_id]), now),
        (lambda passage: passage.key == earlier[passage.document_id], earlier),
    ]
    # The way that most passages have: what was changed in one of them is then named, and not all others.
    fits, keys = max(ways, key=lambda way: sum(map(way[0], passages)))
    for passage in passages:
        if not fits(passage):
            expected = keys.get(passage.document_id, "")
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
        yield from differences(f"reference {printable(name)}", item_of(papers[name], shown), item)
        if not is_key_of(shown, key):
            yield Fault(f"reference {printable(name)}", f"its key is {printable(shown)!r}, replayed it is {key!r}")


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
        parted = _split(paper.text[passage.start : passage.end], passage.text)
        yield Fault(what, f"its text differs from {place}{parted}")
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


def _split(found: str, stored: str) -> str:
    """Where two texts part."""
    for offset, (one, other) in enumerate(zip(found, stored, strict=False)):
        if one != other:
            return f" from character {offset} on: {other!r} stands for {one!r}"
    return f": it has {len(stored)} characters, the paper {len(found)}"
