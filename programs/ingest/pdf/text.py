"""Takes the text of a PDF out of its pages, with place, size and weight.

PDFium was chosen over pypdf and pdfplumber: it alone kept words and their spaces where a page is drawn without space
characters, and it gives the text of 36 pages in 0.04 s (pypdf 0.46 s, pdfplumber 2.3 s). It is not safe to call from
two threads at once.
"""

from __future__ import annotations

import ctypes
import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfDocument, PdfiumError, PdfPage, PdfTextPage

from programs.errors import EmptyFile, EncryptedFile, IngestError, UnsafeFile, UnsupportedFormat
from programs.ingest.identifiers import find_doi
from programs.ingest.pdf.drawing import Box, drawing, is_picture
from programs.ingest.pdf.layout import Rule, TextRun
from programs.ingest.pdf.runs import Character, Print, runs_of

# Text across the page's own is read when it has this many characters and this share of the page's; axes and stamps of
# libraries have fewer.
_MIN_ACROSS = 200
_MIN_SHARE_ACROSS = 0.25
# A page of text has more characters than this.
MIN_OF_PAGE = 150
# A PDF ends with "%%EOF"; programs put some bytes after it, and the standard lets readers look in the last 1,024.
_TAIL_BYTES = 2048
_XMP_DOI = re.compile(
    rb"<(?:prism:doi|prism:url|crossmark:DOI|pdfx:doi|dc:identifier)[^<>]{0,80}>\s*([^<>]{0,40}10\.\d{4,9}/[^<>\s]{1,80})",
    re.IGNORECASE,
)
_DOWNLOAD_AGAIN = "download it again"

# The longest books have some 3,000 pages and 5 million characters; what claims more would hold the machine for minutes.
MAX_PAGES = 5_000
MAX_CHARACTERS = 5_000_000


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """The text of a page that stands the same way up, as if the page were turned so that it can be read.

    A table printed along the page's side is a page of its own after the page that it stands on.

    Attributes:
        runs: In the order of the file, which may differ from the order of reading.
        rules: Straight lines, level and upright.
        number: Of the page in the file, from 0.
        turns: Quarter turns to the left by which the text stands, 0 to 3.
        origin: Left and bottom of the page's crop box, in points.
        is_scan: Whether it is a picture, with no more text than a library's stamp.
    """

    runs: tuple[TextRun, ...]
    rules: tuple[Rule, ...] = ()
    number: int = 0
    turns: int = 0
    origin: tuple[float, float] = (0.0, 0.0)
    is_scan: bool = False


@dataclass(frozen=True, slots=True)
class PrintedText:
    """What a PDF prints.

    Attributes:
        pages: In the order of the file.
        title: As the file's metadata has it; may be empty or wrong.
        author: Likewise.
        doi: Likewise.
    """

    pages: tuple[PrintedPage, ...]
    title: str
    author: str
    doi: str = ""


def extract(path: Path) -> PrintedText:
    """The text of all pages.

    Raises:
        EmptyFile: The file has no bytes.
        UnsupportedFormat: It does not begin as a PDF does.
        EncryptedFile: It opens only with a password.
        UnsafeFile: It has more than ``MAX_PAGES`` pages or ``MAX_CHARACTERS`` characters.
        IngestError: It is cut off or damaged.
    """
    _check_bytes(path)
    try:
        with PdfDocument(path) as document:
            pages = tuple(_pages(path, document))
            information = document.get_metadata_dict()
    except PdfiumError as error:
        raise _explained(path, error) from error
    doi = find_doi(information.get("Subject", "")) or _doi_in_xmp(path)
    return PrintedText(pages, information.get("Title", ""), information.get("Author", ""), doi)


def _doi_in_xmp(path: Path) -> str:
    """The DOI in the file's XMP metadata, which stand in it uncompressed; empty if there is none."""
    found = _XMP_DOI.search(path.read_bytes())
    return find_doi(found[1].decode("ascii", "ignore")) if found else ""


def plain_pages(path: Path) -> list[str]:
    """The text of each page in PDFium's own order: another way to read what ``extract`` has read.

    Raises:
        IngestError: The file is damaged.
    """
    try:
        with PdfDocument(path) as document:
            return [page.get_textpage().get_text_range() for page in document]
    except PdfiumError as error:
        raise _explained(path, error) from error


def _check_bytes(path: Path) -> None:
    """Raise errors for what PDFium would repair silently or report only as a format error."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            head = file.read(1024)
            file.seek(max(0, size - _TAIL_BYTES))
            tail = file.read()
    except OSError as error:
        raise IngestError(path, f"cannot be read ({error.strerror})", "check the path and its permissions") from error
    if not head.strip():
        raise EmptyFile(path, f"empty ({size} bytes)", _DOWNLOAD_AGAIN)
    if b"%PDF-" not in head:
        raise UnsupportedFormat(path, f"not a PDF: it begins with {head[:16]!r}", "give the file its right ending")
    if b"%%EOF" not in tail:
        raise IngestError(path, f"cut off: its {size} bytes do not end with %%EOF", _DOWNLOAD_AGAIN)


def _explained(path: Path, error: Exception) -> IngestError:
    if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
        return EncryptedFile(path, "it needs a password", "save a copy without one, such as with `qpdf --decrypt`")
    return IngestError(path, f"damaged: {error}", _DOWNLOAD_AGAIN)


def _pages(path: Path, document: PdfDocument) -> Iterator[PrintedPage]:
    """What each page prints, within the limits on pages and characters."""
    if len(document) > MAX_PAGES:
        raise _too_much(path, f"{len(document)} pages are more than the limit of {MAX_PAGES}")
    characters = 0
    for number, page in enumerate(document):
        text_page = page.get_textpage()
        characters += text_page.count_chars()
        if characters > MAX_CHARACTERS:
            raise _too_much(path, f"its pages hold more than the limit of {MAX_CHARACTERS} characters")
        yield from _ways_up(number, page, text_page)
        text_page.close()
        page.close()


def _too_much(path: Path, reason: str) -> UnsafeFile:
    return UnsafeFile(path, f"{reason} for one paper", "split it into one file per paper")


def _ways_up(number: int, page: PdfPage, text_page: PdfTextPage) -> Iterator[PrintedPage]:
    """The page, then what stands across it when that is more than stamps and axes."""
    drawn, whole = drawing(page), page.get_cropbox()
    found = list(characters(text_page, whole, drawn.clips))
    is_scan = len(found) < MIN_OF_PAGE and is_picture(page)
    turns = Counter(character.print.turns for character in found if character is not None)
    main = turns.most_common(1)[0][0] if turns else 0
    for turn, count in turns.most_common() or [(0, 0)]:
        if turn == main or count >= max(_MIN_ACROSS, _MIN_SHARE_ACROSS * turns.total()):
            yield PrintedPage(
                runs=tuple(runs_of(_standing(found, turn))),
                rules=tuple(Rule(*turned(line, turn)) for line in drawn.rules),
                number=number,
                turns=turn,
                origin=(whole[0], whole[1]),
                is_scan=is_scan,
            )


def _standing(found: Iterable[Character | None], turns: int) -> Iterator[Character | None]:
    """The characters that stand at these quarter turns, as if the page were turned back."""
    for character in found:
        if character is None:
            yield None
        elif character.print.turns == turns:
            yield upright(character, turns) if turns else character


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
    """The characters of a page as they stand on it, with None at the end of each line.

    Args:
        page: The page.
        whole: What of it is seen; text outside is left out.
        clips: What is seen of text objects, by their address.
    """
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
    matrix = pdfium.FS_MATRIX()
    size: float = pdfium.FPDFText_GetFontSize(page, index)
    if not pdfium.FPDFText_GetMatrix(page, index, matrix):
        return Print(size, font.is_bold, 0, 0.0, 0.0, font.is_italic)
    turns = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
    return Print(size * math.hypot(matrix.c, matrix.d), font.is_bold, turns, matrix.e, matrix.f, font.is_italic)


def _font(page: PdfTextPage, index: int, address: int | None, known: dict[int | None, _Font]) -> _Font:
    """A character's font, by its name, weight and flags, kept by its address."""
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
