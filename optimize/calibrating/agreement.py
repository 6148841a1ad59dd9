"""How far a judge agrees with people, and its verdicts corrected for its errors.

Everything is counted from one table, people's verdicts by the judge's. Its intervals come from drawing documents with
replacement (percentile bootstrap), since claims on one document are judged alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from optimize.measuring.statistics import CONFIDENCE
from signatures.values import Verdict

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
NONE = "none"
"""Where the judge gave no verdict: it agrees with no label."""

RESAMPLES = 2_000

Tables: TypeAlias = NDArray[np.float64]
"""[resamples, 4, 4]: people's verdict by the judge's, each one of VERDICTS or NONE."""


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """One claim: what a person said, what the judge said, and what it is on."""

    human: Verdict
    judge: Verdict | None
    document: str


@dataclass(frozen=True, slots=True)
class AgreementEstimate:
    """A value with the interval of CONFIDENCE; None where it is undefined, or there are fewer than two documents."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against people.

    Attributes:
        n: Claims.
        n_documents: What they are on.
        accuracy: Share of claims with the same verdict.
        kappa: Cohen's kappa: agreement beyond what the two would have by chance, at most 1.
        sensitivity: Of the claims that people call supported, those that the judge does.
        specificity: Of the others, those that the judge calls one of the others, or has no verdict on.
        human_rate: Share of claims that people call supported.
        judge_rate: Share that the judge does.
        majority: Accuracy of always saying what people say most.
        confusion: People's verdicts, each with how often the judge said what.
    """

    n: int
    n_documents: int
    accuracy: AgreementEstimate
    kappa: AgreementEstimate
    sensitivity: AgreementEstimate
    specificity: AgreementEstimate
    human_rate: AgreementEstimate
    judge_rate: AgreementEstimate
    majority: float
    confusion: Mapping[str, Mapping[str, int]]

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A mean share of supported claims, and what it would be if people had judged.

    Attributes:
        as_judged: The mean as the judge's verdicts give it.
        rogan_gladen: (mean + specificity − 1) / (sensitivity + specificity − 1), within [0, 1] (Rogan and Gladen 1978,
            doi:10.1093/oxfordjournals.aje.a112510). Right if the judge errs as often here as on the labelled claims;
            undefined for a judge that is no better than chance, and where its whole interval lies outside [0, 1],
            which shows that it errs otherwise here.
        difference: Mean + what people's rate exceeds the judge's by on the labelled claims, within [0, 1]
            (prediction-powered: Angelopoulos et al. 2023, arXiv:2301.09633). Right if those claims are like these.
    """

    as_judged: AgreementEstimate
    rogan_gladen: AgreementEstimate
    difference: AgreementEstimate


def agreement(judged: Sequence[JudgedClaim], seed: int = 0) -> Agreement:
    """Count a judge's agreement with people.

    Args:
        judged: At least one claim.
        seed: Of resampling.
    """
    observed, drawn = _tables(judged, seed)
    whole = observed[0]

    def estimated(statistic: Callable[[Tables], NDArray[np.float64]]) -> AgreementEstimate:
        return _estimate(statistic(observed)[0], statistic(drawn))

    names = (*VERDICTS, NONE)
    return Agreement(
        n=len(judged),
        n_documents=len({each.document for each in judged}),
        accuracy=estimated(_accuracy),
        kappa=estimated(_kappa),
        sensitivity=estimated(_sensitivity),
        specificity=estimated(_specificity),
        human_rate=estimated(_human_rate),
        judge_rate=estimated(_judge_rate),
        majority=float(whole.sum(axis=1).max() / whole.sum()),
        confusion={
            human: {judge: int(whole[row, column]) for column, judge in enumerate(names)}
            for row, human in enumerate(VERDICTS)
        },
    )


def corrected(
    judged: Sequence[JudgedClaim], values: Sequence[float], documents: Sequence[str], seed: int = 0
) -> Corrected:
    """Correct a mean for the judge's errors; both samples are drawn anew for the intervals.

    Args:
        judged: The labelled claims.
        values: Share of supported claims of each answer, in [0, 1], at least one.
        documents: What each answer is on.
        seed: Of resampling.
    """
    observed, drawn = _tables(judged, seed)
    mean, means = _means(np.asarray(values, dtype=np.float64), documents, seed + 1)
    return Corrected(
        as_judged=_estimate(mean, means),
        rogan_gladen=_share(_estimate(_rogan_gladen(np.array([mean]), observed)[0], _rogan_gladen(means, drawn))),
        difference=_share(_estimate(_difference(np.array([mean]), observed)[0], _difference(means, drawn))),
    )


def _tables(judged: Sequence[JudgedClaim], seed: int) -> tuple[Tables, Tables]:
    """The table of all claims, and those of documents drawn with replacement."""
    names = (*VERDICTS, NONE)
    documents = {name: place for place, name in enumerate(sorted({each.document for each in judged}))}
    counts = np.zeros((len(documents), len(names), len(names)))
    for each in judged:
        row, column = names.index(each.human), names.index(each.judge or NONE)
        counts[documents[each.document], row, column] += 1
    drawn = _weights(len(documents), seed) @ counts.reshape(len(documents), -1)
    return counts.sum(axis=0)[np.newaxis], drawn.reshape(-1, len(names), len(names))


def _weights(n_documents: int, seed: int) -> NDArray[np.float64]:
    """How often each document is drawn, [RESAMPLES, n_documents]; nothing can be drawn from one."""
    if n_documents < 2:
        return np.zeros((0, n_documents))
    rng = np.random.default_rng(seed)
    return rng.multinomial(n_documents, np.full(n_documents, 1 / n_documents), size=RESAMPLES).astype(np.float64)


def _means(values: NDArray[np.float64], documents: Sequence[str], seed: int) -> tuple[float, NDArray[np.float64]]:
    names, rows = np.unique(np.asarray(documents), return_inverse=True)
    sums, sizes = np.bincount(rows, weights=values), np.bincount(rows).astype(np.float64)
    weights = _weights(len(names), seed)
    return float(values.mean()), (weights @ sums) / (weights @ sizes)


def _estimate(value: float, drawn: NDArray[np.float64]) -> AgreementEstimate:
    """A value with the interval of what was drawn; draws for which it is undefined are left out."""
    if not np.isfinite(value):
        return AgreementEstimate(None)
    defined = drawn[np.isfinite(drawn)]
    if not defined.size:
        return AgreementEstimate(float(value))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, (tail, 1 - tail))
    return AgreementEstimate(float(value), float(low), float(high))


def _share(estimate: AgreementEstimate) -> AgreementEstimate:
    """An estimate of a share, cut to [0, 1]; undefined where it lies outside, all of it."""
    if estimate.value is None:
        return estimate
    ends = [estimate.value if each is None else each for each in (estimate.low, estimate.high)]
    if ends[0] > 1 or ends[1] < 0:
        return AgreementEstimate(None)
    return AgreementEstimate(*(None if each is None else min(1.0, max(0.0, each)) for each in astuple(estimate)))


def _accuracy(tables: Tables) -> NDArray[np.float64]:
    return _divided(np.trace(tables, axis1=1, axis2=2), tables.sum(axis=(1, 2)))


def _kappa(tables: Tables) -> NDArray[np.float64]:
    """Cohen 1960 (doi:10.1177/001316446002000104)."""
    total = tables.sum(axis=(1, 2))
    by_chance = _divided((tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1), total**2)
    return _divided(_accuracy(tables) - by_chance, 1 - by_chance)


def _sensitivity(tables: Tables) -> NDArray[np.float64]:
    return _divided(tables[:, 0, 0], tables[:, 0].sum(axis=1))


def _specificity(tables: Tables) -> NDArray[np.float64]:
    return _divided(tables[:, 1:, 1:].sum(axis=(1, 2)), tables[:, 1:].sum(axis=(1, 2)))


def _human_rate(tables: Tables) -> NDArray[np.float64]:
    return _divided(tables[:, 0].sum(axis=1), tables.sum(axis=(1, 2)))


def _judge_rate(tables: Tables) -> NDArray[np.float64]:
    return _divided(tables[:, :, 0].sum(axis=1), tables.sum(axis=(1, 2)))


def _rogan_gladen(means: NDArray[np.float64], tables: Tables) -> NDArray[np.float64]:
    sensitivity, specificity = _sensitivity(tables), _specificity(tables)
    better = sensitivity + specificity - 1
    return _divided(means + specificity - 1, np.where(better > 0, better, 0.0))


def _difference(means: NDArray[np.float64], tables: Tables) -> NDArray[np.float64]:
    found: NDArray[np.float64] = means + _human_rate(tables) - _judge_rate(tables)
    return found


def _divided(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quotient; NaN, which no estimate keeps, where there is nothing to divide by."""
    whole = np.asarray(whole, dtype=np.float64)
    found: NDArray[np.float64] = np.divide(part, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return found
