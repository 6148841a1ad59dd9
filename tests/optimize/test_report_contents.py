"""What a run's report shows, worked out on paper: see ``tests.invented_run``; and runs that cannot be read back."""

import json
import shutil

import pytest

from optimize.finished_run import read_run, regressions
from optimize.report_rendering import markdown, prompts, write_page
from optimize.run_folder import RunFolder
from programs.errors import UsageError
from tests import invented_run
from tests.invented_run import COMPILED, CONTEXT, FINDING, SETTINGS


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return read_run(invented_run.write(tmp_path_factory.mktemp("run") / "run").path)


@pytest.fixture
def folder(run, tmp_path):
    """The same in a folder of the test's own."""
    return RunFolder(shutil.copytree(run.folder.path, tmp_path / "run"))


def test_the_worst_regression_comes_first_and_opens_to_the_quote_that_decides(run):
    found = regressions(run)
    assert (found.better, found.same, found.worse) == (0, 1, 2)
    assert [(case.id, case.change) for case in found.cases] == [("P3-a", -1.0), ("P2-a", pytest.approx(-0.8))]
    assert found.cases[0].gold["answer"] == FINDING
    before, after = found.cases[0].answers
    assert (before.value, before.outcome, after.value) == (1.0, "answered", 0.0)
    assert found.cases[1].answers[1].outcome == "abstained"
    (claim,) = after.claims
    (proof,) = claim.proofs
    assert before.claims[0].verdict == "supported"
    assert claim.verdict == proof.verdict == "contradicted"
    assert (proof.marker, proof.source) == ("1", "P3 (2020), Results")
    assert (proof.before, proof.quote, proof.after) == (f"{CONTEXT} ", FINDING, "")


def test_without_judgements_the_certificates_tell_the_verdict(folder):
    folder.judgements.path.unlink()
    (claim,) = regressions(read_run(folder.path)).cases[0].answers[1].claims
    assert claim.verdict == "contradicted"


def test_prompts_are_told_before_and_after(run):
    found = prompts(run)
    (step,) = found.steps
    assert (step.name, step.before, step.after) == (
        "answer.write",
        "Answer the question.",
        "Answer the question briefly.",
    )
    assert (step.demos_before, step.demos_after) == (0, 1)
    assert found.parameters == {"top_k": ("6", "8")}


def test_an_evaluation_has_no_regressions_and_no_prompts(tmp_path):
    settings = {**SETTINGS, "command": "eval", "split": "dev"}
    run = read_run(invented_run.write(tmp_path / "run", settings=settings).path)
    assert (prompts(run), regressions(run).cases) == (None, ())
    assert "| grounded_utility† | 1.000 | 1.000 to 1.000 | 3 |" in markdown(run.report, run)


def test_the_text_has_prompts_and_regressions(run):
    text = markdown(run.report, run)
    assert "| answer.write | changed | 0 → 1 |" in text
    assert "    Answer the question briefly." in text
    assert "| top_k | 6 | 8 |" in text
    assert "Questions: 0 better, 1 the same, 2 worse." in text
    assert "| How did femur density change? | 1.000 | 0.000 | −1.000 | groundedness 0.00" in text
    assert text.index("## The worst regressions") < text.index("## About")


def test_what_is_no_finished_run_is_refused(tmp_path, folder):
    report = json.loads((folder.path / "report.json").read_text())
    del report["rows"]
    version = r"of another version \(rows: Field required\); .* python -m optimize compile .*--resume"
    for path, content, said in (
        (tmp_path / "nowhere", None, "holds no run"),
        (folder.path, json.dumps(report), version),
        (folder.path, "{", "cannot be read"),
        (folder.path, None, "is not finished"),
    ):
        if path.exists():
            folder.write("report.json", content) if content else (path / "report.json").unlink()
        with pytest.raises(UsageError, match=said):
            read_run(path)


def changed(line, name, value):
    """A line in which it, or a passage or citation of its prediction, has another value under a name, or none."""
    values = json.loads(line)
    prediction = values.get("prediction", {})
    for holder in (values, *prediction.get("passages", ()), *prediction.get("citations", ())):
        if name in holder:
            holder[name] = value
            if value is None:
                del holder[name]
    return json.dumps(values)


@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        *(("predictions.jsonl", name, None) for name in ("text", "document_id", "start", "marker", "verdict")),
        ("predictions.jsonl", "scores", {"sim": "x"}),
        ("predictions.jsonl", "passage", "y::9"),
        ("predictions.jsonl", "candidate", []),
        ("scores.jsonl", "value", "x"),
        ("scores.jsonl", "metric", []),
        ("predictions.jsonl", "title", "half a character \ud800"),
        ("judgements.jsonl", "key", []),
        ("questions.jsonl", "document_ids", 7),
    ],
)
def test_a_changed_file_is_named_with_its_line(folder, file, name, value):
    path = folder.path / file
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([changed(lines[0], name, value), *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match=rf"{file}:1 (was changed|has no)"):
        read_run(folder.path).values("uncompiled", "grounded_utility")


@pytest.mark.parametrize(
    ("file", "was", "is_now", "said"),
    [
        ("manifest.json", '{"test": "h1"}', "1", "splits are not an object of texts"),
        ("manifest.json", '"command": "compile", "split"', '"command": 1, "spilt"', "names no split"),
        ("report.json", '"metric": "answerability"', '"metric": "beauty"', "there is no metric 'beauty'"),
        ("report.json", '"metric": "grounded_utility"', '"metric": "answerability"', "'grounded_utility' has no row"),
        ("report.json", '"aggregates": {', '"aggregates": {}, "rest": {', "on 0 programs, not on one or two"),
        (f"candidates/{COMPILED}.json", '"parameters": {', '"parameters": "", "rest": {', "not a comp"),
        ("predictions.jsonl", '"id": "P1-a", ', '"id": "P9-a", ', "has no answer of uncompiled to P1-a"),
        ("judgements.jsonl", '{"', '{"more": 1, "', "judgements.jsonl:1 was changed"),
    ],
)
def test_changed_documents_of_a_run_are_named(folder, file, was, is_now, said):
    path = folder.path / file
    text = path.read_text(encoding="utf-8")
    text = text if path.suffix == ".jsonl" else json.dumps(json.loads(text))
    assert was in text
    path.write_text(text.replace(was, is_now), encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        write_page(read_run(folder.path), folder.path / "other.html")
