"""What a real Qdrant server said, and what its double says to the same requests."""

import json

import httpx
import pytest

from tests.benchmarks import BENCHMARKS, needs_benchmarks
from tests.loopback_qdrant import Fault, LoopbackQdrant

pytestmark = [needs_benchmarks, pytest.mark.slow]
_RECORDED = BENCHMARKS / "servers" / "qdrant.jsonl"
LINES = [json.loads(line) for line in _RECORDED.read_text().splitlines()] if _RECORDED.exists() else []
LABELS = sorted({line["label"] for line in LINES})

KEYS = {"api_key": "secret", "read_only_key": "reader"}
SENT = {"administrator": "secret", "read only": "reader", "wrong": "other"}
SMALL = {"max_query_limit": 100, "search_max_hnsw_ef": 128, "upsert_max_batchsize": 10}
THREE = {1: [0, 1, 3, 4], 2: [0, 2, 3, 5], 3: [1, 2, 4, 5]}


def double(label):
    """A server as the recorded one was set up."""
    kind = label.partition(":")[0]
    vectors = {"": {"size": 8, "distance": "Dot"}} if kind == "foreign collection" else None
    strict = {"strict mode with small limits": SMALL, "strict mode, no filter without an index": {UNINDEXED: False}}
    return LoopbackQdrant(
        (),
        **(KEYS if kind == "keys" else {}),
        strict=strict.get(kind),
        vectors=vectors or {"dense": {"size": 384, "distance": "Cosine"}},
        nodes=THREE if kind.startswith("three nodes") else None,
    )


UNINDEXED = "unindexed_filtering_retrieve"


@pytest.mark.parametrize("label", LABELS)
def test_the_double_takes_and_refuses_what_the_real_server_did(label):
    made_here = set()
    with double(label) as server, httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client:
        for line in (one for one in LINES if one["label"] == label):
            name = line["path"].split("/")[2] if line["path"].startswith("/collections/") else ""
            is_new = line["method"] == "PUT" and line["path"].count("/") == 2
            if name and name not in made_here and not is_new and "/exists" not in line["path"]:
                server.collections.add(name)  # of an earlier command
            if line["path"].endswith("/exists") and line["status"] == 200:
                (server.collections.add if line["reply"]["result"]["exists"] else server.collections.discard)(name)
            made_here |= {name} if is_new else set()
            is_down = line["status"] == 500
            server.fault = Fault(500, line["reply"]["status"]["error"]) if is_down else None
            headers = {"api-key": SENT[line["key"]]} if line.get("key") in SENT else {}
            said = client.request(line["method"], line["path"], json=line["request"], headers=headers)
            assert (said.status_code, line["path"]) == (line["status"], line["path"])
            assert _error(said.text) == _error(line["reply"])


def _error(reply):
    if isinstance(reply, str) and not reply.startswith("{"):
        return reply
    read = json.loads(reply) if isinstance(reply, str) else reply
    return read["status"]["error"] if isinstance(read["status"], dict) else None
