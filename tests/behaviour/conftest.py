"""The bundled papers under the real default embedder, indexed once a session."""

import pytest

from programs.retrieval.index import Index
from tests.behaviour.bundled import make_index


@pytest.fixture(scope="session")
def bundled_place(embedder, tmp_path_factory):
    """The folder of the index, for commands; skipped where the weights are missing."""
    return make_index(tmp_path_factory.mktemp("behaviour") / "space.idx")


@pytest.fixture(scope="module")
def bundled(bundled_place):
    """The same, opened; a command cannot use the folder meanwhile."""
    with Index.open(bundled_place) as index:
        yield index
