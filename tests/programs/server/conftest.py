"""A small index and a server of it, which the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS, paper
from tests.running_server import running

SCRIPT = "<script>alert('mine')</script>"
HOSTILE = paper(
    "hostile",
    "Muscle mass of flight rats fell by 9 percent.",
    title=SCRIPT,
    year=2020,
    organism=["Rattus norvegicus"],
    mission_env="ISS",
)


@pytest.fixture(scope="package")
def small_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    place = tmp_path_factory.mktemp("server") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
        index.add([*PAPERS, HOSTILE])
        yield index


@pytest.fixture(scope="package")
def client(small_index: Index) -> Iterator[httpx.Client]:
    """A client of a server with the extractive LM."""
    with running(create_app(small_index, "extractive", ServerOptions())) as client:
        yield client
