"""What most tests of compiling and evaluating are on."""

from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from optimize.compiling import Compiled, compile_program
from optimize.dataset.loading import DEFAULT_DATASET, load_dataset
from optimize.job import Job, JobSetup
from optimize.run_folder import open_run
from tests import small_dataset
from tests.counting_lm import CountingEngine
from tests.hashing_embedder import HashingEmbedder
from tests.scripted_lm import Writer

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


def setup(dataset, optimizer="few_shot", engine=None, writer=None, **options):
    """A compilation of `main_points`."""
    job = Job("compile", "main_points", dataset, optimizer=optimizer, prompt_lm="writer/1" if writer else "", **options)
    lm, prompt_lm = (engine or CountingEngine()).lm(cache=True), writer.lm() if writer else None
    return JobSetup(job, embedder=HashingEmbedder(), lm=lm, prompt_lm=prompt_lm)


def compiled(a_setup, path, *, resume=False):
    return compile_program(a_setup, open_run(path, a_setup.manifest(), resume=resume))


@dataclass(frozen=True)
class Finished:
    """A compilation that ran through, with what it asked and printed."""

    setup: JobSetup
    engine: CountingEngine
    writer: Writer | None
    result: Compiled
    path: Path
    printed: str


def finish(dataset, path, optimizer, engine=None, writer=None):
    engine = engine or CountingEngine()
    made = setup(dataset, optimizer, engine, writer)
    with redirect_stdout(StringIO()) as stdout:
        result = compiled(made, path)
    return Finished(made, engine, writer, result, path, stdout.getvalue())
