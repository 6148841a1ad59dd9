"""Changes of inputs, made by chance alone: bytes, repeated parts, tokens that readers stumble over."""

from __future__ import annotations

import copy
import io
import json
import random
import re
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from tests.word_files import NAMESPACES, paragraph, run, table, write_docx

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


# Hostile pages and Word files: small ones of every kind of part, mutated, nested, styled to hide, packed wrongly.

_PAGE = """<!DOCTYPE html><html><head><meta charset="{charset}"><title>Cold and yeast | Journal</title>
<meta name="citation_author" content="Ada Lovelace"><link rel="canonical" href="https://journal.example/1">
<style>.gone, #x {{ display: none }} @media print {{ p {{ color: red }} }}</style></head><body><nav>Home</nav><article>
<h1>Cold and yeast: a trial</h1><p>By Ada Lovelace<sup>1</sup></p><h2>Results</h2>
<p>Cells lived 12 % longer<a href="#ref1">[1]</a> in the cold (p &lt; 0.05), 10<sup>6</sup> of them.</p>
<figure><img src="data:image/png;base64,iVBORw0KGgo="><figcaption>Figure 1. Cells.</figcaption></figure>
<table><caption>Table 1. Deaths</caption><tr><th rowspan=2>Arm</th><th>Deaths</th></tr><tr><td>Drug</td><td>12</td></tr>
</table><ul><li>one<ol><li>two</li></ol></li></ul><dl><dt>a</dt><dd>b</dd></dl><p class="gone">GHOST</p>
<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math><pre>x = 1</pre><h2>References</h2><p id="ref1">1. A paper.</p>
</article></body></html>"""
_CHARSETS = ("utf-8", "iso-8859-1", "gbk", "shift_jis", "utf-16", "x-none", "big5", "utf-7")
_PIECES: Sequence[str] = (
    *(
        "<p style='color:#fff;font-size:0'>GHOST</p>",
        "<table>",
        "<tr><td colspan=99999999 rowspan=99999999>x</td></tr>",
    ),
    *("<style>@a{b{}", "<style>" + "a,b{opacity:0}" * 50, "/*", "<a href='#ref1'>1</a>", "<sup>", "<td rowspan=-1>"),
    *("<img src='data:text/html;base64," + "A" * 500 + "'>", "<iframe srcdoc='<p>x'>", "<template>", "<svg><p>"),
    *("<math><mrow>", "<msup><mi>x</mi>", "<plaintext>", "<textarea>", "<!--", "<![CDATA[", "&#x110000;", "&#0;"),
    *(
        "<!DOCTYPE html [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>",
        "<base href=//evil.example>",
        "<meta charset=utf-16>",
    ),
    *("<frameset><frame>", "<h6>Results</h6>", "<figcaption>", "<dt>", "<li>", "<article>", "<body>", "<div hidden>"),
)
_WORD_PIECES: Sequence[str] = (
    *("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", "<w:p><w:r><w:t>", "</w:t></w:r></w:p>", "<m:f><m:num>"),
    *("<w:del>", "<w:ins>", "<w:footnoteReference w:id='2'/>", "<w:rPr><w:vanish/>", "<w:pStyle w:val='Heading1'/>"),
    *("<w:numPr><w:ilvl w:val='99999999'/>", "<w:gridSpan w:val='99999999'/>", "<w:vMerge/>", "<w:sdt><w:sdtContent>"),
    *("<mc:AlternateContent>", "<w:txbxContent>", "<w:instrText>INCLUDETEXT /etc/passwd</w:instrText>", "&amp;a;"),
    *("<w:altChunk r:id='r1'/>", "<w:sym w:char='F061'/>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<o:OLEObject/>"),
)
_LARGEST = 400_000


def hostile_page(chance: random.Random) -> bytes:
    """A page, by chance with pieces of a hostile one, with parts nested, and mutated."""
    text = _PAGE.format(charset=chance.choice(_CHARSETS) if chance.random() < 0.2 else "utf-8")
    content = _with_pieces(text, _PIECES, chance).encode("utf-8")
    return mutated(content, chance) if chance.random() < 0.7 else content[:_LARGEST]


def hostile_word(chance: random.Random) -> bytes:
    """A Word file whose parts are mutated, or whose ZIP is; or one with parts that lie, are doubled or too many."""
    parts = dict(_word())
    for _ in range(chance.randint(1, 2)):
        name = "word/document.xml" if chance.random() < 0.7 else chance.choice(list(parts))
        if chance.random() < 0.6:
            text = _with_pieces(parts[name].decode("utf-8", "replace"), _WORD_PIECES, chance)
            parts[name] = text.encode("utf-8")[:_LARGEST]
        else:
            parts[name] = mutated(parts[name], chance)
    packed = _packed(parts, chance)
    return mutated(packed, chance) if chance.random() < 0.25 else packed


def _with_pieces(text: str, pieces: Sequence[str], chance: random.Random) -> str:
    for _ in range(chance.randint(0, 4)):
        places = [match.start() for match in re.finditer("<", text)] or [0]
        at, piece = chance.choice(places), chance.choice(pieces)
        times = chance.choice((1, 1, 2, 30, 300, 3000))
        text = (text[:at] + piece * times + text[at:])[:_LARGEST]
    return text


def _packed(parts: dict[str, bytes], chance: random.Random) -> bytes:
    written = io.BytesIO()
    with ZipFile(written, "w", chance.choice((ZIP_DEFLATED, ZIP_STORED))) as packed:
        for name, data in parts.items():
            packed.writestr(name, data)
        if chance.random() < 0.1:
            packed.writestr("word/zeros.xml", b"<a>" + b" " * chance.choice((10**5, 10**7)) + b"</a>")
        if chance.random() < 0.1:
            packed.writestr("../../outside.xml", b"<a/>")
        if chance.random() < 0.05:
            for number in range(6000):
                packed.writestr(f"word/part{number}.xml", b"<a/>")
    return written.getvalue()


@cache
def _word() -> dict[str, bytes]:
    """The parts of a Word file of every kind of block."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_docx(
            Path(folder, "paper.docx"),
            paragraph("Cold and yeast: a trial", style="Title"),
            paragraph("Ada Lovelace", run("1", '<w:vertAlign w:val="superscript"/>')),
            paragraph("Results", style="Heading1"),
            paragraph("Cells lived 12 % longer", run(" GHOST", "<w:vanish/>"), " in the cold."),
            paragraph("Table 1. Deaths by arm"),
            table(("Arm", "Deaths"), ("Drug", "12")),
            "<w:p><m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>"
            "</m:oMath></w:p>",
            footnotes=(
                f"<w:footnotes {NAMESPACES}><w:footnote w:id='2'>{paragraph('A note.')}</w:footnote></w:footnotes>"
            ).encode(),
        )
        with ZipFile(path) as packed:
            return {name: packed.read(name) for name in packed.namelist()}
