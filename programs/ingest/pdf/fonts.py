"""What the codes of fonts of signs stand for, where their maps say nothing or say something else.

Symbol, CMSY                   a code without a map is known by the font's layout
AdvP4C4E74, MSAM10             the map says "¼", the font prints "=": ``symbol_fonts.tsv``
a font of another name         a control code says nothing, and is U+FFFD
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

UNREAD: Final = "\ufffd"

_SYMBOL_NAME = re.compile(r"(?:^|\+)Symbol(?:MT|PS|Std)?(?:$|[-,])", re.IGNORECASE)
_TEX_NAME = re.compile(r"(?:^|\+)(?:CMB?SY|MTSY|[TP]XSY|TeX_?CM_?Maths_?Symbols)", re.IGNORECASE)
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
# Codes of ligatures in TeX's encodings of text, OT1 and T1; bitmap fonts (Type 3) have neither names nor a map.
LIGATURES: Final[Mapping[str, str]] = {
    chr(first + place): text for first in (11, 27) for place, text in enumerate(("ff", "fi", "fl", "ffi", "ffl"))
}


@cache
def signs_of(font: str) -> Mapping[str, str]:
    """What codes without a map, and private characters, mean in a font of this name; nothing for a font of letters."""
    return _SYMBOL if _SYMBOL_NAME.search(font) else _TEX if _TEX_NAME.search(font) else {}


@cache
def has_signs(font: str) -> bool:
    """Whether a font of this name holds signs, so that a code without a map is looked up."""
    return bool(signs_of(font) or corrections_of(font))


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
