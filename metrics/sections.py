"""Which sections of papers an answer rests on; a diagnostic, not a score."""

from __future__ import annotations

from collections import Counter

from metrics.outcome import statements_of
from metrics.passages import passages_of, resolve


def evidence_section_distribution(prediction: object) -> dict[str, int]:
    """Number of cited passages in each section, most cited first; "unknown" where a passage names none.

    A passage counts once for every sentence that cites it. Distributions of several predictions add up as Counters.
    """
    passages = passages_of(prediction)
    cited = (
        passage
        for statement in statements_of(prediction)
        for passage in dict.fromkeys(passage for each in statement.cites for passage in resolve(each, passages))
    )
    return dict(Counter(passage.section or "unknown" for passage in cited).most_common())
