"""Results of the six programs without a model, on fixed questions over the bundled papers; rows in ``programs.jsonl``.

``must`` is what no change may lose; ``today`` is all that comes out now, which a better answer may replace:

    python -m tests.behaviour.record programs              shows what differs
    python -m tests.behaviour.record programs --accept     writes it down, to be reviewed as a diff
"""

from __future__ import annotations

import json

import pytest

from tests.behaviour.outcomes import of_program
from tests.behaviour.rows import differences, rows

ROWS = rows("programs")


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


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row["id"], marks=[pytest.mark.slow] * row.get("slow", False)) for row in ROWS]
)
def test_what_comes_out(row, bundled):
    found = of_program(row, bundled)
    assert lost(row["must"], found) == {}, row["why"]
    changed = differences(row["today"], found)
    assert not changed, "\n".join(
        [
            f"{row['why']}. If this is better, accept it by `python -m tests.behaviour.record programs --accept`",
            *changed,
        ]
    )


def test_nothing_is_answered_without_a_proved_sentence():
    answered = [row for row in ROWS if row["today"].get("answerable")]
    assert answered
    for row in answered:
        assert "supported" in {verdict for _, _, verdict in row["today"]["quotes"]}, row["id"]
