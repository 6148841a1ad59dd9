"""The folder of a run: one process at a time, files whole or not at all, damage named."""

import json
import sqlite3
import subprocess
import sys
import textwrap

import dspy
import pytest

from optimize.run_folder import RunFolder, kept_calls, open_run, read_manifest
from programs.errors import UsageError


@pytest.fixture
def folder(tmp_path):
    return open_run(tmp_path / "run", {"command": "eval", "seed": 0}, resume=False)


def test_a_second_process_is_kept_out(folder):
    other = f"""
        import sys
        from pathlib import Path
        from optimize.run_folder import RunFolder, kept_calls
        with kept_calls(RunFolder(Path({str(folder.path)!r}))):
            print("working", flush=True)
            sys.stdin.read()
    """
    command = [sys.executable, "-c", textwrap.dedent(other)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "working\n"
        with pytest.raises(UsageError, match=r"another process works on the run in .*wait until it is done"):
            kept_calls(folder).__enter__()
        process.kill()  # what a process held is free once it has ended, however it did
        process.wait()
        with kept_calls(folder):
            pass


def test_a_run_that_ended_before_its_first_answer_blocks_nobody(folder):
    other = {"command": "eval", "seed": 1}
    for resume in (False, True):
        open_run(folder.path, other, resume=resume)
        assert read_manifest(folder.path) == other
    folder.predictions.path.write_text("{}\n")
    with pytest.raises(UsageError, match="holds a run already"):
        open_run(folder.path, other, resume=False)
    with pytest.raises(UsageError, match="was started with other settings"):
        open_run(folder.path, {"command": "eval", "seed": 2}, resume=True)


def test_a_folder_with_other_things_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("do not lose me")
    with pytest.raises(UsageError, match="is not empty and holds no run"):
        open_run(tmp_path, {"command": "eval"}, resume=True)


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(folder, monkeypatch):
    folder.write("report.json", "{}")
    with pytest.raises(UnicodeEncodeError):
        folder.write("report.json", '{"title": "\ud800"}')
    assert (folder.path / "report.json").read_text() == "{}"


@pytest.mark.parametrize("content", ["", "[1]", "{}", '{"command": "ev', None])
def test_a_manifest_that_is_none_is_told(folder, content):
    manifest = folder.path / "manifest.json"
    manifest.unlink()
    if content is None:
        manifest.mkdir()
    else:
        manifest.write_text(content)
    with pytest.raises(UsageError, match=r"manifest\.json"):
        read_manifest(folder.path)


def test_answers_that_cannot_be_read_or_written_say_what_to_do(folder, tmp_path, monkeypatch):
    before = vars(dspy).get("cache")
    with kept_calls(folder):
        assert vars(dspy)["cache"] is not before
    assert vars(dspy).get("cache") is before
    for path in (folder.path / "calls").rglob("*.db*"):
        path.write_bytes(b"junk" * 1_000)
    with pytest.raises(UsageError, match=r"calls cannot be read .*delete that folder"), kept_calls(folder):
        pass
    (tmp_path / "calls").write_text("")
    with pytest.raises(UsageError, match="calls cannot be written to"), kept_calls(RunFolder(tmp_path)):
        pass

    def full(**_):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("dspy.configure_cache", full)
    with pytest.raises(sqlite3.OperationalError), kept_calls(RunFolder(tmp_path / "full")):
        pass


@pytest.mark.parametrize("name", ["questions", "predictions", "judgements", "scores", "sessions"])
def test_lines_of_another_form_are_named(tmp_path, name):
    (tmp_path / f"{name}.jsonl").write_text(json.dumps({"a": 1}) + "\n")
    with pytest.raises(UsageError, match=rf"{name}\.jsonl:1 has no "):
        list(getattr(RunFolder(tmp_path), name).read())
