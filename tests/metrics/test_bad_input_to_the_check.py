"""What the check does with what is not a claim, no passage or no checker."""

import json
import shutil
import subprocess
import sys

import pytest

from metrics.support import check
from metrics.support.judged import GuardedCheck, ModelCheck
from programs.errors import ModelUnusable
from programs.models.checker import SHIPPED, SmallChecker

PASSAGE = "Relapses were halved by natalizumab in adults (p = 0.01). The drug was well borne."


def test_a_claim_of_ten_thousand_words_is_not_judged_and_says_so():
    found = check("relapse " * 10_000, [PASSAGE])
    assert (found.verdict, found.quote) == ("unverifiable", "")
    assert "10000 words" in found.reason


@pytest.mark.parametrize("passages", [[], [""], [" ", "\n"]])
def test_without_text_nothing_is_proved(passages):
    found = check("Natalizumab halved relapses.", passages)
    assert (found.verdict, found.reason) == ("unverifiable", "no passage was given")


def test_one_of_three_hundred_passages_proves():
    others = [f"Group {number} had {number} members, all of whom were well." for number in range(300)]
    found = check("Relapses were halved by natalizumab in adults.", [*others, PASSAGE])
    assert (found.verdict, found.passage) == ("supported", 300)


@pytest.mark.parametrize(
    "claim", ["Las recaídas disminuyeron mucho con natalizumab frente al placebo.", "再発は半減した。"]
)
def test_a_language_that_the_checker_cannot_read_is_named(claim):
    found = check(claim, [PASSAGE])
    assert found.verdict == "unverifiable"
    assert "not in English" in found.reason


def test_a_copy_is_proved_in_every_language():
    spanish = "Las recaídas disminuyeron a la mitad con natalizumab en 40 adultos."
    assert check(spanish, [f"Participaron 40 adultos. {spanish}"]).verdict == "supported"
    assert check(spanish.replace("40", "60"), [f"Participaron 40 adultos. {spanish}"]).verdict != "supported"


def altered(folder):
    model = folder / "model.onnx"
    content = bytearray(model.read_bytes())
    content[len(content) // 2] ^= 1
    model.write_bytes(content)


def cut(folder):
    model = folder / "model.onnx"
    model.write_bytes(model.read_bytes()[:1000])


def without_calibration(folder):
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    del manifest["calibration"]
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize(
    "damage",
    [altered, cut, lambda folder: (folder / "model.onnx").unlink(), without_calibration],
    ids=["altered", "cut", "missing", "no calibration"],
)
def test_a_damaged_checker_is_an_error_that_tells_what_to_do(tmp_path, damage):
    folder = tmp_path / "checker"
    shutil.copytree(SHIPPED, folder)
    damage(folder)
    judge = GuardedCheck(ModelCheck(SmallChecker(folder)))
    with pytest.raises(ModelUnusable, match="install the package again"):
        judge.check("In adults natalizumab cut the number of relapses by half.", [PASSAGE])


def test_without_a_checker_nothing_is_judged_by_anything_else():
    code = (
        "from metrics.support import check; from metrics.support.verdict import NoChecker\n"
        "try: check('Relapses fell.', ['Relapses halved.'])\n"
        "except NoChecker as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120)
    assert "`import programs`" in done.stdout


def test_what_looks_like_a_number_and_is_none_is_compared_as_it_stands():
    said = "Relapses were halved by natalizumab in 1.71.82 of the adults who took part in it."
    assert check(said, [said]).verdict == "supported"
    assert check(said.replace("1.71.82", "1.71.83"), [said]).verdict != "supported"
