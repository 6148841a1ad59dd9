"""What becomes of an input in the process that does it."""

from __future__ import annotations

import resource
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.subjects import done, made

FOUND = "FOUND"
"""How the outcome of an input begins that something is wrong with."""
SECONDS = 10
MEGABYTES = 500


def outcome_of(seed: int, number: int, only: Sequence[str], folder: Path) -> str:
    """What became of an input; the process dies of three times the seconds that one may take."""
    item, use = made(seed, number, only)
    most, before, began = resource.getrlimit(resource.RLIMIT_CPU)[1], _megabytes(), time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(began) + 3 * SECONDS, most))
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
    return outcome


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
