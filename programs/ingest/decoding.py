"""Bytes to text, for the readers of text files.

The encoding is never guessed: UTF-8, or UTF-16 where a byte order mark says so. A wrong guess would put characters into
quotes that the paper does not have.
"""

from __future__ import annotations

import codecs
from pathlib import Path

from programs.errors import EmptyFile, IngestError, UnsupportedFormat

# The longest books have some 5 MB of text; more than this is data. Checked before a byte is read.
MAX_BYTES = 64 * 2**20

# Text has tabs, line ends and form feeds, and few other control characters; binary data has one in every eight bytes.
_ALLOWED_CONTROLS = frozenset(b"\t\n\r\f\x0b\x1b\x08\x1a")
_MAX_CONTROL_SHARE = 0.01
_SAMPLE_BYTES = 2**16

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(path: str | Path) -> str:
    r"""The text of a file, with ``\n`` line ends and without its byte order mark.

    Raises:
        EmptyFile: It holds nothing but white space.
        UnsupportedFormat: It is binary data under a text file's name.
        IngestError: It cannot be opened, is larger than ``MAX_BYTES``, or is in another encoding.
    """
    path = Path(path)
    data = read_bytes(path)
    text = _to_text(path, data).removeprefix("\ufeff")
    if not text.strip():
        raise EmptyFile(path, f"empty ({len(data)} bytes, none of them text)", "check the download or remove the file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_bytes(path: Path) -> bytes:
    """The file's bytes; its size is checked before any is read.

    Raises:
        IngestError: It is too large, or cannot be opened.
    """
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            reason = f"{size / 2**20:.0f} MiB is larger than the limit of {MAX_BYTES // 2**20} MiB for one paper"
            raise IngestError(path, reason, "split it into one file per paper")
        return path.read_bytes()
    except OSError as error:
        raise IngestError(path, f"cannot be read ({error.strerror})", "check the path and its permissions") from error


def _to_text(path: Path, data: bytes) -> str:
    encoding = "utf-16" if data.startswith(_UTF16_MARKS) else "utf-8"
    if encoding == "utf-8" and _is_binary(data[:_SAMPLE_BYTES]):
        raise UnsupportedFormat(path, f"binary data under the ending {path.suffix!r}", "give the file its right ending")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise IngestError(
            path,
            f"not {encoding.upper()}: byte 0x{data[error.start]:02x} at offset {error.start} ({error.reason})",
            f"convert it, such as with `iconv -f LATIN1 -t UTF-8 {path.name}`",
        ) from error


def _is_binary(sample: bytes) -> bool:
    """Whether bytes hold a NUL or more control characters than text has."""
    controls = sum(byte < 0x20 and byte not in _ALLOWED_CONTROLS for byte in sample)
    return b"\0" in sample or controls > _MAX_CONTROL_SHARE * len(sample)
