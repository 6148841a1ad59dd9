"""The bundled papers under the real default embedder, indexed once a run, however many processes run tests."""

import os
import subprocess

import portalocker
import pytest

from programs.retrieval.index import Index
from tests.behaviour.bundled import make_index


@pytest.fixture(scope="session")
def bundled_place(embedder, tmp_path_factory):
    """The folder of the index, for commands; skipped where the weights are missing."""
    base, own = tmp_path_factory.getbasetemp(), tmp_path_factory.mktemp("behaviour") / "space.idx"
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return make_index(own)
    shared = base.parent / "space.idx"
    with portalocker.Lock(base.parent / "space.lock", timeout=300):
        if not shared.is_dir():
            make_index(shared)
    # One process holds an index at a time, and its files are sparse.
    subprocess.run(["cp", "--recursive", "--sparse=always", shared, own], check=True)
    return own


@pytest.fixture(scope="module")
def bundled(bundled_place):
    """The same, opened; a command cannot use the folder meanwhile."""
    with Index.open(bundled_place) as index:
        yield index
