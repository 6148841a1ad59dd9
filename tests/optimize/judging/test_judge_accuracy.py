"""What reports say of the deterministic judge, measured again."""

from metrics.judgements import SupportCheck
from optimize.reporting.judge import accuracy_of
from tests.bench.support import scifact
from tests.benchmarks import needs_benchmarks


@needs_benchmarks
def test_the_accuracy_that_reports_print_is_that_on_scifact():
    pairs = scifact(tune=False)
    verdicts = [SupportCheck().check(pair.claim, [pair.passage]).verdict for pair in pairs]
    right = {verdict: [pair.label == verdict for pair in pairs] for verdict in ("supported", "contradicted")}
    share = sum(pair.label == verdict for pair, verdict in zip(pairs, verdicts, strict=True)) / len(pairs)
    said = accuracy_of(SupportCheck().name)
    assert f"of {len(pairs)} claims" in said
    assert f"judges {share:.0%} rightly".replace("%", " %") in said
    for verdict, hits in right.items():
        found = [hit for hit, given in zip(hits, verdicts, strict=True) if given == verdict]
        assert f"says {verdict} {sum(found) / len(found):.0%}".replace("%", " %") in said


def test_of_a_judge_that_nobody_has_calibrated_nothing_is_claimed():
    assert "not known" in accuracy_of("llm/some-model")
