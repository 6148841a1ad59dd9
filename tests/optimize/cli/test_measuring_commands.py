"""Judges, gates and scoring by the commands, as a user or a CI job gives them."""

import errno
import sqlite3

import pytest

from optimize.cli import app as command_line
from optimize.report import CHECKER
from tests.command_line import run

APP = "optimize.cli.app"


@pytest.fixture(scope="module")
def evaluated(dataset, embedder, tmp_path_factory):
    """A finished run on two questions."""
    path = tmp_path_factory.mktemp("runs") / "run"
    ran = run(*command(dataset, path), module=APP)
    assert ran.code == 0
    return path


def command(dataset, path, *more):
    eval_ = ("eval", "main_points", "--dataset", dataset, "--split", "val", "--state", "none", "--limit", "2")
    return (*eval_, "--output", path, *more)


def test_a_gate_that_is_met_changes_nothing_and_one_that_is_missed_is_exit_code_1_after_the_report(evaluated, dataset):
    limits = ("--fail-under", "answerability=0", "--fail-over", "copy_ratio=1", "--fail-over", "lm_calls=100")
    ran = run(*command(dataset, evaluated, "--resume", "--format", "json", *limits), module=APP)
    assert (ran.code, [each["is_met"] for each in ran.json["gate"]]) == (0, [True, True, True])
    limits = ("--fail-under", "claim_groundedness=1", "--fail-under", "token_f1=1", "--fail-over", "latency_p50_ms=0")
    ran = run(*command(dataset, evaluated, "--resume", *limits), module=APP)
    assert ran.code == 1
    assert "# main_points on small val" in ran.stdout
    assert "the gate is not met: token_f1 is 0." in ran.stderr
    assert "at least 1 is wanted; latency_p50_ms is" in ran.stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--fail-under", "mrr=1"), "add it by --metric"),
        (("--metric", "beauty"), "there is no metric beauty"),
        (("--judge-lm", "ollama"), "names no model"),
    ],
)
def test_wrong_measures_are_refused_before_anything_runs(dataset, tmp_path, more, message):
    ran = run(*command(dataset, tmp_path / "r", *more), module=APP)
    assert (ran.code, ran.stdout) == (2, "")
    assert message in ran.stderr
    assert not (tmp_path / "r").exists()


def test_a_run_is_scored_again_by_another_judge(evaluated, tmp_path):
    ran = run("score", tmp_path, module=APP)
    assert (ran.code, ran.stdout) == (2, "")
    assert "holds no run" in ran.stderr
    ran = run("score", evaluated, "--judge-lm", "extractive", "--threads", "2", "--format", "json", module=APP)
    assert ran.code == 0
    assert ran.json["about"]["judge"].startswith("extractive/1#")
    assert "which wrote the answers" in ran.json["warnings"][-1]
    missed = run(
        "score", evaluated, "--metric", "mrr", "--fail-under", "mrr=0", "--fail-over", "copy_ratio=0", module=APP
    )
    assert "| mrr | 1.000" in missed.stdout
    assert f"judge: {CHECKER}" in missed.stdout


def test_who_stops_a_run_is_told_how_it_goes_on(monkeypatch, evaluated):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("optimize.job.rescore", stopped)
    ran = run("score", evaluated, module=APP)
    assert ran.code == 130
    assert "Stopped. What was done is kept; the same command continues from there" in ran.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(errno.EACCES, "Permission denied", "report.json"), "(Permission denied). Make it writable."),
        (sqlite3.OperationalError("database or disk is full"), "(database or disk is full). Free disk space"),
        (
            OSError(errno.ENOSPC, "No space left on device", "report.json"),
            "report.json cannot be written (No space left on device). Make room. What was done is kept",
        ),
    ],
)
def test_a_folder_that_cannot_be_written_is_told(monkeypatch, error, said):
    def refused(**_):
        raise error

    monkeypatch.setattr(command_line, "app", refused)
    ran = run(module=APP)
    assert ran.code == 1
    assert said in ran.stderr
