import threading

import dspy
import pytest

from optimize.data import load_dataset
from optimize.generate import Records, generate
from optimize.journal import Journal
from optimize.tasks import task_of
from programs.errors import LMUnavailable, UsageError
from programs.lm.ollama_errors import NoServer
from programs.registry import create
from tests import small_dataset
from tests.counting_lm import CountingEngine
from tests.hashing_embedder import HashingEmbedder


@pytest.fixture
def questions(tmp_path):
    dataset = load_dataset(small_dataset.write(tmp_path / "set"))
    return [task_of("main_points").pose(each, dataset) for each in dataset.split("train")]


def asked(engine, questions, path, **options):
    program = create("main_points", embedder=HashingEmbedder())
    with dspy.context(lm=engine.lm()):
        return generate(program, "plain", "train", questions, Records(Journal(path)), **options)


def test_answers_are_written_down_and_not_asked_again(tmp_path, questions):
    engine = CountingEngine()
    first = asked(engine, questions, tmp_path / "p.jsonl")
    n_calls = len(engine.asked)
    assert [record.id for record in first] == [posed.example.id for posed in questions]
    assert {record.status for record in first} == {"answered"}
    assert asked(engine, questions, tmp_path / "p.jsonl") == first
    assert len(engine.asked) == n_calls > 0


def test_a_failure_is_a_record_and_the_others_go_on(tmp_path, questions):
    broken = asked(CountingEngine(fail_on="dream of 31 comets"), questions, tmp_path / "p.jsonl")
    assert [record.id for record in broken if record.status == "failed"] == ["P2-b"]
    failed = next(record for record in broken if record.status == "failed")
    assert "tripped over its own feet" in failed.error
    assert failed.as_scored == {"error": failed.error}


def test_a_failure_is_asked_again(tmp_path, questions):
    asked(CountingEngine(fail_on="dream of 31 comets"), questions, tmp_path / "p.jsonl")
    engine = CountingEngine()
    again = asked(engine, questions, tmp_path / "p.jsonl")
    assert {record.status for record in again} == {"answered"}
    assert all("dream of 31 comets" in prompt for prompt in engine.asked)


class Unplugged(CountingEngine):
    def complete(self, request):
        raise NoServer("no Ollama at 127.0.0.1; start it with `ollama serve`")


def test_what_the_next_question_would_meet_too_ends_the_run(tmp_path, questions):
    with pytest.raises(LMUnavailable, match="ollama serve"):
        asked(Unplugged(), questions, tmp_path / "p.jsonl")
    assert not (tmp_path / "p.jsonl").exists()


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


def test_a_line_that_was_cut_off_is_done_again(tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    journal.append({"a": 1})
    with journal.path.open("a") as file:
        file.write('{"a": 2, "b')
    assert list(journal.read()) == [{"a": 1}]
    journal.append({"a": 3})
    assert list(journal.read()) == [{"a": 1}, {"a": 3}]


def test_a_broken_line_in_the_middle_is_named(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_text('{"a": 1}\nnonsense\n{"a": 2}\n')
    with pytest.raises(UsageError, match=r"j\.jsonl:2 is no JSON object"):
        list(Journal(path).read())
