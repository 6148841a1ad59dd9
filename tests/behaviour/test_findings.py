"""How often an answer without a model states what the paper found, and how often it is silent where it found nothing.

Rows in ``findings.jsonl``: questions in our own words on the bundled papers, with what a quote has to hold. The shares
are floors: single rows may change hands, the sum may not fall. ``today`` says which rows are met now. The last test
asks `main_points` the questions of ``bench.findings`` on five of the twenty trials that nobody looked at while working
on the programs. All twenty, and all programs: ``python -m bench.findings --half fresh``; silence: ``bench.silence``.
"""

from __future__ import annotations

import dspy
import pytest

from programs.lm import LM
from tests.behaviour.outcomes import of_finding
from tests.behaviour.rows import rows
from tests.benchmarks import needs_benchmarks

pytestmark = pytest.mark.slow

STATED = 9
"""Of ten of the benchmark's questions, by `main_points`, the least: ten are now, and .88 of all forty."""
ROWS = rows("findings")
PROGRAMS = ("main_points", "multi_signal")


def share(outcomes, name, program):
    met = [each[name][program] for each in outcomes if program in each.get(name, {})]
    return sum(met) / len(met)


@pytest.fixture(scope="module")
def outcomes(bundled):
    return [of_finding(row, bundled) for row in ROWS]


@pytest.mark.parametrize("program", PROGRAMS)
def test_findings_are_stated(program, outcomes):
    assert share(outcomes, "stated", program) >= share([row["today"] for row in ROWS], "stated", program)


@pytest.mark.parametrize("program", PROGRAMS)
def test_silence_is_kept_where_nothing_answers(program, outcomes):
    assert share(outcomes, "silent", program) >= share([row["today"] for row in ROWS], "silent", program)


@needs_benchmarks
@pytest.mark.needs("weights")
def test_findings_of_real_papers_are_stated():
    bench = pytest.importorskip("bench.findings", reason="needs what make bench installs")
    fresh = bench.cases("fresh")
    asked = [each for each in fresh if each.paper in sorted({each.paper for each in fresh})[::4]]
    by_id = {each: bench.read(bench.TRIALS / f"{each}.nxml") for each in {case.paper for case in asked}}
    with dspy.context(lm=LM("extractive")):
        answers = [bench.sentences_of(bench._asked("main_points", each, None, by_id)) for each in asked]
    met = [any(bench._states(case, each) for each in found) for case, found in zip(asked, answers, strict=True)]
    assert len(met) == 10
    assert sum(met) >= STATED
