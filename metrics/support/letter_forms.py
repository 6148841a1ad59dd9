"""Letters and digits in other forms, as Unicode keeps them apart: full-width, mathematical, circled, raised.

Each becomes the plain one (Unicode's compatibility form, NFKC), one character for one, so that offsets stay. Raised and
lowered digits are left alone: "10⁵" is not "105".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_BLOCKS = (
    (0x02B0, 0x02B8),
    (0x1D2C, 0x1D6A),
    (0x1D78, 0x1DBF),
    (0x2071, 0x2071),
    (0x207F, 0x207F),
    (0x2090, 0x209C),
    (0x2100, 0x214F),
    (0x24B6, 0x24E9),
    (0x1D400, 0x1D7FF),
    (0xFF01, 0xFF5E),
)
_LEFT_ALONE = frozenset("ªº")


def _plain() -> Iterator[tuple[str, str]]:
    for first, last in _BLOCKS:
        for character in map(chr, range(first, last + 1)):
            plain = unicodedata.normalize("NFKC", character)
            if plain != character and len(plain) == 1 and character not in _LEFT_ALONE:
                yield character, plain


LETTER_FORMS = dict(_plain())
