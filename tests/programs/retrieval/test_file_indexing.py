"""Indexing files: what is read again, and what is not."""

from __future__ import annotations

import errno
import os
import tracemalloc
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from programs.errors import DuplicateDocument, IngestError, UnreadableText, UnsupportedFormat
from programs.ingest import readability
from programs.ingest.formats import discover
from programs.ingest.metadata import read_metadata
from programs.ingest.paper_formats import VERSIONS
from programs.ingest.pdf import ocr
from programs.retrieval.file_indexing import Origin, index_files, prune
from programs.retrieval.index import Index
from programs.retrieval.passage_collection import Indexed
from tests.hashing_embedder import HashingEmbedder
from tests.programs.ingest.test_readability import ENGLISH, WELSH

JATS = (
    '<article><front><article-meta><article-id pub-id-type="doi">{doi}</article-id></article-meta></front>'
    "<body><sec><title>Results</title><p>{text}</p></sec></body></article>"
)


@pytest.fixture
def folder(tmp_path):
    for name, text in (("bone", "Femur density fell."), ("roots", "Roots grew."), ("yeast", "Acid shortened life.")):
        write(tmp_path / "papers" / f"{name}.md", text)
    return tmp_path / "papers"


@pytest.fixture
def index(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        yield index


def update(index, folder, metadata=None, *, replace=False):
    table = read_metadata(metadata) if metadata else None
    return index_files(index, discover([folder]), metadata=table, metadata_file=metadata, replace=replace)


def write(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"# On {path.stem}\n\n## Results\n\n{text}\n", "utf-8")


def texts(index, name):
    return [chunk.text for chunk in index.chunks(name)]


def failed(done):
    return [Path(failure.path).name for failure in done.failures]


def test_files_become_documents_and_only_changed_ones_are_read_and_embedded_again(index, folder, monkeypatch):
    assert update(index, folder).indexed == Indexed(added=3, chunks=3)
    assert index.document("bone").title == "On bone"
    embedded = index.embedder.embedded
    with monkeypatch.context() as patch:
        patch.setattr("programs.ingest.formats.read", lambda path: pytest.fail(f"read {path} again"))
        again = update(index, folder)
    assert (again.indexed, again.skipped, again.failures) == (Indexed(unchanged=3), 3, [])
    write(folder / "roots.md", "Roots did not grow.")
    again = update(index, folder)
    assert (again.indexed, again.skipped) == (Indexed(replaced=1, unchanged=2, chunks=1), 2)
    assert (index.embedder.embedded, texts(index, "roots")) == (embedded + 1, ["Roots did not grow."])


def test_a_changed_metadata_file_has_every_paper_read_again(index, folder):
    metadata = folder / "metadata.csv"
    for year, done in ((2014, Indexed(added=3, chunks=3)), (2015, Indexed(replaced=1, unchanged=2, chunks=1))):
        metadata.write_text(f"file,year\nbone.md,{year}\nroots.md,2009\n", "utf-8")
        again = update(index, folder, metadata)
        assert (again.indexed, again.skipped, index.document("bone").year) == (done, 0, year)
        assert update(index, folder, metadata).skipped == 3


def test_a_broken_file_is_tried_again_and_the_others_are_not(index, folder):
    broken = folder / "broken.md"
    broken.write_bytes(b"")
    for _ in range(2):
        assert failed(update(index, folder)) == ["broken.md"]
        assert index.stats().documents == 3
    write(broken, "It is whole now.")
    assert update(index, folder).indexed == Indexed(added=1, unchanged=3, chunks=1)


def test_another_paper_of_the_same_name_is_told_in_each_run_and_the_first_stays_unless_asked_to(
    index, folder, tmp_path
):
    (folder / "roots.txt").write_text("Another text under the same name.", "utf-8")
    write(tmp_path / "other" / "bone.md", "Another paper altogether.")
    write(tmp_path / "other" / "moss.md", "Moss grew.")
    for unchanged in (0, 1):
        assert failed(update(index, folder)) == ["roots.txt"]
        again = update(index, tmp_path / "other")
        assert [type(failure) for failure in again.failures] == [DuplicateDocument]
        assert again.failures[0].path == str(tmp_path / "other" / "bone.md")
        assert f"as {folder / 'bone.md'}, which the index holds; rename it" in str(again.failures[0])
        assert again.indexed == Indexed(added=1 - unchanged, unchanged=unchanged, chunks=1 - unchanged)
    assert (texts(index, "bone"), index.document("roots").source) == (["Femur density fell."], "roots.md")
    replaced = update(index, tmp_path / "other", replace=True)
    assert replaced.indexed == Indexed(replaced=1, unchanged=1, chunks=1)
    assert texts(index, "bone") == ["Another paper altogether."]
    assert failed(update(index, folder)) == ["bone.md", "roots.txt"]


def test_files_that_were_moved_are_the_same_papers_and_may_change(index, folder, tmp_path):
    update(index, folder)
    embedded = index.embedder.embedded
    folder = folder.rename(tmp_path / "library")
    moved = update(index, folder)
    assert (moved.indexed, moved.failures, index.embedder.embedded) == (Indexed(unchanged=3), [], embedded)
    assert {Origin.parse(origin).place for origin in index.origins()} == {str(path) for path in discover([folder])}
    write(folder / "bone.md", "Femur density rose.")
    assert update(index, folder).indexed == Indexed(replaced=1, unchanged=2, chunks=1)


def test_pruning_takes_out_what_is_gone_from_the_folder_alone(index, folder, tmp_path):
    write(tmp_path / "papers2" / "moss.md", "Moss grew.")
    for each in (folder, tmp_path / "papers2"):
        update(index, each)
    (folder / "bone.md").unlink()
    (folder / "roots.md").rename(folder / "renamed.md")
    (tmp_path / "papers2" / "moss.md").unlink()
    update(index, folder)
    assert prune(index, [folder]) == ["bone", "roots"]
    assert sorted(each["id"] for each in index.documents()) == ["moss", "renamed", "yeast"]
    assert prune(index, [folder]) == []


def test_a_folder_that_cannot_be_read_is_told_and_nothing_from_it_is_pruned(index, folder, monkeypatch):
    locked = folder / "locked"
    write(locked / "moss.md", "Moss grew.")
    update(index, folder)
    scandir, stat = os.scandir, os.stat

    def denied(of):
        def called(path, *arguments, **named):
            where = Path(str(path))  # or the number of an open file
            if locked in where.parents or (of is scandir and where == locked):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return of(path, *arguments, **named)

        return called

    monkeypatch.setattr(os, "scandir", denied(scandir))
    monkeypatch.setattr(os, "stat", denied(stat))
    (failure,) = update(index, folder).failures
    assert (failure.path, failure.reason) == (str(locked), "cannot be read (Permission denied)")
    assert (prune(index, [folder]), index.stats().documents) == ([], 4)


def test_a_paper_of_the_same_text_or_doi_as_another_is_noted_and_indexed(index, folder):
    (folder / "twin.md").write_bytes((folder / "roots.md").read_bytes())
    (folder / "moss.xml").write_text(JATS.format(doi="10.1000/B1", text="Moss grew."), "utf-8")
    done = update(index, folder)
    assert (done.same, done.indexed.added, done.failures) == ({"twin": "roots"}, 5, [])
    (folder / "preprint.xml").write_text(JATS.format(doi="10.1000/b1", text="Moss may grow."), "utf-8")
    assert update(index, folder).same == {"preprint": "moss"}


def test_a_copy_is_the_same_paper_and_keeps_it_from_being_pruned(index, folder, tmp_path):
    update(index, folder)
    write(tmp_path / "copy" / "bone.md", "Femur density fell.")
    again = update(index, tmp_path / "copy")
    assert (again.indexed, again.skipped, again.failures) == (Indexed(unchanged=1), 1, [])
    (folder / "bone.md").unlink()
    update(index, tmp_path / "copy")
    assert prune(index, [folder, tmp_path / "copy"]) == []
    assert index.stats().documents == 3


def test_a_paper_whose_metadata_are_of_another_type_is_named_and_the_others_go_on(index, folder):
    metadata = folder / "metadata.jsonl"
    metadata.write_text(
        '{"file": "bone", "dose": 5}\n{"file": "roots", "dose": "high"}\n{"file": "yeast", "dose": 7}\n', "utf-8"
    )
    result = update(index, folder, metadata)
    assert [str(failure) for failure in result.failures] == [
        f"{folder / 'roots.md'}: its 'dose' is text, that of other papers is a number; give it the same kind of value "
        "for every paper"
    ]
    assert sorted(each["id"] for each in index.documents()) == ["bone", "yeast"]
    write(folder / "late.md", "Late.")
    metadata.write_text('{"file": "late", "dose": "none"}\n', "utf-8")
    assert failed(update(index, folder, metadata)) == ["late.md"]


@pytest.mark.timeout(60)
def test_a_file_that_vanishes_or_is_a_pipe_is_an_error_of_its_own(index, folder):
    os.mkfifo(folder / "pipe.txt")
    files = discover([folder])
    (folder / "bone.md").unlink()
    result = index_files(index, files)
    assert [(type(one), Path(one.path).name) for one in result.failures] == [
        (IngestError, "bone.md"),
        (UnsupportedFormat, "pipe.txt"),
    ]
    assert "not a regular file" in result.failures[1].reason
    assert result.indexed.added == 2


def test_progress_counts_every_file(index, folder):
    (folder / "broken.md").write_bytes(b"")
    seen = []
    index_files(index, discover([folder]), on_progress=lambda done, name: seen.append((done, name)))
    last = "yeast.md; embedding what was read"
    assert seen == [(1, "bone.md"), (2, "broken.md"), (3, "roots.md"), (4, last)]


@pytest.mark.slow
def test_a_line_of_200_mib_is_refused_without_holding_it(index, tmp_path):
    huge = tmp_path / "line.txt"
    with huge.open("wb") as file:
        file.write(b"orbit ")
        file.truncate(200 * 2**20)
    tracemalloc.start()
    try:
        (failure,) = index_files(index, [huge]).failures
        assert tracemalloc.get_traced_memory()[1] < 32 * 2**20
    finally:
        tracemalloc.stop()
    assert failure.reason == "200 MiB is larger than the limit of 64 MiB for one paper"


@pytest.fixture
def by_older(index, folder, monkeypatch):
    """An index whose papers an older reader of Markdown read."""
    with monkeypatch.context() as before:
        before.setitem(VERSIONS, "programs.ingest.markdown", 0)
        update(index, folder)
    return index


def test_what_an_older_reader_read_is_read_again_if_its_file_is_given(by_older, folder):
    assert by_older.outdated() == ["bone", "roots", "yeast"]
    (folder / "bone.md").rename(folder.parent / "bone.md")
    again = update(by_older, folder)
    assert sorted(again.renewed) == ["roots", "yeast"]
    assert (again.indexed, again.skipped) == (Indexed(unchanged=2), 0)
    assert by_older.outdated() == ["bone"]
    assert update(by_older, folder).skipped == 2


@pytest.mark.parametrize("is_read_by_older", [True, False])
def test_what_an_older_reader_made_of_an_unreadable_file_is_taken_out_and_a_good_reading_kept(
    by_older, folder, is_read_by_older
):
    if not is_read_by_older:
        update(by_older, folder)
    (folder / "bone.md").write_text("bcd fgh jkl mnp qrs tvw xzb " * 40, "utf-8")
    again = update(by_older, folder)
    assert again.withdrawn == (["bone"] if is_read_by_older else [])
    assert [type(each) for each in again.failures] == [UnreadableText]
    assert sorted(by_older.document_ids()) == [*([] if is_read_by_older else ["bone"]), "roots", "yeast"]


def test_a_paper_that_is_hard_to_read_is_indexed_and_named(index, folder):
    (folder / "welsh.md").write_text(WELSH, "utf-8")
    done = update(index, folder)
    assert done.indexed.added == 4
    assert done.doubtful["bone"].startswith("only 3 words of text in it")
    assert "its language is not recognised" in done.doubtful["welsh"]


@pytest.mark.parametrize(
    ("lacks", "how"),
    [
        (("rapidocr",), "if they are scans, pip install 'corroborate-papers[ocr]' and index again, or run `ocrmypdf`"),
        ((), "OCR found no text on them in the time it is allowed"),
    ],
)
def test_scanned_pages_of_a_printed_paper_are_named(index, folder, monkeypatch, lacks, how):
    monkeypatch.setattr(ocr, "recognised", lambda path, numbers: {})
    for module in (ocr, readability):
        monkeypatch.setattr(module, "lacking", lambda extra: lacks)
    canvas = Canvas(str(folder / "partly.pdf"))
    prose = ENGLISH.splitlines()
    pages = ((prose[::2], False), (["Downloaded from a library"], True), ([], False), (prose[1::2], True), ([], True))
    for lines, is_picture in pages:
        if is_picture:
            canvas.drawImage(ImageReader(Image.new("L", (60, 80), 200)), 20, 20, 550, 800)
        for number, line in enumerate(lines):
            canvas.drawString(50, 780 - 14 * number, line)
        canvas.showPage()
    canvas.save()
    done = update(index, folder)
    assert done.doubtful["partly"] == f"pictures without text on pages 2, 5; {how}"
    assert index.document("partly").metadata["scanned_pages"] == "2, 5"
