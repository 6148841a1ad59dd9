"""The examples run, each in a process of its own, as somebody who tries them would."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SAYS = {
    "evidence_table.py": "not reported",
    "main_points.py": "supported: “",
    "multi_signal.py": "bone volume fraction",
    "paper_retriever.py": "Papers:",
    "paper_writer.py": "## Abstract",
    "rag_fusion.py": "Searched for:",
}


def ran(script):
    command = [sys.executable, "-W", "error::DeprecationWarning:__main__", script]
    done = subprocess.run(command, cwd=EXAMPLES.parent, check=False, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_every_example_is_tried():
    assert sorted(SAYS) == sorted(path.name for path in EXAMPLES.glob("*.py"))


@pytest.mark.needs("weights")
@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(name):
    if name == "paper_writer.py":
        pytest.importorskip("pybtex", reason="drafts need the extra write")
    assert SAYS[name] in ran(EXAMPLES / name)


@pytest.mark.needs("weights")
def test_the_notebook_runs(tmp_path):
    cells = json.loads((EXAMPLES / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    script = tmp_path / "tour.py"
    script.write_text("\n".join(code), encoding="utf-8")
    printed = ran(script)
    assert "faults: []" in printed
    assert "faults after a change: 0" not in printed
