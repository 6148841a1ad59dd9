"""What bad input comes to, on the command line and in code; rows in ``messages.jsonl``.

A row holds the exit code, or the error, and what the message has to say: what was received, and what to do next. The
rest of its wording is free; `python -m tests.behaviour.record messages` prints it where a row is not met.
"""

from __future__ import annotations

import pytest

from tests.behaviour.bad_input import lay_out
from tests.behaviour.outcomes import of_message
from tests.behaviour.rows import rows, unsaid

EACH = [
    pytest.param(
        row,
        id=row["id"],
        marks=[
            *[pytest.mark.slow] * row.get("slow", False),
            *[pytest.mark.needs(each) for each in row.get("needs", [])],
        ],
    )
    for row in rows("messages")
]


@pytest.fixture(scope="module")
def places(embedder, tmp_path_factory):
    return lay_out(tmp_path_factory.mktemp("bad"))


@pytest.mark.parametrize("row", EACH)
def test_a_message_says_what_to_do_next(row, places):
    found = of_message(row, places)
    assert unsaid(row["must"], found) == {}, found["message"]
