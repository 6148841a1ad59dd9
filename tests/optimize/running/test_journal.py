"""Journals on a disk that is full, which is no place to lose what is there."""

import json
import sys
from contextlib import contextmanager
from pathlib import Path

import dspy
import pytest

from optimize.dataset.data import load_dataset
from optimize.running.generate import Records, generate
from optimize.tasks import task_of
from programs.errors import CorroborateError
from programs.files import Journal
from programs.registry import create
from tests import small_dataset
from tests.counting_lm import CountingEngine
from tests.hashing_embedder import HashingEmbedder

resource = pytest.importorskip("resource", reason="needs a system on which a file's size can be limited")

FULL = Path("/dev/full")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux, where a file's size can be limited")


@contextmanager
def room_for(size):
    """Files cannot grow beyond this many bytes: a write that does is cut off there, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_told_with_what_to_do():
    with pytest.raises(CorroborateError, match=r"/dev/full cannot be written \(No space left.*with --resume"):
        Journal(FULL).append({"a": 1})


def test_a_line_that_does_not_fit_leaves_no_piece(tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    journal.append({"a": 1})
    with room_for(50), pytest.raises(CorroborateError, match="make room"):
        journal.append({"b": "x" * 1_000})
    assert journal.path.read_text() == '{"a": 1}\n'
    journal.append({"c": 3})
    assert list(journal.read()) == [{"a": 1}, {"c": 3}]


def test_a_file_that_is_written_anew_stays_as_it_was(tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    journal.append({"a": 1})
    with room_for(50), pytest.raises(CorroborateError):
        journal.replace({"b": number} for number in range(100))
    assert list(journal.read()) == [{"a": 1}]
    assert list(tmp_path.iterdir()) == [journal.path]


def test_a_line_that_was_begun_is_another_processs_until_the_next_is_written(tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    journal.path.write_bytes(b'{"a": 1}\n{"b": "\xe2\x80')
    assert list(journal.read()) == [{"a": 1}]
    assert journal.path.read_bytes().endswith(b"\xe2\x80"), "who reads cuts nothing off"
    journal.append({"c": 3})
    assert journal.path.read_text() == '{"a": 1}\n{"c": 3}\n'
    journal.path.write_text('{"never fin')
    journal.append({"d": 4})
    assert journal.path.read_text() == '{"d": 4}\n'


def test_a_line_too_deep_to_read_is_named_with_what_to_do(tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    journal.path.write_text('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}\n")
    with pytest.raises(CorroborateError, match=r"j.jsonl:1 is no JSON object .*delete that line"):
        list(journal.read())


def test_several_lines_are_written_together(tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    journal.extend([])
    assert not journal.path.exists()
    journal.extend({"a": number} for number in range(3))
    assert list(journal.read()) == [{"a": 0}, {"a": 1}, {"a": 2}]


def test_a_run_on_a_full_disk_goes_on_when_there_is_room(tmp_path):
    dataset = load_dataset(small_dataset.write(tmp_path / "set"))
    questions = [task_of("main_points").pose(each, dataset) for each in dataset.split("train")]
    path = tmp_path / "predictions.jsonl"
    program, engine = create("main_points", embedder=HashingEmbedder()), CountingEngine()
    with dspy.context(lm=engine.lm()):
        with room_for(6_000), pytest.raises(CorroborateError, match=r"predictions\.jsonl cannot be written"):
            generate(program, "plain", "train", questions, Records(Journal(path)))
        kept = [json.loads(line)["id"] for line in path.read_text().splitlines()]
        found = generate(program, "plain", "train", questions, Records(Journal(path)))
    assert 0 < len(kept) < len(questions)
    assert [record.status for record in found] == ["answered"] * len(questions)
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()][: len(kept)] == kept
