"""What several test modules share."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# Indexes are many sparse files of tens of megabytes, made and deleted by the hundred: where memory serves as a disk and
# there is plenty, they are kept there, which takes a sixth of the time.
MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= 8 * 2**30:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

# Before anything reads the settings: no test sees, or leaves, a user's cached answers or compiled states.
CACHE = tempfile.mkdtemp(prefix="corroborate-tests-")
os.environ["CORROBORATE_CACHE"] = CACHE
os.environ["CORROBORATE_COMPILED"] = os.path.join(CACHE, "compiled")
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# The same examples every time, and no verdict on how fast the machine is.
settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.load_profile("repeatable")

pytest_plugins = ["tests.extras"]

from programs.retrieval.embedder import Embedder, load_embedder  # noqa: E402


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The default model with its real weights, loaded once a session."""
    from tests.extras import reason  # as a plugin it is not to be imported before pytest does

    if why := reason("weights"):
        pytest.skip(why)
    return load_embedder()
