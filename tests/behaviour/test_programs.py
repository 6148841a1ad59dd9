"""Results of the six programs without a model, on fixed questions over the bundled papers; rows in ``programs.jsonl``.

``must`` is what no change may lose; ``today`` is all that comes out now, which a better answer may replace:

    python -m tests.behaviour.record programs              shows what differs
    python -m tests.behaviour.record programs --accept     writes it down, to be reviewed as a diff
"""

from __future__ import annotations

import functools
import json

import pytest

from programs.extras import lacking
from tests.behaviour.outcomes import of_program
from tests.behaviour.rows import differences, rows

ROWS = rows("programs")
EACH = pytest.mark.parametrize(
    "row", [pytest.param(row, id=row["id"], marks=[pytest.mark.slow] * row.get("slow", False)) for row in ROWS]
)


@pytest.fixture(scope="module")
def outcome(bundled):
    """What comes out of a row, asked once."""

    @functools.cache
    def by_id(name):
        return of_program(next(row for row in ROWS if row["id"] == name), bundled)

    def of(row):
        if row["program"] == "paper_writer" and lacking("write"):
            pytest.skip("needs pybtex: pip install 'corroborate-papers[write]'")
        return by_id(row["id"])

    return of


def lost(must, found):
    """What a row must keep and the outcome does not have."""
    proved = [quote for _, quote, verdict in found.get("quotes", []) if verdict == "supported"]
    checks = {
        "papers": lambda wanted: set(wanted) <= set(found["papers"]),
        "only": lambda wanted: set(found["papers"]) <= set(wanted),
        "states": lambda wanted: all(any(text in quote for quote in proved) for text in wanted),
        "notes": lambda wanted: all(any(text in note for note in found["notes"]) for text in wanted),
        "never": lambda texts: not any(text in json.dumps(found) for text in texts),
    }
    return {
        name: wanted
        for name, wanted in must.items()
        if not (checks[name](wanted) if name in checks else found.get(name, "missing") == wanted)
    }


@EACH
def test_what_must_not_change(row, outcome):
    assert lost(row["must"], outcome(row)) == {}, row["why"]


@EACH
def test_what_comes_out_today(row, outcome):
    changed = differences(row["today"], outcome(row))
    assert not changed, "\n".join(
        [
            f"{row['why']}. If this is better, accept it by `python -m tests.behaviour.record programs --accept`",
            *changed,
        ]
    )


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])
def test_nothing_is_answered_without_a_proved_sentence(row):
    today = row["today"]
    if today.get("answerable"):
        assert "supported" in {verdict for _, _, verdict in today["quotes"]}
