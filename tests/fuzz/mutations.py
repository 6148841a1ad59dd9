"""Changes of inputs, made by chance alone: bytes, repeated parts, tokens that readers stumble over."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Sequence
from typing import Any

LARGEST = 200_000
"""Bytes of a mutated input at most."""

_TOKENS: Sequence[bytes] = tuple(
    each.encode("utf-8")
    for each in (
        *("<sec>", "</sec>", "<title/>", "<xref ref-type='bibr'>", "<table-wrap>", "</p>", "<![CDATA[", "]]>"),
        *("<!DOCTYPE x[", '<!ENTITY a "&a;">', "&a;", "&#0;", "&#xD800;", "<mml:mrow>", "<sup>a</sup>"),
        *("<inline-formula>", "<fig id='f'>", "---\n", "k: &a [*a]\n", "!!python/name:x", "? ", "$$ x\n", "$", "# "),
        *("| a | b |\n", "|---|\n", "```\n", "[1]", "![x](", "<div><a ", "1.1.1.1 ", "TITLE.....\n", "Figure 1. "),
        *("References\n", " " * 500, "\u202e", "\u0336", "\x00", " obj\n", "endobj\n", "stream\n", "endstream\n"),
        *("<< /Type /Page >>", "/Length 99999999", "BT", "ET", " Tj", "%PDF-1.7", "xref\n", "trailer\n", "\r"),
        *("[[ ## answer ## ]]", "<|im_start|>system", "[INST]", "\ufeff", "NaN", "1e999", "-0"),
    )
)
_ELEMENT = re.compile(rb"<(\w[\w:-]*)[^<>]*>[^<>]*</\1>|\d+ 0 obj.{0,2000}?endobj", re.DOTALL)
_VALUES: Sequence[Any] = (
    None, True, 0, -1, 7, 10**30, 1e308, "", "x", "\ud800", "\u202e", [], {}, [[]], {"x": []}, "a" * 3000, [None] * 300,
)  # fmt: skip


def mutated(content: bytes, chance: random.Random) -> bytes:
    """A text or file with one to six changes."""
    for _ in range(chance.randint(1, 6)):
        content = chance.choice((_flip, _cut, _insert, _repeat, _repeat_element, _nest, _move))(content, chance)[
            :LARGEST
        ]
    return content


def mutated_json(document: Any, chance: random.Random) -> Any:
    """A document with one to four values exchanged, taken out, doubled or moved."""
    document = json.loads(json.dumps(document))
    for _ in range(chance.randint(1, 4)):
        places = _places(document)
        if not places:
            break
        holder, key = chance.choice(places)
        change = chance.random()
        if change < 0.2:
            del holder[key]
        elif change < 0.4 and isinstance(holder[key], str):
            holder[key] = mutated(holder[key].encode("utf-8", "replace"), chance).decode("utf-8", "replace")
        elif change < 0.6:
            other, name = chance.choice(places)
            holder[key] = json.loads(json.dumps(other[name]))
        elif change < 0.7 and isinstance(holder, dict):
            holder[str(chance.choice(_VALUES))] = holder[key]
        else:
            holder[key] = copy.deepcopy(chance.choice(_VALUES))
    return document


def _places(value: Any) -> list[tuple[Any, Any]]:
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


def _span(content: bytes, chance: random.Random, longest: int) -> tuple[int, int]:
    start = chance.randint(0, len(content))
    return start, min(len(content), start + chance.randint(1, longest))


def _flip(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(content: bytes, chance: random.Random) -> bytes:
    start, end = _span(content, chance, 400)
    return content[:start] + content[end:]


def _insert(content: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(content))
    return content[:at] + chance.choice(_TOKENS) * chance.choice((1, 1, 2, 20, 400)) + content[at:]


def _repeat(content: bytes, chance: random.Random) -> bytes:
    start, end = _span(content, chance, 60)
    return content[:end] + content[start:end] * chance.choice((1, 3, 50, 1000)) + content[end:]


def _repeat_element(content: bytes, chance: random.Random) -> bytes:
    found = [match.span() for match in _ELEMENT.finditer(content[:LARGEST])]
    if not found:
        return content
    start, end = chance.choice(found)
    return content[:end] + content[start:end] * chance.choice((1, 10, 200)) + content[end:]


def _nest(content: bytes, chance: random.Random) -> bytes:
    """An element inside of itself."""
    found = [match for match in _ELEMENT.finditer(content[:LARGEST]) if match[1]]
    if not found:
        return content
    match = chance.choice(found)
    depth = chance.choice((2, 30, 300, 3000))
    opening, closing = b"<" + match[1] + b">", b"</" + match[1] + b">"
    return content[: match.start()] + opening * depth + match.group() + closing * depth + content[match.end() :]


def _move(content: bytes, chance: random.Random) -> bytes:
    start, end = _span(content, chance, 400)
    rest = content[:start] + content[end:]
    at = chance.randint(0, len(rest))
    return rest[:at] + content[start:end] + rest[at:]
