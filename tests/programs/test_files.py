"""A folder is put in another's place, and one of the two is always there."""

from __future__ import annotations

import os

import pytest

from programs.files import put_folder, standing_folder


def made(folder, text):
    folder.mkdir()
    (folder / "state.json").write_text(text)
    return folder


def read(folder):
    return (standing_folder(folder) / "state.json").read_text()


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
