"""Papers made to hang, flood or crash their reader: each is read, or refused by a typed error, within its budget."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from textwrap import wrap

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from programs.errors import IngestError, UnsafeFile
from programs.ingest import plain_text, reader_processes
from programs.ingest.formats import read
from tests.programs.ingest.test_readability import ENGLISH

MATHML = 'xmlns:mml="http://www.w3.org/1998/Math/MathML"'
FRONT = "<article-meta><title-group><article-title>Bone loss in mice</article-title></title-group></article-meta>"
TEXT = "# Bone loss in mice\n\nBone was lost in the mice that were in flight for thirty days.\n"


def jats(paragraph: str) -> str:
    body = f"<body><sec><title>Results</title><p>{paragraph}</p></sec></body>"
    return f"<article><front>{FRONT}</front>{body}</article>"


def formula(depth: int) -> str:
    nested = "<mml:mrow>" * depth + "<mml:mi>x</mml:mi>" + "</mml:mrow>" * depth
    return jats(f"Bone was lost by <inline-formula><mml:math {MATHML}>{nested}</mml:math></inline-formula> in mice.")


def aliases(levels: int) -> str:
    lists = [f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(["---", 'k0: &k0 ["lol", "lol"]', *lists, "---", TEXT])


@pytest.fixture
def quick(monkeypatch):
    """A budget that what is quadratic or worse does not keep."""
    monkeypatch.setattr(reader_processes, "SECONDS", 8.0)


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rows.xml", formula(100)),
        ("dollars.md", TEXT + "\nBone was lost in the mice.\n\n" * 2000 + "$$ x\n" * 5000),
        ("spaces.md", f"{TEXT}\nBone{' ' * 100_000}[12] was lost ${' ' * 100_000}x$ in the mice.\n"),
        ("superscripts.md", TEXT + "bone<sup>a</sup> " * 5000),
        ("tags.md", TEXT + "<div><a <a " * 20_000),
        ("images.md", TEXT + "\n\n![a figure](https://x.example/a.png)" * 2000),
        ("labels.md", TEXT + "".join(f"\n\nFigure 1. Caption {number} of bones." for number in range(1500))),
        ("numbers.txt", TEXT + f"\n\n{'1.' * 60}1 Heading\n\nBone was lost." * 800),
        ("number.txt", f"{TEXT}\n{'1.' * 100_000}\n"),
        ("wide.md", f"{TEXT}\n\n|{'a|' * 15_000}\n|{'-|' * 15_000}\n|{'1|' * 15_000}\n"),
        ("superscripts.html", f"<html><body><h1>Mice</h1><p>{TEXT}{'<sup>a</sup>Mice grew ' * 5000}</p></body></html>"),
    ],
)
def test_what_would_hang_a_reader_is_read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert "one was lost" in read(path).text


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("front", "said"),
    [
        (aliases(9), "aliases are not read"),
        ("---\n" + "".join(f"k{n}: 1\n" for n in range(150_000)) + f"---\n{TEXT}", "more than 65536"),
        (f"---\nk: {'[' * 1000}\n---\n{TEXT}", "nested too deeply"),
        *(
            (f"---\nk: {value}\n---\n{TEXT}", "not YAML")
            for value in ("!!int ''", "!!float ''", "!!bool x", "!!timestamp x", "!!binary x", "!!python/name:os.exit")
        ),
    ],
)
def test_front_matter_that_is_not_plain_is_refused(tmp_path, front, said):
    path = tmp_path / "paper.md"
    path.write_text(front, encoding="utf-8")
    with pytest.raises(IngestError, match=said) as refused:
        read(path)
    assert "correct or remove it" in refused.value.action


@pytest.fixture
def endless(tmp_path, monkeypatch):
    """A file whose reader never ends."""

    def spin(_path):
        while True:
            pass

    monkeypatch.setattr(plain_text, "read", spin)
    path = tmp_path / "endless.txt"
    path.write_text(TEXT)
    return path


def test_a_file_that_takes_too_long_is_stopped_and_named(endless, monkeypatch):
    monkeypatch.setattr(reader_processes, "SECONDS", 0.05)
    with pytest.raises(UnsafeFile, match="reading it took more than 0 seconds of processor time"):
        read(endless)


def test_the_budget_counts_only_the_thread_that_reads(tmp_path, monkeypatch):
    path = tmp_path / "paper.txt"
    path.write_text(TEXT)
    ended = threading.Event()
    busy = threading.Thread(target=lambda: [None for _ in iter(ended.is_set, True)])
    busy.start()
    really_read, begun = plain_text.read, time.process_time()

    def read_late(path):
        while time.process_time() < begun + 0.3:
            time.sleep(0.01)
        return really_read(path)

    monkeypatch.setattr(reader_processes, "SECONDS", 0.1)
    monkeypatch.setattr(plain_text, "read", read_late)
    try:
        assert "Bone was lost" in read(path).text
    finally:
        ended.set()
        busy.join()


def test_a_large_file_may_take_longer_and_there_is_a_process_for_each_core(tmp_path):
    path = tmp_path / "large.txt"
    path.write_bytes(b"a" * (3 * 2**20))
    assert reader_processes.seconds_for(path) == reader_processes.SECONDS + 2 * reader_processes.SECONDS_PER_MEGABYTE
    assert 1 <= reader_processes.processes() <= min(os.cpu_count(), reader_processes.MOST_PROCESSES)


def test_memory_is_a_fault_of_the_file(tmp_path, monkeypatch):
    def flood(_path):
        raise MemoryError

    monkeypatch.setattr(plain_text, "read", flood)
    path = tmp_path / "flood.txt"
    path.write_text(TEXT)
    with pytest.raises(UnsafeFile, match="more memory than a paper may"):
        read(path)


PAGES = 200


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_thesis_is_read_to_its_last_page(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "thesis.pdf"), pagesize=A4)
    words = ENGLISH.split()
    for page in range(1, PAGES + 1):
        canvas.setFont("Times-Roman", 11)
        turned = words[37 * page % len(words) :] + words[: 37 * page % len(words)]
        for line, text in enumerate(wrap(f"Trial number {page} began. {' '.join(turned)}"[:900], 88)):
            canvas.drawString(60, 760 - 14 * line, text)
        canvas.showPage()
    canvas.save()
    document = read(tmp_path / "thesis.pdf")
    assert document.places[-1].page == PAGES
    start = document.text.index(f"Trial number {PAGES} began")
    assert {place.page for place in document.places_of(start, start + 20)} == {PAGES}
