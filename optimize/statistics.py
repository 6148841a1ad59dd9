"""Whether a difference is more than chance, for questions that come in papers.

Questions on one paper succeed and fail together, so papers are what is resampled and what may change sign. With few
papers a percentile bootstrap is too narrow; its interval is widened as Hesterberg 2015 (doi:10.1080/00031305.2015.
1089789, section 5.3) does, to what a t interval would cover.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
CONFIDENCE = 0.95
POWER = 0.8
RESAMPLES = 10_000
MOST_DRAWN = 1_000_000
"""Papers drawn at once: 8 MB."""
MOST_ENUMERATED = 13
"""Papers up to which all 2^n signs are tried (8,192); beyond, RESAMPLES of them are drawn."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A mean difference between two programs on the same questions.

    Attributes:
        low, high: Ends of the interval of CONFIDENCE; None with fewer than two papers.
        p: Two-sided, by changing signs of whole papers; None with fewer than two papers.
        detectable: The smallest true difference that this many papers would show with probability POWER.
        n, n_clusters: Questions and papers.
    """

    difference: float
    low: float | None
    high: float | None
    p: float | None
    detectable: float | None
    n: int
    n_clusters: int

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)

    @property
    def is_significant(self) -> bool:
        """Whether the interval leaves out 0 and the permutation test agrees, which with few papers it may not."""
        return self.excludes_zero and self.p is not None and self.p <= 1 - CONFIDENCE


def compare(differences: Sequence[float], clusters: Sequence[str], seed: int = 0) -> Paired:
    """Compare two programs by their differences on the same questions, of which ``clusters`` are the papers."""
    if not differences or len(differences) != len(clusters):
        raise ValueError(f"got {len(differences)} differences for {len(clusters)} clusters; both need one a question")
    names, rows = np.unique(np.asarray(clusters), return_inverse=True)
    mean, papers = math.fsum(differences) / len(differences), len(names)
    if papers < 2:
        return Paired(mean, None, None, None, None, len(differences), papers)
    sums = np.bincount(rows, weights=np.asarray(differences, dtype=np.float64)).astype(np.float64)
    rng, wider, t = (
        np.random.default_rng(seed),
        math.sqrt(papers / (papers - 1)),
        partial(t_quantile, freedom=papers - 1),
    )
    means = _resampled_means(sums, np.bincount(rows).astype(np.float64), rng)
    tail = NormalDist().cdf(-wider * t((1 + CONFIDENCE) / 2))
    low, high = np.quantile(means, (tail, 1 - tail))
    return Paired(
        difference=mean,
        low=float(low),
        high=float(high),
        p=_sign_flip_p(sums, rng),
        detectable=float(means.std(ddof=1)) * wider * (t((1 + CONFIDENCE) / 2) + t(POWER)),
        n=len(differences),
        n_clusters=papers,
    )


def wilson(hits: int, of: int) -> tuple[float, float]:
    """95 % interval of a share, Wilson's (1927, doi:10.1080/01621459.1927.10502953); 0 to 1 of nothing."""
    if not of:
        return 0.0, 1.0
    z, share = 1.959964, hits / of
    middle, width = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - width) / (1 + z * z / of), (middle + width) / (1 + z * z / of)


def holm(p_values: Mapping[str, float | None]) -> dict[str, float]:
    """Known p values adjusted for being several (Holm 1979): the smallest times n, the next times n − 1 …, rising."""
    known = sorted((p, name) for name, p in p_values.items() if p is not None)
    adjusted: dict[str, float] = {}
    highest = 0.0
    for place, (p, name) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - place)))
        adjusted[name] = highest
    return adjusted


def _resampled_means(sums: Floats, sizes: Floats, rng: np.random.Generator) -> Floats:
    """Means over all questions of papers drawn with replacement, [RESAMPLES]."""
    means = np.empty(RESAMPLES)
    for start, stop in _blocks(len(sums)):
        drawn = rng.integers(len(sums), size=(stop - start, len(sums)))
        means[start:stop] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return means


def _sign_flip_p(sums: Floats, rng: np.random.Generator) -> float:
    """Share of sign changes of whole papers that give as large a total; at least one over their number."""
    observed = abs(float(sums.sum())) - 1e-12
    if len(sums) <= MOST_ENUMERATED:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(sums))))
        return float(np.mean(np.abs(signs @ sums) >= observed))
    as_large = 0
    for start, stop in _blocks(len(sums)):
        signs = rng.choice((-1.0, 1.0), size=(stop - start, len(sums)))
        as_large += int(np.sum(np.abs(signs @ sums) >= observed))
    return (1 + as_large) / (RESAMPLES + 1)


def _blocks(n_clusters: int) -> Iterator[tuple[int, int]]:
    """Parts of the resamples that fit into memory, however many papers there are."""
    size = max(1, MOST_DRAWN // n_clusters)
    return ((start, min(start + size, RESAMPLES)) for start in range(0, RESAMPLES, size))


def t_quantile(probability: float, freedom: int) -> float:
    """Quantile in [0.5, 1) of Student's t distribution of 1 or more degrees of freedom, by bisection."""
    low, high = 0.0, 1.0
    while _t_cdf(high, freedom) < probability:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_cdf(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _t_cdf(t: float, freedom: int) -> float:
    """Abramowitz and Stegun 26.7.3 and 26.7.4: a finite sum for whole degrees of freedom."""
    theta, is_odd = math.atan(t / math.sqrt(freedom)), freedom % 2
    term, total = (math.cos(theta) if is_odd else 1.0), 0.0
    for k in range(1, freedom // 2 + 1):
        total += term
        term *= math.cos(theta) ** 2 * (2 * k - 1 + is_odd) / (2 * k + is_odd)
    inside = math.sin(theta) * total
    return 0.5 + ((theta + inside) / math.pi if is_odd else inside / 2)


UNDEFINED = "–"
_NOTHING = 1e-9


def number(value: float | None, decimals: int = 3) -> str:
    """A number with thousands separated by commas, or a dash."""
    return UNDEFINED if value is None else _minus(f"{value:,.{decimals}f}")


def signed(value: float) -> str:
    """A difference: "+0.073", "−0.035"."""
    return _minus(f"{value:+.3f}")


def counted(number: int, noun: str) -> str:
    """How many of something: "1 paper", "7 papers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def difference(paired: Paired | None) -> str:
    """A paired difference with its interval: "+0.073 [−0.035, +0.161]"."""
    if paired is None:
        return UNDEFINED
    if paired.low is None or paired.high is None:
        return signed(paired.difference)
    return f"{signed(paired.difference)} [{signed(paired.low)}, {signed(paired.high)}]"


def interval(paired: Paired | None) -> str:
    """A mean's interval: "0.312 to 0.590", or a dash."""
    if paired is None or paired.low is None or paired.high is None:
        return UNDEFINED
    return f"{number(paired.low)} to {number(paired.high)}"


def detectable(paired: Paired | None) -> str:
    """The smallest difference that could have been detected; a dash where nothing varies, so none is known."""
    if paired is None or paired.detectable is None or paired.detectable < _NOTHING:
        return UNDEFINED
    return "none" if paired.detectable > 1 else number(paired.detectable)


def _minus(text: str) -> str:
    """The text of a number with a minus sign in place of the hyphen, and none before zero."""
    return text.replace("-", "−" if text.strip("-0.,") else "")
