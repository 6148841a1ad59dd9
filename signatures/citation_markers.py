"""Citations inside an answer: how they are written, found, taken out and assigned to their sentences.

    Femur density fell [1][2]. It recovered after return [PMC1234567].   what answers should look like
    Femur density fell [1, 2]. It recovered. [[pmc 1234567]] 【3】         what models also write

A bracket is a citation by its shape. Papers put other things in brackets too: "[0.3, 0.5]", "[Ca2+]" and "[18F]FDG"
never have the shape; "4 [1–8] wk" has it, and is distinguished from a citation by the numbers and units beside it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

# "[4–9]" is a citation of six passages; a range wider than this is a measurement.
WIDEST_RANGE = 30

_BRACKETED = re.compile(
    r"\[(?P<span>\d{1,3}\]\s?[-‐-―−]\s?\[\d{1,3})\]"  # [2]–[5]
    r"|(?<!!)\[{1,2}(?P<square>[^\[\]\n]{1,200})\]{1,2}(?:\(https?://[^\s()]+\))?"
    r"|【(?P<lenticular>[^【】\n]{1,200})】"
    r"|［(?P<wide>[^［］\n]{1,200})］"
    r"|\((?P<round>[^()\[\]\n]{1,200})\)"
)
_SEPARATOR = re.compile(r"\s*(?:[,;、，；&]|\band\b)\s*")
# "[passage 2]", "[#2]", "[^2]", "[PMCID: PMC2]"
_LABEL = re.compile(
    r"(?:passage|source|ref|reference|context|document|doc|citation|chunk|pmcid)s?\.?\s*[:#]?\s*(?=\S)|[#^]",
    re.IGNORECASE,
)
_DAGGER = re.compile(r"\s?†\s?(?:source|[Ll]\d{1,5}(?:-[Ll]?\d{1,5})?)?$")  # 【2†source】, 【2†L10-L15】
_NUMBER = re.compile(r"[1-9]\d{0,2}")
_RANGE = re.compile(r"([1-9]\d{0,2})\s*[-‐-―−]\s*([1-9]\d{0,2})")  # any dash
_PMCID = re.compile(r"pmc[\s:_-]?(\d{1,9})((?:::\w+)*)", re.IGNORECASE)
_KEY = re.compile(r"[a-z][a-z'-]*(?:19|20)\d{2}[a-z]*")  # smith2024quantum
_LOCATOR = re.compile(
    r"(?:fig|figs|figure|figures|table|tables|p|pp|page|pages|sec|section)\.?\s*\w{1,5}", re.IGNORECASE
)

_NUMBER_BEFORE = re.compile(
    r"(?:\d\s?[%*]{0,2}|[=≈~±<>≤≥]|\b(?:median|mean|IQR|ranges?|interval|CI)\b[\])]?(?:\s+(?:of|was|is))?[,:]?)\s*$",
    re.IGNORECASE,
)
_UNIT_AFTER = re.compile(
    r"\s?(?:%|°C|(?:wks?|weeks?|days?|d|h|hrs?|hours?|min|minutes?|s|sec|seconds?|months?|mo|y|yrs?|years?|mg|µg|μg|ng|g|kg|"
    r"ml|mL|l|L|mm|cm|nm|µm|μm|m|mM|µM|μM|nM|Gy|mGy|cGy|Sv|mSv|kDa|bp|fold|points?)\b)"
)
_STATEMENT_END = re.compile(r"\s*(?:[.;:!?。)\[【]|$)")
_JOINED = re.compile(r"[ \t\u00a0]*(?:[,;&]|and)?[ \t\u00a0]*")
_SPACE = " \t\u00a0\u2009\u202f"
_CLOSING = ".,;:!?)]}。、，；：！？）"
_EMPTY_PARENTHESES = re.compile(r"[ \t]?\((?:see|cf\.?|e\.g\.,?|i\.e\.,?)?\s*\)", re.IGNORECASE)


class SentenceSpan(Protocol):
    """Whatever says where a sentence is: ``text[start:end]``."""

    @property
    def start(self) -> int: ...  # noqa: D102
    @property
    def end(self) -> int: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Marker:
    """One bracket of citations.

    Attributes:
        start: Offset of the opening bracket.
        end: Offset after the closing one, and after the link when there is one.
        ids: What is cited, in standard spelling ("1", "PMC1234567", "smith2024quantum"), at least one.
    """

    start: int
    end: int
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence and what it cites, each id once, in the order of the text; without citations ``ids`` is empty."""

    start: int
    end: int
    ids: tuple[str, ...]


def find(text: str, valid_ids: Collection[str] | None = None) -> list[Marker]:
    """Find the citations of a text.

    Args:
        text: An answer.
        valid_ids: The ids that could have been cited. They are matched whatever their case, ids of any shape are found,
            and they help to tell "4 [1–8] wk" from a citation. A citation of an id that is not among them is found too.

    Returns:
        The markers in order, without overlap.
    """
    spelling = {valid.casefold(): valid for valid in valid_ids or ()}
    return [marker for match in _BRACKETED.finditer(text) if (marker := _marker(text, match, spelling)) is not None]


def strip(text: str, valid_ids: Collection[str] | None = None) -> str:
    """Take the citations out of a text, with the spaces and commas that served only them."""
    kept, position = [], 0
    for start, end in _runs(text, find(text, valid_ids)):
        before = text[position:start]
        if end == len(text) or text[end] in _CLOSING or text[end].isspace():
            before = before.rstrip(_SPACE)
        kept.append(before)
        position = _after_spaces(text, end) if _opens_line(text, start) else end
    kept.append(text[position:])
    return _EMPTY_PARENTHESES.sub("", "".join(kept)).strip()


def render(ids: Iterable[str]) -> str:
    """Write citations in the standard way: ``render(["2", "3"]) == "[2][3]"``."""
    return "".join(f"[{each}]" for each in ids)


def cited_sentences(
    text: str, sentence_spans: Sequence[SentenceSpan], valid_ids: Collection[str] | None = None
) -> list[CitedSentence]:
    """Tell every citation to its sentence.

    A citation after the full stop ("… cells. [1] Next") belongs to the sentence before it, unless it is the subject of
    the next one ("… cells. [1] reports").

    Args:
        text: An answer.
        sentence_spans: Its sentences in order.
        valid_ids: As for ``find``.

    Returns:
        One entry a sentence. Sentences that hold nothing but citations are dropped once these are assigned.
    """
    cited: list[tuple[SentenceSpan, list[str]]] = []
    for span, markers in _by_sentence(sentence_spans, find(text, valid_ids)):
        early = _looking_back(text, span, markers) if cited else 0
        for marker in markers[:early]:
            cited[-1][1].extend(marker.ids)
        if _has_words(_outside(text, span.start, span.end, markers)):
            cited.append((span, [each for marker in markers[early:] for each in marker.ids]))
    return [CitedSentence(span.start, span.end, tuple(dict.fromkeys(ids))) for span, ids in cited]


def _marker(text: str, match: re.Match[str], spelling: dict[str, str]) -> Marker | None:
    kind = match.lastgroup
    content = _DAGGER.sub("", match[kind or 0]).strip()
    if kind == "span":
        content = content.replace("[", "").replace("]", "")
    ids = tuple(dict.fromkeys(_ids(content, spelling)))
    if not ids:
        return None
    if kind == "round" and any(each.isdigit() for each in ids):
        return None  # "(1)" numbers a list or an equation
    if len(ids) > 1 and ids[0].isdigit() and _is_measurement(text, match, ids, spelling):
        return None
    return Marker(match.start(), match.end(), ids)


def _ids(content: str, spelling: dict[str, str]) -> list[str]:
    """What a bracket cites; nothing unless every part of it is a citation."""
    if content.casefold() in spelling:
        return [spelling[content.casefold()]]
    ids: list[str] = []
    for part in _SEPARATOR.split(content):
        found = _ids_of_part(part, spelling)
        if not found and not (ids and _LOCATOR.fullmatch(part)):
            return []
        ids += found
    return ids


def _ids_of_part(part: str, spelling: dict[str, str]) -> list[str]:
    if part.casefold() in spelling:
        return [spelling[part.casefold()]]
    bare = _LABEL.sub("", part, count=1) if _LABEL.match(part) else part
    if span := _RANGE.fullmatch(bare):
        first, last = int(span[1]), int(span[2])
        return [str(number) for number in range(first, last + 1)] if first < last <= first + WIDEST_RANGE else []
    if _NUMBER.fullmatch(bare):
        return [bare]
    if pmcid := _PMCID.fullmatch(bare):
        standard = f"PMC{pmcid[1]}{pmcid[2]}"
        return [spelling.get(standard.casefold(), standard)]
    return [spelling.get(bare.casefold(), bare)] if _KEY.fullmatch(bare) or bare.casefold() in spelling else []


def _is_measurement(text: str, match: re.Match[str], ids: tuple[str, ...], spelling: dict[str, str]) -> bool:
    """Whether numbers in brackets are an interval or a list of values: "4 [1–8] wk", "median [1, 3]"."""
    number_before = _NUMBER_BEFORE.search(text[max(0, match.start() - 40) : match.start()])
    is_range = _RANGE.search(match.group())
    if _UNIT_AFTER.match(text, match.end()) and (number_before or is_range):
        return True
    known = not spelling or all(each in spelling for each in ids)
    return bool(number_before) and not (known and _STATEMENT_END.match(text, match.end()))


def _runs(text: str, markers: Sequence[Marker]) -> Iterator[tuple[int, int]]:
    """Stretches of citations with nothing but separators between them: "[1], [2] and [3]"."""
    start = end = -1
    for marker in markers:
        if end >= 0 and _JOINED.fullmatch(text, end, marker.start):
            end = marker.end
            continue
        if end >= 0:
            yield start, end
        start, end = marker.start, marker.end
    if end >= 0:
        yield start, end


def _opens_line(text: str, start: int) -> bool:
    while start > 0 and text[start - 1] in _SPACE:
        start -= 1
    return start == 0 or text[start - 1] == "\n"


def _after_spaces(text: str, start: int) -> int:
    while start < len(text) and text[start] in _SPACE:
        start += 1
    return start


def _by_sentence(
    spans: Sequence[SentenceSpan], markers: Sequence[Marker]
) -> Iterator[tuple[SentenceSpan, Sequence[Marker]]]:
    """Every sentence with the markers that start in it or before the next one."""
    starts = [marker.start for marker in markers]
    first = 0
    for index, span in enumerate(spans):
        last = bisect_left(starts, spans[index + 1].start) if index + 1 < len(spans) else len(markers)
        yield span, markers[first:last]
        first = last


def _looking_back(text: str, span: SentenceSpan, markers: Sequence[Marker]) -> int:
    """How many of a sentence's markers open it and belong to the sentence before it."""
    early = 0
    while early < len(markers) and not _has_words(_outside(text, span.start, markers[early].start, markers[:early])):
        early += 1
    if not early:
        return 0
    following = _outside(text, markers[early - 1].end, span.end, markers[early:]).lstrip(" \t\u00a0.,;")
    is_subject = following[:1].islower() or (bool(following) and _opens_line(text, span.start))
    return 0 if is_subject else early


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _outside(text: str, start: int, end: int, markers: Sequence[Marker]) -> str:
    """``text[start:end]`` without the citations in it."""
    kept, position = [], start
    for marker in markers:
        kept.append(text[position : min(marker.start, end)])
        position = marker.end
    return "".join([*kept, text[position:end]])
