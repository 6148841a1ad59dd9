"""Why a paper was not brought.

CorroborateError
└── FetchError              one paper; the others are not affected
    └── ServerUnavailable   the server fails or asks to wait: others will hardly fare better

A message says what came, and what to do next.
"""

from __future__ import annotations

from programs.errors import CorroborateError


class FetchError(CorroborateError):
    """One paper could not be brought; the others are not affected.

    Args:
        pmcid: The paper.
        reason: What came in its place, in a few words.
        action: What the user can do next.
    """

    def __init__(self, pmcid: str, reason: str, action: str) -> None:
        self.pmcid = pmcid
        self.reason = reason
        self.action = action
        super().__init__(f"{pmcid}: {reason}; {action}")


class ServerUnavailable(FetchError):
    """The server does not answer, fails, or asks to be left alone for a while."""
