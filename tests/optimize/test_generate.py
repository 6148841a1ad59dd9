import json
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import dspy
import pytest

from optimize.dataset.loading import load_dataset
from optimize.generate import Records, generate
from optimize.job import task_of
from programs.atomic_files import Journal
from programs.budget import MOST_IN_A_ROW
from programs.errors import CorroborateError, LMUnavailable, UsageError
from programs.lm.ollama_errors import NoServer, ServerFailed
from programs.registry import create
from tests.counting_lm import CountingEngine
from tests.hashing_embedder import HashingEmbedder

ROOTS = "root length of the cress change"
"""In the question P2-a. No sentence may answer those on comets, so of them no model is asked."""


def posed(dataset, *splits):
    small, task = load_dataset(dataset), task_of("main_points")
    return [task.pose(each, small) for split in splits for each in small.split(split)]


@pytest.fixture
def questions(dataset):
    return posed(dataset, "train")


def asked(engine, questions, path, **options):
    program = create("main_points", embedder=HashingEmbedder())
    with dspy.context(lm=engine.lm()):
        return generate(program, "plain", "train", questions, Records(Journal(path)), **options)


def test_answers_are_written_down_and_not_asked_again(tmp_path, questions):
    engine = CountingEngine()
    first = asked(engine, questions, tmp_path / "p.jsonl")
    n_calls = len(engine.asked)
    assert [record.id for record in first] == [each.example.id for each in questions]
    assert {record.status for record in first} == {"answered"}
    assert asked(engine, questions, tmp_path / "p.jsonl") == first
    assert len(engine.asked) == n_calls > 0


def test_a_failure_is_a_record_the_others_go_on_and_it_is_asked_again(tmp_path, questions):
    broken = asked(CountingEngine(fail_on=ROOTS), questions, tmp_path / "p.jsonl")
    (failed,) = (record for record in broken if record.status == "failed")
    assert failed.id == "P2-a"
    assert "tripped over its own feet" in failed.error
    assert failed.as_scored == {"error": failed.error}
    engine = CountingEngine()
    again = asked(engine, questions, tmp_path / "p.jsonl")
    assert {record.status for record in again} == {"answered"}
    (prompt,) = engine.asked
    assert ROOTS in prompt


OUT_OF_MEMORY = ServerFailed("the server says 'out of memory' (HTTP 500)")


def test_a_server_that_fails_on_one_question_does_not_keep_the_others_from_their_answers(tmp_path, questions):
    for _ in range(2):
        found = asked(CountingEngine(fail_on=ROOTS, error=OUT_OF_MEMORY), questions, tmp_path / "p.jsonl")
        assert [record.id for record in found if record.status == "failed"] == ["P2-a"]


def test_what_the_next_question_would_meet_too_ends_the_run(tmp_path, dataset):
    questions = [each for each in posed(dataset, "train", "val", "test") if each.example.answerable]
    without = CountingEngine(gone_after=0, error=NoServer("start it with `ollama serve`"))
    with pytest.raises(LMUnavailable, match="ollama serve"):
        asked(without, questions, tmp_path / "p.jsonl")
    assert not (tmp_path / "p.jsonl").exists()
    engine = CountingEngine(gone_after=2, error=OUT_OF_MEMORY)
    with pytest.raises(LMUnavailable, match="out of memory"):
        asked(engine, questions, tmp_path / "p.jsonl")
    assert len(engine.asked) == 2 + MOST_IN_A_ROW < len(questions)
    assert {record.status for record in asked(CountingEngine(), questions, tmp_path / "p.jsonl")} == {"answered"}


def test_several_at_a_time_give_the_same_answers_in_the_same_order(tmp_path, questions):
    threads = set()

    class Watched(CountingEngine):
        def complete(self, request):
            threads.add(threading.current_thread().name)
            return super().complete(request)

    def content(records):
        return [(record.id, record.prediction["answer"], record.prediction["passages"]) for record in records]

    many = asked(Watched(), questions, tmp_path / "many.jsonl", threads=4)
    assert content(many) == content(asked(CountingEngine(), questions, tmp_path / "one.jsonl"))
    assert len(threads) > 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "b": 0}\n\nnonsense\n{"a": 2}\n', r"j\.jsonl:3 is not a JSON object .*delete that line"),
        ('{"a": 1, "b": 2, "c": 3}\n\n{"a": 1}\n', r"j\.jsonl:3 has no b; delete that line"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}\n", r"j\.jsonl:1 is not a JSON object .*delete that line"),
    ],
    ids=("broken", "lacking", "too deep"),
)
def test_a_line_that_cannot_be_read_is_named_with_what_to_do(tmp_path, text, said):
    path = tmp_path / "j.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        list(Journal(path, ("a", "b")).read())


# Journals on a disk that is full, which is no place to lose what is there.

resource = pytest.importorskip("resource", reason="needs a system on which a file's size can be limited")

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


def test_a_full_disk_is_told_with_what_to_do_and_leaves_no_piece(tmp_path):
    with pytest.raises(CorroborateError, match=r"/dev/full cannot be written \(No space left.*with --resume"):
        Journal(Path("/dev/full")).append({"a": 1})
    journal = Journal(tmp_path / "j.jsonl")
    journal.append({"a": 1})
    with room_for(50):
        with pytest.raises(CorroborateError, match="make room"):
            journal.append({"b": "x" * 1_000})
        with pytest.raises(CorroborateError):
            journal.replace({"b": number} for number in range(100))
    assert list(tmp_path.iterdir()) == [journal.path]
    assert journal.path.read_text() == '{"a": 1}\n'
    journal.extend([])
    journal.extend({"a": number} for number in (2, 3))
    assert list(journal.read()) == [{"a": 1}, {"a": 2}, {"a": 3}]


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


def test_a_run_on_a_full_disk_goes_on_when_there_is_room(tmp_path, questions):
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
