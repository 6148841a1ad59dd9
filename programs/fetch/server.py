"""One article over HTTP: ask for it, follow redirects, try again when the failure may pass.

    GET {base}/PMC2654319/fullTextXML      200 JATS XML, 404 not in the open-access set, 429 or 503 with Retry-After …

The address is that of Europe PMC's articles interface (https://europepmc.org/RestfulWebService), and of any mirror.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

import httpx

from programs.errors import CorroborateError, UsageError
from programs.ingest.decoding import MAX_BYTES

DELAY = 0.34
"""Seconds from one request to the next. Three a second is what NCBI allows without a key
(https://www.ncbi.nlm.nih.gov/books/NBK25497/); Europe PMC names no number."""

_FIRST_WAIT = 1.0
_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Time:
    """Where time comes from; tests bring their own, which does not pass.

    ``jitter`` is from 0 to 1 by chance, so that clients that failed together do not come back together.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random


class Pace:
    """Spaces the requests to one server by ``delay`` seconds."""

    def __init__(self, delay: float = DELAY, time: Time | None = None) -> None:
        self._delay = delay
        self._time = time or Time()
        self._next = self._time.now()

    @property
    def remaining(self) -> float:
        """Seconds until the next request may go; at most 0 when it may."""
        return self._next - self._time.now()

    def wait(self) -> None:
        """Wait until a request may go; the next one may go ``delay`` later."""
        if (remaining := self.remaining) > 0:
            self._time.sleep(remaining)
        self._next = self._time.now() + self._delay

    def hold(self, seconds: float) -> None:
        """Let no request go for so long, because the server asked for it."""
        self._next = max(self._next, self._time.now() + seconds)

    def back_off(self, failures: int) -> None:
        """Let no request go for a while after failures in a row: 1 s, 2 s, 4 s … and up to half as long again."""
        wait = min(_FIRST_WAIT * 2 ** (failures - 1), _LONGEST_WAIT)
        self.hold(wait * (1 + self._time.jitter() / 2))

    def deadline(self, seconds: float) -> Callable[[], bool]:
        """Whether so many seconds have gone by since now."""
        end = self._time.now() + seconds
        return lambda: self._time.now() > end


class FetchError(CorroborateError):
    """One paper could not be fetched, for a reason in a few words, and what the user can do; the others are fine."""

    def __init__(self, pmcid: str, reason: str, action: str) -> None:
        self.pmcid = pmcid
        self.reason = reason
        self.action = action
        super().__init__(f"{pmcid}: {reason}; {action}")


class ServerUnavailable(FetchError):
    """The server does not answer, fails, or asks to be left alone for a while."""


EUROPE_PMC = "https://www.ebi.ac.uk/europepmc/webservices/rest"

TIMEOUT = 30.0
"""Seconds to wait for data."""

ATTEMPTS = 5
MAX_SECONDS = 600.0
"""For one article, even while data still arrives."""

MAX_HOLD = 120.0
"""The longest Retry-After that is waited for; a server that asks for more is left alone in this run."""

_MAX_REDIRECTS = 5
_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_LATER = "run the same command again later; it continues from there"


class ArticleServer:
    """A server that has articles as JATS XML; a context manager.

    A ``UsageError`` says that ``base`` is not an address; ``timeout`` are seconds to wait for data.
    """

    def __init__(self, base: str = EUROPE_PMC, pace: Pace | None = None, timeout: float = TIMEOUT) -> None:
        self._base = _checked(base)
        self._pace = pace or Pace()
        self._timeout = timeout
        self._client = httpx.Client(
            headers={"User-Agent": _user_agent(), "Accept": "application/xml, text/xml;q=0.9"},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def download(self, pmcid: str, path: Path) -> None:
        """Write what the server has for a PMCID to a file, which is replaced.

        Raises:
            ServerUnavailable: It failed ``ATTEMPTS`` times, or asks for more patience than ``MAX_HOLD``.
            FetchError: It does not have it, or what it sends cannot be an article.
            OSError: The file cannot be written.
        """
        for failures in range(1, ATTEMPTS + 1):
            if (remaining := self._pace.remaining) > MAX_HOLD:
                raise ServerUnavailable(pmcid, f"the server asks to be left alone for {remaining:.0f} s", _LATER)
            self._pace.wait()
            try:
                return self._save(pmcid, path)
            except _Passing as failure:
                last = failure
                self._pace.back_off(failures)
                self._pace.hold(failure.retry_after)
        raise ServerUnavailable(pmcid, f"{last}, {ATTEMPTS} times in a row", _LATER) from last

    def _save(self, pmcid: str, path: Path) -> None:
        url = f"{self._base}/{pmcid}/fullTextXML"
        is_late = self._pace.deadline(MAX_SECONDS)
        with _translated(self._timeout), self._answer(pmcid, url) as answer, path.open("wb") as file:
            size = 0
            for block in answer.iter_bytes():
                size += len(block)
                if size > MAX_BYTES:
                    limit = f"larger than the limit of {MAX_BYTES // 2**20} MiB for one paper"
                    raise FetchError(pmcid, limit, "leave it out")
                if is_late():
                    raise FetchError(pmcid, f"not whole after {MAX_SECONDS:.0f} s ({size} bytes)", _LATER)
                file.write(block)

    @contextmanager
    def _answer(self, pmcid: str, url: str) -> Iterator[httpx.Response]:
        """The answer with the article, after redirects."""
        for _ in range(_MAX_REDIRECTS + 1):
            with self._client.stream("GET", url) as answer:
                if answer.next_request is None:
                    _require_article(pmcid, answer)
                    yield answer
                    return
                url = _redirected(pmcid, answer, answer.next_request.url)
            self._pace.wait()
        raise FetchError(pmcid, f"redirected more than {_MAX_REDIRECTS} times", "check --base, or report it there")


class _Passing(Exception):
    """A failure that may pass."""

    def __init__(self, reason: str, retry_after: float = 0.0) -> None:
        self.retry_after = retry_after
        super().__init__(reason)


def _require_article(pmcid: str, answer: httpx.Response) -> None:
    """Refuse every response but a 200 that can be XML."""
    status = f"{answer.status_code} {answer.reason_phrase}".rstrip()
    if answer.status_code in _PASSING:
        raise _Passing(f"the server failed ({status})", _retry_after(answer))
    if answer.status_code in (404, 410):
        action = "check the number, or get its PDF from the publisher and put it beside the others"
        raise FetchError(pmcid, f"not in the open-access set ({status})", action)
    if answer.status_code != 200:
        raise FetchError(pmcid, f"the server refuses it ({status})", "check --base, or try later")
    if "html" in answer.headers.get("content-type", ""):
        raise FetchError(pmcid, "a web page came instead of XML", "check --base, and what the network puts in between")


def _redirected(pmcid: str, answer: httpx.Response, target: httpx.URL) -> str:
    """Where to ask next: an http(s) address that is no less safe than the one before."""
    scheme = answer.request.url.scheme
    if target.scheme not in (scheme, "https"):
        raise FetchError(pmcid, f"redirected from {scheme} to {str(target)!r}", "check --base, or report it there")
    return str(target)


def _retry_after(answer: httpx.Response) -> float:
    """Seconds that the server asks to wait, given as a number or as a date; 0 when it does not ask."""
    asked = answer.headers.get("retry-after", "").strip()
    if asked.isdecimal():
        return float(asked)
    try:
        now = answer.headers.get("date")  # its own clock: ours may be off
        until = parsedate_to_datetime(asked)
        return max(0.0, (until - (parsedate_to_datetime(now) if now else datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError):
        return 0.0


@contextmanager
def _translated(timeout: float) -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException as error:
        raise _Passing(f"no answer within {timeout:g} s") from error
    except httpx.DecodingError as error:
        raise _Passing(f"what came is compressed, and cannot be unpacked ({error})") from error
    except httpx.TransportError as error:
        raise _Passing(f"the connection failed ({error})") from error


def _checked(base: str) -> str:
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise UsageError(f"--base {base!r} is not an address of an article server; write it as {EUROPE_PMC}")
    return base.rstrip("/")


def _user_agent() -> str:
    try:
        return f"corroborate/{version('corroborate-papers')}"
    except PackageNotFoundError:
        return "corroborate"  # run from a folder without being installed
