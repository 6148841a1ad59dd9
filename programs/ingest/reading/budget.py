"""What the reading of one file may cost, so that one paper never holds up the others.

A file that would be read for longer is stopped by a timer of the process, which interrupts Python and regular
expressions; where a library does not come back, or in a process that only reads, ``side_by_side`` ends the process.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from programs.errors import UnsafeFile

SECONDS = 30.0
"""Seconds of processor time for a file of up to ``FREE_BYTES``: a hundred times what a published paper takes."""
SECONDS_PER_MEGABYTE = 10.0
TIMES_FOR_PDF = 3
"""A PDF is packed: 500 full pages are less than a megabyte, and take up to a minute on a busy machine."""
FREE_BYTES = 2**20
MEMORY = 4 * 2**30
"""Bytes of address space of a process that reads; a paper of 100 pages takes a tenth of it."""


class _Spent(BaseException):
    """Raised inside a reader by the timer; no reader's ``except Exception`` keeps it."""


def seconds_for(path: Path) -> float:
    """Seconds of processor time that the reading of a file may take."""
    size = path.stat().st_size if path.is_file() else 0
    usual = TIMES_FOR_PDF * SECONDS if path.suffix.lower() == ".pdf" else SECONDS
    return usual + SECONDS_PER_MEGABYTE * max(0, size - FREE_BYTES) / 2**20


@contextmanager
def reading_budget(path: Path) -> Iterator[None]:
    """Stop what is done inside when it takes more than ``seconds_for`` the file.

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
    """Give this process ``MEMORY`` at most, where the system can; what asks for more raises ``MemoryError``."""
    try:
        import resource  # which Windows does not have
    except ImportError:
        return
    allowed = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = MEMORY if allowed == resource.RLIM_INFINITY else min(MEMORY, allowed)
    resource.setrlimit(resource.RLIMIT_AS, (most, allowed))
