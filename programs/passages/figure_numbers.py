"""The numbers of the figures that a text names.

"Figs. 1 and 2A–C; Supplementary Figure 3"          1, 2A, 2B, 2C, S3; not tables
"""

from __future__ import annotations

import re
from collections.abc import Iterator

WIDEST_RANGE = 30
"""Figures that a range may span; a wider one is not a range of figures."""

_SERIES = {
    "S": re.compile(r"suppl|additional|supporting|online", re.IGNORECASE),
    "ED": re.compile(r"extended", re.IGNORECASE),
}
# "Fig." takes a full stop, "figures." ends a sentence; Abbildung, figura and 図 are in questions.
_WORD = re.compile(
    r"""(?P<series>\b(?:supp(?:l(?:ement(?:ary|al|s)?)?)?\.?|supporting|additional|online|extended\ data)\s+)?
    (?:(?<!\w)(?:fig(?P<many>s)?\.?|fig(?:ure|ura)(?P<more>s)?|abb(?:ildung(?P<mehr>en)?|\.)) | 図)
    \s*\(?\s*(?=(?:ED|[SAE])?[-.]?\s?\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_ITEM = re.compile(
    r"(?:(?P<series>ED|[SAEs])[-.]?\s?)?(?P<number>\d{1,3}(?:\.\d{1,2})*)(?P<panel>[A-Za-z])?(?![A-Za-z0-9%]|\.\d)"
)
_PANEL = re.compile(r"\(?(?P<panel>[A-Za-z])\)?(?![A-Za-z0-9])")
_JOINT = re.compile(r"\s*(?:(?P<range>[-‐-―−]|\bto\b|\bbis\b)|[,;&]\s*(?:and\b)?|\b(?:and|or|und|y)\b|と)\s*")
# In "Figure 2, 12 mice" and "Fig. 2 and 3 days" the second number is none of a figure; "(Figure 2, 3)" names two.
_CLOSED = re.compile(r"\s*(?:[).,;:\]]|$)")


def figure_numbers(text: str) -> list[str]:
    """The figures that a text names, each once, in order: "2", "2A", "S3"; panels in capitals."""
    return list(dict.fromkeys(number for word in _WORD.finditer(text) for number in _listed(text, word)))


def _listed(text: str, word: re.Match[str]) -> Iterator[str]:
    """The figures behind one "Figure": "1, 3 and 4A–C"."""
    outer = next((series for series, sign in _SERIES.items() if sign.match(word["series"] or "")), "")
    item = _ITEM.match(text, word.end())
    if item is None:
        return
    plural = bool(word["many"] or word["more"] or word["mehr"])
    last = _number(item, outer)
    yield last
    position = item.end()
    while joint := _JOINT.match(text, position):
        following = _next(text, joint, last, outer, plural=plural)
        if not following:
            return
        position, numbers = following
        yield from numbers
        last = numbers[-1]


def _next(text: str, joint: re.Match[str], last: str, outer: str, *, plural: bool) -> tuple[int, list[str]] | None:
    """What is behind a joint: where it ends and the figures that it adds; None for anything but a figure."""
    panel = _PANEL.match(text, joint.end())
    if panel and last[-1].isalpha():
        letter = panel["panel"].upper()
        letters = map(chr, range(ord(last[-1]) + 1, ord(letter) + 1)) if joint["range"] else [letter]
        numbers = [f"{last[:-1]}{each}" for each in letters]
        return (panel.end(), numbers) if numbers else None
    item = _ITEM.match(text, joint.end())
    if item is None or not (plural or _CLOSED.match(text, item.end())):
        return None
    # "S1–3" stays in the series; "Figures S1 and 2" names two series.
    number = _number(item, outer or (_split(last)[0] if joint["range"] else ""))
    numbers = [*_between(last, number), number] if joint["range"] else [number]
    return item.end(), numbers


def _number(item: re.Match[str], outer: str) -> str:
    return f"{(item['series'] or outer).upper()}{item['number']}{(item['panel'] or '').upper()}"


def _between(first: str, last: str) -> list[str]:
    """The whole numbers inside a range: of "1" and "4", 2 and 3."""
    (series, start), (other, end) = _split(first), _split(last)
    if series != other or end - start > WIDEST_RANGE:
        return []
    return [f"{series}{number}" for number in range(start + 1, end)]


def _split(number: str) -> tuple[str, int]:
    """Series and whole number: "S3A" is S and 3."""
    series = number[: next(place for place, character in enumerate(number) if character.isdigit())]
    return series, int(re.findall(r"\d+", number)[0])
