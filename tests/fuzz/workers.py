"""Processes that do inputs by their numbers, and are stopped when one takes too long."""

from __future__ import annotations

import multiprocessing
import os
import resource
import time
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

FOUND = "FOUND"
"""How the outcome of an input begins that something is wrong with."""
SUBJECTS = ("paper", "page", "word", "answer", "forgery", "draft", "state", "question", "run", "request")
"""What is fuzzed; see ``subjects``, which processes of their own import."""
SECONDS = 10.0
MEGABYTES = 500
_START_UP = 600.0
"""Seconds in which a new process must be ready; on a busy machine it takes minutes."""
_SILENCE = 600.0
"""Seconds in which an input must be done, however little processor time there is for it."""


class Worker:
    """A process that does inputs by their numbers."""

    def __init__(self, seed: int, folder: Path, only: Sequence[str] = ()) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(seed, folder, theirs, only), daemon=True)
        self._process.start()
        theirs.close()
        if not self._connection.poll(_START_UP) or self._connection.recv() != "ready":
            raise RuntimeError("a process for fuzzing did not start")

    def outcome(self, number: int) -> str:
        """What became of an input."""
        began, worked = time.monotonic(), _processor_seconds(self._process.pid)
        self._connection.send(number)
        try:
            while not self._connection.poll(1.0):
                if _processor_seconds(self._process.pid) - worked > 3 * SECONDS:
                    return f"{FOUND} more than {3 * SECONDS:.0f} seconds"
                if time.monotonic() - began > _SILENCE:
                    return f"{FOUND} no end within {_SILENCE:.0f} seconds"
            return str(self._connection.recv())
        except EOFError:
            return f"{FOUND} a process that died"

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def _serve(seed: int, folder: Path, connection: Connection, only: Sequence[str]) -> None:
    from tests.fuzz.subjects import done, made

    made(seed, 0, only)
    connection.send("ready")
    while True:
        number = connection.recv()
        before = _megabytes()
        item, use = made(seed, number, only)
        began = time.process_time()
        try:
            outcome = f"{item.subject}: {done(use)}"
        except Exception as error:  # noqa: BLE001 - whatever is no typed error is a find
            place = traceback.extract_tb(error.__traceback__)[-1]
            outcome = f"{FOUND} {item.subject}: {type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
            outcome += f"\n{traceback.format_exc()}"
        seconds, more = time.process_time() - began, _megabytes() - before
        if seconds > SECONDS:
            outcome = f"{FOUND} {item.subject}: {seconds:.0f} seconds"
        elif more > MEGABYTES:
            outcome = f"{FOUND} {item.subject}: {more:.0f} megabytes"
        if outcome.startswith(FOUND):
            (folder / f"{number}-{item.name}").write_bytes(item.content)
        connection.send(outcome)


def _processor_seconds(pid: int | None) -> float:
    """What a process has used so far; on systems without /proc nothing, and the longer limit alone counts."""
    try:
        times = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
