"""Hostile pages and Word files: small ones of every kind of part, mutated, nested, styled to hide, packed wrongly."""

from __future__ import annotations

import io
import random
import re
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from tests.fuzz.mutations import mutated
from tests.word_files import NAMESPACES, paragraph, run, table, write_docx

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
    "<p style='color:#fff;font-size:0'>GHOST</p>",
    "<table>",
    "<tr><td colspan=99999999 rowspan=99999999>x</td></tr>",
    "<td rowspan=-1>",
    "<style>@a{b{}",
    "<style>" + "a,b{opacity:0}" * 50,
    "/*",
    "<a href='#ref1'>1</a>",
    "<sup>",
    "<sub>",
    "<img src='data:text/html;base64," + "A" * 500 + "'>",
    "<iframe srcdoc='<p>x'>",
    "<template>",
    "<noscript>",
    "<svg><p>",
    "<math><mrow>",
    "<mfrac>",
    "<msup><mi>x</mi>",
    "<plaintext>",
    "<xmp>",
    "<textarea>",
    "<!--",
    "<![CDATA[",
    "<?xml ?>",
    "<!DOCTYPE html [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>",
    "&a;",
    "&#x110000;",
    "&#0;",
    "<base href=//evil.example>",
    "<meta charset=utf-16>",
    "<frameset><frame>",
    "<h1>",
    "<h6>Results</h6>",
    "<figcaption>",
    "<caption>",
    "<dt>",
    "<li>",
    "<article>",
    "<main>",
    "<body>",
    "<html>",
    "<object>",
    "<select><option>",
    "<div hidden>",
    "<div aria-hidden=true>",
)
_WORD_PIECES: Sequence[str] = (
    "<w:tbl><w:tr><w:tc>",
    "</w:tc></w:tr></w:tbl>",
    "<w:p><w:r><w:t>",
    "</w:t></w:r></w:p>",
    "<m:oMath>",
    "<m:f><m:num>",
    "<w:del>",
    "<w:moveFrom>",
    "<w:ins>",
    "<w:hyperlink r:id='r9'>",
    "<w:footnoteReference w:id='2'/>",
    "<w:rPr><w:vanish/>",
    "<w:pStyle w:val='Heading1'/>",
    "<w:numPr><w:ilvl w:val='99999999'/>",
    "<w:gridSpan w:val='99999999'/>",
    "<w:vMerge/>",
    "<w:sdt><w:sdtContent>",
    "<mc:AlternateContent>",
    "<w:txbxContent>",
    "<w:drawing>",
    "<w:fldChar/>",
    "<w:instrText>INCLUDETEXT /etc/passwd</w:instrText>",
    "<w:altChunk r:id='r1'/>",
    "<w:sym w:char='F061'/>",
    "&amp;a;",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "<w:br w:type='page'/>",
    "<w:tab/>",
    "<w:comment>",
    "<o:OLEObject/>",
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
