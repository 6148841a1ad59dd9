"""One article over HTTP: ask for it, follow redirects, try again when the failure may pass.

    GET {base}/PMC2654319/fullTextXML      200 JATS XML, 404 not in the open-access set, 429 or 503 with Retry-After …

The address is that of Europe PMC's articles interface (https://europepmc.org/RestfulWebService), and of any mirror.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
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


class FetchError(CorroborateError):
    """One paper could not be fetched, for a reason in a few words, and what the user can do; the others are fine."""

    def __init__(self, pmcid: str, reason: str, action: str) -> None:
        self.pmcid = pmcid
        self.reason = reason
        self.action = action
        super().__init__(f"{pmcid}: {reason}; {action}")


class ServerUnavailable(FetchError):
    """The server does not answer, fails, or asks to be left alone for a while."""


class _Refused(Exception):
    """Why an answer is not an article, and what the user can do."""


class _Passing(Exception):
    """A failure that may pass, and the seconds that the server asks to wait."""

    def __init__(self, reason: str, retry_after: float = 0.0) -> None:
        self.retry_after = retry_after
        super().__init__(reason)


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
_CHECK_BASE = "check --base, or report it there"


class ArticleServer:
    """A server that has articles as JATS XML; a context manager.

    Args:
        base: Its address; a ``UsageError`` says that it is none.
        delay: Seconds from one request to the next.
        timeout: Seconds to wait for data.
        time: Where time comes from.
    """

    def __init__(
        self, base: str = EUROPE_PMC, delay: float = DELAY, timeout: float = TIMEOUT, time: Time | None = None
    ) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise UsageError(f"--base {base!r} is not an address of an article server; write it as {EUROPE_PMC}")
        self._base = base.rstrip("/")
        self._delay = delay
        self._timeout = timeout
        self._time = time or Time()
        self._next = self._time.now()
        self._client = httpx.Client(
            headers={"User-Agent": _user_agent(), "Accept": "application/xml, text/xml;q=0.9"},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
            follow_redirects=True,
            max_redirects=_MAX_REDIRECTS,
            event_hooks={"request": [self._wait], "response": [_require_safe]},
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
            if (remaining := self._next - self._time.now()) > MAX_HOLD:
                raise ServerUnavailable(pmcid, f"the server asks to be left alone for {remaining:.0f} s", _LATER)
            try:
                return self._save(f"{self._base}/{pmcid}/fullTextXML", path)
            except _Refused as refused:
                raise FetchError(pmcid, *refused.args) from refused
            except _Passing as failure:
                last = failure
                # 1 s, 2 s, 4 s … and up to half as long again.
                wait = min(_FIRST_WAIT * 2 ** (failures - 1), _LONGEST_WAIT) * (1 + self._time.jitter() / 2)
                self._next = max(self._next, self._time.now() + max(wait, failure.retry_after))
        raise ServerUnavailable(pmcid, f"{last}, {ATTEMPTS} times in a row", _LATER) from last

    def _wait(self, _: httpx.Request) -> None:
        if (remaining := self._next - self._time.now()) > 0:
            self._time.sleep(remaining)
        self._next = self._time.now() + self._delay

    def _save(self, url: str, path: Path) -> None:
        try:
            with self._client.stream("GET", url) as answer, path.open("wb") as file:
                _require_article(answer)
                end, size = self._time.now() + MAX_SECONDS, 0
                for block in answer.iter_bytes():
                    size += len(block)
                    if size > MAX_BYTES:
                        limit = f"larger than the limit of {MAX_BYTES // 2**20} MiB for one paper"
                        raise _Refused(limit, "leave it out")
                    if self._time.now() > end:
                        raise _Refused(f"not whole after {MAX_SECONDS:.0f} s ({size} bytes)", _LATER)
                    file.write(block)
        except httpx.TooManyRedirects as error:
            raise _Refused(f"redirected more than {_MAX_REDIRECTS} times", _CHECK_BASE) from error
        except httpx.TimeoutException as error:
            raise _Passing(f"no answer within {self._timeout:g} s") from error
        except httpx.DecodingError as error:
            raise _Passing(f"what came is compressed, and cannot be unpacked ({error})") from error
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise _Passing(f"the connection failed ({error})") from error


def _require_safe(answer: httpx.Response) -> None:
    """Refuse a redirect to what is no http(s) address, or is less safe than the one before."""
    if answer.has_redirect_location:
        target, scheme = answer.url.join(answer.headers["location"]), answer.url.scheme
        if target.scheme not in (scheme, "https"):
            raise _Refused(f"redirected from {scheme} to {str(target)!r}", _CHECK_BASE)


def _require_article(answer: httpx.Response) -> None:
    """Refuse every response but a 200 that can be XML."""
    status = f"{answer.status_code} {answer.reason_phrase}".rstrip()
    if answer.status_code in _PASSING:
        raise _Passing(f"the server failed ({status})", _retry_after(answer))
    if answer.status_code in (404, 410):
        action = "check the number, or get its PDF from the publisher and put it beside the others"
        raise _Refused(f"not in the open-access set ({status})", action)
    if answer.status_code != 200:
        raise _Refused(f"the server refuses it ({status})", "check --base, or try later")
    if "html" in answer.headers.get("content-type", ""):
        raise _Refused("a web page came instead of XML", "check --base, and what the network puts in between")


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


def _user_agent() -> str:
    try:
        return f"corroborate/{version('corroborate-papers')}"
    except PackageNotFoundError:
        return "corroborate"  # run from a folder without being installed
