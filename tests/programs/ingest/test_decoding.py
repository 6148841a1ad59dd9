import os

import pytest

from programs.errors import EmptyFile, IngestError, UnsafeFile, UnsupportedFormat
from programs.ingest.decoding import MAX_BYTES, MAX_DEPTH, decode, parse
from programs.ingest.jats import read


def text_file(folder, data):
    path = folder / "paper.txt"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_utf8_and_marked_utf16_are_read(tmp_path, encoding):
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path = text_file(tmp_path, mark + "β-Actin\r\nat 4 °C\rend".encode(encoding))
    assert decode(path) == "β-Actin\nat 4 °C\nend"


def test_another_encoding_is_refused_with_the_place(tmp_path):
    path = text_file(tmp_path, "at 4 °C".encode("latin-1"))
    with pytest.raises(IngestError, match=r"not UTF-8: byte 0xb0 at offset 5 .*iconv -f LATIN1 -t UTF-8 paper\.txt"):
        decode(path)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00", b"text\x00text", bytes(range(1, 32)) * 4])
def test_binary_data_is_an_unsupported_format(tmp_path, data):
    with pytest.raises(UnsupportedFormat, match=r"binary data under the ending '\.txt'"):
        decode(text_file(tmp_path, data))


@pytest.mark.parametrize(
    ("reads", "data"),
    [*((decode, each) for each in (b"", b" \n\t", b"\xef\xbb\xbf", b"\xff\xfe")), (parse, b""), (parse, b" \n\t")],
)
def test_nothing_but_white_space_is_empty(tmp_path, reads, data):
    with pytest.raises(EmptyFile, match=r"paper\.txt: empty"):
        reads(text_file(tmp_path, data))


@pytest.mark.parametrize("reads", [decode, parse])
def test_a_file_over_the_limit_is_refused_unread(tmp_path, reads):
    path = text_file(tmp_path, b"")
    os.truncate(path, MAX_BYTES + 2**20)
    with pytest.raises(IngestError, match="65 MiB is larger than the limit of 64 MiB"):
        reads(path)


@pytest.mark.parametrize("reads", [decode, parse])
def test_a_missing_file_and_a_folder_are_named(tmp_path, reads):
    with pytest.raises(IngestError, match=r"nowhere\.txt: cannot be read \(No such file"):
        reads(tmp_path / "nowhere.txt")
    with pytest.raises(IngestError, match="cannot be read"):
        reads(tmp_path)


ARTICLE = "<article><front/><body><p>{}</p></body></article>"
DOCTYPE = '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) v1.0//EN" "JATS-archivearticle1.dtd">'
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


def write(folder, content, encoding="utf-8"):
    path = folder / "paper.xml"
    path.write_bytes(content.encode(encoding))
    return path


def test_the_plain_doctype_of_papers_is_read_and_comments_and_instructions_are_not_text(tmp_path):
    document = read(write(tmp_path, DOCTYPE + ARTICLE.format("&lt;5&#160;&#x03bc;g &alpha;-actin &unknown;")))
    assert document.text == "<5 μg α-actin &unknown;"
    assert read(write(tmp_path, ARTICLE.format("one<!-- a --> t<?page 3?>wo"))).text == "one two"


@pytest.mark.timeout(30)  # expanded, the bomb would hold the machine for minutes
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    "subset",
    [
        f'<!ENTITY l0 "ha">{LAUGHS}',
        '<!ENTITY secret SYSTEM "file:///etc/passwd">',
        '<!ENTITY far SYSTEM "http://127.0.0.1:9/x">',
        '<!ENTITY % remote SYSTEM "http://127.0.0.1:9/x"> %remote;',
    ],
    ids=["bomb", "local file", "address", "parameter"],
)
def test_entities_of_the_files_own_are_refused_at_once(tmp_path, subset, encoding):
    source = f"<!DOCTYPE article [{subset}]>" + ARTICLE.format("&l9;&secret;&far;")
    path = write(tmp_path, f'<?xml version="1.0" encoding="{encoding}"?>{source}', encoding)
    with pytest.raises(UnsafeFile, match=r"paper\.xml: it declares its own entities; get the file"):
        parse(path)


def test_nesting_deeper_than_a_paper_or_than_the_parser_allows_is_refused(tmp_path):
    for depth, said in ((MAX_DEPTH + 1, f"nest more than {MAX_DEPTH} deep"), (100_000, "paper.xml")):
        with pytest.raises(UnsafeFile, match=said):
            parse(write(tmp_path, "<p>" * depth + "</p>" * depth))
    assert parse(write(tmp_path, "<p>" * MAX_DEPTH + "</p>" * MAX_DEPTH)).tag == "p"


@pytest.mark.parametrize("declared", ["utf-8", "ascii", "no-such-code"])
def test_a_wrong_encoding_or_a_truncated_file_is_an_error_with_its_line_and_never_wrong_text(tmp_path, declared):
    source = f'<?xml version="1.0" encoding="{declared}"?>' + ARTICLE.format("at 4 °C")
    with pytest.raises(IngestError, match="not well-formed XML at line 1"):
        parse(write(tmp_path, source, "latin-1"))
    cut_off = ARTICLE.format("one\ntwo\nthree").partition("ree")[0]
    with pytest.raises(IngestError, match=r"not well-formed XML at line 3, column \d+: .*; download the file again"):
        parse(write(tmp_path, cut_off))


def test_a_declared_encoding_is_followed(tmp_path):
    source = '<?xml version="1.0" encoding="iso-8859-1"?>' + ARTICLE.format("at 4 °C")
    assert read(write(tmp_path, source, "latin-1")).text == "at 4 °C"
