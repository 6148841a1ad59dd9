"""The first three passages for fixed questions, of the search alone and of programs; rows in ``retrieval.jsonl``.

``must`` names the paper that has the answer, which has to be among them; ``today`` are the three, which a better order
may replace: ``python -m tests.behaviour.record retrieval --accept``.
"""

from __future__ import annotations

import pytest

from tests.behaviour.outcomes import of_retrieval
from tests.behaviour.rows import differences, rows

EACH = [pytest.param(row, id=row["id"], marks=[pytest.mark.slow] * row.get("slow", False)) for row in rows("retrieval")]


@pytest.mark.slow
@pytest.mark.parametrize("row", EACH)
def test_the_first_passages(row, bundled):
    found = of_retrieval(row, bundled)
    papers = [document for document, _, _ in found["first"]]
    must = row["must"]
    assert must.get("paper") in [None, *papers], "the paper that has the answer is lost"
    assert set(papers) <= set(must.get("only", papers)), "the filter is not kept"
    changed = differences(row["today"], found)
    assert not changed, "\n".join(["if better: python -m tests.behaviour.record retrieval --accept", *changed])
