"""Prints a page of PDF object by object, with whatever map from codes to characters a test wants."""

from collections.abc import Callable, Sequence
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


LINE_HEIGHT, SIZE = 14, 10


def write_pdf(path: Path, lines: Sequence[str], unicode_of: Callable[[str], str] | None, font: str = "Own") -> None:
    """Write a page whose font has a glyph for each character of the lines.

    Args:
        path: Where to.
        lines: As they are printed, from the left to the right.
        unicode_of: What the font's map says that a character is; None for a font without a map.
        font: Its name.
    """
    codes = {letter: code for code, letter in enumerate(sorted(set("".join(lines))), start=1)}
    name = f"AAAAAA+{font}".encode()
    to_unicode = b"" if unicode_of is None else b"/ToUnicode 6 0 R"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        _stream(_drawing(lines, codes)),
        b"<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[7 0 R]%s>>" % (name, to_unicode),
        _stream(_map({code: (unicode_of or str)(letter) for letter, code in codes.items()})),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/DW 500/FontDescriptor 8 0 R"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>" % name,
        b"<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[0 0 500 700]/ItalicAngle 0/Ascent 700"
        b"/Descent -200/CapHeight 700/StemV 80>>" % name,
    ]
    path.write_bytes(_file(objects))


def _drawing(lines: Sequence[str], codes: dict[str, int]) -> bytes:
    shown = (f"<{''.join(f'{codes[letter]:04x}' for letter in line)}> Tj T*" for line in lines)
    return f"BT /F {SIZE} Tf {LINE_HEIGHT} TL 50 740 Td {' '.join(shown)} ET".encode()


def _map(letters: dict[int, str]) -> bytes:
    rows = "\n".join(f"<{code:04x}> <{text.encode('utf-16-be').hex()}>" for code, text in letters.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{len(letters)} beginbfchar\n{rows}\nendbfchar\n"
        "endcmap end end"
    ).encode()


def _stream(content: bytes) -> bytes:
    return b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)


def _file(objects: Sequence[bytes]) -> bytes:
    written, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(written))
        written += b"%d 0 obj%s endobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    return (
        written + head + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(written))
    )
