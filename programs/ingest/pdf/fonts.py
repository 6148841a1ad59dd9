"""What the codes of fonts of signs stand for, where their maps say nothing or say something else.

    Symbol, CMSY                   a code without a map is known by the font's layout
    AdvP4C4E74, MSAM10             the map says "¼", the font prints "=": ``symbol_fonts.tsv``
    MathematicalPi, code 1         /Differences [1 /H9262]: the name of the glyph says "μ"
    a Type 3 font, code 1          /Differences [1 /H11001]: nothing says what it prints, and it is U+FFFD

PDFium does not give the names of glyphs. pypdf (BSD) does, and is asked only where a sign has no other reading.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

UNREAD: Final = "\ufffd"

_SYMBOL_NAME = re.compile(r"(?:^|\+)Symbol(?:MT|PS|Std)?(?:$|[-,])", re.IGNORECASE)
_TEX_NAME = re.compile(r"(?:^|\+)(?:CMB?SY|MTSY|[TP]XSY|TeX_?CM_?Maths_?Symbols)", re.IGNORECASE)
# The 3B2 program gives out these layouts under other names, with the codes in the order of use.
_SYMBOL_GLYPHS = re.compile(r"AdvPSSym")
_TEX_GLYPHS = re.compile(r"Adv(?:P4C4E74|P40271B|MathSymb|MacMthSy|MT_?SY)")
_PI_NAME = re.compile(r"(?:^|\+).*(?:Math(?:ematical)?Pi|CommPi|EuropeanPi)", re.IGNORECASE)

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
# Linotype names the glyphs of its Pi fonts by numbers that no list of Adobe's has; converters read them off the print.
_PI_GREEK: Final = ((9001, "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"), (9251, "αβγδεζηθικλμνξοπρσςτυφχψω"))
_PI_SIGNS: Final = """11001+ 11002− 11003× 11005= 11006± 11008∝ 11011∼ 11013≡ 11015≈ 11021< 11022> 11032′ 11033″ 11034°
    11061≅ 11080· 11128∂ 11229≃ 11270≪ 11271≫ 11349≤ 11350≥ 11351≲ 11407≳ 11545+ 11546− 11549= 11569* 11612∇ 17015©
    17016® 18528• 20848∫ 20849( 20850) 20851[ 20852] 20853{ 20854} 20857√ 20858∑ 33355⩽ 33356⩾ 9278ϕ 9280ϵ"""
_PI: Final[Mapping[str, str]] = {
    f"H{first + place}": sign for first, letters in _PI_GREEK for place, sign in enumerate(letters)
} | {f"H{each[:-1]}": each[-1] for each in _PI_SIGNS.split()}

# Codes of ligatures in TeX's encodings of text, OT1 and T1; bitmap fonts (Type 3) have neither names nor a map.
LIGATURES: Final[Mapping[str, str]] = {
    chr(first + place): text for first in (11, 27) for place, text in enumerate(("ff", "fi", "fl", "ffi", "ffl"))
}
_LIGATURE_NAME = re.compile(r"(?:[A-Za-z]_)+[A-Za-z]|f[fijl]|ff[il]")
_UNICODE_NAME = re.compile(r"u(?:ni)?([0-9A-F]{4,5})")
_CODE_NAME = re.compile(r"C(\d{1,3})")
_OWN_ENCODING = re.compile(rb"\bdup\s+(\d{1,3})\s*/([^\s/]+)\s+put\b")
_HEAD_OF_FONT = 20_000  # bytes; an encoding of 256 names takes half of them
_MOST_FORMS = 200
_DEEPEST = 4


@cache
def signs_of(font: str) -> Mapping[str, str]:
    """What codes without a map, and private characters, mean in a font of this name; nothing for a font of letters."""
    return _SYMBOL if _SYMBOL_NAME.search(font) else _TEX if _TEX_NAME.search(font) else {}


@cache
def has_signs(font: str) -> bool:
    """Whether a font of this name holds signs, so that a code without a map is looked up."""
    return bool(signs_of(font) or corrections_of(font) or _PI_NAME.search(font) or _SYMBOL_GLYPHS.search(font))


@cache
def corrections_of(font: str) -> Mapping[str, str]:
    """What a font of this name prints for what its map says, where that is known to differ."""
    return next((signs for name, signs in _known_fonts() if name.search(font)), {})


@cache
def _known_fonts() -> tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]:
    text = files("programs.ingest").joinpath("symbol_fonts.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return tuple(
        (
            re.compile(rf"(?:^|\+|(?<=[a-z]))(?:{name})(?![^\W_])"),
            {
                chr(ord(each) - 0x2400) if "␀" <= each <= "␟" else each: sign
                for each, sign in zip(said, meant, strict=True)
            },
        )
        for name, said, meant in rows
    )


class GlyphNames:
    """The signs that the names of glyphs give to the codes of a file's fonts; the file is opened when it is asked."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pages: Any = None
        self._signs: dict[int, dict[str, dict[str, str]]] = {}

    def on_page(self, number: int) -> Callable[[str], Mapping[str, str]]:
        """What gives the signs of a font by their codes; two fonts of one name that differ in a sign say nothing."""

        def of(font: str) -> Mapping[str, str]:
            if number not in self._signs:
                self._signs[number] = self._read(number)
            return self._signs[number].get(font, {})

        return of

    def _read(self, number: int) -> dict[str, dict[str, str]]:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError

        found: dict[str, dict[str, str]] = {}
        try:
            self._pages = self._pages or PdfReader(self._path).pages
            for font in _fonts_in(self._pages[number].get("/Resources"), [], 0):
                name = str(font.get("/BaseFont", "")).removeprefix("/")
                signs = found.setdefault(name, {})
                for code, glyph in dict(_glyphs_of(font)).items():
                    sign = _sign_named(glyph, name)
                    signs[code] = sign if signs.get(code, sign) == sign else UNREAD
        except (PyPdfError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            return {}  # PDFium repairs files that pypdf does not; the signs stay unread, and are counted as such
        return found


def _fonts_in(resources: Any, seen: list[Any], depth: int) -> Iterator[Any]:  # noqa: ANN401 - objects of pypdf
    """The fonts of a page and of the forms on it."""
    resources = resources.get_object() if resources is not None else {}
    fonts, forms = resources.get("/Font"), resources.get("/XObject")
    yield from (each.get_object() for each in (fonts.get_object().values() if fonts else ()))
    for each in forms.get_object().values() if forms and depth < _DEEPEST else ():
        form = each.get_object()
        if form.get("/Subtype") == "/Form" and form not in seen and len(seen) < _MOST_FORMS:
            seen.append(form)
            yield from _fonts_in(form.get("/Resources"), seen, depth + 1)


def _glyphs_of(font: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - an object of pypdf
    """Codes and the names of their glyphs: of a Type 1 font's own encoding, and of what the file has instead."""
    program = (font.get("/FontDescriptor") or {}).get("/FontFile")
    for code, glyph in _OWN_ENCODING.findall(program.get_object().get_data()[:_HEAD_OF_FONT]) if program else ():
        yield chr(int(code)), glyph.decode("ascii", "replace")
    encoding = font.get("/Encoding")
    encoding = encoding.get_object() if encoding is not None else None
    code = 0
    for each in encoding.get("/Differences", ()) if isinstance(encoding, dict) else ():
        if isinstance(each, int):
            code = int(each)
        else:
            yield chr(code), str(each).removeprefix("/")
            code += 1


def _sign_named(glyph: str, font: str) -> str:
    """The sign that a glyph's name stands for in a font; U+FFFD for a name that says nothing."""
    if _PI_NAME.search(font) and glyph in _PI:
        return _PI[glyph]
    if found := _CODE_NAME.fullmatch(glyph):
        known = _SYMBOL if _SYMBOL_GLYPHS.search(font) else _TEX if _TEX_GLYPHS.search(font) else signs_of(font)
        return known.get(chr(int(found[1])), UNREAD)
    if found := _UNICODE_NAME.fullmatch(glyph):
        return chr(int(found[1], 16))
    return glyph.replace("_", "") if _LIGATURE_NAME.fullmatch(glyph) else UNREAD
