import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import dspy
import pytest

from programs.lm.answer_cache import keep_answers_in

REQUEST = {"model": "m", "prompt": "p"}


class Counted(sqlite3.Connection):
    """A connection that is counted while it is open, and knows the thread that may use it."""

    open: ClassVar[int] = 0
    threads: ClassVar[set[int]] = set()

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        type(self).open += 1
        self.threads.add(threading.get_ident())

    def close(self):
        super().close()
        type(self).open -= 1


@pytest.fixture
def connections(monkeypatch):
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **options: connect(*a, **options, factory=Counted))
    monkeypatch.setattr(Counted, "open", 0)
    monkeypatch.setattr(Counted, "threads", set())
    return Counted


@pytest.fixture
def kept(tmp_path, connections):
    before = vars(dspy).get("cache")
    kept = keep_answers_in(tmp_path)
    yield kept
    kept.close()
    vars(dspy).pop("cache") if before is None else setattr(dspy, "cache", before)


def test_what_threads_have_kept_is_closed_with_the_cache(kept, connections):
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: dspy.cache.put({**REQUEST, "n": number}, f"answer {number}"), range(40)))
    assert connections.open > 0
    assert len(connections.threads - {threading.get_ident()}) == 1
    kept.close()
    assert connections.open == 0


def test_answers_are_read_back_from_the_folder(kept, tmp_path):
    dspy.cache.put(REQUEST, "kept")
    kept.close()
    again = keep_answers_in(tmp_path)
    assert dspy.cache.get(REQUEST) == "kept"
    key = dspy.cache.cache_key(REQUEST)
    assert key in again
    again.delete(key)
    assert key not in again
    again.close()


def test_an_error_of_the_database_reaches_the_thread_that_asked(kept, tmp_path):
    for path in tmp_path.rglob("*.db"):
        path.write_bytes(b"junk" * 1_000)
    with pytest.raises(sqlite3.DatabaseError):
        kept.get("any key")


def test_a_closed_cache_says_so(kept):
    kept.close()
    kept.close()
    with pytest.raises(RuntimeError, match="shutdown"):
        kept.get("key")


def test_a_damaged_folder_leaves_nothing_open(kept, tmp_path, connections):
    kept.close()
    damaged = sorted(tmp_path.rglob("*.db"))[-1]
    damaged.write_bytes(b"junk" * 1_000)
    with pytest.raises(sqlite3.DatabaseError):
        keep_answers_in(tmp_path)
    assert connections.open == 0
