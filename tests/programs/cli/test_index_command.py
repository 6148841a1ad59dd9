"""`python -m programs index`, and the searches over what it made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from programs.retrieval.embedded import generations
from programs.retrieval.index import Index
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder

pytestmark = pytest.mark.needs("weights")

BONE = "# Bone loss in orbit\n\n## Results\n\nFemur density fell by 12 % in flight mice.\n"
ROOT_GROWTH = "# Roots in orbit\n\n## Results\n\nRoots of thale cress grew without direction.\n"
JATS = "<article><front/><body><sec><title>Results</title><p>{}</p></sec></body></article>"
ENTITY_BOMB = '<!DOCTYPE article [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>' + JATS.format("&b;")
EXTERNAL_ENTITY = '<!DOCTYPE article [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + JATS.format("&a;")
ROOT = Path(__file__).resolve().parents[3]
HUGE = 200 * 1024 * 1024


def a_pdf(path, text="Femur density fell.", password=None):
    canvas = Canvas(str(path), encrypt=password)
    if text:
        canvas.drawString(72, 720, text)
    else:
        canvas.rect(72, 72, 200, 200, fill=1)
    canvas.showPage()
    canvas.save()


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers")
    (folder / "bone.md").write_text(BONE, "utf-8")
    (folder / "roots.md").write_text(ROOT_GROWTH, "utf-8")
    (folder / "metadata.csv").write_text("file,year,organism\nbone.md,2014,Mus musculus\nroots.md,2009,Arabidopsis\n")
    return folder


@pytest.fixture(scope="module")
def indexed(papers, tmp_path_factory):
    place = tmp_path_factory.mktemp("index") / "papers.idx"
    ran = run("index", papers / "bone.md", papers / "roots.md", "--index", place, "--metadata", papers / "metadata.csv")
    assert ran.code == 0, ran.stderr
    return place


def test_json_is_all_there_is_on_stdout(papers, indexed):
    ran = run("index", papers, "--index", indexed, "--metadata", papers / "metadata.csv", "--format", "json")
    assert ran.code == 0
    assert (ran.json["added"], ran.json["unchanged"], ran.json["documents"]) == (0, 2, 2)
    assert "Indexing 2/2" in ran.stderr


def test_what_is_no_paper_is_named_with_the_reason(papers, indexed, tmp_path):
    shutil.copytree(papers, tmp_path / "all")
    for name in ("draft.odt", "figure.png", "notes.odt"):
        (tmp_path / "all" / name).touch()
    given = ("index", tmp_path / "all", "--index", tmp_path / "x.idx", "--metadata", tmp_path / "all" / "metadata.csv")
    ran = run(*given)
    assert ran.code == 0
    assert "Passed over: draft.odt, notes.odt: no reader for .odt" in ran.stderr
    assert "metadata.csv" not in ran.stderr
    assert [Path(each["file"]).name for each in run(*given, "--format", "json").json["passed_over"]] == [
        "draft.odt",
        "figure.png",
        "notes.odt",
    ]


def test_retrieve_finds_the_passage_and_filters(indexed):
    ran = run("retrieve", "density of the femur", "--index", indexed, "--format", "json")
    best = ran.json["hits"][0]
    assert (best["document_id"], best["section"], best["metadata"]["year"]) == ("bone", "results", 2014)
    ran = run("retrieve", "density of the femur", "--index", indexed, "--filter", "year<=2010", "--format", "json")
    assert [hit["document_id"] for hit in ran.json["hits"]] == ["roots"]
    ran = run("retrieve", "density of the femur", "--index", indexed, "-k", "1")
    assert "Femur density fell by 12 %" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["retrieve", "bone", "--index", "nowhere.idx"], "no index at nowhere.idx; make one with"),
        (["retrieve", "bone", "--filter", "colour=red"], "no indexed document has the field 'colour'"),
        (["retrieve", "bone", "--filter", "year"], "write FIELD=VALUE"),
        (["retrieve", "  "], "a query must hold text"),
        (["retrieve", "bone", "-k", "0"], "should be greater than or equal to 1"),
        (["index", "no/such/folder"], "No file or folder at no/such/folder"),
        (["index", "README.md", "--chunking", "letters:3"], "letters:3"),
        (["index", "README.md", "--chunking", "sentences:100:0"], "was made with chunking 'passages:200:0'"),
        (["index", "README.md", "--metadata", "no.csv"], "no.csv"),
    ],
)
def test_wrong_usage_is_told_and_changes_nothing(indexed, arguments, message):
    place = [] if "--index" in arguments else ["--index", str(indexed)]
    ran = run(*arguments, *place)
    assert ran.code in (1, 2)
    assert message in ran.stderr
    assert ran.stdout == ""


def test_retrieve_breaks_no_lines_and_shows_no_controls_where_no_terminal_is(tmp_path):
    text = "Femur density fell \u202eby 12 % \x9b31m " + "in the long flight of the mice " * 9
    (tmp_path / "bone.md").write_text(f"# Bone \u2066loss\n\n## Results\n\n{text.strip()}\n", "utf-8")
    assert run("index", tmp_path / "bone.md", "--index", tmp_path / "papers.idx").code == 0
    ran = run("retrieve", "femur", "--index", tmp_path / "papers.idx")
    assert not {"\u202e", "\u2066", "\x9b"} & set(ran.stdout)
    assert next(line for line in ran.stdout.splitlines() if line.startswith("Femur")).endswith("flight of the mice")


def test_a_paper_of_the_same_name_elsewhere_is_told_unless_it_shall_replace(tmp_path):
    for name, text in (("a", "Femur density fell."), ("b", "Femur density rose.")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bone.md").write_text(f"# {name}\n\n{text}\n", "utf-8")
    place = tmp_path / "papers.idx"
    assert run("index", tmp_path / "a", "--index", place).code == 0
    ran = run("index", tmp_path / "b", "--index", place)
    assert (ran.code, "0 replaced, 0 unchanged, 1 failed" in ran.stdout) == (1, True)
    assert f"{tmp_path / 'b' / 'bone.md'}: the same document id bone as {tmp_path / 'a' / 'bone.md'}" in ran.stderr
    assert run("index", tmp_path / "b", "--index", place, "--replace", "--format", "json").json["replaced"] == 1


def test_prune_takes_out_what_is_gone_but_never_all(papers, tmp_path):
    folder = tmp_path / "papers"
    shutil.copytree(papers, folder)
    place = tmp_path / "papers.idx"
    assert run("index", folder, "--index", place).code == 0
    (folder / "bone.md").unlink()
    ran = run("index", folder, "--index", place)
    assert (ran.code, "2 papers, 2 passages" in ran.stdout) == (0, True)
    assert "1 paper's file is gone (bone); --prune removes it." in ran.stderr
    ran = run("index", folder, "--index", place, "--prune", "--format", "json")
    assert (ran.code, ran.json["removed"], ran.json["gone"], ran.json["documents"]) == (0, ["bone"], [], 1)
    assert "Removed: bone, whose file is gone" in ran.stderr
    (folder / "roots.md").unlink()
    ran = run("index", folder, "--index", place, "--prune")
    assert (ran.code, ran.stdout) == (2, "")
    assert "with --prune that would empty the index" in ran.stderr


def test_a_folder_without_papers_is_wrong_usage_and_makes_no_index(tmp_path):
    (tmp_path / "empty").mkdir()
    ran = run("index", tmp_path / "empty", "--index", tmp_path / "papers.idx")
    assert (ran.code, ran.stdout) == (2, "")
    assert f"no papers in {tmp_path / 'empty'}; check the path" in ran.stderr
    assert not (tmp_path / "papers.idx").exists()


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("file.txt/papers.idx", "Not a directory"),
        ("file.txt/new/papers.idx", "Not a directory"),
        ("x" * 300, "too long"),
    ],
)
def test_a_place_that_cannot_hold_an_index_is_wrong_usage(papers, tmp_path, place, reason):
    (tmp_path / "file.txt").write_text("a file")
    for command in (["index", papers], ["retrieve", "bone"]):
        ran = run(*command, "--index", tmp_path / place)
        assert (ran.stdout, ran.code in (1, 2)) == ("", True)
        assert f"{tmp_path / place}" in ran.stderr
    ran = run("index", papers, "--index", tmp_path / place)
    assert (ran.code, "cannot hold an index" in ran.stderr, reason in ran.stderr) == (2, True, True)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may write anywhere")
def test_a_folder_that_is_not_permitted_is_wrong_usage(papers, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    ran = run("index", papers, "--index", tmp_path / "locked" / "papers.idx")
    assert (ran.code, "cannot hold an index (Permission denied)" in ran.stderr) == (2, True)


def test_broken_files_are_named_and_the_others_are_indexed(tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "bone.md").write_text(BONE, "utf-8")
    (folder / "empty.txt").write_bytes(b"")
    a_pdf(folder / "whole.pdf")
    (folder / "truncated.pdf").write_bytes((folder / "whole.pdf").read_bytes()[:400])
    a_pdf(folder / "locked.pdf", password="secret")
    a_pdf(folder / "scanned.pdf", text="")
    (folder / "bomb.nxml").write_text(ENTITY_BOMB, "utf-8")
    (folder / "thief.xml").write_text(EXTERNAL_ENTITY, "utf-8")
    (folder / "latin.md").write_bytes("# Größe\n\nDie Dichte fiel.\n".encode("latin-1"))
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 20)
    with (folder / "line.txt").open("wb") as line:
        line.truncate(HUGE)  # a hole: the reader must not get as far as its content
    ran = run("index", folder, "--index", tmp_path / "papers.idx", "--format", "json")
    assert ran.code == 1
    failed = {os.path.basename(one["file"]): f"{one['reason']}; {one['action']}" for one in ran.json["failed"]}
    expected = {
        "empty.txt": "empty",
        "truncated.pdf": "cut",
        "locked.pdf": "password",
        "scanned.pdf": "OCR",
        "bomb.nxml": "entit",
        "thief.xml": "entit",
        "latin.md": "UTF-8",
        "binary.txt": "binary data",
        "line.txt": "64 MiB",
    }
    assert set(failed) == set(expected)
    assert {name: word for name, word in expected.items() if word.lower() not in failed[name].lower()} == {}, failed
    assert ran.json["documents"] == 2
    again = run("index", folder, "--index", tmp_path / "papers.idx", "--format", "json")
    assert (again.code, len(again.json["failed"]), again.json["unchanged"]) == (1, len(expected), 2)


def test_an_index_of_another_embedder_is_refused(papers, tmp_path):
    with Index.open(tmp_path / "other.idx", create=True, embedder=HashingEmbedder(dimension=384)):
        pass
    ran = run(
        "index", papers, "--index", tmp_path / "other.idx", "--embedder", "sentence-transformers/all-MiniLM-L6-v2"
    )
    assert ran.code == 1
    assert "was made with embedder 'tests/hashing', not 'sentence-transformers/all-MiniLM-L6-v2'" in ran.stderr


@pytest.fixture
def index_of_one(papers, tmp_path):
    place = tmp_path / "papers.idx"
    assert run("index", papers / "bone.md", "--index", place).code == 0
    return place


def held(place, doing=""):
    """A process that opens the index, does something, and goes on holding it until its input ends."""
    code = (
        "import sys; from programs.retrieval.index import Index\n"
        f"with Index.open(sys.argv[1]) as index{doing}: index.stats(); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(place)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_an_index_that_is_read_can_be_read_and_written_by_others(index_of_one, papers):
    with held(index_of_one) as reader:
        assert reader.stdout.readline() == "held\n"
        assert run("retrieve", "bone", "--index", index_of_one).code == 0
        assert run("index", papers, "--index", index_of_one, "--format", "json").json["added"] == 1
        reader.communicate("")


def test_an_index_that_is_written_can_be_read_but_not_written_by_others(index_of_one, papers, monkeypatch):
    monkeypatch.setattr(generations, "WAIT_FOR_WRITER", 0.0)
    with held(index_of_one, ", index.writing()") as writer:
        assert writer.stdout.readline() == "held\n"
        assert run("retrieve", "bone", "--index", index_of_one).code == 0
        ran = run("index", papers, "--index", index_of_one)
        writer.communicate("")
    assert ran.code == 1
    assert "is being written to by another process; wait until it is done" in ran.stderr


def test_retrieve_puts_first_what_answers_unless_told_otherwise(indexed):
    learned = run("retrieve", "density of the femur", "--index", indexed, "--format", "json").json["hits"]
    assert all(0 < hit["relevance"] < 1 for hit in learned)
    assert learned[0]["document_id"] == "bone"
    assert "answers 0." in run("retrieve", "density of the femur", "--index", indexed).stdout
    searched = run("retrieve", "density of the femur", "--index", indexed, "--order", "none", "--format", "json")
    assert {hit["relevance"] for hit in searched.json["hits"]} == {None}
