"""The short form of ``make fuzz``: the same inputs at every run, none of which may end in an untyped error."""

import random
import subprocess
import sys

import pytest

from tests.fuzz.mutations import LARGEST, mutated_json
from tests.fuzz.subjects import SUBJECTS, done, made

INPUTS = 120


def test_inputs_are_made_from_seed_and_number_alone():
    for number in range(20):
        one, other = made(3, number)[0], made(3, number)[0]
        assert one == other
        assert len(one.content) <= 4 * LARGEST
    assert made(4, 0)[0] != made(3, 0)[0]


def test_inputs_are_made_of_documents_of_which_nothing_is_left():
    for number in range(200):
        mutated_json({"x": 0}, random.Random(number))


@pytest.mark.slow
def test_only_typed_errors():
    outcomes = {(item.subject, done(use)) for item, use in (made(0, number) for number in range(INPUTS))}
    assert {subject for subject, _ in outcomes} == {*SUBJECTS}
    assert {"taken", "UsageError", "IngestError", "Refused"} <= {outcome for _, outcome in outcomes}


@pytest.mark.slow
def test_a_run_goes_on_where_it_was_stopped(tmp_path):
    def run(inputs):
        options = f"-m tests.fuzz --inputs {inputs} --resume --output".split()
        command = [sys.executable, *options, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    run(3)
    assert run(5).splitlines()[-1].startswith("5 inputs, 0 finds")
    lines = (tmp_path / "seed-0" / "done.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0] for line in lines] == ["0", "1", "2", "3", "4"]
