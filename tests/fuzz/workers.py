"""Processes that do inputs by their numbers, and are stopped when one takes too long."""

from __future__ import annotations

import multiprocessing
import resource
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

FOUND = "FOUND"
"""How the outcome of an input begins that something is wrong with."""
SECONDS = 10.0
MEGABYTES = 500
_START_UP = 120.0
"""Seconds in which a new process must be ready."""


class Worker:
    """A process that does inputs by their numbers."""

    def __init__(self, seed: int, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(seed, folder, theirs), daemon=True)
        self._process.start()
        theirs.close()
        if not self._connection.poll(_START_UP) or self._connection.recv() != "ready":
            raise RuntimeError("a process for fuzzing did not start")

    def outcome(self, number: int) -> str:
        """What became of an input."""
        self._connection.send(number)
        try:
            if self._connection.poll(3 * SECONDS):
                return str(self._connection.recv())
        except EOFError:
            return f"{FOUND} a process that died"
        return f"{FOUND} more than {3 * SECONDS:.0f} seconds"

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()


def _serve(seed: int, folder: Path, connection: Connection) -> None:
    from tests.fuzz.subjects import done, made

    made(seed, 0)
    connection.send("ready")
    while True:
        number = connection.recv()
        before = _megabytes()
        item, use = made(seed, number)
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


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
