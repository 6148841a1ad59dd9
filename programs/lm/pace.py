"""How fast a model reads and writes, by its server's own timings, and how much it is therefore shown.

    {"http://127.0.0.1:8080/v1 openai/qwen": {"read": [44.1, 45.0, 43.8], "written": [9.2, 9.0, 9.1]}}

is ``pace.json`` in the cache folder: tokens a second of the last replies, by server and model. A pace is their median,
so one reply that other work on the machine held up changes nothing. Only servers at an address of the user's own are
timed: how fast a provider answers says little about what the next question takes.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any, Final, TypeAlias
from urllib.parse import urlsplit

from pydantic import Field, TypeAdapter, ValidationError

from programs.atomic_files import write_file
from programs.config import settings
from programs.errors import UsageError

READING_SECONDS: Final = 10.0
"""A call's sentences are read in about so long where their number is left to the pace."""
LEAST_TOKENS, MOST_TOKENS = 300, 6000
"""What a model is shown whatever its pace: a few sentences, and what all are shown that read as fast."""
FEWEST_READ: Final = 200
"""Tokens that a reply must have read to be timed: of a shorter prompt it is not the reading that takes the time."""
TOKENS_AN_ANSWER: Final = 150
"""What a usual call writes."""
_WRITING_AS_READING: Final = 10
"""Tokens read in the time of one written, where a server tells no timings: 5 to 10 on processors, 20 on cards."""
_KEPT: Final = 5
"""Replies whose timings are kept."""

_Rate: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_FILE: Final = TypeAdapter(dict[str, dict[str, list[_Rate]]])
_KEEPING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Pace:
    """Tokens a second that a model reads and writes; None where no reply says."""

    read: float
    written: float | None = None

    @property
    def room(self) -> int:
        """Tokens of sentences that it reads in about ``READING_SECONDS``, in steps that noise does not change."""
        tokens = min(max(self.read * READING_SECONDS, LEAST_TOKENS), MOST_TOKENS)
        step = 100 if tokens < 1000 else 1000
        return int(tokens // step) * step

    def seconds(self, prompts: list[int]) -> float:
        """How long calls with prompts of so many tokens take, one after another."""
        writing = len(prompts) * TOKENS_AN_ANSWER / (self.written or self.read / _WRITING_AS_READING)
        return sum(prompts) / self.read + writing


@dataclass(frozen=True, slots=True)
class Timing:
    """What one reply took: tokens, and tokens a second; 0 where that is not known."""

    tokens_read: float
    read: float
    written: float = 0.0

    @classmethod
    def by_the_clock(cls, read: int, written: int, seconds: float) -> Timing:
        """Of a reply without timings: its seconds are those of its reading and of its writing, which is slower."""
        rate = (read + _WRITING_AS_READING * written) / max(seconds, 1e-3)
        return cls(read, rate, rate / _WRITING_AS_READING if written else 0.0)


def keep(server: str, model: str, timing: Timing) -> None:
    """Keep what a reply took, if it read enough; without a cache to write to nothing is kept."""
    if not (server and timing.tokens_read >= FEWEST_READ):
        return
    rates = {"read": timing.read, "written": timing.written}
    with _KEEPING, suppress(OSError, UsageError, ValidationError):
        known = _known()
        kept = known.setdefault(_key(server, model), {})
        for name, rate in rates.items():
            if rate > 0:
                kept[name] = [*kept.get(name, ()), round(rate, 2)][-_KEPT:]
        text = _FILE.dump_json(_FILE.validate_python(known), indent=1)
        settings().cache.mkdir(parents=True, exist_ok=True)
        write_file(_path(), text)


def pace_of(lm: Any) -> Pace | None:  # noqa: ANN401 - a dspy.LM, or none
    """The pace of a language model; None without one, for a provider's, and for one that was not timed yet."""
    server = str(getattr(lm, "own_address", "") or getattr(getattr(lm, "engine", None), "host", ""))
    kept = _known().get(_key(server, str(getattr(lm, "model", "")))) if server else None
    if not kept or not kept.get("read"):
        return None
    return Pace(median(kept["read"]), median(kept["written"]) if kept.get("written") else None)


def _key(server: str, model: str) -> str:
    """Server and model, without a password that the address may hold."""
    parts = urlsplit(server)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path} {model}"


def _path() -> Path:
    return settings().cache / "pace.json"


def _known() -> dict[str, dict[str, list[float]]]:
    """What was kept; nothing where the file is missing, damaged or of another kind, which the next reply replaces."""
    with suppress(OSError, ValueError):  # pydantic's own error is a ValueError
        return _FILE.validate_json(_path().read_bytes())
    return {}
