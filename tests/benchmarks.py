"""Real papers and benchmark slices that stand beside a development checkout; a user does not have them."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "shared" / "benchmarks"

needs_benchmarks = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason=f"needs the development benchmarks, which are not at {BENCHMARKS.name}"
)
CASES = BENCHMARKS.parent / "cases"
"""Small inputs that readers got wrong once."""

needs_cases = pytest.mark.skipif(
    not CASES.is_dir(), reason=f"needs the development cases, which are not at {CASES.name}"
)
