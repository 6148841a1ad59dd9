"""Reads the head of a printed paper: title, authors, covers, notices, and the abstract that has no heading.

The title is what is printed largest on the first page, but for the journal's name; the authors' names are under it,
all in one print.

    authors' addresses, dates, licences, a sidebar with all of these    → notices
    a paragraph between them and the introduction                       → the abstract
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from programs.ingest.front_matter import AFTER_NAME, RAISED, printed_authors
from programs.ingest.line_shapes import heading_kind, is_address, is_known_heading, is_notice, named_kind
from programs.ingest.pdf.blocks import PageBlock
from programs.ingest.pdf.margins import margin
from programs.ingest.pdf.reading_order import PrintedLine, TextRun, lines_of, median_size
from programs.ingest.text_repair import vocabulary

_MOST_COVERS = 2
_WORDING = re.compile(
    r"view metadata, citation|core\.ac\.uk|provided by|this is (?:the|an?) (?:author|accepted|peer|published|post|pre)"
    r"|citation for (?:the )?published version|link to (?:published|publication|publisher)|version of record"
    r"|to cite this version|hal id|hal-\d{6,}|submitted on \d|l’archive ouverte|multi-disciplinary open access archive"
    r"|document version|general rights|take down policy|terms of use|repository|eprints?\b|downloaded from"
    r"|postprint|self-archiv|research explorer|university of .{3,40} research|this version is available"
    r"|rights statement|stable url|not-for-profit service|terms (?:&|and) conditions of use"
    r"|preprints\.org|preprints are preliminary|posted date|read full license",
    re.IGNORECASE,
)
_MIN_SIGNS = 2
_MOST_LINES = 60


def number_of_covers(pages: Sequence[Sequence[TextRun]]) -> int:
    """How many of the first pages are covers: short, in a repository's words, without a section of a paper."""
    count = 0
    while count < min(_MOST_COVERS, len(pages) - 1) and _is_cover(pages[count]):
        count += 1
    return count


def _is_cover(page: Sequence[TextRun]) -> bool:
    lines = [line.text for line in lines_of(page)]
    signs = {found.lower() for line in lines for found in _WORDING.findall(line)}
    opens = any(
        named_kind(line.rstrip(":")) in ("abstract", "introduction") for line in lines if len(line.split()) <= 4
    )
    return len(signs) >= _MIN_SIGNS and len(lines) <= _MOST_LINES and not opens


_MIN_TITLE_WORDS = 3
_MAX_TITLE = 400
_SAME_SIZE = 0.06
# In shares of the print's size: lines of a title and of authors are no further apart, and a wider gap parts names.
_LINE_GAP = 2.6
_WIDE_GAP = 2.0
_RAISED = 0.85
_CENTRED = 0.04
_INDENT = 0.6
_LARGER = 1.08
# Names are close under the title, and most of what is in their lines is names.
_MAX_BETWEEN = 8
_LEAST_NAMES = 0.7

# Names of one list have these between them, those in columns nothing but gaps.
_NUMBER = re.compile(r"[\d.,%±+−–() -]+")
_LISTED = re.compile(rf"(?:[,;|•·&]|\band\b)(?!.*[^,;\s]\s*{RAISED}\s*$)")  # a last mark ends the list
_BROKEN_NAME = re.compile(rf"[,{RAISED}]\s*(?:(?:and|&)\s+)?[^\W\d_][\w.’'-]*$")
_LIST_GOES_ON = re.compile(r"(?:[,;|•·&]|\band)\s*$")
_JOURNAL_WORD = re.compile(
    r"\b(?:journal|annals|archives?|bulletin|acta|proceedings|transactions|revista|zeitschrift|letters)\b",
    re.IGNORECASE,
)
_MAX_JOURNAL_WORDS = 10
_ISSUE = r"[\s,.:;|(\[]*(?:(?:19|20)\d\d\b|vol(?:ume)?\b|\d+\s*[(:,]|issn)"
_LABEL = re.compile(
    r"(?:original|research|review|regular|full|short|brief|case|rapid|technical|data|special|open|invited|mini|systematic"
    r"|clinical|experimental|major|feature|nature|nano|hypothesis|editorial|letter|perspective|commentary|news|practice"
    r"|and|policy|in|the|of|on|to|a|an|paper|articles?|communications?|reports?|reviews?|notes?|access|issue|section|topic"
    r"|study|studies|correspondence|opinion|protocol|methods?|contribution|published|peer[- ]reviewed|\W|\d)+",
    re.IGNORECASE,
)
_NOT_A_TITLE = re.compile(r"https?:|www\.|\S@\S|\b10\.\d{4,}/|\bISSN\b|^vol(?:ume)?\b|microsoft word", re.IGNORECASE)
_FOOTNOTE_MARK = re.compile(r"(?:\s*(?:\[\d+\]|\^\S{1,3}|[^\w\s.,:;?!%+°®™)\]}”\"’'»…–—-]))+$")


@dataclass(frozen=True, slots=True)
class FrontPage:
    """Title and authors at the head of a paper, the runs that are these, and those around, such as the journal."""

    title: str
    authors: tuple[str, ...]
    runs: frozenset[TextRun]
    above: tuple[TextRun, ...] = ()


def front_page(pages: Sequence[Sequence[TextRun]]) -> FrontPage:
    """The title and the authors."""
    page = pages[0] if pages else ()
    words = vocabulary(run.text for each in pages for run in each)
    small = [" ".join(line.text.split()) for each in pages for line in margin(lines_of(each))]
    small += [run.text for run in page]
    stacks = [stack for stack in _stacks(page, words) if _may_be_title(stack.text)]
    title = _title([each for each in stacks if not _is_journal(each.text, small)], page) or _title(stacks, page)
    if title is None:
        return FrontPage("", (), frozenset())
    authors, runs = _authors(page, title)
    names = max((run.top for run in runs), default=math.inf)
    subtitle = [line for line in _under(page, title)[0] if line.bottom >= names]
    if not all(line.size >= _LARGER * median_size(page) and _may_be_title(line.text) for line in subtitle):
        subtitle = []
    parts = (title.text, PageBlock("text", tuple(subtitle), words=words).text)
    text = re.sub(r"(?<=[?!:]):", "", ": ".join(_FOOTNOTE_MARK.sub("", part) for part in parts if part))
    above = tuple(run for run in page if run.bottom >= title.lines[0].top and run not in runs)
    runs |= {run for line in (*title.lines, *subtitle) for run in line.runs}
    return FrontPage(text, tuple(authors), runs, above)


def _stacks(page: Sequence[TextRun], words: Mapping[str, int]) -> Iterator[PageBlock]:
    """The runs of the page as blocks of lines of the same size under each other, the largest print first."""
    left = sorted((run for run in page if run.size > 0), key=lambda run: -run.size)
    while left:
        size = left[0].size
        alike = [run for run in left if run.size >= (1 - _SAME_SIZE) * size]
        left = left[len(alike) :]
        stack: list[PrintedLine] = []
        for line in lines_of(alike):
            is_label = len(stack) == 1 and _LABEL.fullmatch(stack[0].text)
            goes_on = stack and _is_near(stack[-1], line) and _is_over(stack[-1], line)
            if stack and (is_label or not goes_on or _is_bold(stack[-1]) != _is_bold(line)):
                yield PageBlock("text", tuple(stack), words=words)
                stack = []
            stack.append(line)
        if stack:
            yield PageBlock("text", tuple(stack), words=words)


def _is_bold(line: PrintedLine) -> bool:
    """Whether most of a line is bold, also where italic words within it are not."""
    letters = sum(len(run.text) for run in line.runs)
    bold = sum(len(word.text) for run in line.runs for word in run.words if word.is_bold)
    return bold > letters / 2 if any(run.words for run in line.runs) else line.is_bold


def _may_be_title(text: str) -> bool:
    """Whether a text has a title's length, and is not a label, address or section."""
    if not 1 < len(text) <= _MAX_TITLE or sum(map(str.isalpha, text)) < len(text) / 2:
        return False
    if _LABEL.fullmatch(text) or _NOT_A_TITLE.search(text) or is_notice(text):
        return False
    return not is_known_heading(text) and named_kind(text) is None


def _is_journal(text: str, small: Sequence[str]) -> bool:
    """Whether a text is the journal's name: it says so, or is followed by a year or volume where it is again."""
    if len(text.split()) > _MAX_JOURNAL_WORDS:
        return False
    if _JOURNAL_WORD.search(text) and text[:1].isupper():
        return True
    cited = re.compile(re.escape(text) + _ISSUE, re.IGNORECASE)
    return any(cited.search(line) for line in small)


def _title(stacks: Sequence[PageBlock], page: Sequence[TextRun]) -> PageBlock | None:
    """The largest stack with authors under it, else the largest."""
    long = [stack for stack in stacks if len(stack.text.split()) >= _MIN_TITLE_WORDS]
    body = median_size(page)
    large = [stack for stack in long or stacks if stack.size >= _LARGER * body or _is_bold(stack.lines[0])]
    named = next((stack for stack in large if _authors(page, stack)[0]), None)
    return named or next((stack for stack in large if stack.size >= _LARGER * body), None)


def _authors(page: Sequence[TextRun], title: PageBlock) -> tuple[list[str], frozenset[TextRun]]:
    """The names under a title, else beside it, and their runs: lists, or names with the address of each under it."""
    named, beside = map(_byline, _under(page, title))
    return named if named[0] else beside


def _byline(lines: Iterable[PrintedLine]) -> tuple[list[str], frozenset[TextRun]]:
    groups: list[list[PrintedLine]] = []
    above: list[PrintedLine] = []  # the lowest line of each column
    skipped, in_columns = 0, False
    for line in lines:
        cells = _cells(line)  # each column continues by itself, unless all have names
        beside = groups[0][0] if groups else cells[0]
        is_text = any(_is_long(cell) and _is_over(beside, cell) for cell in cells)  # what is beside may be the abstract
        if is_text or any(heading_kind(cell.text) is not None for cell in cells) or skipped >= _MAX_BETWEEN:
            break
        numbers = sum(bool(_NUMBER.fullmatch(cell.text)) for cell in cells)
        if numbers and 2 * numbers >= len(cells) and len(line.runs) > 1:
            return [], frozenset()  # a row of numbers: the names above head a table
        named = [_group(cell, groups, above) for cell in cells]
        in_columns = in_columns or len(named) - named.count(None) > 1
        skipped = skipped + 1 if named.count(None) == len(named) else 0
        for cell, group in zip(cells, named, strict=True):
            if group and (None in named or not in_columns):
                group.append(cell)
            elif group is not None:
                groups.append([cell])
        above = [*(last for last in above if not any(_is_over(last, cell) for cell in cells)), *cells]
    names = [name for group in groups for name in printed_authors(" ".join(map(_marked, group)))[0]]
    return names, frozenset(run for group in groups for line in group for run in line.runs)


def _group(
    cell: PrintedLine, groups: Sequence[list[PrintedLine]], above: Sequence[PrintedLine]
) -> list[PrintedLine] | None:
    """The names that those in a cell continue, none where they are the first of their column; None if it has none."""
    if not groups:
        return [] if _are_names([cell]) else None
    if _marked(cell).startswith(RAISED) != _marked(groups[0][0]).startswith(RAISED):
        return None  # a mark is before an address
    last = next((each for each in above if _is_over(each, cell)), above[-1])
    group = next((group for group in groups if group[-1] is last), None)
    is_next = _is_alike(last, cell) and _is_near(last, cell)
    if group is None:
        is_apart = "@" in last.text or last.text in ("and", "&") or not is_next or not _is_over(last, cell)
        return [] if is_apart and _is_alike(groups[0][0], cell) and _are_names([cell]) else None
    goes_on = RAISED in _marked(cell) or _LISTED.search(AFTER_NAME.sub("", _marked(last)))
    return group if is_next and goes_on and _are_names([*group, cell]) else None


def _cells(line: PrintedLine) -> list[PrintedLine]:
    """The parts of a line that are in columns: with wide gaps between them that are not within a list of one print."""
    starts = [0]
    for place, (before, run) in enumerate(pairwise(line.runs), start=1):
        is_list = _LIST_GOES_ON.search(before.text) or run.text.startswith("and ") or not run.text[:1].isalpha()
        is_one = is_list and _is_alike(replace(line, runs=(before,)), replace(line, runs=(run,)))
        if run.left - before.right > _WIDE_GAP * line.size and not is_one:
            starts.append(place)
    return [replace(line, runs=line.runs[start:end]) for start, end in pairwise((*starts, len(line.runs)))]


def _is_over(above: PrintedLine, below: PrintedLine) -> bool:
    return below.left < above.right and above.left < below.right


def _are_names(lines: Sequence[PrintedLine]) -> bool:
    """Whether most of what is in lines is names."""
    text = " ".join(map(_marked, lines))
    found, share = printed_authors(text)
    _, share_of_whole = printed_authors(_BROKEN_NAME.sub("", text))  # a line may end within a name
    return bool(found) and (share >= _LEAST_NAMES or share_of_whole == 1)


def _under(page: Sequence[TextRun], title: PageBlock) -> tuple[list[PrintedLine], ...]:
    """The lines under a title, beside a sidebar only those in its own column; and all that are under or beside it."""
    left, right = min(run.left for run in page), max(run.right for run in page)
    start, end = min(line.left for line in title.lines), max(line.right for line in title.lines)
    middle = abs((start + end) / 2 - (left + right) / 2) <= _CENTRED * (right - left)
    column = left if middle else start - _INDENT * title.size
    floor = title.lines[-1].bottom + _SAME_SIZE * title.size
    around = [run for run in page if run.bottom < title.lines[0].top and run.size < (1 - _SAME_SIZE) * title.size]
    return lines_of(run for run in page if run.top <= floor and run.right > column), lines_of(around)


def _is_long(line: PrintedLine) -> bool:
    """Whether a line is of a paragraph that can hold no names: it has a sentence's words in small letters."""
    words = [word for word in line.text.split() if word.isalpha()]
    return len(words) > _MAX_BETWEEN and sum(word.islower() for word in words) > len(words) / 2


def _is_alike(first: PrintedLine, line: PrintedLine) -> bool:
    """Whether two lines are in the same print."""
    same = abs(line.size - first.size) <= _SAME_SIZE * first.size and _is_bold(line) == _is_bold(first)
    return same and line.is_italic == first.is_italic


def _is_near(above: PrintedLine, below: PrintedLine) -> bool:
    return above.bottom - below.bottom <= _LINE_GAP * below.size


def _marked(line: PrintedLine) -> str:
    """The line with a mark in place of each superscript."""
    parts: list[str] = []
    for run in line.runs:
        if run.size <= _RAISED * line.size and run.bottom > line.bottom:
            parts.append(RAISED)
        elif run.words:
            parts += (word.text if word.bare == word.text else word.bare + RAISED for word in run.words)
        else:
            parts.append(run.text)
    return unicodedata.normalize("NFC", " ".join(parts)).replace("\u2011", "-")


# Print of less than this share of the body's is small.
_SMALL = 0.94
# An abstract has this many characters and two sentences.
_MIN_PROSE = 280
_SENTENCE = re.compile(r"[a-z0-9)\]%][.?!](?:\s+[A-Z\d(]|\s*\[|$)")
_OPENS_PAPER = ("abstract", "introduction", "methods", "results")


def with_front_matter(found: Sequence[PageBlock]) -> list[PageBlock]:
    """The blocks, with what surrounds the paper on its first pages as notices, and an unnamed abstract named."""
    body = median_size(line for block in found for line in block.lines)
    opens = (block.kind == "heading" and heading_kind(block.text) in _OPENS_PAPER for block in found)
    opening = next((place for place, is_first in enumerate(opens) if is_first), len(found))
    is_named = opening < len(found)
    seen_prose = False
    roles: list[PageBlock] = []
    for place, block in enumerate(found):
        text = block.text
        if block.kind == "caption" or block.page > 1:
            roles.append(block)
        elif block.page == 0 and block.size < _SMALL * body and (is_address(text) or is_notice(text)):
            roles.append(replace(block, kind="notice"))
        elif place >= opening or block.page or block.kind == "notice":
            roles.append(block)
        elif len(text) >= _MIN_PROSE and len(_SENTENCE.findall(text)) > 1 and not is_notice(text):
            roles.append(replace(block, kind="abstract") if is_named and not seen_prose else block)
            seen_prose = True
        else:
            roles.append(block if seen_prose or not is_named else replace(block, kind="notice"))
    return roles
