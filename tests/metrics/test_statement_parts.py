"""A sentence taken apart into what it states."""

from __future__ import annotations

import pytest

from metrics.support.statement_parts import statement_parts


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("Pain fell by 5 points, and no one died.", ("Pain fell by 5 points.", "No one died.")),
        ("Pain fell by 5 points; no one died of it.", ("Pain fell by 5 points.", "No one died of it.")),
        ("Zinc lowered fever but raised nausea in adults.", ("Zinc lowered fever.", "Zinc raised nausea in adults.")),
        (
            "Growth was slower in heat, whereas roots grew as before, and leaves were shed.",
            ("Growth was slower in heat.", "Roots grew as before.", "Leaves were shed."),
        ),
        ("Heart and lung function were normal.", None),
        ("Growth was measured between weeks 2 and 4 and 6 was left out.", None),
        ("The drug and the placebo tasted alike.", None),
        ("Pain fell with both exercise and medication.", None),
        ("Reduced doses and rest were advised.", None),
        ("Von 20 Tieren starben zwei, und keines nahm ab.", None),
        ("", None),
    ],
)
def test_each_part_states_something_and_what_has_no_verb_is_none(sentence: str, parts: tuple[str, ...] | None) -> None:
    assert statement_parts(sentence) == (parts or (sentence,))


def test_a_long_chain_is_taken_apart_once_at_each_joint() -> None:
    found = statement_parts("; ".join(["zinc lowered fever in adults"] * 500))
    assert len(found) == 500
    assert set(found) == {"Zinc lowered fever in adults."}
