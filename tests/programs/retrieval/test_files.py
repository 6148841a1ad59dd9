from pathlib import Path

import pytest

from programs.ingest.metadata import read_metadata
from programs.retrieval.files import index_files
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder


@pytest.fixture
def index(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        yield index


@pytest.fixture
def files(tmp_path):
    for name in ("bone", "roots"):
        (tmp_path / f"{name}.md").write_text(f"# On {name}\n\n## Results\n\nThe {name} changed.\n", "utf-8")
    return [tmp_path / "bone.md", tmp_path / "roots.md"]


def test_a_file_that_did_not_change_is_not_read_again(index, files):
    assert (index_files(index, files).indexed.added, index.embedder.embedded) == (2, 2)
    files[1].write_text("# On roots\n\n## Results\n\nThe roots turned.\n", "utf-8")
    again = index_files(index, files)
    assert (again.skipped, again.indexed.unchanged, again.indexed.replaced) == (1, 1, 1)
    assert index.embedder.embedded == 3


def test_a_changed_metadata_file_is_applied_to_every_paper(index, files, tmp_path):
    table = tmp_path / "metadata.csv"
    for organism in ("mouse", "rat"):
        table.write_text(f"file,organism\nbone.md,{organism}\nroots.md,cress\n", "utf-8")
        result = index_files(index, files, metadata=read_metadata(table), metadata_file=table)
        assert index.document("bone").metadata["organism"] == organism
    assert (result.indexed.replaced, result.indexed.unchanged, result.skipped) == (1, 1, 0)


def test_a_broken_file_is_reported_and_tried_again_next_time(index, files, tmp_path):
    broken = tmp_path / "broken.txt"
    broken.write_bytes(b"")
    first = index_files(index, [broken, *files])
    assert [Path(failure.path).name for failure in first.failures] == ["broken.txt"]
    assert first.indexed.added == 2
    broken.write_text("Results\n\nNow it holds text.\n", "utf-8")
    second = index_files(index, [broken, *files])
    assert (second.failures, second.indexed.added, second.skipped) == ((), 1, 2)


def test_progress_names_every_file(index, files):
    seen = []
    index_files(index, files, on_progress=lambda done, name: seen.append((done, name)))
    assert seen == [(1, "bone.md"), (2, "roots.md")]
