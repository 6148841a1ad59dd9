"""What most tests of compiling and evaluating are on."""

import pytest

from optimize.dataset.splits import load_dataset
from tests import small_dataset


@pytest.fixture(scope="session")
def dataset(tmp_path_factory):
    """The folder of a small data set, which nobody changes."""
    return str(small_dataset.write(tmp_path_factory.mktemp("data") / "small"))


@pytest.fixture(scope="session")
def bundled():
    """The data set that comes with a checkout, read."""
    return load_dataset("space_biology")
