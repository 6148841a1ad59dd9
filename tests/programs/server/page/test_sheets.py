"""The PDF's page beside the answer, with the quote marked, on a desk and in a hand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from programs.retrieval.file_indexing import index_files
from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests.browser import Visit, ask, citations
from tests.hashing_embedder import HashingEmbedder
from tests.programs.ingest.pdf.test_pdf import write_paper
from tests.running_server import running
from tests.scripted_lm import Script, evidence

QUESTION = "How many strains of budding yeast lived through the winter of the fourth trial?"


def quoted(call):
    number, sentence = next(iter(evidence(call).items()))
    return {"answerable": True, "answer": [{"text": sentence, "evidence": [number]}]}


@pytest.fixture
def papers(tmp_path):
    write_paper(tmp_path / "cold.pdf", 2)
    (tmp_path / "other.txt").write_text("Roots of cress\n\nRoots of cress grew in every direction without gravity.")
    return tmp_path


@pytest.fixture
def address(papers, tmp_path_factory):
    place = tmp_path_factory.mktemp("sheets") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder(256)) as index:
        index_files(index, sorted(papers.iterdir()))
        with running(create_app(index, Script(answer=quoted).lm(), ServerOptions())) as client:
            yield str(client.base_url).rstrip("/")


def opened(page):
    ask(page, QUESTION)
    citations(page).first.click()
    return page.get_by_role("dialog")


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (360, 740)])
def test_the_page_of_the_pdf_stands_below_the_passage(browser, address, width, height):
    visit = Visit(browser, width, height)
    page = visit.open(address, papers=2)
    panel = opened(page)
    image = panel.get_by_role("img", name=re.compile("Page . of the PDF with the quote marked"))
    expect(image).to_be_visible()
    image.scroll_into_view_if_needed()
    expect(image).to_have_js_property("naturalWidth", 1200)
    box = image.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    marked = """image => {
        const canvas = Object.assign(document.createElement("canvas"), { width: 1200, height: 1700 });
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, 1200, 1700);
        let found = 0;
        for (let at = 0; at < data.length; at += 4) found += data[at] > 200 && data[at + 2] < 150 && data[at + 3] > 0;
        return found;
    }"""
    assert image.evaluate(marked) > 200
    visit.end()


def test_a_page_that_is_not_shown_says_why(browser, address, papers):
    (papers / "cold.pdf").write_bytes((papers / "cold.pdf").read_bytes() + b"%")
    visit = Visit(browser, 1280, 900)
    panel = opened(visit.open(address, papers=2))
    expect(panel.locator(".sheet")).to_contain_text("has changed since it was indexed")
    expect(panel.locator("mark")).to_be_visible()
    visit.end("404")
