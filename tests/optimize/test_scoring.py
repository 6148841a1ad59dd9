"""Limits for CI, by hand."""

import pytest

from optimize.scoring import Limit, check, read_limits
from programs.errors import UsageError

MEASURED = ("grounded_utility", "copy_ratio")


def limits(under=(), over=()):
    return read_limits(under, over, MEASURED)


def test_limits_are_read_in_their_order():
    assert limits(["grounded_utility=0.4", " macro_f1 = 1 "], ["copy_ratio=.1", "latency_p95_ms=2000"]) == (
        Limit("grounded_utility", 0.4),
        Limit("macro_f1", 1.0),
        Limit("copy_ratio", 0.1),
        Limit("latency_p95_ms", 2000.0),
    )


@pytest.mark.parametrize(
    ("metric", "limit", "found", "is_met"),
    [
        ("grounded_utility", 0.4, 0.4, True),
        ("grounded_utility", 0.4, 0.39, False),
        ("copy_ratio", 0.1, 0.1, True),
        ("copy_ratio", 0.1, 0.11, False),
        ("grounded_utility", 0.0, None, False),
    ],
)
def test_a_limit_itself_is_good_enough_and_nothing_is_not(metric, limit, found, is_met):
    (checked,) = check([Limit(metric, limit)], {metric: found})
    assert checked.is_met is is_met


def test_what_is_said_names_metric_value_and_limit():
    floor, ceiling, missing = check(
        [Limit("grounded_utility", 0.4), Limit("copy_ratio", 0.1), Limit("macro_f1", 0.5)],
        {"grounded_utility": 0.31234, "copy_ratio": 0.2},
    )
    assert str(floor) == "grounded_utility is 0.3123, at least 0.4 is wanted"
    assert str(ceiling) == "copy_ratio is 0.2, at most 0.1 is wanted"
    assert str(missing) == "macro_f1 is undefined, at least 0.5 is wanted"
    assert ceiling.as_dict() == {"metric": "copy_ratio", "value": 0.1, "found": 0.2, "is_met": False}


@pytest.mark.parametrize(
    ("under", "over", "message"),
    [
        (["beauty=1"], [], "beauty is not measured here; there are grounded_utility, copy_ratio, macro_f1"),
        (["ndcg_at_k=0.5"], [], "ndcg_at_k is not measured here; add it by --metric"),
        (["copy_ratio=0.1"], [], "better when it is lower; use --fail-over copy_ratio=0.1"),
        ([], ["grounded_utility=0.1"], "better when it is higher; use --fail-under"),
        (["grounded_utility"], [], "give METRIC=VALUE, such as --fail-under grounded_utility=0.4"),
        (["grounded_utility=much"], [], "from 0 to 1, got 'much'"),
        (["grounded_utility=40"], [], "from 0 to 1, got '40'"),
        (["grounded_utility=nan"], [], "from 0 to 1, got 'nan'"),
        ([], ["tokens=-1"], "0 or more, got '-1'"),
    ],
)
def test_wrong_limits_are_refused(under, over, message):
    with pytest.raises(UsageError, match=message):
        limits(under, over)
