"""What there is to ask: programs, fields, papers, the page, and whether the server is there."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from programs.errors import StoreUnavailable
from programs.retrieval.index import Index
from programs.server.app import PAGE, create_app
from programs.server.catalogue_routes import MOST_VALUES
from programs.server.request_queue import ServerOptions
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, YEAST, paper
from tests.programs.server.conftest import SCRIPT
from tests.running_server import error_of, running


def get(client, address):
    response = client.get(address)
    assert response.status_code == 200, response.text
    return response.json()


def test_health(client):
    assert get(client, "/health") == {
        "status": "ok",
        "version": "0.1.0",
        "documents": 4,
        "lm": "extractive",
        "program": "multi_signal",
        "api_key": False,
        "waiting": 0,
    }
    head = client.head("/health")
    assert (head.status_code, head.content, head.headers["content-type"]) == (200, b"", "application/json")


def test_programs_say_what_they_ask_and_take(client):
    programs = {each["name"]: each for each in get(client, "/api/programs")["programs"]}
    assert programs["main_points"]["takes"] == ["document_id"]
    assert programs["rag_fusion"]["takes"] == ["filters", "document_id"]
    assert programs["multi_signal"]["takes"] == ["filters", "document_id", "top_k"]
    assert [name for name, each in programs.items() if each["default"]] == ["multi_signal"]
    assert programs["main_points"]["available"]
    assert not programs["paper_writer"]["available"]  # it writes papers, and answers no question


def test_fields_have_their_values_or_their_range(client):
    fields = {each["name"]: each for each in get(client, "/api/fields")["fields"]}
    assert fields["organism"]["values"] == [
        "Arabidopsis thaliana",
        "Mus musculus",
        "Rattus norvegicus",
        "Saccharomyces cerevisiae",
    ]
    assert (fields["year"]["type"], fields["year"]["min"], fields["year"]["max"]) == ("number", 2009, 2020)
    assert fields["kind"]["values"] == ["figure", "table", "text"]
    assert "references" not in fields["section"]["values"]
    assert fields["title"]["values"] == []


def test_a_field_of_many_values_is_no_menu(tmp_path):
    many = [paper(f"p{each}", "Text.", batch=f"b{each}", half=str(each % 2)) for each in range(MOST_VALUES + 1)]
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add(many)
        with running(create_app(index)) as client:
            fields = {each["name"]: each["values"] for each in get(client, "/api/fields")["fields"]}
    assert (fields["batch"], fields["half"]) == ([], ["0", "1"])


def test_papers_come_in_pages_and_with_their_sections(client):
    first, rest = get(client, "/api/documents?limit=3"), get(client, "/api/documents?limit=3&offset=3")
    assert [each["id"] for each in (*first["documents"], *rest["documents"])] == ["bone", "hostile", "roots", "yeast"]
    assert (first["total"], rest["total"], rest["offset"]) == (4, 4, 3)
    assert first["documents"][0]["metadata"]["organism"] == ["Mus musculus"]
    assert first["documents"][1]["title"] == SCRIPT
    found = get(client, "/api/documents/bone")
    assert (found["title"], found["year"], found["length"]) == (BONE.title, 2014, len(BONE.text))
    assert found["sections"][0]["kind"] == "results"


@pytest.mark.parametrize("address", ["/api/documents/nobody", "/api/documents/%00%ff"])
def test_an_unknown_paper(client, address):
    assert error_of(client.get(address)) == (404, "document_not_found")


def test_ready_asks_the_index_while_health_goes_on(tmp_path, monkeypatch):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([BONE])
        with running(create_app(index)) as client:
            assert get(client, "/ready") == {"status": "ready"}

            def unreachable(*_):
                raise StoreUnavailable("no Qdrant server answers at http://10.0.0.7:6333")

            monkeypatch.setattr(index.store, "retrieve", unreachable)
            response = client.get("/ready")
            assert error_of(response) == (503, "index_unavailable")
            assert "10.0.0.7" not in response.text
            assert client.get("/health").status_code == 200
            monkeypatch.undo()
            assert client.get("/ready").status_code == 200  # by itself, without a restart


@pytest.mark.parametrize("became", ["nothing", "another folder", "other content"])
def test_an_index_that_vanished_or_was_replaced_is_not_answered_from(tmp_path, became):
    place, other = tmp_path / "papers.idx", tmp_path / "other.idx"
    with Index.open(other, create=True, embedder=HashingEmbedder()) as index:
        index.add([YEAST])
    with Index.open(place, create=True, embedder=HashingEmbedder()) as index:
        index.add([BONE])
        with running(create_app(index)) as client:
            assert client.get("/health").status_code == 200
            if became == "another folder":
                place.rename(tmp_path / "old.idx")
                other.rename(place)
            else:
                shutil.rmtree(place, ignore_errors=True)
            if became == "other content":
                shutil.copytree(other, place)
            addresses = ("/health", "/api/documents", "/api/fields", "/api/documents/bone")
            asked = (("/api/ask", {"question": "Bone?"}), ("/api/chat", {"query": "Bone?"}))
            for response in (*map(client.get, addresses), *(client.post(each, json=body) for each, body in asked)):
                assert error_of(response) == (503, "index_unavailable")
                assert str(tmp_path) not in response.text


def test_the_page_and_its_files_are_served_with_their_types(client):
    types = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
    assert client.get("/").text == (PAGE / "index.html").read_text("utf-8")
    for path in PAGE.iterdir():
        response = client.get(f"/{path.name}")
        assert response.status_code == 200, path.name
        assert response.headers["content-type"].startswith(types[path.suffix])
        assert response.content == path.read_bytes()


@pytest.mark.parametrize("address", ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "/app.py", "/docs", "/redoc"])
def test_nothing_else_is_served(client, address):
    assert error_of(client.get(address)) == (404, "not_found")


# A server answers while another process writes to its index, and then from what that has written.

ROOT = Path(__file__).resolve().parents[3]
NEW = 2
QUESTION = "Did the mass of the soleus muscle fall in rats?"


def index_new_papers(place: str) -> None:
    """The other process's work: it says when it begins to write, and ends when all is committed."""
    with Index.open(place, embedder=HashingEmbedder()) as index, index.writing():
        print("writing", flush=True)
        for number in range(NEW):
            index.add([paper(f"muscle{number}", f"Soleus muscle mass fell by {number} percent in rats.")])
        sys.stdin.read()


@pytest.mark.engine
def test_questions_are_answered_meanwhile_and_from_the_new_papers_afterwards(tmp_path):
    place = tmp_path / "papers.idx"
    imported = "from tests.programs.server.test_catalogue_routes import index_new_papers"
    code = f"import sys; {imported}; index_new_papers(sys.argv[1])"
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
