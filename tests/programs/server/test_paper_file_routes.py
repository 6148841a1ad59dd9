"""Uploads, off unless the server was started to take them, which leave nothing behind if they are not papers; pages."""

from __future__ import annotations

import io
import re
import shutil
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4

from programs.ingest.formats import read
from programs.results import drawing
from programs.retrieval.file_indexing import Origin, index_files
from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS
from tests.programs.ingest.pdf.test_pdf import write_paper
from tests.running_server import error_of, running

TEXT = b"# Snails in orbit\n\n## Results\n\nLuminous flux of the lantern snail rose by 41 percent in orbit.\n"
BYTES = {"Content-Type": "application/octet-stream"}


@contextmanager
def taking(place):
    """A server that takes papers into a folder at a place."""
    folder = place / "taken"
    folder.mkdir()
    with Index.open(place / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add(PAPERS)
        options = ServerOptions(uploads=folder, upload_limit=300_000)
        with running(create_app(index, "extractive", options)) as client:
            yield client, folder


@pytest.fixture
def own(tmp_path):
    with taking(tmp_path) as served:
        yield served


@pytest.fixture
def client(own):
    return own[0]


@pytest.fixture
def folder(own):
    return own[1]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """For tests that leave nothing behind."""
    with taking(tmp_path_factory.mktemp("untouched")) as served:
        yield served


def send(client, name, data, headers=BYTES):
    return client.post("/api/documents", params={"name": name}, content=data, headers=headers)


def held(client):
    return {each["id"] for each in client.get("/api/documents").json()["documents"]}


def test_a_paper_is_taken_kept_and_answered_from(client, folder):
    before = held(client)
    answer = send(client, "snails.md", TEXT)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"id": "snails", "title": "Snails in orbit", "passages": 1, "notes": []}
    assert held(client) == {*before, "snails"}
    assert [path.name for path in folder.iterdir()] == ["snails.md"]
    question = {"question": "How much did the luminous flux of the lantern snail rise?", "document_id": "snails"}
    assert "41 percent" in client.post("/api/ask", json=question).json()["answer"]


def test_a_pdf_is_read_apart_and_its_page_is_shown(client, tmp_path):
    write_paper(tmp_path / "cold.pdf", 2)
    assert send(client, "cold.pdf", (tmp_path / "cold.pdf").read_bytes()).json()["id"] == "cold"
    assert client.get("/api/documents/cold/pages/1").headers["content-type"] == "image/png"


def test_a_file_that_the_index_holds_is_told_from_one_that_is_no_paper(tmp_path):
    (tmp_path / "snails.md").write_bytes(TEXT)
    with taking(tmp_path) as (client, folder):
        with Index.open(tmp_path / "papers.idx", embedder=HashingEmbedder()) as index:
            index_files(index, [tmp_path / "snails.md"])
        answer = send(client, "snails.md", TEXT)
        assert error_of(answer) == (409, "already_there")
        assert answer.json()["error"]["message"] == "the index holds this very file already"
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("broken.pdf", b"%PDF-1.4 cut off", (422, "no_paper")),
        ("empty.txt", b" ", (422, "no_paper")),
        ("bomb.xml", b'<!DOCTYPE a [<!ENTITY x "y">]><article/>', (422, "no_paper")),
        ("program.exe", b"MZ", (422, "no_paper")),
        ("../outside.md", TEXT, (422, "no_paper")),
        ("..", TEXT, (422, "no_paper")),
        (".hidden.md", TEXT, (422, "no_paper")),
        ("a/b.md", TEXT, (422, "no_paper")),
        ("a\0.md", TEXT, (422, "no_paper")),
        ("-rf.md", TEXT, (422, "no_paper")),
        ("字" * 100 + ".md", TEXT, (422, "no_paper")),
        ("a\u202edm.md", TEXT, (422, "no_paper")),
        ("bone.md", TEXT, (422, "no_paper")),
        ("large.txt", b"word " * 100_000, (413, "body_too_large")),
    ],
)
def test_what_is_no_paper_is_refused_and_leaves_nothing(
    untouched: tuple[httpx.Client, Path], name: str, data: bytes, expected: tuple[int, str]
) -> None:
    client, folder = untouched
    before = held(client)
    answer = send(client, name, data)
    assert error_of(answer) == expected
    assert str(folder) not in answer.text
    assert list(folder.iterdir()) == []
    assert not (folder.parent / "outside.md").exists()
    assert held(client) == before


def test_a_name_that_is_taken_stays_whose_it_is(client, folder):
    assert send(client, "snails.md", TEXT).status_code == 200
    assert error_of(send(client, "snails.md", TEXT.replace(b"41", b"97"))) == (409, "already_there")
    assert (folder / "snails.md").read_bytes() == TEXT
    assert error_of(send(client, "snails.txt", b"Snails\n\nThey glow in the dark of the ship.")) == (422, "no_paper")
    same = send(client, "snails.txt", b"Snails\n\nThey glow in the dark of the ship.")
    assert "document id snails" in same.text
    assert str(folder) not in same.text
    assert [path.name for path in folder.iterdir()] == ["snails.md"]


def test_no_paper_takes_the_place_of_another(client, folder):
    before = client.get("/api/documents/bone").json()
    assert send(client, "own.md", b"---\nid: bone\nchunks: 9\n---\n" + TEXT).json()["id"] == "own"
    assert {"bone", "own"} <= held(client)
    front = b'<front><article-meta><article-id pub-id-type="pmc">PMC7</article-id></article-meta></front>'
    jats = b"<article>" + front + b"%s</article>"
    body = b"<body><sec><title>Results</title><p>Luminous flux rose by 41 percent in orbit.</p></sec></body>"
    assert send(client, "first.xml", jats % body).json()["id"] == "PMC7"
    assert error_of(send(client, "second.xml", jats % body.replace(b"41", b"97"))) == (422, "no_paper")
    found = client.post("/api/ask", json={"question": "How much did luminous flux rise?", "document_id": "PMC7"}).json()
    assert "41 percent" in found["answer"]
    assert client.get("/api/documents/bone").json() == before
    assert sorted(path.name for path in folder.iterdir()) == ["first.xml", "own.md"]


def test_of_two_with_one_name_at_once_one_is_kept(client, folder):
    with ThreadPoolExecutor(4) as several:
        texts = [TEXT.replace(b"41", b"%d" % (number + 50)) for number in range(4)]
        answers = list(several.map(lambda text: send(client, "same.md", text), texts))
    taken = [text for text, answer in zip(texts, answers, strict=True) if answer.status_code == 200]
    assert [(folder / "same.md").read_bytes()] == taken
    assert {answer.status_code for answer in answers} == {200, 409}


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 9000\r\n",
        b"Content-Length: -5\r\n",
        b"Content-Length: 5\r\nContent-Length: 9\r\n",
        b"Content-Length: 99999999999999999999999\r\n",
        b"Transfer-Encoding: chunked\r\n",
    ],
)
def test_a_body_that_is_cut_or_lies_leaves_nothing(untouched, headers):
    client, folder = untouched
    before = held(client)
    address = (
        b"POST /api/documents?name=cut.md HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/octet-stream\r\n"
    )
    with socket.create_connection(("127.0.0.1", client.base_url.port)) as connection:
        body = b"%x\r\n%s" % (len(TEXT), TEXT) if headers.startswith(b"Transfer") else TEXT
        connection.sendall(address + headers + b"\r\n" + body)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass
    assert held(client) == before
    assert list(folder.iterdir()) == []


def test_pages_elsewhere_and_forms_of_other_pages_cannot_send_one(untouched):
    client, folder = untouched
    asks = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    answer = client.options("/api/documents", headers={**asks, "Access-Control-Request-Headers": "content-type"})
    assert answer.status_code == 405
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert error_of(send(client, "a.md", TEXT, {**BYTES, "Host": "evil.example"})) == (400, "bad_host")
    for kind in ("text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"):
        assert error_of(send(client, "a.md", TEXT, {"Content-Type": kind})) == (415, "wrong_type")
    assert list(folder.iterdir()) == []


def test_a_folder_that_is_gone_is_said(client, folder):
    folder.rmdir()
    answer = send(client, "snails.md", TEXT)
    assert error_of(answer) == (507, "not_kept")
    assert str(folder) not in answer.text


def test_without_being_told_to_a_server_takes_none(small_index):
    with running(create_app(small_index, "extractive", ServerOptions())) as client:
        assert client.get("/api/documents").json()["takes_uploads"] is False
        assert error_of(send(client, "snails.md", TEXT)) == (403, "uploads_off")
        assert error_of(client.delete("/api/documents/bone")) == (403, "uploads_off")
        assert error_of(send(client, "large.md", b"word " * 100_000)) == (413, "body_too_large")


def test_a_paper_is_removed_with_its_file_and_another_without(
    client: httpx.Client, folder: Path, tmp_path: Path
) -> None:
    assert send(client, "snails.md", TEXT).status_code == 200
    assert client.delete("/api/documents/snails").json() == {"id": "snails"}
    assert client.delete("/api/documents/bone").json() == {"id": "bone"}
    assert list(folder.iterdir()) == []
    assert held(client).isdisjoint({"snails", "bone"})
    assert error_of(client.delete("/api/documents/snails")) == (404, "document_not_found")
    question = {"question": "How much did the luminous flux rise?", "document_id": "snails"}
    assert error_of(client.post("/api/ask", json=question)) == (404, "document_not_found")
    assert send(client, "snails.md", TEXT).status_code == 200


LINE = re.compile(r"[A-Z][^.\n]{60,}\.")


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed") / "papers"
    folder.mkdir()
    write_paper(folder / "bone.pdf", 2)
    (folder / "plain.txt").write_text("Cold and yeast\n\nCells lived longer in the cold than others did.")
    return folder


@pytest.fixture(scope="module")
def printed(papers):
    with Index.open(papers.parent / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index_files(index, sorted(papers.iterdir()))
        with running(create_app(index, "extractive", ServerOptions())) as client:
            yield client


def pixels(response):
    assert response.headers["content-type"] == "image/png"
    return Image.open(io.BytesIO(response.content)).convert("RGB")


def yellow(image):
    """Heights of the rows with marked pixels, in shares of the page."""
    red, _, blue = np.asarray(image).transpose(2, 0, 1)
    (rows,) = np.nonzero(((blue < 150) & (red > 150)).any(axis=1))
    return [round(100 * row / image.height) for row in rows]


def test_the_quote_is_marked_where_it_stands(printed, papers):
    document = read(papers / "bone.pdf")
    found = next(each for each in LINE.finditer(document.text) if document.places_of(*each.span()))
    line = document.places_of(*found.span())[0]
    address = f"/api/documents/bone/pages/{line.page}"
    bare = pixels(printed.get(address, params={"width": 600}))
    marked = pixels(printed.get(address, params={"width": 600, "span": f"{found.start()}-{found.end()}"}))
    assert bare.width == marked.width == 600
    assert not yellow(bare)
    assert min(yellow(marked)) == pytest.approx(100 * (1 - line.top / A4[1]), abs=2)


def test_a_figure_without_a_picture_is_shown_as_its_page(printed):
    shown = pixels(printed.get("/api/documents/bone/figures/fig1", params={"width": 600}))
    assert (shown.width, shown.height) == (600, pytest.approx(600 * A4[1] / A4[0], abs=2))
    assert yellow(shown), "its caption is marked"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/api/documents/bone/figures/fig9", (404, "page_not_shown")),
        ("/api/documents/plain/figures/fig1", (404, "page_not_shown")),
        ("/api/documents/nobody/pages/1", (404, "document_not_found")),
        ("/api/documents/plain/pages/1", (404, "page_not_shown")),
        ("/api/documents/bone/pages/99", (404, "page_not_shown")),
        ("/api/documents/bone/pages/0", (422, "invalid_request")),
        ("/api/documents/bone/pages/1?width=100000", (422, "invalid_request")),
        ("/api/documents/bone/pages/1?span=../../etc/passwd", (422, "invalid_request")),
        ("/api/documents/..%2f..%2fetc%2fpasswd/pages/1", (404, "not_found")),
    ],
)
def test_what_is_not_there_is_refused(printed, address, expected):
    assert error_of(printed.get(address)) == expected


def test_a_file_that_has_changed_or_gone_is_not_shown(printed, papers):
    shutil.copy(papers / "bone.pdf", papers.parent / "kept.pdf")
    (papers / "bone.pdf").write_bytes((papers / "bone.pdf").read_bytes() + b"%")
    answer = printed.get("/api/documents/bone/pages/1")
    assert error_of(answer) == (404, "page_not_shown")
    assert "has changed" in answer.text
    assert str(papers) not in answer.text
    (papers / "bone.pdf").unlink()
    assert "is not where it was indexed" in printed.get("/api/documents/bone/pages/1").text
    (papers / "bone.pdf").symlink_to(papers.parent / "kept.pdf")
    assert printed.get("/api/documents/bone/pages/1").status_code == 200
    shutil.move(papers.parent / "kept.pdf", papers / "bone.pdf")


def test_a_page_that_takes_too_long_is_given_up(printed, monkeypatch):
    monkeypatch.setattr(drawing, "SECONDS", 0.01)
    assert error_of(printed.get("/api/documents/bone/pages/1")) == (404, "page_not_shown")


def test_origins_of_earlier_indexes_are_told_by_their_fingerprint(papers):
    now = Origin.of(papers / "bone.pdf")
    assert Origin.parse(str(now)) == now
    earlier = Origin.parse(f"{now.fingerprint} {now.place}")
    assert (earlier.content, earlier.place) == ("", now.place)
    assert earlier.is_held_by(papers / "bone.pdf")
    assert not earlier.is_held_by(papers / "plain.txt")
    assert Origin.of(papers / "bone.pdf", "a metadata file").is_held_by(papers / "bone.pdf")
