"""Prints a page of PDF object by object, with whatever map from codes to characters a test wants."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth

# Writes PDF files from content streams, to print one text in ways that no library prints it.

HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def write_content(
    path: Path,
    content: bytes,
    *,
    page: str = "/MediaBox [0 0 595 842]",
    fonts: Sequence[str] = (HELVETICA,),
    streams: Sequence[tuple[str, bytes]] = (),
    resources: str = "",
) -> Path:
    """One page.

    Args:
        path: Where to write.
        content: The page's content stream; fonts are named F1, F2 …
        page: Entries of the page's dictionary.
        fonts: Their dictionaries.
        streams: Dictionary entries and data of further objects, numbered from 4 + the number of fonts.
        resources: Further entries of the resource dictionary, such as XObjects.
    """
    named = " ".join(f"/F{number} {3 + number} 0 R" for number in range(1, len(fonts) + 1))
    body = 4 + len(fonts) + len(streams)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R {page} /Contents {body} 0 R "
        f"/Resources << /Font << {named} >> {resources} >> >>".encode(),
        *(font.encode() for font in fonts),
        *(_content_stream(entries, data) for entries, data in streams),
        _content_stream("", content),
    ]
    file, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, each in enumerate(objects, start=1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    file += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()
    path.write_bytes(file)
    return path


def _content_stream(entries: str, data: bytes) -> bytes:
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def escaped(text: str) -> str:
    """A string as it stands between parentheses."""
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def width(text: str, size: float) -> float:
    """In points, in Helvetica."""
    return stringWidth(text, "Helvetica", size)


def character_map(texts: Mapping[str, str]) -> tuple[str, bytes]:
    """A stream that says what a font's codes, in hexadecimal digits, stand for."""
    rows = "\n".join(f"<{code}> <{text.encode('utf-16-be').hex()}>" for code, text in texts.items())
    digits = len(next(iter(texts)))
    return "", (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n"
        f"1 begincodespacerange <{'0' * digits}> <{'f' * digits}> endcodespacerange\n"
        f"{len(texts)} beginbfchar\n{rows}\nendbfchar\nendcmap end end"
    ).encode()


def write_pdf(path: Path, lines: Sequence[str], unicode_of: Callable[[str], str] | None, font: str = "Own") -> None:
    """Write a page whose font has a glyph for each character of the lines.

    Args:
        path: Where to.
        lines: As they are printed, from the left to the right.
        unicode_of: What the font's map says that a character is; None for a font without a map.
        font: Its name.
    """
    codes = {letter: f"{code:04x}" for code, letter in enumerate(sorted(set("".join(lines))), start=1)}
    shown = (f"<{''.join(codes[letter] for letter in line)}> Tj T*" for line in lines)
    name, mapped = f"AAAAAA+{font}", "" if unicode_of is None else "/ToUnicode 7 0 R"
    fonts = (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H /DescendantFonts [5 0 R] {mapped} >>",
        f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /DW 500 /FontDescriptor 6 0 R "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        f"<< /Type /FontDescriptor /FontName /{name} /Flags 4 /FontBBox [0 0 500 700] /ItalicAngle 0 /Ascent 700 "
        "/Descent -200 /CapHeight 700 /StemV 80 >>",
    )
    texts = character_map({code: (unicode_of or str)(letter) for letter, code in codes.items()})
    content = f"BT /F1 10 Tf 14 TL 50 740 Td {' '.join(shown)} ET".encode()
    write_content(path, content, page="/MediaBox [0 0 612 792]", fonts=fonts, streams=[texts])
