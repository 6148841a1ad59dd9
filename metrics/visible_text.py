"""What a reader sees of a text: without characters that show nothing, turn the line or strike words out, and markup.

    visible("It did n\u200bot fall.")                       "It did not fall."
    visible("It ~~did not fall~~ <!-- rose --> [1](https://x)")    "It did not fall [1]"

Answers are kept as plain text in this sense, so that what is judged is what is read, wherever it is shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from html import unescape

_IGNORABLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Shown as nothing, though they are letters, marks or symbols."""
_JOINERS = frozenset("\u200c\u200d")
_FIRST_THAT_JOINS = "\u0590"  # From Hebrew on scripts have letters that need joiners between them
_TAG = re.compile(r"</?(?!(?:sup|sub|i|b|em|strong|u)\s*>)[A-Za-z][^<>\n]{0,500}>")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_STRUCK = re.compile(r"~~")
_IMAGE = re.compile(r"!\[([^\[\]\n]{0,500})\]\([^()\n]{0,2000}\)")
_LINK = re.compile(r"(?<=\])\((?:[a-z][a-z0-9+.-]{1,20}:|//|www\.)[^()\s]{0,2000}\)", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|[\u0085\u2028\u2029]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_MOST_LAYERS = 8  # times that one way of hiding is looked for inside of another


def visible(text: str) -> str:
    """A text as plain text: the same for a text that is plain already."""
    for _ in range(_MOST_LAYERS):
        plain = _ENTITY.sub(lambda match: unescape(match.group()), _LINE_END.sub("\n", text))
        for pattern, instead in ((_COMMENT, ""), (_TAG, ""), (_STRUCK, ""), (_IMAGE, r"\1"), (_LINK, "")):
            plain = pattern.sub(instead, plain)
        plain = "".join(each for at, each in enumerate(plain) if not _is_invisible_at(plain, at))
        if plain == text:
            break
        text = plain
    return text


def hidden(text: str) -> list[str]:
    """What a text holds that `visible` takes out, by names; empty for a plain text."""
    return list(dict.fromkeys(_hidden(text)))


def is_invisible(character: str, before: str = "", after: str = "") -> bool:
    """Whether a character shows nothing by itself; joiners do in the scripts that need them.

    Args:
        character: One.
        before: The one before it, or nothing.
        after: The one behind it, or nothing.
    """
    if character in _JOINERS:
        return not (before >= _FIRST_THAT_JOINS and after >= _FIRST_THAT_JOINS)
    if "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef" or character in _IGNORABLE:
        return True
    return unicodedata.category(character) in ("Cf", "Cc", "Co", "Cn") and character not in "\n\t"


def _is_invisible_at(text: str, at: int) -> bool:
    return is_invisible(text[at], text[max(0, at - 1) : at], text[at + 1 : at + 2])


def _hidden(text: str) -> Iterator[str]:
    for at, each in enumerate(text):
        if each != "\r" and _is_invisible_at(text, at):
            yield f"U+{ord(each):04X} {unicodedata.name(each, 'control character')}"
    for pattern in (_COMMENT, _TAG, _STRUCK, _IMAGE, _LINK, _ENTITY):
        yield from (match.group()[:80] for match in pattern.finditer(text))
    if _LINE_END.search(text):
        yield "line ends that are not line feeds"
