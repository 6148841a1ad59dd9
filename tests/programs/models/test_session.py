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
    ("flags", "has"),
    [("fpu avx2 avx512f avx512_vnni", True), ("fpu avx2 avx_vnni", True), ("fpu avx2 avx512f", False)],
)
def test_the_kernels_for_cpus_without_vnni_are_asked_for_only_there(tmp_path, flags, has):
    listed = tmp_path / "cpuinfo"
    listed.write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    assert has_vnni(listed) is has


def test_a_system_that_does_not_list_its_cpu_gets_the_kernels_that_are_right_everywhere(tmp_path):
    assert not has_vnni(tmp_path / "cpuinfo")
