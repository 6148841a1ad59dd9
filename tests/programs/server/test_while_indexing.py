"""A server answers while another process writes to its index, and then from what that has written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.workers import ServerOptions
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, paper
from tests.running_server import running

ROOT = Path(__file__).resolve().parents[3]
NEW = 5
QUESTION = "Did the mass of the soleus muscle fall in rats?"


def index_new_papers(place: str) -> None:
    """The other process's work: it says when it begins to write, and ends when all is committed."""
    with Index.open(place, embedder=HashingEmbedder()) as index, index.writing():
        print("writing", flush=True)
        for number in range(NEW):
            index.add([paper(f"muscle{number}", f"Soleus muscle mass fell by {number} percent in rats.")])
        sys.stdin.read()


def test_questions_are_answered_meanwhile_and_from_the_new_papers_afterwards(tmp_path):
    place = tmp_path / "papers.idx"
    code = (
        "import sys; from tests.programs.server.test_while_indexing import index_new_papers; "
        "index_new_papers(sys.argv[1])"
    )
    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
        index.add([BONE])
        with running(create_app(index, "extractive", ServerOptions(program="rag_fusion"))) as client:

            def papers_shown():
                return [each["id"] for each in client.get("/api/documents").json()["documents"]]

            def papers_cited():
                answer = client.post("/api/ask", json={"question": QUESTION}).raise_for_status().json()
                return {each["document_id"] for each in answer["passages"]}

            command = [sys.executable, "-c", code, str(place)]
            with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
                assert writer.stdout.readline() == b"writing\n"
                assert papers_shown() == ["bone"]
                assert papers_cited() <= {"bone"}
                writer.communicate()
            assert writer.returncode == 0
            assert client.get("/health").json()["documents"] == 1 + NEW
            assert papers_shown() == ["bone", *(f"muscle{number}" for number in range(NEW))]
            assert papers_cited() & {f"muscle{number}" for number in range(NEW)}
