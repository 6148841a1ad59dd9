"""An index at the addresses of several nodes outlives the loss of one; the whole is ``bench.hard_ends``."""

from __future__ import annotations

import pytest

from bench.hard_ends import KILLED, QUESTION, killed_under_load
from programs.errors import StoreUnavailable, UsageError
from programs.retrieval.index import Index
from programs.retrieval.qdrant_server import ServerStore
from tests.command_line import run
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_qdrant import QUIET, Fault, LoopbackQdrant
from tests.papers import PAPERS
from tests.qdrant_cluster import QdrantCluster

pytestmark = QUIET


def test_nobody_sees_the_loss_of_a_node():
    seen = killed_under_load(searches=12, writes=4)
    assert (seen.errors, seen.lost, len(seen.confirmed), len(seen.results)) == ([], [], 4, 1)
    assert seen.after


def test_with_the_address_of_one_node_its_loss_is_seen():
    seen = killed_under_load(searches=10, writes=2, one_address=True)
    assert 0 < len(seen.errors) <= seen.after + 1  # requests on their way when the node is killed may end either way
    assert all("no Qdrant server answers at" in each for each in seen.errors)


@pytest.mark.parametrize(
    ("replicas", "killed", "said"),
    [
        (2, (0, 1, 2), r"none of the nodes answers at .*; start one of them, or check"),
        (1, (KILLED,), r"a node of the cluster .* alone holds a part .* --replicas 2"),
    ],
)
def test_a_loss_that_is_seen_is_named(replicas, killed, said):
    with QdrantCluster(replicas=replicas) as cluster:
        index = Index.open(f"{cluster.address}/papers", create=True, embedder=HashingEmbedder())
        index.add(PAPERS)
        for number in killed:
            cluster.kill(number)
        with index, pytest.raises(StoreUnavailable, match=said):
            index.search(QUESTION)


def test_a_node_that_starts_or_stops_is_passed_over_and_the_key_goes_to_the_one_that_is_asked():
    with LoopbackQdrant(api_key="k") as starting, LoopbackQdrant(api_key="k", points=9) as ready:
        starting.fault = Fault(503, "Service Unavailable", is_plain=True)
        store = ServerStore.connect(f"{starting.url},{ready.url.removeprefix('http://')}", "papers", "k")
        assert [store.count([]), store.count([])] == [9, 9]
        assert ready.requests[-1].headers["host"] == ready.url.removeprefix("http://")
        assert len(starting.requests) == 1  # from then on the one that answered is asked first
        starting.fault, ready.fault = None, Fault(503, "Service Unavailable", is_plain=True)
        assert store.count([]) == 7
        store.close()


@pytest.mark.parametrize(
    "place",
    [
        "http://a:6333,http://b:6333/papers",
        "http://a:6333/papers,http://b:6333/papers",
        "http://a:6333,,b:6333/papers",
        "http://a:6333,b:x/papers",
        "ftp://host/papers",
        "http://",
        "qdrant://host",
    ],
)
def test_another_form_is_refused_with_the_right_one(place):
    with pytest.raises(UsageError, match="http://A:6333,B:6333/papers"):
        Index.open(place)
    ran = run("list", "--index", place)
    assert (ran.code, "Traceback" in ran.stderr) == (2, False)
