"""How much each signal counts.

final = 0.36·sim + 0.18·bm25 + 0.14·keyword_overlap + 0.12·sec_boost + 0.08·recency + 0.07·authority
        + 0.05·length_fit − 0.10·duplicate_penalty (+ w·cross_encoder: 4 in `multi_signal`, 0 in its preset `seed`)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

from programs.errors import UsageError


@dataclass(frozen=True, slots=True)
class SignalWeights:
    """One factor a signal; signals lie in [0, 1], so a weight is what its signal can move.

    Any finite number will do, also a negative one, which makes a signal a penalty.
    """

    sim: float = 0.36
    bm25: float = 0.18
    keyword_overlap: float = 0.14
    sec_boost: float = 0.12
    recency: float = 0.08
    authority: float = 0.07
    length_fit: float = 0.05
    duplicate_penalty: float = -0.10
    cross_encoder: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < math.inf:
                raise UsageError(f"the weight of {each.name} must be a finite number, got {value!r}")

    def final(self, signals: Mapping[str, float]) -> float:
        """The weighted sum of signals by name; signals that are not given count as 0."""
        return math.fsum(float(getattr(self, name)) * value for name, value in signals.items())
