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
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import pypdfium2.raw as pdfium
from pypdfium2 import PdfTextPage

from programs.ingest.pdf.reading_order import Box, TextRun, Word
from programs.ingest.text_repair import joint, marks_note

# A run ends at a gap wider than this share of the font size: words are a quarter to a half apart, columns more.
_WIDE_GAP = 1.0
# Superscripts and subscripts are this much smaller, and are this much off the line, in shares of the text's size.
_SMALL = 0.85
_RAISED = 0.1
_LOWERED = 0.04
_FULL_SIZE_RAISED = 0.25
# Fonts with superscript digits of their own print them on the line, but their ink begins this far above it.
_INK_RAISED = 0.2

# Thin spaces around these signs are as wide as this at least; without any, their own margins are narrower.
_THIN_SPACE = 0.15
_SPACED_SIGNS = frozenset("±=<>≤≥≈×∼~")

# Words after which kerning may leave no space before a capital; others begin program names, such as "forEach".
_RUN_ON = re.compile(r"(?<![^\W_])(?:and|of|the)(?=[A-Z][a-z]{3})")

Level: TypeAlias = Literal["", "sup", "sub"]

_CITATION = re.compile(r"[1-9]\d{0,2}[a-z]?(?:\s?[,;–—−-]\s?[1-9]\d{0,2}[a-z]?)*,?")
_CITES_AFTER = re.compile(r"(?:[^\W\d_]{3}|[^\W\d_][.,;:]|[^\W\d_][)\]’”\"'][.,;:]?|\d\s?[)\]%][.,;:]?|\d[.,;:])$")


class Print(NamedTuple):
    """How characters are printed: size in points, weight, quarter turns to the left, and where their line begins."""

    size: float
    is_bold: bool
    turns: int
    x: float
    y: float
    is_italic: bool = False


class Character(NamedTuple):
    """One character; its box is in points, with the text upright and the origin at the lower left."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    print: Print


_SYMBOL_NAME = re.compile(r"(?:^|\+)Symbol(?:MT|PS|Std)?(?:$|[-,])", re.IGNORECASE)
_TEX_NAME = re.compile(r"(?:^|\+)(?:CMSY|MTSY|[TP]XSY|TeX_CM_Maths_Symbols)", re.IGNORECASE)

_LETTERS: Final = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ",
        strict=True,
    )
)
_SIGNS: Final = {'"': "∀", "$": "∃", "'": "∋", "-": "−", "@": "≅", "\\": "∴", "^": "⊥", "~": "∼"}
# From code A1 on, up to the pieces of tall brackets.
_UPPER: Final = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑"
_CODES: Final[Mapping[str, str]] = _LETTERS | _SIGNS | {chr(code): sign for code, sign in enumerate(_UPPER, 0xA1)}
_PRIVATE: Final = 0xF000

_SYMBOL: Final[Mapping[str, str]] = {
    **_CODES,
    **{chr(_PRIVATE + code): _CODES.get(chr(code), chr(code)) for code in (*range(0x20, 0x7F), *range(0xA1, 0xE6))},
}
# From code 0 on.
_TEX: Final[Mapping[str, str]] = {
    chr(code): sign for code, sign in enumerate("−·×*÷⋄±∓⊕⊖⊗⊘⊙◯∘•≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽")
}


def signs_of(font: str) -> Mapping[str, str]:
    """What codes and private characters of a font of this name mean; nothing for a font of letters."""
    return _SYMBOL if _SYMBOL_NAME.search(font) else _TEX if _TEX_NAME.search(font) else {}


# PDFium writes this in place of a hyphen at the end of a line.
_LINE_END_HYPHENS = "\ufffe\x02"
_PRIVATE_USE = "\ue000"
_BOLD_NAME = re.compile(r"bold|black|heavy|cmbx|-medi(?!um)|-bd", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"regular|-(?:roman|book|light)(?![a-z])", re.IGNORECASE)
_BOLD_WEIGHT = 600
_ITALIC_NAME = re.compile(r"ital|obli|slant|cmti|-it(?![a-z])|kursiv", re.IGNORECASE)
_ITALIC_FLAG = 1 << 6  # ISO 32000-1, table 123
_FONT_NAME_BYTES = 128


def characters(page: PdfTextPage, whole: Box, clips: Mapping[int, Box]) -> Iterator[Character | None]:
    """The characters of a page as they are on it, with None at the end of each line.

    Text outside of ``whole`` is left out; ``clips`` is what is seen of text objects, by their address.
    """
    handle = ctypes.cast(page.raw, ctypes.c_void_p).value
    text_object, font_of, unicode, char_box = _calls()
    box = array("d", [0.0] * 4)
    ends = [box.buffer_info()[0] + place * box.itemsize for place in range(4)]
    prints: dict[int, tuple[Print, Mapping[str, str]]] = {}
    fonts: dict[int | None, _Font] = {}
    last, seen, signs = Print(0.0, False, 0, 0.0, 0.0), whole, signs_of("")
    for index in range(pdfium.FPDFText_CountChars(page)):
        text = chr(unicode(handle, index))
        if text in "\r\n":
            yield None
            continue
        if key := text_object(handle, index):
            if key not in prints:
                font = _font(page, index, font_of(key), fonts)
                prints[key] = _print(page, index, font), font.signs
            last, signs = prints[key]
            seen = clips.get(key, whole)
        if text == " ":
            yield Character(text, 0.0, 0.0, 0.0, 0.0, last)
            continue
        if text in signs and (text >= _PRIVATE_USE or pdfium.FPDFText_HasUnicodeMapError(page, index)):
            text = signs[text]
        char_box(handle, index, *ends)
        left, right, bottom, top = box
        if not (seen[0] <= (left + right) / 2 <= seen[2] and seen[1] <= (bottom + top) / 2 <= seen[3]):
            continue
        is_hyphen = text in _LINE_END_HYPHENS
        yield Character("-" if is_hyphen else text, left, bottom, right, top, last)
        if is_hyphen:
            yield None


@cache
def _calls() -> tuple[Callable[..., Any], ...]:
    """What PDFium is asked of each character, with addresses for pointers, which is ten times as fast as typed ones.

    Returns:
        What gives the text object of a character, the object's font, the character's code, and its box.
    """
    address, number = ctypes.c_void_p, ctypes.c_int

    def call(function: Any, result: Any, *arguments: Any) -> Any:  # noqa: ANN401 - types of ctypes
        return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(function, address).value or 0)

    return (
        call(pdfium.FPDFText_GetTextObject, address, address, number),
        call(pdfium.FPDFTextObj_GetFont, address, address),
        call(pdfium.FPDFText_GetUnicode, ctypes.c_uint, address, number),
        call(pdfium.FPDFText_GetCharBox, number, address, number, *[address] * 4),
    )


class _Font(NamedTuple):
    is_bold: bool
    is_italic: bool
    signs: Mapping[str, str]


def _print(page: PdfTextPage, index: int, font: _Font) -> Print:
    """How a text object is printed, asked of one of its characters.

    ``FPDFText_GetFontSize`` gives the operand of ``Tf`` alone, which most publishers set to 1: the matrix scales it.
    """
    matrix = pdfium.FS_MATRIX()
    size: float = pdfium.FPDFText_GetFontSize(page, index)
    if not pdfium.FPDFText_GetMatrix(page, index, matrix):
        return Print(size, font.is_bold, 0, 0.0, 0.0, font.is_italic)
    turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
    return Print(size * math.hypot(matrix.c, matrix.d), font.is_bold, turns, matrix.e, matrix.f, font.is_italic)


def _font(page: PdfTextPage, index: int, address: int | None, known: dict[int | None, _Font]) -> _Font:
    if address not in known:
        buffer, flags = ctypes.create_string_buffer(_FONT_NAME_BYTES), ctypes.c_int()
        pdfium.FPDFText_GetFontInfo(page, index, buffer, _FONT_NAME_BYTES, flags)
        name = buffer.value.decode("utf-8", "replace")
        known[address] = _Font(
            is_bold(name, pdfium.FPDFText_GetFontWeight(page, index)),
            _ITALIC_NAME.search(name) is not None or bool(flags.value & _ITALIC_FLAG),
            signs_of(name),
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
    for character in characters:
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
    if not inked:
        return
    _, lefts, bottoms, rights, tops, printed = zip(*inked, strict=True)
    prints = [(each, len(list(alike))) for each, alike in groupby(printed)]
    size = _most_frequent((round(each.size, 1), count) for each, count in prints) or 0.0
    baseline = _most_frequent((each.y, count) for each, count in prints if abs(each.size - size) < _SMALL)
    baseline = prints[0][0].y if baseline is None else baseline
    spaced = _spaced(characters)
    is_flat = not any(_is_ink_raised(character, size) for character in inked) and all(
        each.size > _SMALL * size and _raised(each, size, baseline) <= _FULL_SIZE_RAISED for each, _ in prints
    )
    words = tuple(_words(zip(spaced, repeat(False)) if is_flat else _written_out(spaced, size, baseline)))
    text, is_bold = " ".join(word.text for word in words), all(each.is_bold for each, _ in prints)
    yield TextRun(text, min(lefts), min(bottoms), max(rights), max(tops), size, is_bold, baseline, words)


def _most_frequent(counted: Iterable[tuple[float, int]]) -> float | None:
    counts: Counter[float] = Counter()
    for value, count in counted:
        counts[value] += count
    return max(counts, key=counts.__getitem__, default=None)


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
    """The characters, with what sets superscripts and subscripts apart around them, and whether each is raised.

    What is written between them takes no width.
    """
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
    is_high = _raised(character.print, size, baseline) > _FULL_SIZE_RAISED or _is_ink_raised(character, size)
    return "sup" if is_mark and is_high else ""


def _raised(printed: Print, size: float, baseline: float) -> float:
    return (printed.y - baseline) / size if size else 0.0


def _is_ink_raised(character: Character, size: float) -> bool:
    return character.bottom - character.print.y > _INK_RAISED * size and character.text.isdigit()


def around(before: str, mark: str, level: Level, following: str) -> tuple[str, str]:
    """What is written before and after a piece of text."""
    if not level or not mark:
        return "", ""
    if level == "sup" and _CITATION.fullmatch(mark) and _CITES_AFTER.search(before):
        return (" [" if before[-1].isalnum() else "["), "]"
    is_note = level == "sup" and not before[-1:].isalnum() and marks_note(mark, following)
    return joint(before, mark, level), " " if is_note else ""


def _text(characters: Iterable[Character]) -> str:
    return "".join(character.text for character in characters)


def _paired(text: str) -> str:
    """The text with UTF-16 surrogate pairs from PDFium combined."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
