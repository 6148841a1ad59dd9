r"""Repairs what printing and conversion did to a text: ligatures, hyphenation, running heads, superscripts.

    "the popu-\nlation"        → "the population"         a word broken at the end of a line
    "stress-\ninduced"         → "stress-induced"         a compound broken at its own hyphen
    "IGF-\n1"                  → "IGF-1"
    "20–\n110 nm"              → "20–110 nm"
    "pre-\nand post-treatment" → "pre- and post-treatment"
    "*ese authors"             → "These authors"          a ligature that the font maps to a sign
    10⁶, kg/m², Ca²⁺, 0.59ᵃ    → 10^6, kg/m2, Ca2+, 0.59^a
    M(post below), T(max below) → M_post, Tmax

The rest of the document decides between the first two: it uses "population" whole, or "stress" and "induced".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from programs.ingest.line_shapes import split_caption

_PLAIN = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00a0": " ", "\u202f": " "}
    | {letter: unicodedata.normalize("NFKC", letter) for letter in map(chr, range(0x1D400, 0x1D800))}  # mathematical
    | dict.fromkeys(map(chr, range(0xF8E6, 0xF8FF)), "")  # pieces of tall brackets
)
# Printed with the ring operator, as in "5 ◦C".
_DEGREE = re.compile(r"[◦∘](?=\s?[CFK]\b)|(?<=\d)[◦∘]")
# Tab and line feed are the control characters that text needs; the rest is debris, and a form feed ends a line.
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffe\uffff]")

SOFT_HYPHEN = "\u00ad"
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W_]+)*")
# Hyphen, Unicode hyphen, non-breaking hyphen or soft hyphen at the end of a line, after a letter or digit.
_HYPHENS = frozenset("-\u2010\u2011\u00ad")
_BROKEN_END = re.compile(r"([^\W_]+(?:-[^\W_]+)*)([-\u2010\u2011\u00ad])$")
# A range or pair that a line ends within: "20–" and "110 nm".
_RANGE_END = re.compile(r"[^\W_]–$")
# Looking further back for the start of a word would cost a second on a line of megabytes.
_LONGEST_WORD = 80
_FIRST_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_SUSPENDED = frozenset({"and", "or", "to", "und", "oder", "bis", "et", "y"})
# Where the document itself does not decide: parts that are before or after a hyphen more often than they are halves.
_HEADS = frozenset(
    """non self well high low long short half cross double single two three four five six ex all year""".split()  # noqa: SIM905
)
# Within a longer compound, such as "intention-to-treat".
_LINKS = frozenset(("to", "of", "in", "on", "up", "at", "by", "the", "and"))
_TAILS = frozenset(
    """based related controlled dependent induced matched treated specific like free term focused generated linked
    containing associated mediated positive negative resistant treat label ended blind reported driven derived type wide
    sectional quarter""".split()  # noqa: SIM905
)

_PAGE_NUMBER = re.compile(
    r"(?:[-–—\[(]\s*)?(?:p(?:age|\.)\s*)?(?:\d{1,4}|[ivxl]{1,7})(?:\s*(?:of|/)\s*\d{1,4})?(?:\s*[-–—\])])?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")


def repair_characters(text: str) -> str:
    """NFC text in plain letters and spaces, without ligatures, control characters and soft hyphens.

    A soft hyphen at the end of a line is kept, since ``join_lines`` needs it.
    """
    text = text.translate(_PLAIN).replace("\f", "\n").replace("\x02", "-")
    text = _DEGREE.sub("°", text)
    text = re.sub(f"{SOFT_HYPHEN}(?!\\s*(?:\\n|$))", "", _CONTROL.sub("", text))
    return unicodedata.normalize("NFC", text)


def vocabulary(lines: Iterable[str]) -> Counter[str]:
    """How often each word is whole in the text, in lower case; the halves of broken words are not counted."""
    counts: Counter[str] = Counter()
    is_half = False
    for line in filter(str.strip, lines):
        words = [word.lower() for word in _WORD.findall(line)]
        breaks = broken_end(line.rstrip()) is not None
        counts.update(words[is_half : len(words) - breaks])
        is_half = breaks
    return counts


def join_lines(lines: Iterable[str], words: Mapping[str, int]) -> str:
    """Lines of one paragraph as one line; ``words`` of the document tell which broken words are made whole."""
    parts: list[str] = []
    for line in filter(None, (line.strip() for line in lines)):
        if parts:
            parts[-1], joint = _joint(parts[-1], line, words)
            parts.append(joint)
        parts.append(line)
    return "".join(parts).rstrip(SOFT_HYPHEN)


def _joint(head: str, tail: str, words: Mapping[str, int]) -> tuple[str, str]:
    broken, first = broken_end(head), _FIRST_WORD.match(tail)
    if first is None or first[0].lower() in _SUSPENDED:
        return head, " "
    if broken is None:
        return head, "" if _RANGE_END.search(head) else " "
    stem = head[: -len(broken[2])]
    if broken[2] == SOFT_HYPHEN or _is_one_word(broken[1], first[0], words):
        return stem, ""
    return stem, "-"


def broken_end(line: str) -> re.Match[str] | None:
    """The word (group 1) and hyphen (group 2) at the end of a line that breaks a word."""
    end = line[-_LONGEST_WORD:]
    return _BROKEN_END.search(end) if end[-1:] in _HYPHENS else None


def _is_one_word(left: str, right: str, words: Mapping[str, int]) -> bool:
    """Whether "left-" and "right" are halves of one word rather than of a compound with its own hyphen.

    Of 9,084 line breaks made in 80 papers, 1 in 100 comes out wrong; the lists above were made on the same papers.
    """
    if not right[0].islower() or not left[-1].islower() or len(left) == 1:
        return False
    left, right = left.lower(), right.lower()
    whole, compound = _count(left + right, words), _count(f"{left}-{right}", words)
    if whole or compound:
        return whole >= compound
    last, first = left.rsplit("-", 1)[-1], right.split("-", 1)[0]
    if last in _HEADS or (last != left and last in _LINKS) or (len(last) > 3 and first in _TAILS):
        return False
    return not (len(last) > 3 and len(first) > 3 and last in words and first in words)


def _count(word: str, words: Mapping[str, int]) -> int:
    """How often the document has the word, also as the singular or plural of another form."""
    return words.get(word, 0) + words.get(f"{word}s", 0) + (words.get(word[:-1], 0) if word.endswith("s") else 0)


def is_page_number(line: str) -> bool:
    """Whether a line is a page number alone: "12", "- 12 -", "Page 3 of 9", "iv"."""
    return _PAGE_NUMBER.fullmatch(line.strip()) is not None


def margin_key(line: str) -> str:
    """What a running head looks like on every page: its text with each number as "#"."""
    return " ".join(_DIGITS.sub("#", line.lower()).split())


def running_lines(margins: Sequence[Sequence[str]]) -> frozenset[str]:
    """Keys (see ``margin_key``) of the lines at the edges of two pages and three tenths of all.

    Odd and even pages have their own heads, and first pages have none.
    """
    pages_with: Counter[str] = Counter()
    for margin in margins:
        pages_with.update({margin_key(line) for line in margin if split_caption(line) is None})
    needed = max(2, 0.3 * len(margins))
    return frozenset(key for key, pages in pages_with.items() if pages >= needed and key)


_RESTS = frozenset(
    "e is ese ey eir em at an en ere us ose ough rough erefore ereby ereafter ree ird".split()  # noqa: SIM905
)
"""Common English words without the "th" that they begin with."""
_FEWEST_KINDS = 2
_MOSTLY = 0.8
_OTHERWISE = 0.25
"""A sign is before such rests in most places; "Th" is in fewer places than this share of them."""
_BEFORE_LETTERS = re.compile(r"(?<!\w)([^\w\s(\[{<“‘\"'«„,.:;/…+=±-])([a-z]+)\b")
_TH = re.compile(r"\bTh[a-z]")


def sign_for_th(texts: Iterable[str]) -> str:
    """The sign that stands for the ligature; empty where there is none."""
    rests: dict[str, Counter[str]] = defaultdict(Counter)
    printed = 0
    for text in texts:
        printed += len(_TH.findall(text))
        for sign, rest in _BEFORE_LETTERS.findall(text):
            rests[sign][rest] += 1
    for sign, found in rests.items():
        fitting = {rest: count for rest, count in found.items() if rest in _RESTS}
        count = sum(fitting.values())
        if len(fitting) >= _FEWEST_KINDS and count >= _MOSTLY * found.total() and printed <= _OTHERWISE * count:
            return sign
    return ""


def with_th(text: str, sign: str) -> str:
    """The text with "Th" for the sign where letters follow it."""
    return re.sub(rf"(?<!\w){re.escape(sign)}(?=[a-z])", "Th", text) if sign else text


_FEWEST_CYRILLIC = 100
_SHORTEST_CYRILLIC = 4
_MOST_FREQUENT = frozenset("оеаинтсрвл")
_FREQUENT = 0.5
"""Share of these among letters of Russian, Ukrainian or Bulgarian; Greek read so has a third of it."""
_ACCENTED = re.compile(r"(?<![^\W\d_])[\u00c0-\u00ff¨¸³¿¯ºª¡¢²£]++(?![^\W\d_])")
"""Codes of Windows-1251 for letters, as Windows-1252 shows them."""


def is_cyrillic(texts: Iterable[str]) -> bool:
    """Whether words of accented letters alone are Cyrillic in Windows-1251, shown as Latin: "Öèíê" for "Цинк".

    No language in Latin script writes words of four accented letters; letters' frequencies tell what they are.
    """
    letters = "".join(word for text in texts for word in _ACCENTED.findall(text) if len(word) >= _SHORTEST_CYRILLIC)
    read = with_cyrillic(letters).lower()
    return len(read) >= _FEWEST_CYRILLIC and sum(each in _MOST_FREQUENT for each in read) >= _FREQUENT * len(read)


def with_cyrillic(text: str) -> str:
    """The text with its words of accented letters as Windows-1251 has them."""

    def read(found: re.Match[str]) -> str:
        is_exponent = found.string[max(found.start() - 1, 0) : found.start()].isdigit()
        is_word = found[0].strip("×÷¨¸³¿¯ºª¡¢²£") or (found[0] == "³" and not is_exponent)  # Ukrainian "і", "and"
        return found[0].encode("cp1252").decode("cp1251") if is_word else found[0]

    return _ACCENTED.sub(read, text)


Level: TypeAlias = Literal["sup", "sub"]

_LAST_WORD = re.compile(r"[^\W\d]+$")  # with the underscore of an index: "dose_i"
_CHARGE = re.compile(r"\d?[+−–-]+$")
_ORDINAL = re.compile(r"(st|nd|rd|th|er|e)\b")
# A note's mark and the word that it may run into. After a number only one as long as no element's symbol: "13CO2".
_NOTE_MARKS = (re.compile(r"[a-z]{1,3}(?:,[a-z])*\0[^\W\d_]"), re.compile(r"\d{1,2}\0[^\W\d_][a-z]{2}"))
# Letters below are part of a symbol, "Tmax", "HbA1c", unless one of the two is a word: "M_post", "dose_i".
_MIN_INDEX_WORD = 4
_ENDS_AS_WORD = re.compile(r"[a-z]{3}$")
# The longest units that take an exponent, "min" left out: "mL-1", "µm2", "χ2".
_MAX_UNIT = 2


def joint(before: str, mark: str, level: Level) -> str:
    """What separates a mark from the text before it: "^", "_" or nothing."""
    last, first = before[-1:], mark[0]
    if not (last.isalnum() or last == ")") or not (first.isalnum() or (first in "+−–-" and mark[1:2].isdigit())):
        return ""
    if last.isdigit():
        return "" if _ORDINAL.fullmatch(mark) else "^" if level == "sup" else "_" if first.isdigit() else ""
    if level == "sub":
        return "_" if mark.isalpha() and (len(mark) >= _MIN_INDEX_WORD or _ENDS_AS_WORD.search(before)) else ""
    if _CHARGE.fullmatch(mark):
        return ""
    word = _LAST_WORD.search(before)
    return "" if word and len(word[0]) <= _MAX_UNIT else "^"


def marks_note(mark: str, following: str) -> bool:
    """Whether a superscript is before the word that it belongs to: "<sup>a</sup>Median" is not "aMedian"."""
    return any(each.match(f"{mark}\0{following}") for each in _NOTE_MARKS)


_FENCE = re.compile(r"\s{0,3}(```+|~~~+|\$\$)")
_MARKUP_LINE = re.compile(r"\s*(?:#|[-*+]\s|\d+[.)]\s|\||>|!\[|\s{4})")


def clean_markdown(text: str) -> str:
    """Markdown without what a PDF converter left in it; fenced code and ``$$`` equations are not touched.

    Removed are HTML comments and paragraphs that are only a page number. Ligatures and hyphenation are repaired.
    """
    blocks = list(_fenced_and_free(text))
    free = [_without_comments(repair_characters(block)) for block, is_fenced in blocks if not is_fenced]
    words = vocabulary(line for block in free for line in block.split("\n"))
    cleaned = (_clean_free(block, words) for block in free)
    return "\n".join(block if is_fenced else next(cleaned) for block, is_fenced in blocks)


def _without_comments(text: str) -> str:
    """The text without HTML comments; the mark of one that never ends becomes text.

    Patterns, here and in the parser, take quadratic time on many unclosed comments.
    """
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join((*kept, text[at:].replace("<!--", "&lt;!--")))


def _fenced_and_free(text: str) -> Iterator[tuple[str, bool]]:
    """Runs of lines, each with whether it is a fenced block."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark:
            yield "\n".join(lines), False
            lines, fence = [line], mark[1]
            closes = fence == "$$" and line.count("$$") > 1
        else:
            lines.append(line)
            closes = bool(fence) and line.rstrip().endswith("$$" if fence == "$$" else fence)
        if closes:
            yield "\n".join(lines), True
            lines, fence = [], ""
    yield "\n".join(lines), bool(fence)


def _clean_free(block: str, words: Mapping[str, int]) -> str:
    lines = block.split("\n")
    repaired: list[str] = []
    for place, line in enumerate(lines):
        is_alone = not any(near.strip() for near in (*lines[max(place - 1, 0) : place], *lines[place + 1 : place + 2]))
        if is_alone and is_page_number(line):
            continue
        if repaired and broken_end(repaired[-1]) and line[:1].isalnum() and not _MARKUP_LINE.match(line):
            repaired[-1] = join_lines([repaired[-1], line], words)
        else:
            repaired.append(line)
    return "\n".join(repaired)
