"""Takes the characters of a page with their fonts and places, and makes runs of text of them.

Superscripts and subscripts are known by size and place, and written as ``text_repair.joint`` says: a citation ("mice¹²"
is "mice [12]"), an exponent ("10⁶" is "10^6"), a unit's ("m²" is "m2"), a charge, the mark of a note ("0.59ᵃ" is
"0.59^a").
"""

from __future__ import annotations

import ctypes
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, repeat
from typing import Any, Literal, NamedTuple, TypeAlias

import pypdfium2.raw as pdfium
from pypdfium2 import PdfTextPage

from programs.ingest.pdf.composing import Character, Print, composed
from programs.ingest.pdf.fonts import LIGATURES, UNREAD, corrections_of, has_signs, signs_of
from programs.ingest.pdf.reading_order import Box, TextRun, Word
from programs.ingest.text_repair import joint, marks_note

# A run ends at a gap wider than this share of the font size: words are a quarter to a half apart, columns more.
_WIDE_GAP = 1.0
# Superscripts and subscripts are this much smaller, and are this much off the line, in shares of the text's size.
_SMALL = 0.85
_RAISED = 0.1
_LOWERED = 0.04
_FULL_SIZE_RAISED = 0.25

# Thin spaces around these signs are as wide as this at least; without any, their own margins are narrower.
_THIN_SPACE = 0.15
_SPACED_SIGNS = frozenset("±=<>≤≥≈×∼~")

# Words after which kerning may leave no space before a capital; others begin program names, such as "forEach".
_RUN_ON = re.compile(r"(?<![^\W_])(?:and|of|the)(?=[A-Z][a-z]{3})")

# Text that is further than this off every quarter turn is a watermark, or the label of an axis.
_SLANT = 0.1
SLANTED = -1

Level: TypeAlias = Literal["", "sup", "sub"]

_CITATION = re.compile(r"[1-9]\d{0,2}[a-z]?(?:\s?[,;–—−-]\s?[1-9]\d{0,2}[a-z]?)*,?")
_CITES_AFTER = re.compile(r"(?:[^\W\d_]{3}|[^\W\d_][.,;:]|[^\W\d_][)\]’”\"'][.,;:]?|\d\s?[)\]%][.,;:]?|\d[.,;:])$")


_LINE_END_HYPHEN = "\x02"  # as PDFium writes it
_PRIVATE_USE = "\ue000"
# Codes that no text has: where nothing says what they print, a sign of the page was not read.
_CONTROL = frozenset(map(chr, (*range(0x09), *range(0x0A, 0x20), *range(0x7F, 0xA0))))
# Ink is higher than this, and print that can be seen larger, in points.
_INK = 0.05
_SMALLEST = 0.5
# So many signs without meaning, and nothing beside them, are a logo, such as "Check for updates".
_LONGEST_LOGO = 12
_BOLD_NAME = re.compile(r"bold|black|heavy|cmbx|-medi(?!um)|-bd", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"regular|-(?:roman|book|light)(?![a-z])", re.IGNORECASE)
_BOLD_WEIGHT = 600
_ITALIC_NAME = re.compile(r"ital|obli|slant|cmti|-it(?![a-z])|kursiv", re.IGNORECASE)
_ITALIC_FLAG = 1 << 6  # ISO 32000-1, table 123
_FONT_NAME_BYTES = 128


def characters(
    page: PdfTextPage,
    whole: Box,
    clips: Mapping[int, Box],
    named: Callable[[str], Mapping[str, str]],
    drawn: Mapping[int, Callable[[], Box]],
) -> Iterator[Character | None]:
    """The characters of a page as they are on it, with None at the end of each line.

    Args:
        page: It.
        whole: What is seen of it; text outside is left out.
        clips: What is seen of text objects, by their address, where that is less.
        named: What the names of a font's glyphs say of its codes.
        drawn: What gives the boxes of the page's text objects, by their addresses, in the order of the page.
    """
    handle = ctypes.cast(page.raw, ctypes.c_void_p).value
    text_object, font_of, _, unicode, char_box = _calls()
    box = array("d", [0.0] * 4)
    ends = [box.buffer_info()[0] + place * box.itemsize for place in range(4)]
    prints: dict[int, tuple[Print, _Font]] = {}
    fonts: dict[int | None, _Font] = {}
    last, seen, font = Print(0.0, False, 0, 0.0, 0.0), whole, _Font("", False, False, False, {})
    before = ""
    count = pdfium.FPDFText_CountChars(page)
    lost = _lost_before(drawn, handle, count)
    for index in range(count):
        text = chr(unicode(handle, index))
        if text in "\r\n" and pdfium.FPDFText_IsGenerated(page, index):
            yield None
            before = ""
            continue
        if key := text_object(handle, index):
            if key not in prints:
                font = _font(page, index, font_of(key), fonts)
                prints[key] = _print(page, index, font), font
                for area in lost.get(key, ()):
                    is_beside = abs(last.y - area[1]) < last.size / 2
                    yield Character(UNREAD, *area, last if is_beside else prints[key][0])
            last, font = prints[key]
            seen = clips.get(key, whole)
        if text in " \t":
            yield Character(" ", 0.0, 0.0, 0.0, 0.0, last)
            before = ""
            continue
        is_hyphen = text == _LINE_END_HYPHEN and pdfium.FPDFText_IsHyphen(page, index)
        char_box(handle, index, *ends)
        left, right, bottom, top = box
        if not is_hyphen:
            is_unsure = text in _CONTROL or text >= _PRIVATE_USE
            if is_unsure or (font.has_signs and pdfium.FPDFText_HasUnicodeMapError(page, index)):
                after = chr(unicode(handle, index + 1)) if index + 1 < count else ""
                code, text = text, _meant(text, font.name, named, before, after)
                if code in _CONTROL and text == UNREAD and top - bottom < _INK:  # a code without ink
                    continue
            text = font.corrections.get(text, text)
        before = text
        is_inside = seen[0] <= (left + right) / 2 <= seen[2] and seen[1] <= (bottom + top) / 2 <= seen[3]
        if not is_inside or 0 < last.size < _SMALLEST:
            continue
        yield Character("-" if is_hyphen else text, left, bottom, right, top, last)
        if is_hyphen:
            yield None


def _lost_before(drawn: Mapping[int, Callable[[], Box]], page: int | None, count: int) -> dict[int, list[Box]]:
    """The boxes of signs that PDFium gives no character for, by the text object that is read behind them."""
    text_object, font_of, name_of, *_ = _calls()
    name = ctypes.create_string_buffer(_FONT_NAME_BYTES)

    def is_of_signs(font: int | None) -> bool:
        return bool(font and name_of(font, ctypes.addressof(name), _FONT_NAME_BYTES)) and has_signs(_text_of(name))

    signs = set(filter(is_of_signs, set(map(font_of, drawn))))
    unsure = {each for each in drawn if font_of(each) in signs} if signs else set()
    read = {text_object(page, index) for index in range(count)} if unsure else set()
    lost: dict[int, list[Box]] = {}
    waiting: list[Box] = []
    for each in drawn if unsure - read else ():
        if each in read:
            lost[each], waiting = waiting, []
        elif each in unsure:
            waiting.append(drawn[each]())
    return lost


def _text_of(buffer: ctypes.Array[ctypes.c_char]) -> str:
    return buffer.value.decode("utf-8", "replace")


def _meant(text: str, font: str, named: Callable[[str], Mapping[str, str]], before: str, after: str) -> str:
    """What a code without a map prints: by its glyph's name, the font's layout, or its place in words.

    Else a printable character is left as it is, and any other is U+FFFD.
    """
    for signs in (named(font), signs_of(font)):
        if (sign := signs.get(text, UNREAD)) != UNREAD:
            return sign
    if text in LIGATURES and (before[-1:].islower() or after.islower()):
        return LIGATURES[text]
    return UNREAD if text in _CONTROL else text


@cache
def _calls() -> tuple[Callable[..., Any], ...]:
    """What gives a character's text object, the object's font, the font's name, the character's code, and its box."""
    address, number = ctypes.c_void_p, ctypes.c_int  # ten times as fast as typed pointers

    def call(function: Any, result: Any, *arguments: Any) -> Any:  # noqa: ANN401 - types of ctypes
        return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(function, address).value or 0)

    return (
        call(pdfium.FPDFText_GetTextObject, address, address, number),
        call(pdfium.FPDFTextObj_GetFont, address, address),
        call(pdfium.FPDFFont_GetBaseFontName, ctypes.c_ulong, address, address, ctypes.c_ulong),
        call(pdfium.FPDFText_GetUnicode, ctypes.c_uint, address, number),
        call(pdfium.FPDFText_GetCharBox, number, address, number, *[address] * 4),
    )


class _Font(NamedTuple):
    name: str
    is_bold: bool
    is_italic: bool
    has_signs: bool
    corrections: Mapping[str, str]


def _print(page: PdfTextPage, index: int, font: _Font) -> Print:
    """How a text object is printed, asked of one of its characters.

    ``FPDFText_GetFontSize`` gives the operand of ``Tf`` alone, which most publishers set to 1: the matrix scales it.
    """
    matrix = pdfium.FS_MATRIX()
    size: float = pdfium.FPDFText_GetFontSize(page, index)
    if not pdfium.FPDFText_GetMatrix(page, index, matrix):
        return Print(size, font.is_bold, 0, 0.0, 0.0, font.is_italic)
    quarters = math.atan2(matrix.b, matrix.a) / (math.pi / 2)
    turns = round(quarters) % 4 if abs(quarters - round(quarters)) < _SLANT else SLANTED
    return Print(size * math.hypot(matrix.c, matrix.d), font.is_bold, turns, matrix.e, matrix.f, font.is_italic)


def _font(page: PdfTextPage, index: int, address: int | None, known: dict[int | None, _Font]) -> _Font:
    if address not in known:
        buffer, flags = ctypes.create_string_buffer(_FONT_NAME_BYTES), ctypes.c_int()
        pdfium.FPDFText_GetFontInfo(page, index, buffer, _FONT_NAME_BYTES, flags)
        name = _text_of(buffer)
        known[address] = _Font(
            name,
            is_bold(name, pdfium.FPDFText_GetFontWeight(page, index)),
            _ITALIC_NAME.search(name) is not None or bool(flags.value & _ITALIC_FLAG),
            has_signs(name),
            corrections_of(name),
        )
    return known[address]


def is_bold(name: str, weight: int) -> bool:
    """Whether a font is bold: by its name, else by the weight that PDFium derives from the width of its stems.

    A plain font such as MinionPro-Regular may have stems as wide as those of a bold one.
    """
    if _BOLD_NAME.search(name):
        return True
    return weight >= _BOLD_WEIGHT and _PLAIN_NAME.search(name) is None


def runs_of(characters: Iterable[Character | None]) -> Iterator[TextRun]:
    """The runs of a page."""
    run: list[Character] = []
    last: Character | None = None
    for character in composed(list(characters)):
        if character is None or (last and _breaks(last, character)):
            yield from _as_run(run)
            run, last = [], None
        if character is not None:
            run.append(character)
            last = last if character.text.isspace() else character
    yield from _as_run(run)


def _breaks(last: Character, character: Character) -> bool:
    """Whether a character is apart from the one before it: after a wide gap, further left, or on another line."""
    gap = character.left - last.right
    if 0 <= gap <= _WIDE_GAP or character.text.isspace():
        return False
    size = max(last.print.size, character.print.size, 1.0)
    return gap > _WIDE_GAP * size or character.right < last.left - size


def _as_run(characters: Sequence[Character]) -> Iterator[TextRun]:
    inked = [character for character in characters if not character.text.isspace()]
    if not inked or (1 < len(inked) <= _LONGEST_LOGO and all(character.text == UNREAD for character in inked)):
        return
    _, lefts, bottoms, rights, tops, printed = zip(*inked, strict=True)
    prints = [(each, len(list(alike))) for each, alike in groupby(printed)]
    size = _most_frequent((round(each.size, 1), count) for each, count in prints)
    letters = [(round(each.print.size, 1), 1) for each in inked if len(prints) > 1 and each.text.isalpha()]
    size = max(size, _most_frequent(letters)) if letters else size  # an ORCID is longer than the name before it
    baseline = _most_frequent((each.y, count) for each, count in prints if abs(each.size - size) < _SMALL)
    spaced = _spaced(characters)
    is_flat = all(
        each.size > _SMALL * size and _raised(each, size, baseline) <= _FULL_SIZE_RAISED for each, _ in prints
    )
    words = tuple(_words(zip(spaced, repeat(False)) if is_flat else _written_out(spaced, size, baseline)))
    text, is_bold = " ".join(word.text for word in words), all(each.is_bold for each, _ in prints)
    yield TextRun(text, min(lefts), min(bottoms), max(rights), max(tops), size, is_bold, baseline, words)


def _most_frequent(counted: Iterable[tuple[float, int]]) -> float:
    counts: Counter[float] = Counter()
    for value, count in counted:
        counts[value] += count
    return max(counts, key=counts.__getitem__)


def _spaced(characters: Sequence[Character]) -> list[Character]:
    """The characters, with spaces where print has thin ones around signs such as "±", or none after a function word."""
    text = _text(characters)
    ends = {found.end() for found in _RUN_ON.finditer(text)}
    if not ends and _SPACED_SIGNS.isdisjoint(text):
        return list(characters)
    spaced: list[Character] = []
    at = 0
    for character in characters:
        last = spaced[-1] if spaced else character
        is_sign = character.text in _SPACED_SIGNS or last.text in _SPACED_SIGNS
        is_apart = is_sign and character.left - last.right >= _THIN_SPACE * character.print.size
        is_word = last.text.isspace() or character.text.isspace()
        if spaced and (at in ends or (is_apart and not is_word)):
            spaced.append(_beside(" ", last, last.right))
        spaced.append(character)
        at += len(character.text)
    return spaced


def _beside(text: str, character: Character, x: float) -> Character:
    """A character that is written beside another, and takes no width."""
    return Character(text, x, character.bottom, x, character.top, character.print)


def _words(parts: Iterable[tuple[Character, bool]]) -> Iterator[Word]:
    for is_space, group in groupby(parts, key=lambda part: part[0].text.isspace()):
        if is_space:
            continue
        word = list(group)
        texts, lefts, _, rights, _, prints = zip(*(part for part, _ in word), strict=True)
        bare = _text(part for part, is_raised in word if not is_raised)
        first = prints[0]
        yield Word(_paired("".join(texts)), min(lefts), max(rights), _paired(bare), first.is_bold, first.is_italic)


def _written_out(characters: Sequence[Character], size: float, baseline: float) -> Iterator[tuple[Character, bool]]:
    """The characters, with what sets superscripts and subscripts apart around them, and whether each is raised."""
    before = ""
    groups = [(level, list(group)) for level, group in _leveled(characters, size, baseline)]
    for place, (level, group) in enumerate(groups):
        following = _text(groups[place + 1][1]) if place + 1 < len(groups) else ""
        first, last = group[0], group[-1]
        lead, end = around(before, _text(group), level, following)
        opening = [_beside(each, first, first.left) for each in lead]
        closing = [_beside(each, last, last.right) for each in end]
        yield from ((each, level == "sup") for each in (*opening, *group, *closing))
        before = before + lead + _text(group) + end


def _leveled(
    characters: Sequence[Character], size: float, baseline: float
) -> Iterator[tuple[Level, Iterator[Character]]]:
    """Neighbouring characters of one level; a space before a superscript is not part of it."""
    levels = ["" if each.text.isspace() else _level(each, size, baseline) for each in characters]
    for place, character in enumerate(characters[:-1]):
        if character.text.isspace() and place and levels[place - 1] == levels[place + 1]:
            levels[place] = levels[place + 1]
    paired = zip(levels, characters, strict=True)
    for level, group in groupby(paired, key=lambda pair: pair[0]):
        yield level, (character for _, character in group)


def _level(character: Character, size: float, baseline: float) -> Level:
    if character.print.size <= _SMALL * size:
        raised = _raised(character.print, size, baseline)
        return "sup" if raised > _RAISED else "sub" if raised < -_LOWERED else ""
    is_mark = character.text.isdigit() or character.text in "+−–-*†‡"
    return "sup" if is_mark and _raised(character.print, size, baseline) > _FULL_SIZE_RAISED else ""


def _raised(printed: Print, size: float, baseline: float) -> float:
    return (printed.y - baseline) / size if size else 0.0


# "His365" with raised digits names a place in a protein; no citation is behind the name of an amino acid alone.
_RESIDUE = re.compile(
    r"(?<![^\W\d_])(?:Ala|Arg|Asn|Asp|Asx|Cys|Gln|Glu|Glx|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Sec|Ser|Thr|Trp|Tyr|Val)$"
)


def around(before: str, mark: str, level: Level, following: str) -> tuple[str, str]:
    """What is written before and after a piece of text."""
    if not level or not mark:
        return "", ""
    is_residue = mark.isdecimal() and _RESIDUE.search(before)
    if level == "sup" and _CITATION.fullmatch(mark) and _CITES_AFTER.search(before) and not is_residue:
        return (" [" if before[-1].isalnum() else "["), "]"
    is_note = level == "sup" and not before[-1:].isalnum() and marks_note(mark, following)
    return joint(before, mark, level), " " if is_note else ""


def _text(characters: Iterable[Character]) -> str:
    return "".join(character.text for character in characters)


def _paired(text: str) -> str:
    """The text with UTF-16 surrogate pairs from PDFium combined."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
