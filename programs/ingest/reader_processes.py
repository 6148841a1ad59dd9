"""Limits what the reading of one file may cost, and reads files in several processes at once.

A file that would be read for longer is stopped by a timer of the process, which interrupts Python and regular
expressions; where a library does not come back, or in a process that only reads, the process is ended. Readers are
Python, which runs on one core per process, and PDFium is not safe in two threads. A process is asked for one file at a
time, so the file that kills its reader is known; another process takes its place.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Timer
from types import FrameType
from typing import IO, cast

from programs import errors
from programs.errors import IngestError, UnsafeFile
from programs.ingest.document import Document

SECONDS = 30.0
"""Seconds of processor time for a file of up to ``FREE_BYTES``: a hundred times what a published paper takes."""
SECONDS_PER_MEGABYTE = 10.0
TIMES_FOR_PDF = 3
"""A PDF is packed: 500 full pages are less than a megabyte, and take up to a minute on a busy machine."""
FREE_BYTES = 2**20
MEMORY = 4 * 2**30
"""Bytes of address space of a process that reads; a paper of 100 pages takes a tenth of it."""


class _Spent(BaseException):
    """Raised inside a reader by the timer; no ``except Exception`` of a reader catches it."""


def seconds_for(path: Path) -> float:
    """Seconds of processor time that the reading of a file may take."""
    size = path.stat().st_size if path.is_file() else 0
    usual = TIMES_FOR_PDF * SECONDS if path.suffix.lower() == ".pdf" else SECONDS
    return usual + SECONDS_PER_MEGABYTE * max(0, size - FREE_BYTES) / 2**20


@contextmanager
def reading_budget(path: Path) -> Iterator[None]:
    """Stop the enclosed code when it takes more processor time than ``seconds_for`` the file.

    Only the main thread can be interrupted; elsewhere nothing is limited.

    Raises:
        UnsafeFile: It was stopped.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    seconds = seconds_for(path)
    until = time.thread_time() + seconds

    def stop(number: int, frame: FrameType | None) -> None:
        left = until - time.thread_time()  # the timer counts all threads of the process
        if left <= 0:
            raise _Spent
        signal.setitimer(signal.ITIMER_PROF, left)

    earlier = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except _Spent:
        reason = f"reading it took more than {seconds:.0f} seconds of processor time"
        raise UnsafeFile(path, reason, "give the paper in another format, or in parts") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, earlier)


def limit_memory() -> None:
    """Limit this process to ``MEMORY``, where the system can; allocating more raises ``MemoryError``."""
    try:
        import resource  # not available on Windows
    except ImportError:
        return
    allowed = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY if allowed == resource.RLIM_INFINITY else min(MEMORY, allowed)
    resource.setrlimit(resource.RLIMIT_AS, (most, allowed))


WORKER = "programs.ingest.formats"
"""The module that a process runs."""

MOST_PROCESSES = 8
"""More would only wait, since one process embeds and writes what all of them read."""

PATIENCE = 4
"""Seconds to wait for a process per second of processor time that a file may take, since the machine may be busy."""

_AHEAD = 4
"""Files read ahead per process: enough to keep it busy, few enough to hold in memory."""


def processes() -> int:
    """How many processes read at once: one for each core that this one may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_PROCESSES)


def read_side_by_side(paths: Iterable[Path], count: int) -> Iterator[Document | IngestError]:
    """Read files in ``count`` processes; the results come in the order of the files."""
    readers = [_Process() for _ in range(count)]
    idle: SimpleQueue[_Process] = SimpleQueue()
    for each in readers:
        idle.put(each)

    def read(path: Path) -> Document | IngestError:
        reader = idle.get()
        try:
            return reader.read(path)
        finally:
            idle.put(reader)

    threads = ThreadPoolExecutor(count, "reading")  # one for each process, which waits for its answers
    rest = iter(paths)
    waiting: deque[Future[Document | IngestError]] = deque()
    try:
        while True:
            waiting.extend(threads.submit(read, path) for path in islice(rest, count * _AHEAD - len(waiting)))
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for each in readers:
            each.stop()
        threads.shutdown()


class _Process:
    def __init__(self) -> None:
        self._running: subprocess.Popen[str] | None = None
        self._is_stopped = False

    def read(self, path: Path) -> Document | IngestError:
        if self._running is None and not self._is_stopped:
            self._running = _started()
        running = cast("subprocess.Popen[str]", self._running)
        wait, began = PATIENCE * seconds_for(path), time.monotonic()
        late = Timer(wait, running.kill)
        late.start()
        try:
            cast("IO[str]", running.stdin).write(json.dumps(str(path)) + "\n")
            cast("IO[str]", running.stdin).flush()
            line = cast("IO[str]", running.stdout).readline()
        except OSError:  # a broken pipe: the process has died, and its exit code says more
            line = ""
        finally:
            late.cancel()
        if line:
            said = json.loads(line)
            if "document" in said:
                return Document.from_dict(said["document"])
            kind: type[IngestError] = getattr(errors, said["error"])
            return kind(said["path"], said["reason"], said["action"])
        self._running, ended = None, _end(running)
        why = f"stopped after {wait:.0f} seconds" if time.monotonic() - began >= wait else ended
        return IngestError(path, f"its reader died ({why})", "report this file, or convert it to another format")

    def stop(self) -> None:
        self._is_stopped = True
        if self._running is not None:
            self._running.kill()
            _end(self._running)


def command_of(module: str, *arguments: str) -> list[str]:
    """What starts a process with this one's interpreter and path that runs a module's ``main``.

    The arguments are ``sys.argv[2:]`` there.
    """
    code = f"import json, sys; sys.path[:] = json.loads(sys.argv[1]); from {module} import main; main()"
    return [sys.executable, "-c", code, json.dumps(sys.path), *arguments]


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603 - this interpreter, and a module of ours
        command_of(WORKER), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )


def _end(process: subprocess.Popen[str]) -> str:
    try:
        process.communicate()
    except (OSError, ValueError):  # its pipes are broken or closed
        process.wait()
    return f"signal {-process.returncode}" if process.returncode < 0 else f"exit code {process.returncode}"
