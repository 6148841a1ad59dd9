"""Writes PDF files from content streams, to print one text in ways that no library prints it."""

from collections.abc import Sequence
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth

HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def write_pdf(
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
        *(_stream(entries, data) for entries, data in streams),
        _stream("", content),
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


def _stream(entries: str, data: bytes) -> bytes:
    return f"<< {entries} /Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"


def escaped(text: str) -> str:
    """A string as it stands between parentheses."""
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def width(text: str, size: float) -> float:
    """In points, in Helvetica."""
    return stringWidth(text, "Helvetica", size)
