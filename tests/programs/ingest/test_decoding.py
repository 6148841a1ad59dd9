import os

import pytest

from programs.errors import EmptyFile, IngestError, UnsupportedFormat
from programs.ingest.decoding import MAX_BYTES, decode


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_utf8_and_marked_utf16_are_read(tmp_path, encoding):
    path = tmp_path / "paper.txt"
    path.write_bytes("β-Actin\r\nat 4 °C\rend".encode(encoding))
    assert decode(path) == "β-Actin\nat 4 °C\nend"


def test_big_endian_utf16_is_read(tmp_path):
    path = tmp_path / "paper.txt"
    path.write_bytes(b"\xfe\xff" + "β".encode("utf-16-be"))
    assert decode(path) == "β"


def test_another_encoding_is_refused_with_the_place(tmp_path):
    path = tmp_path / "paper.txt"
    path.write_bytes("at 4 °C".encode("latin-1"))
    with pytest.raises(IngestError, match=r"not UTF-8: byte 0xb0 at offset 5 .*iconv -f LATIN1 -t UTF-8 paper\.txt"):
        decode(path)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00", b"text\x00text", bytes(range(1, 32)) * 4])
def test_binary_data_is_an_unsupported_format(tmp_path, data):
    path = tmp_path / "paper.txt"
    path.write_bytes(data)
    with pytest.raises(UnsupportedFormat, match=r"binary data under the ending '\.txt'"):
        decode(path)


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_nothing_but_white_space_is_empty(tmp_path, data):
    path = tmp_path / "paper.txt"
    path.write_bytes(data)
    with pytest.raises(EmptyFile, match=r"paper\.txt: empty"):
        decode(path)


def test_a_file_over_the_limit_is_refused_unread(tmp_path):
    path = tmp_path / "paper.txt"
    path.touch()
    os.truncate(path, MAX_BYTES + 2**20)
    with pytest.raises(IngestError, match="65 MiB is larger than the limit of 64 MiB"):
        decode(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(IngestError, match=r"nowhere\.txt: cannot be read \(No such file"):
        decode(tmp_path / "nowhere.txt")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IngestError, match="cannot be read"):
        decode(tmp_path)
