import subprocess
import sys
from pathlib import Path

import pytest

from programs.models.session import has_vnni

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_the_runtime_leaves_no_identifier_and_reports_nothing(tmp_path):
    code = "import programs.models.session"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env={"HOME": str(tmp_path)}, check=True, timeout=300)
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.parametrize(
    ("listed", "has"),
    [
        ("processor\t: 0\nflags\t\t: fpu avx2 avx512f avx512_vnni\n", True),
        ("processor\t: 0\nflags\t\t: fpu avx2 avx_vnni\n", True),
        ("processor\t: 0\nflags\t\t: fpu avx2 avx512f\n", False),
        (None, False),
    ],
)
def test_the_kernels_for_cpus_without_vnni_are_asked_for_there_and_where_the_cpu_is_not_listed(tmp_path, listed, has):
    if listed is not None:
        (tmp_path / "cpuinfo").write_text(listed)
    assert has_vnni(tmp_path / "cpuinfo") is has
