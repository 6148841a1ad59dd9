"""Without its extra a DOCX file is named with what to install, and the other files are read."""

from __future__ import annotations

import hashlib
import json
import math
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from programs.errors import (
    DuplicateDocument,
    EmptyFile,
    IngestError,
    NoText,
    UnsupportedFormat,
    UsageError,
)
from programs.ingest import docx, formats, pdf
from programs.ingest.document import Document
from programs.ingest.formats import discover, passed_over, read, read_all, reading, storable
from programs.ingest.metadata import read_metadata
from programs.ingest.paper_formats import READERS
from programs.ingest.readability import VERDICTS
from tests.programs.ingest.pdf.test_pdf import write_paper
from tests.programs.ingest.test_readability import ENGLISH
from tests.word_files import paragraph, write_docx

JATS = "<article><front/><body><p>Yeast in acid.</p></body></article>"
JSON = '{"abstract": "Yeast in acid."}'
TEXT = "Yeast in acid lived for a shorter time.\n"


def write(folder: Path, files: dict[str, str]) -> None:
    """Files by their names, which may hold folders."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


@pytest.mark.parametrize(("name", "content"), [("paper.NXML", JATS), ("paper.markdown", TEXT)])
def test_the_ending_chooses_the_reader_in_any_case(tmp_path, name, content):
    write(tmp_path, {name: content, "paper.odt": TEXT, "paper": TEXT})
    document = read(tmp_path / name)
    assert document.text.startswith("Yeast in acid")
    assert (document.id, document.source) == ("paper", name)
    with pytest.raises(UnsupportedFormat, match=r"no reader for '\.odt'; convert it to one of .*\.json, .*\.pdf"):
        read(tmp_path / "paper.odt")
    with pytest.raises(UnsupportedFormat, match="no reader for 'a file without ending'"):
        read(tmp_path / "paper")


@pytest.mark.parametrize("ending", sorted(READERS))
def test_every_reader_names_a_missing_and_an_empty_file(tmp_path, ending):
    with pytest.raises(IngestError, match=r"nowhere.*cannot be read"):
        read(tmp_path / f"nowhere{ending}")
    (tmp_path / f"nothing{ending}").touch()
    with pytest.raises(EmptyFile, match="nothing"):
        read(tmp_path / f"nothing{ending}")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("paper.json", '{"abstract": " ", "sections": [{"title": "Results", "text": " "}]}'),
        ("paper.xml", "<article><body><sec><title>Results</title><p> </p></sec></body></article>"),
        ("paper.md", "# A title\n"),
        ("paper.html", "<script>only()</script>"),
    ],
)
def test_a_paper_of_headings_alone_has_no_text(tmp_path, name, content):
    write(tmp_path, {name: content})
    with pytest.raises(NoText, match="paper"):
        read(tmp_path / name)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a": ', "}"), ('{"sections": [', "]}")])
@pytest.mark.parametrize("depth", [100, 400, 100_000])
def test_json_that_nests_deep_is_refused(tmp_path, opening, closing, depth):
    write(tmp_path, {"paper.json": '{"sections": ' + opening * depth + '"x"' + closing * depth + "}"})
    with pytest.raises(IngestError, match="too deeply" if depth > 400 else "sections"):
        read(tmp_path / "paper.json")


def test_folders_are_searched_in_order_without_what_is_hidden_or_no_paper(tmp_path):
    write(tmp_path, {"b.txt": TEXT, "a/z.md": TEXT, "a/b/article.json": JSON, "c.XML": JATS})
    write(tmp_path, {"notes.odt": "", "data.json": "[]", ".hidden.txt": TEXT, ".git/x.txt": TEXT})
    found = [path.relative_to(tmp_path).as_posix() for path in discover([tmp_path])]
    assert found == ["b.txt", "c.XML", "a/z.md", "a/b/article.json"]


def test_what_a_folder_holds_beside_papers_is_named_with_the_reason(tmp_path):
    write(
        tmp_path, {"b.txt": TEXT, "a/z.odt": "", "a/data.json": "[]", "plain": "", ".hidden.odt": "", "page.html": ""}
    )
    write(tmp_path, {"page_files/advertisement.html": ""})
    found = {path.relative_to(tmp_path).as_posix(): reason for path, reason in passed_over([tmp_path]).items()}
    assert found == {
        "plain": "no reader for a file without ending",
        "a/data.json": "JSON, of which only article.json is taken for a paper",
        "a/z.odt": "no reader for .odt",
        "page_files/advertisement.html": "part of a saved page",
    }
    assert passed_over([tmp_path / "b.txt"]) == {}
    assert "advertisement.html" not in {path.name for path in discover([tmp_path])}


def test_a_file_that_is_named_is_taken_whatever_its_ending_and_once(tmp_path):
    write(tmp_path, {"a.txt": TEXT, "notes.odt": "", "data.json": "[]"})
    named = [tmp_path / "notes.odt", tmp_path / "data.json", tmp_path / "a.txt", tmp_path]
    assert discover(named) == named[:3]


def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match=r"No file or folder at .*papers; check the path"):
        discover([tmp_path / "papers"])


def test_a_broken_file_gives_its_error_and_the_others_go_on(tmp_path):
    write(tmp_path, {"a.xml": JATS[:30], "b.txt": "", "c.md": TEXT, "d.odt": TEXT})
    results = list(read_all(sorted(tmp_path.iterdir())))
    assert [type(result) for result in results] == [IngestError, EmptyFile, Document, UnsupportedFormat]


@pytest.mark.timeout(60)
def test_what_is_no_regular_file_is_refused_before_it_is_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.pdf")
    (refused,) = read_all([tmp_path / "pipe.pdf"])
    assert isinstance(refused, UnsupportedFormat)
    assert "not a regular file" in refused.reason


def test_files_are_read_when_they_are_asked_for(tmp_path, monkeypatch):
    write(tmp_path, {"a.txt": TEXT, "b.txt": TEXT})
    asked, really_read = [], formats.read
    monkeypatch.setattr(formats, "read", lambda path: asked.append(path.name) or really_read(path))
    assert next(read_all(discover([tmp_path]))).id == "a"
    assert asked == ["a.txt"]


def test_two_files_of_one_id_are_an_error_of_the_second_that_names_both(tmp_path):
    write(tmp_path, {"a/paper.txt": TEXT, "b/paper.md": TEXT})
    first, second = read_all(discover([tmp_path]))
    assert first.source == "paper.txt"
    assert isinstance(second, DuplicateDocument)
    assert str(tmp_path / "a" / "paper.txt") in str(second)
    assert second.path == str(tmp_path / "b" / "paper.md")


def test_a_fault_that_no_reader_foresaw_is_an_ingest_error_with_its_cause(tmp_path):
    write(tmp_path, {"good.txt": TEXT})
    unreadable = tmp_path / "a\0b.txt"  # no file system has such a name, and no reader expects it
    broken, good = read_all([unreadable, tmp_path / "good.txt"])
    assert isinstance(broken, IngestError)
    assert isinstance(broken.__cause__, ValueError)
    assert "its reader failed (ValueError: " in str(broken)
    assert good.id == "good"


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (TEXT, "file,organism\na.md,yeast\n"),
        (f"---\ndoi: 10.1/aB\n---\n{TEXT}", "doi,organism\n10.1/Ab,yeast\n"),  # in either case
    ],
)
def test_metadata_completes_what_is_read(tmp_path, text, rows):
    write(tmp_path, {"a.md": text, "rows.csv": rows})
    (document,) = read_all([tmp_path / "a.md"], read_metadata(tmp_path / "rows.csv"))
    assert document.metadata["organism"] == "yeast"
    assert document.doi in ("", "10.1/Ab")


def test_a_second_reader_that_finds_nothing_takes_no_place(tmp_path, monkeypatch):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4")
    hard = Document("a", "Words that are hard to read.")
    monkeypatch.setattr(pdf, "read", lambda path: hard)
    monkeypatch.setattr(pdf, "read_in_file_order", lambda path: Document("a", ""))
    verdict = {hard.text: VERDICTS[1], "": VERDICTS[0]}
    monkeypatch.setattr(formats, "judge_document", lambda each: SimpleNamespace(verdict=verdict[each.text], reasons=()))
    assert read(tmp_path / "a.pdf") == hard


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("year", 2015, ("year", 2015)),
        ("my key", "v", ("my_key", "v")),
        ("a[b].c", "v", ("a_b_c", "v")),
        ("", "v", ("_", "v")),
        ("größe", ["a", "b"], ("größe", ["a", "b"])),
        ("score", math.inf, ("score", "inf")),
        ("score", 10**400, ("score", str(10**400))),
        ("score", -1.5, ("score", -1.5)),
        ("tags", ["a\ud800"], ("tags", ["a?"])),
    ],
)
def test_only_what_cannot_be_stored_is_changed(name, value, kept):
    assert dict(storable(Document("one", "Text.", metadata={name: value})).metadata) == dict([kept])


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx, "lacking", lambda extra: ("mammoth",))
    write_docx(tmp_path / "a.docx", paragraph("Text."))
    (tmp_path / "b.txt").write_text("Mice lived longer in the cold.")
    refused, document = read_all(discover([tmp_path]))
    assert isinstance(refused, IngestError)
    assert "pip install 'corroborate-papers[docx]'" in str(refused)
    assert not isinstance(document, IngestError)


# When a test below fails, a reader's output has changed. Raise its number in `programs.ingest.paper_formats`, unless
# that version was never released, and write the new digest here.

PAPERS = Path(__file__).resolve().parents[3] / "datasets" / "space_biology" / "papers"
ARTICLE = {"title": "Cold and yeast", "sections": [{"title": "Results", "text": ENGLISH}], "year": 2019}
OF_READING = {
    "article_json 3": "d155bcbeb4e43b09",
    "docx 8": "6e73649a1329c41a",
    "html 9": "54105c7638887fbb",
    "jats 9": "7997799be0d14dbe",
    "markdown 12": "74334487efb87e86",
    "pdf 17": "e7c9cf841239c886",
    "plain_text 5": "dde409586c6eb5da",
}


def of_dataset(ending):
    return min(PAPERS.glob(f"*{ending}")).read_text("utf-8")


def write_word(path):
    write_docx(
        path, paragraph("Cold and yeast", style="Title"), paragraph("Results", style="Heading1"), paragraph(ENGLISH)
    )


FILES = {
    "article.json": json.dumps(ARTICLE),
    "paper.docx": write_word,
    "paper.html": f"<h1>Cold and yeast: a trial</h1><h2>Results</h2><p>{ENGLISH}</p>",
    "paper.nxml": of_dataset(".nxml"),
    "paper.md": of_dataset(".md"),
    "paper.pdf": lambda path: write_paper(path, 2),
    "paper.txt": f"Cold and yeast\n\nResults\n\n{ENGLISH}\n\nReferences\n\n1. Smith J. Cold. 2001.\n",
}
"""Their content, or what writes it."""


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.needs("docx") if each == "paper.docx" else ()) for each in FILES]
)
def test_a_reader_whose_output_changed_has_a_new_version(name, tmp_path):
    folder, made = tmp_path / "held", FILES[name]  # of an article.json the folder is the id
    folder.mkdir()
    made(folder / name) if callable(made) else write(folder, {name: made})
    values = json.dumps(read(folder / name).as_dict(), sort_keys=True, ensure_ascii=False)
    assert hashlib.sha256(values.encode()).hexdigest()[:16] == OF_READING[reading(name)], reading(name)


def test_every_reader_is_held_by_a_file():
    assert {reading(name) for name in FILES} == set(OF_READING)
