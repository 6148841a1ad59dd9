"""Characters of symbol fonts that a PDF gives no Unicode for: "≤" must not vanish, nor "′" be read as "0".

A font's name tells two encodings: that of Adobe's Symbol, whose codes come as characters for private use or as Latin
letters, which it has none of, and that of TeX's mathematical symbols, which CMSY, MTSY, TXSY and PXSY share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

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
