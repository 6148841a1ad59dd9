"""Saved answers of every form, as a user has them on his disk, are proved again by every later version.

The files of ``replay/`` are not made anew with the code (``tests.behaviour.saved_answers``); their rows say what is
said of each today. A change that makes one of them fail raises the number of the form (``programs.certificate.FORM``).
"""

from __future__ import annotations

import copy
import json

import pytest

from programs.replay import parts, replay_report
from tests.behaviour.bundled import PAPERS
from tests.behaviour.outcomes import REPLAY, of_replay
from tests.behaviour.rows import differences, rows
from tests.command_line import run

ROWS = rows("replay")
EACH = pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])


@EACH
def test_a_saved_file_replays_as_it_did(row, bundled):
    found = of_replay(row, bundled)
    assert found["verified"], found["faults"]
    assert differences(row["today"], found) == []


def test_every_file_has_its_row():
    assert {each.name for each in REPLAY.glob("*.json")} == {row["file"] for row in ROWS}


def next_letter(text):
    """The text with one of its letters or digits exchanged for the next."""
    at = max(place for place, sign in enumerate(text) if sign.isascii() and sign.isalnum())
    return text[:at] + ("b" if text[at] != "b" else "c") + text[at + 1 :]


def change_quote(result):
    quote = result["citations"][0]["quotes"][0]
    quote["quote"] = next_letter(quote["quote"])


def change_passage(result):
    result["passages"][0]["text"] = next_letter(result["passages"][0]["text"])


def change_start(result):
    result["passages"][0]["start"] += 1


def change_verdict(result):
    result["citations"][0]["verdict"] = "contradicted"


def change_score(result):
    result["citations"][0]["score"] = round(abs(result["citations"][0]["score"] - 0.5), 4)


def change_sentence(result):
    result["citations"][0]["sentence"] = next_letter(result["citations"][0]["sentence"])


CITED = [row for row in ROWS if row["today"]["citations"]]


@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in CITED])
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (change_quote, "citation"), (change_passage, "passage"), (change_start, "passage"),
        (change_verdict, "citation"), (change_score, "citation"), (change_sentence, "citation"),
    ],
)  # fmt: skip
def test_one_changed_value_is_a_failure_with_its_name(row, change, named, bundled):
    saved = copy.deepcopy(json.loads((REPLAY / row["file"]).read_text(encoding="utf-8")))
    change(next(result for result in parts(saved).values() if result["citations"]))
    found = replay_report(saved, bundled.document)
    assert not found["verified"]
    assert any(named in fault["what"] for fault in found["faults"]), found["faults"]


@pytest.mark.slow
def test_the_command_replays_a_file_from_the_paper_itself(tmp_path, embedder):
    paper, file = PAPERS / "PMC0000019.nxml", tmp_path / "answer.json"
    assert run("ask", "Did metyrapone speed up healing?", "--paper", paper, "--output", file).code == 0
    ran = run("verify", file, "--paper", paper)
    assert (ran.code, ran.stderr) == (0, "")
    file.write_text(file.read_text("utf-8").replace("16.8", "16.9", 1), "utf-8")
    ran = run("verify", file, "--paper", paper)
    assert ran.code == 1
    assert ran.stdout.startswith("FAILED ")
