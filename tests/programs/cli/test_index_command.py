"""`python -m programs index`, and the searches over what it made."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from programs.config import settings
from programs.retrieval.index import Index
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder
from tests.loopback import Answer, LoopbackArticles, article
from tests.loopback_ollama import LoopbackOllama
from tests.papers import PAPERS

BONE = "# Bone loss in orbit\n\n## Results\n\nFemur density fell by 12 % in flight mice.\n"
ROOT_GROWTH = "# Roots in orbit\n\n## Results\n\nRoots of thale cress grew without direction.\n"
ENTITY_BOMB = '<!DOCTYPE article [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><article><body>&b;</body></article>'
ROOT = Path(__file__).resolve().parents[3]
HUGE = 200 * 1024 * 1024


def a_pdf(path):
    canvas = Canvas(str(path))
    canvas.drawString(72, 720, "Femur density fell.")
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


def test_retrieve_finds_the_passage_that_answers_and_filters(indexed):
    ask = ("retrieve", "density of the femur", "--index", indexed)
    hits = run(*ask, "--format", "json").json["hits"]
    assert (hits[0]["document_id"], hits[0]["section"], hits[0]["metadata"]["year"]) == ("bone", "results", 2014)
    assert all(0 < hit["relevance"] < 1 for hit in hits)
    older = run(*ask, "--filter", "year<=2010", "--order", "none", "--format", "json").json["hits"]
    assert [(hit["document_id"], hit["relevance"]) for hit in older] == [("roots", None)]
    printed = run(*ask, "-k", "1").stdout
    assert "Femur density fell by 12 %" in printed
    assert "answers 0." in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["retrieve", "bone", "-k", "0"], "should be greater than or equal to 1"),
        (["index", "README.md", "--metadata", "no.csv"], "no.csv"),
    ],
)
def test_wrong_usage_is_told_and_changes_nothing(indexed, arguments, message):
    place = [] if "--index" in arguments else ["--index", str(indexed)]
    ran = run(*arguments, *place)
    assert ran.code in (1, 2)
    assert message in ran.stderr
    assert ran.stdout == ""


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


def test_broken_files_are_named_and_the_others_are_indexed(tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "bone.md").write_text(BONE, "utf-8")
    (folder / "empty.txt").write_bytes(b"")
    a_pdf(folder / "whole.pdf")
    (folder / "truncated.pdf").write_bytes((folder / "whole.pdf").read_bytes()[:400])
    (folder / "bomb.nxml").write_text(ENTITY_BOMB, "utf-8")
    with (folder / "line.txt").open("wb") as line:
        line.truncate(HUGE)  # a hole: the reader must not get as far as its content
    expected = {"empty.txt": "empty", "truncated.pdf": "cut", "bomb.nxml": "entit", "line.txt": "64 MiB"}
    for unchanged in (0, 2):
        ran = run("index", folder, "--index", tmp_path / "papers.idx", "--format", "json")
        failed = {os.path.basename(one["file"]): f"{one['reason']}; {one['action']}" for one in ran.json["failed"]}
        assert (ran.code, ran.json["documents"], ran.json["unchanged"]) == (1, 2, unchanged)
        assert failed.keys() == expected.keys()
        assert [word for name, word in expected.items() if word.lower() not in failed[name].lower()] == [], failed


def test_an_index_that_would_end_with_the_command_is_refused(papers):
    ran = run("index", papers, "--index", ":memory:")
    assert (ran.code, "would end with this command; name a folder" in ran.stderr) == (2, True)


# `python -m programs fetch` and `pull`: what they print, and how they end.


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with LoopbackArticles({pmcid: Answer(article(pmcid)) for pmcid in ("PMC111", "PMC222", "PMC333")}) as server:
        yield server


def fetch(server, folder, *arguments):
    return run("fetch", *arguments, "--output", folder / "papers", "--base", server.url, "--delay", "0")


def test_papers_are_fetched_once(server, tmp_path):
    ran = fetch(server, tmp_path, "PMC111", "222", "pmc111")
    assert (ran.code, server.asked) == (0, ["PMC111", "PMC222"]), ran.stderr
    assert ran.stdout == f"{tmp_path / 'papers'}: 2 fetched, 0 already there, 0 failed, 0 not tried\n"
    assert "Fetching 2/2" in ran.stderr
    again = fetch(server, tmp_path, "PMC111", "222")
    assert again.stdout.endswith(": 0 fetched, 2 already there, 0 failed, 0 not tried\n")
    assert len(server.requests) == 2


def test_failures_are_one_line_each_and_the_others_go_on(server, tmp_path):
    papers = tmp_path / "list.csv"
    papers.write_text("Title,Link\nA,https://pmc.ncbi.nlm.nih.gov/articles/PMC222/\nB,none\n", "utf-8")
    ran = fetch(server, tmp_path, "PMC999", "PMC111", "--from", papers, "--format", "json")
    assert ran.code == 1
    assert (ran.json["fetched"], ran.json["present"], ran.json["not_tried"]) == (["PMC111", "PMC222"], [], [])
    assert [(one["pmcid"], one["reason"]) for one in ran.json["failed"]] == [
        ("PMC999", "not in the open-access set (404 Not Found)")
    ]
    assert ran.json["without_pmcid"] == [f"{papers}, line 3: no PMCID in 'B, none'"]
    replay_report = [line for line in ran.stderr.splitlines() if line.startswith("Not fetched: ")]
    assert len(replay_report) == 2
    assert replay_report[1].endswith("check the number, or get its PDF from the publisher and put it beside the others")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no paper named; write PMCIDs such as PMC2654319"),
        (["PMC111", "--base", "nowhere"], "--base 'nowhere' is not an address"),
        (["PMC111", "--delay", "-1"], "'--delay': Input should be greater than or equal to 0"),
        (["PMC111", "--timeout", "0"], "'--timeout': Input should be greater than or equal to 0.1"),
        (["--from", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_wrong_usage_asks_for_nothing(tmp_path, arguments, message):
    ran = run("fetch", *arguments, "--output", tmp_path / "papers")
    assert (ran.code, ran.stdout) == (2, "")
    assert message in ran.stderr
    assert not (tmp_path / "papers").exists()


@pytest.fixture
def heeds_interrupts():
    """Children heed Ctrl-C even where the tests run in a shell's background, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends an interrupt as a terminal does")
@pytest.mark.usefixtures("heeds_interrupts")
def test_ctrl_c_keeps_what_is_there_and_the_same_command_goes_on(server, tmp_path):
    server.answers["PMC222"] = [Answer(article("PMC222"), delay=60.0)]
    command = [sys.executable, "-m", "programs", "fetch", "PMC111", "PMC222", "--base", server.url, "--delay", "0"]
    command += ["--output", str(tmp_path / "papers")]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as child:
        while "PMC222" not in server.asked:
            assert child.poll() is None
        child.send_signal(signal.SIGINT)
        _, stderr = child.communicate(timeout=300)
    assert (child.returncode, [path.name for path in (tmp_path / "papers").iterdir()]) == (1, ["PMC111.xml"])
    assert "the same command continues from there" in stderr
    server.answers["PMC222"] = [Answer(article("PMC222"))]
    assert fetch(server, tmp_path, "PMC111", "PMC222").code == 0


STEPS = [
    {"status": "pulling manifest"},
    {"status": "pulling 6a07", "digest": "sha256:6a07", "total": 400, "completed": 100},
    {"status": "pulling 6a07", "digest": "sha256:6a07", "total": 400, "completed": 400},
    {"status": "success"},
]


@pytest.fixture
def ollama(monkeypatch):
    with LoopbackOllama(pulls={"tiny": STEPS}) as ollama:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        settings.cache_clear()
        yield ollama
    settings.cache_clear()


def test_a_model_is_pulled_in_sight(ollama):
    ran = run("pull", "tiny")
    assert ran.code == 0, ran.stderr
    assert [request["model"] for request in ollama.asked("/api/pull")] == ["tiny"]
    assert "Pulling tiny 100/100" in ran.stderr
    assert "use it with --lm ollama/tiny" in ran.stderr


# `python -m programs remove`: papers leave an index; no model is needed.


@pytest.fixture
def place(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add(PAPERS)
    return tmp_path / "papers.idx"


def papers_in(place):
    with Index.open(place, embedder=HashingEmbedder()) as index:
        return sorted(each["id"] for each in index.documents())


def test_papers_are_removed_with_their_passages(place):
    ran = run("remove", "bone", "yeast", "bone", "--index", place)
    assert (ran.code, ran.stdout) == (0, f"{place}: 2 removed, 0 unknown; 1 papers\n")
    assert papers_in(place) == ["roots"]
    with Index.open(place, embedder=HashingEmbedder()) as index:
        assert [hit.chunk.document_id for hit in index.search("femur density", k=9)] == ["roots"]


def test_an_unknown_paper_is_told_and_the_others_are_removed(place):
    ran = run("remove", "moss", "bone", "--index", place, "--format", "json")
    assert (ran.code, ran.json["removed"], ran.json["unknown"], ran.json["documents"]) == (1, ["bone"], ["moss"], 2)
    assert f"Not removed: the index at {place} has no paper 'moss'" in ran.stderr
    assert papers_in(place) == ["roots", "yeast"]
