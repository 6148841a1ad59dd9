"""Reading in several processes: the same results in the same order, and a file that kills its reader is named."""

from __future__ import annotations

import os
import signal
import time

import pytest

from programs.errors import EmptyFile, IngestError
from programs.ingest import formats, reader_processes
from programs.ingest.formats import read_all

pytestmark = pytest.mark.slow

SENTENCE = "Femur density of mouse {} fell by {} percent in orbit, and that of its sister did not fall at all."
DEADLY = "deadly.txt"
ENDLESS = "endless.txt"


@pytest.fixture
def papers(tmp_path, monkeypatch):
    """Papers of many lengths, so that processes finish out of turn; some are broken."""
    monkeypatch.setattr(formats, "_LONG", 0.0)
    monkeypatch.setattr(formats, "processes", lambda: 2)
    files = [tmp_path / f"paper{number:02}.txt" for number in range(14)]
    for number, file in enumerate(files):
        file.write_text(" ".join(SENTENCE.format(number, n) for n in range(1 + 400 * (number % 3))), "utf-8")
    files[5].write_text("")
    files[11].write_bytes(b"%PDF-1.7 broken")
    return files


def described(results):
    return [(type(each), str(each)) if isinstance(each, IngestError) else each for each in results]


def test_results_are_those_of_reading_one_by_one(papers, monkeypatch):
    together = described(read_all(papers))
    monkeypatch.setattr(formats, "_LONG", float("inf"))
    assert together == described(read_all(papers))
    assert together[5][0] is EmptyFile


def test_files_that_kill_or_keep_their_readers_are_named_and_the_others_are_read(papers, tmp_path, monkeypatch):
    monkeypatch.setattr(reader_processes, "WORKER", __name__)
    monkeypatch.setattr(reader_processes, "seconds_for", lambda path: 0.5 if path.name == ENDLESS else 60)
    deadly, endless = tmp_path / DEADLY, tmp_path / ENDLESS
    for path in (deadly, endless):
        path.write_text("Read me.")
    results = list(read_all([*papers[:3], deadly, papers[6], endless, *papers[12:]]))
    assert [place for place, each in enumerate(results) if isinstance(each, IngestError)] == [3, 5]
    assert str(results[3]) == (
        f"{deadly}: its reader died (signal 9); report this file, or convert it to another format"
    )
    assert "its reader died (stopped after 2 seconds)" in str(results[5])


def test_reading_that_is_given_up_ends_its_processes(papers, monkeypatch):
    started, start = [], reader_processes._started
    monkeypatch.setattr(reader_processes, "_started", lambda: started.append(start()) or started[-1])
    results = read_all(papers)
    for _ in range(3):
        next(results)
    results.close()
    assert started
    assert all(process.poll() is not None for process in started)


def main() -> None:
    """A worker that dies of one file, and never ends with another, as of faults in a library that is not Python."""
    really_read = formats.read

    def read(path):
        if path.name == DEADLY:
            os.kill(os.getpid(), signal.SIGKILL)
        if path.name == ENDLESS:
            time.sleep(600)
        return really_read(path)

    formats.read = read
    formats.main()
