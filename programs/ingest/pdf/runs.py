"""Makes runs of text of the characters of a page, and writes superscripts and subscripts as ``text_repair.joint`` says.

What is printed small and above the line is told by its size and place: a citation ("mice¹²" is "mice [12]"), an
exponent ("10⁶" is "10^6"), a unit's ("m²" is "m2"), a charge, the mark of a note ("0.59ᵃ" is "0.59^a").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, repeat
from typing import Literal, NamedTuple, TypeAlias

from programs.ingest.pdf.layout import TextRun, Word
from programs.ingest.text_repair import joint, marks_note

# A run ends at a gap wider than this share of the font size: words are a quarter to a half apart, columns more.
_WIDE_GAP = 1.0
# Superscripts and subscripts are this much smaller, and stand this much off the line, in shares of the text's size.
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


def runs_of(characters: Iterable[Character | None]) -> Iterator[TextRun]:
    """The runs of a page.

    Args:
        characters: In the order of the file, with None at the end of each line.
    """
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
    """Whether a character stands apart from the one before it: after a wide gap, further left, or on another line."""
    gap = character.left - last.right
    if 0 <= gap <= _WIDE_GAP or character.text.isspace():
        return False
    size = max(last.print.size, character.print.size, 1.0)
    return gap > _WIDE_GAP * size or character.right < last.left - size


def _as_run(characters: Sequence[Character]) -> Iterator[TextRun]:
    """Characters as one run; nothing for white space alone."""
    inked = [character for character in characters if not character.text.isspace()]
    if not inked:
        return
    texts, lefts, bottoms, rights, tops, printed = zip(*inked, strict=True)
    prints = [(each, len(list(alike))) for each, alike in groupby(printed)]
    size = _most_frequent((round(each.size, 1), count) for each, count in prints) or 0.0
    baseline = _most_frequent((each.y, count) for each, count in prints if abs(each.size - size) < _SMALL)
    baseline = prints[0][0].y if baseline is None else baseline
    spaced = characters if _SPACED_SIGNS.isdisjoint(texts) else _spaced(characters)
    spaced = _parted(spaced)
    is_flat = all(_is_flat(each, size, baseline) for each, _ in prints) and not any(
        _is_ink_raised(character, size) for character in inked
    )
    words = tuple(_words(zip(spaced, repeat(False)) if is_flat else _written_out(spaced, size, baseline)))
    yield TextRun(
        text=" ".join(word.text for word in words),
        left=min(lefts),
        bottom=min(bottoms),
        right=max(rights),
        top=max(tops),
        size=size,
        is_bold=all(each.is_bold for each, _ in prints),
        baseline=baseline,
        words=words,
    )


def _most_frequent(counted: Iterable[tuple[float, int]]) -> float | None:
    """The value that was counted most often; None if there are no values."""
    counts: Counter[float] = Counter()
    for value, count in counted:
        counts[value] += count
    return max(counts, key=counts.__getitem__, default=None)


def _spaced(characters: Sequence[Character]) -> list[Character]:
    """The characters, with spaces around signs such as "±" where print has thin ones."""
    spaced: list[Character] = []
    for place, character in enumerate(characters):
        last = spaced[-1] if spaced else None
        is_sign = character.text in _SPACED_SIGNS or (last is not None and last.text in _SPACED_SIGNS)
        if last and is_sign and place and _is_apart(last, character):
            spaced.append(Character(" ", last.right, last.bottom, last.right, last.top, last.print))
        spaced.append(character)
    return spaced


def _parted(characters: Sequence[Character]) -> list[Character]:
    """The characters, with spaces where kerning left none after a function word, as in "ofMedicinal plants"."""
    text = "".join(character.text for character in characters)
    ends = {found.end() for found in _RUN_ON.finditer(text)}
    if not ends:
        return list(characters)
    parted: list[Character] = []
    at = 0
    for character in characters:
        if at in ends:
            last = parted[-1]
            parted.append(Character(" ", last.right, last.bottom, last.right, last.top, last.print))
        parted.append(character)
        at += len(character.text)
    return parted


def _is_apart(last: Character, character: Character) -> bool:
    gap = character.left - last.right
    return not (last.text.isspace() or character.text.isspace()) and gap >= _THIN_SPACE * character.print.size


def _words(parts: Iterable[tuple[Character, bool]]) -> Iterator[Word]:
    """The words of characters; each character comes with whether it is raised."""
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
        opening = [Character(each, first.left, first.bottom, first.left, first.top, first.print) for each in lead]
        closing = [Character(each, last.right, last.bottom, last.right, last.top, last.print) for each in end]
        yield from ((each, level == "sup") for each in (*opening, *group, *closing))
        before = before + lead + _text(group) + end


def _leveled(
    characters: Sequence[Character], size: float, baseline: float
) -> Iterator[tuple[Level, Iterator[Character]]]:
    """Neighbouring characters of one level; a space before a superscript is not part of it."""
    levels: list[Level] = []
    for character in characters:
        is_space = character.text.isspace()
        levels.append("" if is_space else _level(character, size, baseline))
    for place, character in enumerate(characters[:-1]):
        if character.text.isspace() and place and levels[place - 1] == levels[place + 1]:
            levels[place] = levels[place + 1]
    paired = zip(levels, characters, strict=True)
    for level, group in groupby(paired, key=lambda pair: pair[0]):
        yield level, (character for _, character in group)


def _level(character: Character, size: float, baseline: float) -> Level:
    """Whether a character of a run of this size is raised, lowered or neither."""
    if character.print.size <= _SMALL * size:
        raised = _raised(character.print, size, baseline)
        return "sup" if raised > _RAISED else "sub" if raised < -_LOWERED else ""
    is_mark = character.text.isdigit() or character.text in "+−–-*†‡"
    is_high = _raised(character.print, size, baseline) > _FULL_SIZE_RAISED or _is_ink_raised(character, size)
    return "sup" if is_mark and is_high else ""


def _is_flat(printed: Print, size: float, baseline: float) -> bool:
    """Whether what is printed so is neither raised nor lowered, unless by its ink alone."""
    return printed.size > _SMALL * size and _raised(printed, size, baseline) <= _FULL_SIZE_RAISED


def _raised(printed: Print, size: float, baseline: float) -> float:
    return (printed.y - baseline) / size if size else 0.0


def _is_ink_raised(character: Character, size: float) -> bool:
    return character.bottom - character.print.y > _INK_RAISED * size and character.text.isdigit()


def around(before: str, mark: str, level: Level, following: str) -> tuple[str, str]:
    """What is written before and after a piece of text.

    Args:
        before: The line up to it.
        mark: The piece, without spaces around it.
        level: Whether it is raised or lowered.
        following: The line after it.
    """
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
