"""What most tests of compiling and evaluating are on."""

from functools import cache

import pytest

from optimize.dataset.loading import DEFAULT_DATASET, load_dataset
from tests import small_dataset

_bundled = cache(load_dataset)


@pytest.fixture(scope="session")
def dataset(tmp_path_factory):
    """The folder of a small data set, which nobody changes."""
    return str(small_dataset.write(tmp_path_factory.mktemp("data") / "small"))


@pytest.fixture(scope="session")
def bundled():
    """The data set that comes with a checkout, read."""
    return _bundled(DEFAULT_DATASET)


@pytest.fixture(scope="session", autouse=True)
def bundled_is_read_once():
    """Commands that run on it take what was read; it is a value, which they cannot change."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "optimize.job.load_dataset", lambda each: (_bundled if each == DEFAULT_DATASET else load_dataset)(each)
        )
        yield
