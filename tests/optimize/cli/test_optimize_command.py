import subprocess
import sys
from pathlib import Path

import pytest

from programs.config import settings
from tests.command_line import run

ROOT = Path(__file__).resolve().parents[3]
APP = "optimize.cli.app"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Runs go to the working folder's runs/."""
    monkeypatch.chdir(tmp_path)


def test_compile_reports_saves_and_publishes(dataset, embedder):
    command = ("compile", "main_points", "--dataset", dataset, "--optimizer", "few_shot", "--format", "json")
    few = run(*command, module=APP)
    assert (few.code, few.stdout, list(Path().iterdir())) == (2, "", [])
    assert "questions of val" in few.stderr
    assert "--force" in few.stderr
    ran = run(*command, "--force", module=APP)
    assert ran.code == 0
    assert ran.json["headline"]
    assert Path(ran.json["run"], "report.md").is_file()
    published = Path(ran.json["published"])
    assert published.parent == settings().compiled
    published.unlink()
    assert "No language model is used" in ran.stderr
    assert "calls of the language model" in ran.stderr


@pytest.mark.slow
def test_a_limited_compilation_is_not_published(dataset, embedder):
    ran = run("compile", "main_points", "--dataset", dataset, "--optimizer", "few_shot", "--limit", "2", module=APP)
    assert ran.code == 0
    assert "programs.load does not take it up" in ran.stdout
    assert "Only 2 questions of each split were used" in ran.stdout
    assert list(settings().compiled.glob("main_points.extractive.*")) == []


@pytest.mark.slow
def test_a_server_that_is_not_there_is_named_with_the_next_action(dataset, embedder):
    pytest.importorskip("litellm")
    model = ("--lm", "openai/tiny", "--lm-option", "api_base=http://127.0.0.1:9/v1", "--lm-option", "num_retries=0")
    ran = run("eval", "main_points", "--dataset", dataset, "--split", "test", *model, module=APP)
    assert ran.code == 1
    assert "127.0.0.1:9" in ran.stderr
    assert "--resume" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(("command", "split"), [("compile", ()), ("eval", ("--split", "test"))])
def test_a_dry_run_asks_nothing_leaves_nothing_and_counts_the_answers_that_a_model_is_to_judge(
    dataset, tmp_path, command, split
):
    dry = (command, "main_points", "--dataset", dataset, *split, "--dry-run")
    json, judged = ("--format", "json"), ("--judge-lm", "ollama/never-asked")
    found = run(*dry, *json, module=APP).json
    assert found["reporting"] == (6 if command == "eval" else 12)
    assert found["most_calls"] == 0  # no model
    text = run(*dry, module=APP).stdout
    assert "calls of the language model" in text
    assert "judge" not in text
    assert "the judge is asked besides, about up to" in run(*dry, *judged, module=APP).stdout
    found = run(*dry, *judged, *json, module=APP).json
    assert found["judged"] == found["runs"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("program", ["multi_signal", "paper_retriever", "paper_writer"])
def test_a_dry_run_needs_no_index(dataset, program, monkeypatch):
    def opened(*_, **__):
        raise AssertionError("a plan opens no index")

    monkeypatch.setattr("programs.retrieval.index.Index.open", opened)
    for command in (("eval", program, "--split", "test"), ("compile", program, "--optimizer", "few_shot")):
        ran = run(*command, "--dataset", dataset, "--dry-run", module=APP)
        assert (ran.code, "calls of the language model" in ran.stdout) == (0, True)


@pytest.mark.slow
def test_evaluate_and_go_on(dataset, embedder, tmp_path):
    command = ("eval", "main_points", "--dataset", dataset, "--split", "val", "--state", "none")
    command += ("--output", tmp_path / "r")
    assert "grounded_utility of main_points" in run(*command, module=APP).stdout
    again = run(*command, module=APP)
    assert (again.code, again.stdout) == (2, "")
    assert "continue it with --resume" in again.stderr
    assert run(*command, "--resume", "--format", "json", module=APP).json["headline"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("compile", "main_point"), "cannot be compiled or evaluated; there are main_points"),
        (("eval", "main_points", "--threads", "0"), "--threads=0 is not a valid number of threads"),
        (("eval", "main_points", "--seed", "-1"), "--seed=-1 is not a valid seed"),
        (("eval", "main_points", "--state", "nowhere.json"), "there is no file nowhere.json; give a compiled state"),
        (
            ("eval", "main_points", "--state", "bst", "--dry-run"),
            "there is no file bst; give a compiled state, as a path or by its name",
        ),
        (("compile", "lead"), "lead is a baseline, which has no prompts; use `python -m optimize eval`"),
        (("eval", "main_points", "--dataset", "pubmedqa=x"), "did you mean pubmed_qa?"),
        (("eval", "main_points", "--resume", "--output", "no/run"), "no/run holds no run to continue; leave out"),
        (
            ("compile", "main_points", "--lm", "ollama/x", "--budget-calls", "60", "--limit", "5"),
            "a budget of 60 calls does not suffice for the uncompiled program on val and test, which take up to 90",
        ),
        (("eval", "main_points", "--lm", "extractve"), "did you mean extractive?"),
        (
            ("eval", "main_points", "--resume", "--limit", "3"),
            "no unfinished run with these settings in runs/; leave out --resume",
        ),
    ],
)
def test_wrong_usage_is_exit_code_2(command, message):
    ran = run(*command, module=APP)
    assert (ran.code, ran.stdout) == (2, "")
    assert message in " ".join(ran.stderr.split())


def test_help_loads_nothing_heavy():
    heavy = ("torch", "dspy", "sentence_transformers", "numpy")
    code = (
        "import sys\nfrom optimize.cli.app import app\n"
        "for command in ([], ['compile'], ['eval']):\n    app([*command, '--help'], standalone_mode=False)\n"
        f"sys.stderr.write(repr(sorted(set({heavy!r}) & set(sys.modules))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=False, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "[]")
    assert done.stdout.count("Usage:") == 3
