"""Takes the characters off one page of a PDF; with ``pdf_text`` and ``pdf_drawing`` what knows pypdfium2."""

from __future__ import annotations

import ctypes
import math
import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from programs.ingest.pdf.runs import Character, Print

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage


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


Box = tuple[float, float, float, float]

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
    """The characters of a page as they stand on it, with None at the end of each line.

    Args:
        page: The page.
        whole: What of it is seen; text outside is left out.
        clips: What is seen of text objects, by their address.
    """
    import pypdfium2.raw as pdfium

    handle, calls = ctypes.cast(page.raw, ctypes.c_void_p).value, _calls()
    text_object, unicode, char_box = calls.text_object, calls.unicode, calls.char_box
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
                font = _font(page, index, calls.font(key), fonts)
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


class _Calls(NamedTuple):
    """What PDFium is asked of each character, with addresses for pointers, which is ten times as fast as typed ones."""

    text_object: Callable[[Any, int], int | None]
    font: Callable[[int], int | None]
    unicode: Callable[[Any, int], int]
    char_box: Callable[..., int]


@cache
def _calls() -> _Calls:
    import pypdfium2.raw as pdfium

    address, number = ctypes.c_void_p, ctypes.c_int

    def call(function: Any, result: Any, *arguments: Any) -> Any:  # noqa: ANN401 - types of ctypes
        return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(function, address).value or 0)

    return _Calls(
        text_object=call(pdfium.FPDFText_GetTextObject, address, address, number),
        font=call(pdfium.FPDFTextObj_GetFont, address, address),
        unicode=call(pdfium.FPDFText_GetUnicode, ctypes.c_uint, address, number),
        char_box=call(pdfium.FPDFText_GetCharBox, number, address, number, *[address] * 4),
    )


class _Font(NamedTuple):
    is_bold: bool
    is_italic: bool
    signs: Mapping[str, str]


def _print(page: PdfTextPage, index: int, font: _Font) -> Print:
    """How a text object is printed, asked of one of its characters.

    ``FPDFText_GetFontSize`` gives the operand of ``Tf`` alone, which most publishers set to 1: the matrix scales it.
    """
    import pypdfium2.raw as pdfium

    matrix = pdfium.FS_MATRIX()
    size: float = pdfium.FPDFText_GetFontSize(page, index)
    if not pdfium.FPDFText_GetMatrix(page, index, matrix):
        return Print(size, font.is_bold, 0, 0.0, 0.0, font.is_italic)
    turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
    return Print(size * math.hypot(matrix.c, matrix.d), font.is_bold, turns, matrix.e, matrix.f, font.is_italic)


def _font(page: PdfTextPage, index: int, address: int | None, known: dict[int | None, _Font]) -> _Font:
    """A character's font, by its name, weight and flags, kept by its address."""
    import pypdfium2.raw as pdfium

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
    """Whether a font is bold: by its name, else by the weight that PDFium reckons from the width of its stems.

    A plain font such as MinionPro-Regular may have stems as wide as those of a bold one.
    """
    if _BOLD_NAME.search(name):
        return True
    return weight >= _BOLD_WEIGHT and _PLAIN_NAME.search(name) is None


def turned(box: Box, turns: int) -> Box:
    """A box (left, bottom, right, top) of text that stands at quarter turns, as if the page were turned back."""
    left, bottom, right, top = box
    for _ in range(turns % 4):
        left, bottom, right, top = bottom, -right, top, -left
    return left, bottom, right, top


def upright(character: Character, turns: int) -> Character:
    """A character of text that stands at quarter turns, as if the page were turned back."""
    x, y, *_ = turned((character.print.x, character.print.y) * 2, turns)
    left, bottom, right, top = turned(character[1:5], turns)
    return Character(character.text, left, bottom, right, top, character.print._replace(x=x, y=y))
