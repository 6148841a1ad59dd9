"""How often an answer without a model states what the paper found, and how often it is silent where it found nothing.

Rows in ``findings.jsonl``: questions in our own words on the bundled papers, with what a quote has to hold. The shares
are floors: single rows may change hands, the sum may not fall. ``today`` says which rows are met now. On twenty trials
that nobody looked at while working on the programs: ``python -m bench.findings --half fresh``; silence:
``bench.silence``.
"""

from __future__ import annotations

import pytest

from tests.behaviour.outcomes import of_finding
from tests.behaviour.rows import rows

pytestmark = pytest.mark.slow

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
