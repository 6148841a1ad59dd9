"""Pages of PDFs as pictures: of papers of the index alone, from the very file that was indexed."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4

from programs.ingest.reader import read
from programs.results import highlighting
from programs.retrieval.files import index_files
from programs.retrieval.index import Index
from programs.retrieval.origins import Origin
from programs.server.app import create_app
from programs.server.options import ServerOptions
from tests.hashing_embedder import HashingEmbedder
from tests.programs.ingest.pdf.test_pdf import write_paper
from tests.running_server import error_of, running

LINE = re.compile(r"[A-Z][^.\n]{60,}\.")


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    (tmp_path / "papers").mkdir()
    write_paper(tmp_path / "papers" / "bone.pdf", 2)
    (tmp_path / "papers" / "plain.txt").write_text("Cold and yeast\n\nCells lived longer in the cold than others did.")
    return tmp_path / "papers"


@pytest.fixture
def client(papers: Path, tmp_path: Path) -> Iterator[httpx.Client]:
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index_files(index, sorted(papers.iterdir()))
        with running(create_app(index, "extractive", ServerOptions())) as client:
            yield client


def pixels(response: httpx.Response) -> Image.Image:
    assert response.headers["content-type"] == "image/png"
    return Image.open(io.BytesIO(response.content)).convert("RGB")


def yellow(image: Image.Image) -> list[int]:
    """Heights of the rows with marked pixels, in shares of the page."""
    rows = [
        row
        for row in range(image.height)
        if any(blue < 150 < red for red, _, blue in (image.getpixel((x, row)) for x in range(0, image.width, 3)))
    ]
    return [round(100 * row / image.height) for row in rows]


def test_the_quote_is_marked_where_it_stands(client: httpx.Client, papers: Path) -> None:
    document = read(papers / "bone.pdf")
    found = next(each for each in LINE.finditer(document.text) if document.places_of(*each.span()))
    line = document.places_of(*found.span())[0]
    address = f"/api/documents/bone/pages/{line.page}"
    bare = pixels(client.get(address, params={"width": 600}))
    marked = pixels(client.get(address, params={"width": 600, "span": f"{found.start()}-{found.end()}"}))
    assert bare.width == marked.width == 600
    assert not yellow(bare)
    assert min(yellow(marked)) == pytest.approx(100 * (1 - line.top / A4[1]), abs=2)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/api/documents/nobody/pages/1", (404, "document_not_found")),
        ("/api/documents/plain/pages/1", (404, "page_not_shown")),
        ("/api/documents/bone/pages/99", (404, "page_not_shown")),
        ("/api/documents/bone/pages/0", (422, "invalid_request")),
        ("/api/documents/bone/pages/1?width=100000", (422, "invalid_request")),
        ("/api/documents/bone/pages/1?span=../../etc/passwd", (422, "invalid_request")),
        ("/api/documents/..%2f..%2fetc%2fpasswd/pages/1", (404, "not_found")),
    ],
)
def test_what_is_not_there_is_refused(client: httpx.Client, address: str, expected: tuple[int, str]) -> None:
    assert error_of(client.get(address)) == expected


def test_a_file_that_has_changed_or_gone_is_not_shown(client: httpx.Client, papers: Path) -> None:
    shutil.copy(papers / "bone.pdf", papers.parent / "kept.pdf")
    (papers / "bone.pdf").write_bytes((papers / "bone.pdf").read_bytes() + b"%")
    answer = client.get("/api/documents/bone/pages/1")
    assert error_of(answer) == (404, "page_not_shown")
    assert "has changed" in answer.text
    assert str(papers) not in answer.text
    (papers / "bone.pdf").unlink()
    assert "is not where it was indexed" in client.get("/api/documents/bone/pages/1").text
    (papers / "bone.pdf").symlink_to(papers.parent / "kept.pdf")
    assert client.get("/api/documents/bone/pages/1").status_code == 200


def test_a_page_that_takes_too_long_is_given_up(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(highlighting, "SECONDS", 0.01)
    assert error_of(client.get("/api/documents/bone/pages/1")) == (404, "page_not_shown")


def test_origins_of_earlier_indexes_are_told_by_their_fingerprint(papers: Path) -> None:
    now = Origin.of(papers / "bone.pdf")
    assert Origin.parse(str(now)) == now
    earlier = Origin.parse(f"{now.fingerprint} {now.place}")
    assert (earlier.content, earlier.place) == ("", now.place)
    assert earlier.is_held_by(papers / "bone.pdf")
    assert not earlier.is_held_by(papers / "plain.txt")
    assert Origin.of(papers / "bone.pdf", "a metadata file").is_held_by(papers / "bone.pdf")
