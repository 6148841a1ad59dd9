"""Labelled claims put to a judge, by the command as a user gives it."""

import json

import pytest

from optimize.judge_calibration import LabelledClaim, calibrate, markdown, read_labelled, verdict_of
from optimize.run_folder import open_run
from programs.errors import UsageError
from tests.benchmarks import BENCHMARKS, needs_benchmarks
from tests.command_line import run
from tests.word_judge import WordJudge

APP = "optimize.cli.app"
CITED = "cited_doc_ids"
CLAIMS = (
    LabelledClaim("mice flew", ("the mice flew",), "SUPPORT", document_id="P1"),
    LabelledClaim("mice did not", ("mice did fly",), "REFUTES", document_id="P2"),
    LabelledClaim("lettuce", ("the mice flew",), "NOT_ENOUGH_INFO", document_id="P3"),
    LabelledClaim("cress grew", ("roots of cress became longer",), "supported", document_id="P4"),
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "claims.jsonl"
    lines = [{"claim": each.claim, "passages": each.passages, "label": each.label} for each in CLAIMS]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def folder(tmp_path):
    return open_run(tmp_path / "c", {"command": "calibrate"}, resume=True)


def test_every_claim_is_put_to_the_judge_once(tmp_path):
    judge = WordJudge()
    found = calibrate(judge, CLAIMS, "invented", folder(tmp_path), threads=3)
    assert found.agreement.accuracy.difference == pytest.approx(3 / 4)
    assert found.agreement.confusion["supported"]["unverifiable"] == 1
    again = WordJudge()
    assert calibrate(again, CLAIMS, "invented", folder(tmp_path)).agreement == found.agreement
    assert sorted(judge.asked) == sorted(each.claim for each in CLAIMS)
    assert again.asked == []


def test_people_read_it(tmp_path):
    text = markdown(calibrate(WordJudge(), CLAIMS, "invented", folder(tmp_path)))
    assert "# words/1 against people" in text
    assert "4 claims on 4 documents of invented" in text
    assert "| accuracy | 0.750 |" in text
    assert "| contradicted | 0 | 1 | 0 |" in text
    assert "4 documents are few" in text


@pytest.mark.parametrize(
    ("label", "verdict"),
    [
        ("SUPPORT", "supported"),
        ("Supported", "supported"),
        ("entailment", "supported"),
        ("CONTRADICT", "contradicted"),
        ("REFUTED", "contradicted"),
        ("NOT_ENOUGH_INFO", "unverifiable"),
        ("NEI", "unverifiable"),
        ("neutral", "unverifiable"),
    ],
)
def test_labels_of_the_usual_sets_are_known(label, verdict):
    assert verdict_of(label) == verdict


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"claim": "a", "passages": ["b"]}', r"claims\.jsonl:1: label: Field required"),
        ('{"claim": "a", "passages": ["b"], "label": "perhaps"}', r"claims\.jsonl:1: .*'perhaps' is not one of"),
        ('{"claim": " ", "passages": ["b"], "label": "SUPPORT"}', r"claims\.jsonl:1: the claim is empty"),
        ('{"claim": "a", "passages": ["b"], "label": "SUPPORT", "x": 1}', "x: Unexpected"),
        ("no json", r"claims\.jsonl:1: Invalid JSON"),
        ("", "holds no labelled claim"),
    ],
)
def test_wrong_files_are_named(tmp_path, line, message):
    path = tmp_path / "claims.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(UsageError, match=message):
        read_labelled(str(path), "test")


def test_a_byte_order_mark_is_no_part_of_a_claim(tmp_path):
    path = tmp_path / "claims.jsonl"
    path.write_text('\ufeff{"claim": "a", "passages": ["b"], "label": "SUPPORT"}\r\n', encoding="utf-8")
    assert read_labelled(str(path), "test")[0].verdict == "supported"


def test_the_command(file, tmp_path):
    arguments = ("calibrate", "--dataset", file, "--judge-lm", "extractive", "--output", tmp_path / "out")
    ran = run(*arguments, module=APP)
    assert ran.code == 0
    assert "# extractive/1#" in ran.stdout
    again = run(*arguments, "--resume", "--format", "json", module=APP)
    assert again.json["agreement"]["n"] == 4
    assert again.json == json.loads((tmp_path / "out" / "report.json").read_text())
    assert run("calibrate", "--dataset", tmp_path / "no.jsonl", module=APP).code == 2
    assert "leaves no claim" in run("calibrate", "--dataset", file, "--limit", "0", module=APP).stderr


@needs_benchmarks
def test_scifact_is_read_as_labelled_claims(tmp_path):
    """Its first claims, and the abstracts that they cite."""
    rows = {
        path.name: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in (BENCHMARKS / "scifact").glob("*.jsonl")
    }
    rows |= {name: rows[name][:80] for name in rows if name.startswith("claims")}
    cited = {str(paper) for name in rows if name.startswith("claims") for row in rows[name] for paper in row[CITED]}
    rows["corpus.jsonl"] = [row for row in rows["corpus.jsonl"] if str(row["doc_id"]) in cited]
    for name, lines in rows.items():
        (tmp_path / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    claims = read_labelled(f"scifact={tmp_path}", "test", limit=20)
    assert len(claims) == 20
    assert {each.verdict for each in claims} == {"supported", "contradicted", "unverifiable"}
    assert all(each.passages and each.document_id for each in claims)
