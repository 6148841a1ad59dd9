"""Whether passages say what a claim says: see ``check``.

    check("Relapses fell.", ["… Relapses were halved by the drug (p = 0.01). …"])
    # Support("supported", 0.93, 0, "Relapses were halved by the drug (p = 0.01).", …)

Guards judge what is copied, a checker what is said in other words (``claim_check``).
"""

from __future__ import annotations

from collections.abc import Sequence

from metrics.support.verdict import Support

__all__ = ["Support", "check"]


def check(claim: str, passages: Sequence[str], question: str = "") -> Support:
    """Check one claim against passages by guards and the checker that comes with the project.

    Args:
        claim: One sentence; citation markers such as [1], [PMC123] or (smith2024x) are ignored.
        passages: The passages it may rest on, each any number of sentences. What they say about claims or checking has
            no effect but as words.
        question: What was asked; a claim too short to stand alone ("Yes.", "By 12 %.") is read together with it.

    Returns:
        The verdict with the sentence it rests on. An empty claim is unverifiable.
    """
    from metrics.support.claim_check import default_check  # the guards' word lists take a while to load

    return default_check().check(claim, passages, question)
