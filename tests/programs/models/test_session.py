import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_runtime_leaves_no_identifier_and_reports_nothing(tmp_path):
    code = "import programs.models.session"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"HOME": str(tmp_path)}, check=True, timeout=300)
    assert list(tmp_path.rglob("*")) == []
