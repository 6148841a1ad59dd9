"""Reads the head of a printed paper: title, authors, covers, notices, and the abstract that has no heading.

The title is what is printed largest on the first page, but for the journal's name; the authors' names are under it,
all in one print.

    authors' addresses, dates, licences, a sidebar with all of these    → notices
    a paragraph between them and the introduction                       → the abstract
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from programs.ingest.front_matter import GAP, RAISED, printed_authors
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
_CENTRED = 0.04
_INDENT = 0.6
_LARGER = 1.08
# Names are close under the title, and most of what is in their lines is names.
_MAX_BETWEEN = 8
_LEAST_NAMES = 0.7

# Names in columns have nothing but gaps between them.
_SEPARATE = re.compile(rf"[^,;|•·]*{GAP}[^,;|•·]*$")
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
_FOOTNOTE_MARK = re.compile(r"(?:\s*(?:\[\d+\]|\^\S{1,3}|[*†‡☆✩§¶#]))+$")


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
    stacks = {stack: text for stack in _stacks(page) if _may_be_title(text := stack.text(words))}
    others = {stack: text for stack, text in stacks.items() if not _is_journal(text, small)}
    title = _title(others, page) or _title(stacks, page)
    if title is None:
        return FrontPage("", (), frozenset())
    authors, runs, below = _authors(page, title)
    text = _FOOTNOTE_MARK.sub("", stacks[title])
    above = tuple(run for run in page if run in below or (run.bottom >= title.lines[0].top and run not in runs))
    runs |= {run for line in title.lines for run in line.runs}
    return FrontPage(text, tuple(authors), runs, above)


def _stacks(page: Sequence[TextRun]) -> Iterator[PageBlock]:
    """The runs of the page as blocks of lines of the same size under each other, the largest print first."""
    left = sorted((run for run in page if run.size > 0), key=lambda run: -run.size)
    while left:
        size = left[0].size
        alike = [run for run in left if run.size >= (1 - _SAME_SIZE) * size]
        left = left[len(alike) :]
        stack: list[PrintedLine] = []
        for line in lines_of(alike):
            is_label = len(stack) == 1 and _LABEL.fullmatch(stack[0].text)
            if stack and (is_label or not _continues(stack[-1], line)):
                yield PageBlock("text", tuple(stack), 0)
                stack = []
            stack.append(line)
        if stack:
            yield PageBlock("text", tuple(stack), 0)


def _continues(above: PrintedLine, below: PrintedLine) -> bool:
    overlaps = below.left < above.right and above.left < below.right
    return _is_near(above, below) and overlaps and _is_bold(above) == _is_bold(below)


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


def _title(stacks: Mapping[PageBlock, str], page: Sequence[TextRun]) -> PageBlock | None:
    """The largest stack with authors under it, else the largest."""
    long = [stack for stack, text in stacks.items() if len(text.split()) >= _MIN_TITLE_WORDS]
    body = median_size(page)
    large = [stack for stack in long or stacks if stack.size >= _LARGER * body or _is_bold(stack.lines[0])]
    named = next((stack for stack in large if _authors(page, stack)[0]), None)
    return named or next((stack for stack in large if stack.size >= _LARGER * body), None)


def _authors(page: Sequence[TextRun], title: PageBlock) -> tuple[list[str], frozenset[TextRun], frozenset[TextRun]]:
    """The names under a title, and their runs: lines of names, or names with the address of each under it.

    Last the runs of addresses that are in columns as the names are.
    """
    below: list[TextRun] = []
    groups: list[list[PrintedLine]] = []
    before: PrintedLine | None = None
    skipped = 0
    for line in _under(page, title):
        if heading_kind(line.text) is not None or _is_long(line) or skipped >= _MAX_BETWEEN:
            break
        last = groups[-1][-1] if groups else None
        if last is None or before is None:
            opens = _are_names([line])
        elif (
            before is last
            and _is_alike(last, line)
            and (RAISED in _marked(line) or not _SEPARATE.match(_marked(groups[0][0])))
        ):
            if _is_near(before, line) and _are_names([*groups[-1], line]):
                groups[-1].append(line)
                before = line
                continue
            opens = False
        else:
            stands_out = "@" in before.text or not _is_alike(before, line) or not _is_near(before, line)
            opens = before is not last and stands_out and _is_alike(groups[0][0], line) and _are_names([line])
        if opens:
            groups.append([line])
        elif groups and before and _SEPARATE.match(_marked(groups[0][0])) and _SEPARATE.match(_marked(line)):
            below += line.runs if before.bottom - line.bottom <= _WIDE_GAP * line.size else ()
        skipped = 0 if opens else skipped + 1
        before = line
    names = [name for group in groups for name in printed_authors(" ".join(map(_marked, group)))[0]]
    return names, frozenset(run for group in groups for line in group for run in line.runs), frozenset(below)


def _are_names(lines: Sequence[PrintedLine]) -> bool:
    """Whether most of what is in lines is names."""
    found, share = printed_authors(" ".join(map(_marked, lines)))
    is_around = is_address(lines[-1].text) or is_notice(lines[-1].text)
    return bool(found) and share >= _LEAST_NAMES and not is_around


def _under(page: Sequence[TextRun], title: PageBlock) -> list[PrintedLine]:
    """The lines under a title; beside a sidebar only those in its own column."""
    left, right = min(run.left for run in page), max(run.right for run in page)
    start, end = min(line.left for line in title.lines), max(line.right for line in title.lines)
    middle = abs((start + end) / 2 - (left + right) / 2) <= _CENTRED * (right - left)
    column = left if middle else start - _INDENT * title.size
    return lines_of(
        run for run in page if run.top <= title.lines[-1].bottom + _SAME_SIZE * title.size and run.right > column
    )


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
    """The line with marks in place of superscripts and wide gaps."""
    parts: list[str] = []
    for before, run in pairwise((None, *line.runs)):
        if run is None:
            continue
        if before is not None:
            parts.append(f" {GAP} " if run.left - before.right > _WIDE_GAP * line.size else " ")
        if run.words:
            parts.append(" ".join(word.text if word.bare == word.text else word.bare + RAISED for word in run.words))
        else:
            parts.append(run.text)
    return unicodedata.normalize("NFC", "".join(parts)).replace("\u2011", "-")


# Print of less than this share of the body's is small.
_SMALL = 0.94
# An abstract has this many characters and two sentences.
_MIN_PROSE = 280
_SENTENCE = re.compile(r"[a-z0-9)\]%][.?!](?:\s+[A-Z\d(]|\s*\[|$)")
_OPENS_PAPER = ("abstract", "introduction", "methods", "results")


def with_front_matter(found: Sequence[PageBlock], words: Mapping[str, int]) -> list[PageBlock]:
    """The blocks, with what surrounds the paper on its first pages as notices, and an unnamed abstract named."""
    body = median_size(line for block in found for line in block.lines)
    opening = next((place for place, block in enumerate(found) if _opens(block, words)), len(found))
    is_named = opening < len(found)
    seen_prose = False
    roles: list[PageBlock] = []
    for place, block in enumerate(found):
        text = block.text(words)
        is_small = block.size < _SMALL * body
        if block.kind == "caption" or block.page > 1:
            roles.append(block)
        elif block.page == 0 and is_small and (is_address(text) or is_notice(text)):
            roles.append(replace(block, kind="notice"))
        elif place >= opening or block.page or block.kind == "notice":
            roles.append(block)
        elif len(text) >= _MIN_PROSE and len(_SENTENCE.findall(text)) > 1 and not is_notice(text):
            roles.append(replace(block, kind="abstract") if is_named and not seen_prose else block)
            seen_prose = True
        else:
            roles.append(block if seen_prose or not is_named else replace(block, kind="notice"))
    return roles


def _opens(block: PageBlock, words: Mapping[str, int]) -> bool:
    return block.kind == "heading" and heading_kind(block.text(words)) in _OPENS_PAPER
