"""A folder is put in another's place, and one of the two is always there."""

from __future__ import annotations

import os

import dspy
import pytest

from programs.atomic_files import committed_folder, put_folder
from programs.errors import MalformedOutput
from programs.main_points import MainPoints, MainPointsParameters
from programs.progress import Narrator
from tests.hashing_embedder import HashingEmbedder
from tests.papers import paper
from tests.scripted_lm import Script, points, saying


def made(folder, text):
    folder.mkdir()
    (folder / "state.json").write_text(text)
    return folder


def read(folder):
    return (committed_folder(folder) / "state.json").read_text()


def test_a_folder_takes_the_place_of_another(tmp_path):
    place = put_folder(made(tmp_path / "first", "1"), tmp_path / "kept")
    put_folder(made(tmp_path / "second", "2"), place)
    assert read(place) == "2"
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("call", [1, 2])
def test_killed_at_any_step_one_of_both_is_there_and_the_next_time_it_succeeds(tmp_path, monkeypatch, call):
    place, calls = put_folder(made(tmp_path / "first", "1"), tmp_path / "kept"), []
    replace = os.replace

    def killed(source, target):
        calls.append(source)
        if len(calls) == call:
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        put_folder(made(tmp_path / "second", "2"), place)
    assert read(place) == "1"
    monkeypatch.undo()
    put_folder(made(tmp_path / "third", "3"), place)
    assert read(place) == "3"
    assert not (tmp_path / "kept.old").exists()


def test_what_an_earlier_kill_left_is_no_obstacle(tmp_path):
    place = put_folder(made(tmp_path / "first", "1"), tmp_path / "kept")
    made(tmp_path / "kept.old", "0")
    put_folder(made(tmp_path / "second", "2"), place)
    assert read(place) == "2"
    assert not (tmp_path / "kept.old").exists()


# What `--verbose` tells on stderr.

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
