"""Takes the text of a PDF out of its pages, with place, size and weight; the only file that knows pypdfium2.

Chosen over pypdf and pdfplumber: it alone kept words and their spaces where a page is drawn without space characters,
and it gives the text of 36 pages in 0.04 s (pypdf 0.46 s, pdfplumber 2.3 s).
PDFium is not safe to call from two threads at once.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from programs.errors import EmptyFile, EncryptedFile, IngestError, UnsafeFile, UnsupportedFormat
from programs.ingest.page_layout import Run

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

# A run ends at a gap wider than this share of the font size: words are parted by a quarter to a half, columns by more.
_WIDE_GAP = 1.0
# PDFium writes this in place of a hyphen at the end of a line.
_LINE_END_HYPHENS = "\ufffe\x02"
_BOLD_NAME = re.compile(r"bold|black|heavy|cmbx|-medi(?!um)|-bd", re.IGNORECASE)
_BOLD_WEIGHT = 600
_FONT_NAME_BYTES = 128
# A PDF ends with "%%EOF"; programs put some bytes after it, and the standard lets readers look in the last 1,024.
_TAIL_BYTES = 2048
_DOWNLOAD_AGAIN = "download it again"

# The longest books have some 3,000 pages and 5 million characters; what claims more would hold the machine for minutes.
MAX_PAGES = 5_000
MAX_CHARACTERS = 5_000_000


@dataclass(frozen=True, slots=True)
class PrintedText:
    """What a PDF prints.

    Attributes:
        pages: The runs of each page, in the order of the file, which may differ from the order of reading.
        title: As the file's metadata has it; may be empty or wrong.
        author: Likewise.
    """

    pages: tuple[tuple[Run, ...], ...]
    title: str
    author: str


@dataclass(frozen=True, slots=True)
class _Character:
    text: str
    left: float
    bottom: float
    right: float
    top: float
    size: float
    is_bold: bool


def extract(path: Path) -> PrintedText:
    """The text of all pages.

    Raises:
        EmptyFile: The file has no bytes.
        UnsupportedFormat: It does not begin as a PDF does.
        EncryptedFile: It opens only with a password.
        UnsafeFile: It has more than ``MAX_PAGES`` pages or ``MAX_CHARACTERS`` characters.
        IngestError: It is cut off or damaged.
    """
    import pypdfium2

    _check_bytes(path)
    try:
        with pypdfium2.PdfDocument(path) as document:
            pages = tuple(_pages(path, document))
            information = document.get_metadata_dict()
    except pypdfium2.PdfiumError as error:
        raise _explained(path, error) from error
    return PrintedText(pages, information.get("Title", ""), information.get("Author", ""))


def _check_bytes(path: Path) -> None:
    """Tell what PDFium would repair in silence or call a format error."""
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
    import pypdfium2.raw as pdfium

    if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD:
        return EncryptedFile(path, "it needs a password", "save a copy without one, such as with `qpdf --decrypt`")
    return IngestError(path, f"damaged: {error}", _DOWNLOAD_AGAIN)


def _pages(path: Path, document: PdfDocument) -> Iterator[tuple[Run, ...]]:
    """The runs of each page, as long as there are not more than a reader should follow."""
    if len(document) > MAX_PAGES:
        raise _too_much(path, f"{len(document)} pages are more than the limit of {MAX_PAGES}")
    characters = 0
    for page in document:
        text_page = page.get_textpage()
        characters += text_page.count_chars()
        if characters > MAX_CHARACTERS:
            raise _too_much(path, f"its pages hold more than the limit of {MAX_CHARACTERS} characters")
        yield tuple(_runs(text_page))
        text_page.close()
        page.close()


def _too_much(path: Path, reason: str) -> UnsafeFile:
    return UnsafeFile(path, f"{reason} for one paper", "split it into one file a paper")


def _runs(text_page: PdfTextPage) -> Iterator[Run]:
    """The runs of one page."""
    characters: list[_Character] = []
    last: _Character | None = None
    for character in _characters(text_page):
        if character is None or (last and _breaks(last, character)):
            yield from _as_run(characters)
            characters, last = [], None
        if character is not None:
            characters.append(character)
            last = last if character.text.isspace() else character
    yield from _as_run(characters)


def _characters(page: PdfTextPage) -> Iterator[_Character | None]:
    """The characters of a page, with None at the end of each line; text that runs across the page's own is left out."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFText_CountChars(page)
    turns = [_quarter_turns(pdfium.FPDFText_GetCharAngle(page, index)) for index in range(count)]
    upright = Counter(turns).most_common(1)[0][0] if turns else 0
    size, is_bold, at_word_start = 0.0, False, True
    for index in range(count):
        text = chr(pdfium.FPDFText_GetUnicode(page, index))
        is_generated = pdfium.FPDFText_IsGenerated(page, index) == 1
        if text in "\r\n":
            yield None
        elif is_generated or turns[index] == upright:
            if at_word_start and not is_generated:
                size, is_bold = _size(page, index), _is_bold(page, index)
            box = _turned(page.get_charbox(index), upright)
            is_hyphen = text in _LINE_END_HYPHENS
            yield _Character("-" if is_hyphen else text, *box, size, is_bold)
            if is_hyphen:
                yield None
        at_word_start = text.isspace()


def _quarter_turns(angle: float) -> int:
    """Clockwise radians, as PDFium gives them, to the nearest number of quarter turns to the left, 0 to 3."""
    return round(-angle / (math.pi / 2)) % 4


def _turned(box: tuple[float, float, float, float], turns: int) -> tuple[float, float, float, float]:
    """A box (left, bottom, right, top) of text that stands at quarter turns, as if the page were turned back."""
    left, bottom, right, top = box
    for _ in range(turns):
        left, bottom, right, top = bottom, -right, top, -left
    return left, bottom, right, top


def _size(page: PdfTextPage, index: int) -> float:
    """The size a character is printed in, in points.

    ``FPDFText_GetFontSize`` gives the operand of ``Tf`` alone, which most publishers set to 1: the text matrix scales it.
    """
    import pypdfium2.raw as pdfium

    matrix = pdfium.FS_MATRIX()
    size: float = pdfium.FPDFText_GetFontSize(page, index)
    if not pdfium.FPDFText_GetMatrix(page, index, matrix):
        return size
    return size * math.hypot(matrix.c, matrix.d)


def _is_bold(page: PdfTextPage, index: int) -> bool:
    import pypdfium2.raw as pdfium

    name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
    pdfium.FPDFText_GetFontInfo(page, index, name, _FONT_NAME_BYTES, ctypes.c_int())
    is_named_bold = _BOLD_NAME.search(name.value.decode("utf-8", "replace")) is not None
    return is_named_bold or pdfium.FPDFText_GetFontWeight(page, index) >= _BOLD_WEIGHT


def _breaks(last: _Character, character: _Character) -> bool:
    """Whether a character stands apart from the one before it: after a wide gap, further left, or on another line."""
    if character.text.isspace():
        return False
    size = max(last.size, character.size, 1.0)
    return character.left - last.right > _WIDE_GAP * size or character.right < last.left - size


def _as_run(characters: list[_Character]) -> Iterator[Run]:
    """Characters as one run; none for white space alone."""
    words = [character for character in characters if not character.text.isspace()]
    if not words:
        return
    text = "".join(character.text for character in characters)
    yield Run(
        text=" ".join(_paired(text).split()),
        left=min(character.left for character in words),
        bottom=min(character.bottom for character in words),
        right=max(character.right for character in words),
        top=max(character.top for character in words),
        size=Counter(round(character.size, 1) for character in words).most_common(1)[0][0],
        is_bold=all(character.is_bold for character in words),
    )


def _paired(text: str) -> str:
    """Text whose UTF-16 surrogates, if PDFium gave any, are put together."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
