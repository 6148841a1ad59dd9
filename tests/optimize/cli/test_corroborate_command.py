import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.command_line import run

OPTIMIZE = "optimize.cli.app"
APP = {"module": OPTIMIZE, "entry": "corroborate"}
ROOT = Path(__file__).resolve().parents[3]


def test_what_is_installed_is_the_command_that_is_tested_here():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert scripts == {"corroborate": f"{OPTIMIZE}:{APP['entry']}"}


def test_the_help_names_the_commands_of_both():
    ran = run("--help", **APP)
    assert ran.code == 0
    commands = {line.split()[0] for line in ran.stdout.splitlines() if line.startswith("  ")}
    assert {"ask", "index", "retrieve", "serve", "verify", "list", "optimize"} <= commands
    assert "Usage: corroborate " in ran.stdout


def test_commands_are_those_of_programs_and_optimize_has_its_own():
    assert run("list", "--format", "json", **APP).json == run("list", "--format", "json").json
    dry = ("compile", "main_points", "--dry-run", "--format", "json")
    assert run("optimize", *dry, **APP).json == run(*dry, module=OPTIMIZE).json


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ask", "Why?", "--paper", "nowhere.pdf"), "no file at nowhere.pdf"),
        (("optimize", "compile", "main_points", "--optimizer", "none"), "there is no optimizer 'none'"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments, message):
    ran = run(*arguments, **APP)
    assert (ran.code, ran.stdout) == (2, "")
    assert f"Error: {message}" in ran.stderr


def test_a_shell_completes_commands():
    # As the script of --show-completion asks, with an executable of this name.
    code = "import sys\nsys.argv[0] = 'corroborate'\nfrom optimize.cli.app import corroborate\ncorroborate()"
    asking = {
        "_CORROBORATE_COMPLETE": "complete_bash",
        "COMP_WORDS": "corroborate optimize comp",
        "COMP_CWORD": "2",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=asking, check=False, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "compile" in done.stdout.split()
