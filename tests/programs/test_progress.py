"""What `--verbose` tells on stderr."""

from __future__ import annotations

import dspy
import pytest

from programs.errors import MalformedOutput
from programs.main_points import MainPoints, MainPointsParameters
from programs.progress import Narrator
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper
from tests.scripted_lm import Script, points, saying

FELL = "Femur density fell by 12 percent in flight mice."


def replay_report(script, capsys, *sentences):
    with dspy.context(lm=script.lm(), callbacks=[Narrator()]):
        MainPoints(HashingEmbedder(), MainPointsParameters.seed())(
            question="What fell?", paper=paper("bone", FELL, *sentences)
        )
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_each_step_is_told_with_what_goes_in_and_what_comes_out(capsys):
    said = replay_report(Script(points=points(FELL), answer=saying()), capsys)
    assert [line for line in said.splitlines() if line[:3] in ("===", "---")] == [
        "=== points", "--- points", "=== answerable, answer", "--- answerable, answer",
    ]  # fmt: skip
    asked, answered = said.partition("--- points")[::2]
    assert f"paper: Results\n\n{FELL}\nquestion: What fell?" in asked
    assert f"points: ['{FELL}']" in answered
    assert "answerable: False" in answered


def test_a_long_paper_is_told_by_its_beginning_and_end(capsys):
    said = replay_report(
        Script(points=points()), capsys, *(f"Mouse {number} slept." for number in range(5_000)), "The end."
    )
    assert len(said) < 2_000
    assert f"{FELL} Mouse 0 slept." in said
    assert "\n...\n" in said
    assert "The end." in said


def test_a_step_that_fails_is_told(capsys):
    with pytest.raises(MalformedOutput):
        replay_report(Script(points="I would rather talk."), capsys)
    said = capsys.readouterr().err
    assert "--- points\nfailed: " in said
    assert "I would rather talk." in said
