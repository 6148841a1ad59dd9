"""The bundled papers and a hostile one, served by as many servers as tests name models, and a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import dspy
import pytest
from playwright.sync_api import Browser

from programs.ingest.formats import read
from programs.ingest.metadata import read_metadata
from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests.browser import Visit, launched
from tests.hashing_embedder import HashingEmbedder
from tests.papers import HOSTILE
from tests.running_server import running

BUNDLED = Path(__file__).resolve().parents[4] / "datasets" / "space_biology"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One a module: its event loop would be in the way of other tests of the process."""
    with launched() as browser:
        yield browser


@pytest.fixture(scope="package")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    metadata = read_metadata(BUNDLED / "metadata.csv")
    papers = [metadata.apply(read(path)) for path in sorted((BUNDLED / "papers").iterdir())]
    place = tmp_path_factory.mktemp("page") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder(256)) as index:
        index.add([*papers, HOSTILE])
        yield index


@pytest.fixture(scope="package")
def site(index: Index) -> Iterator[Any]:
    """Gives the address of a server with a model and options; one server for each."""
    with ExitStack() as servers:
        addresses: dict[Any, str] = {}

        def address(lm: str | dspy.LM = "extractive", **options: Any) -> str:
            key = (lm, *options.items())
            if key not in addresses:
                client = servers.enter_context(running(create_app(index, lm, ServerOptions(**options))))
                addresses[key] = str(client.base_url).rstrip("/")
            return addresses[key]

        yield address


@pytest.fixture
def desktop(browser: Browser) -> Iterator[Visit]:
    visit = Visit(browser, 1280, 900)
    yield visit
    visit.end()


@pytest.fixture
def phone(browser: Browser) -> Iterator[Visit]:
    visit = Visit(browser, 360, 740)
    yield visit
    visit.end()
