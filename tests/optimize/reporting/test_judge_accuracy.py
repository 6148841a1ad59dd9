"""What reports say of the judge that is shipped, measured again."""

import pytest

from bench.support import scifact
from metrics.support.judged import default_check
from optimize.reporting.report_text import CHECKER, accuracy_of
from tests.benchmarks import needs_benchmarks

pytestmark = pytest.mark.slow


def test_what_is_said_was_measured_on_the_judge_that_is_shipped():
    assert default_check().name == CHECKER


@needs_benchmarks
def test_the_accuracy_that_reports_print_is_that_on_scifact():
    pairs, judge = scifact(tune=False), default_check()
    verdicts = [judge.check(pair.claim, [pair.passage]).verdict for pair in pairs]
    share = sum(pair.label == verdict for pair, verdict in zip(pairs, verdicts, strict=True)) / len(pairs)
    said = accuracy_of(CHECKER)
    assert f"of {len(pairs)} claims" in said
    assert f"judges {share:.0%} rightly".replace("%", " %") in said
    labels = [pair.label for pair, given in zip(pairs, verdicts, strict=True) if given == "supported"]
    assert f"says supported {labels.count('supported') / len(labels):.0%}".replace("%", " %") in said


def test_of_a_judge_that_nobody_has_calibrated_nothing_is_claimed():
    assert "not known" in accuracy_of("llm/some-model")
