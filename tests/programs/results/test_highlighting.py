"""Quotes marked in a copy of a PDF: the words under the boxes are the quote's."""

import json
import re

import pypdfium2
import pytest
from pypdfium2 import raw

from programs.errors import UsageError
from programs.ingest.formats import read
from programs.results.highlighting import highlight
from tests.command_line import run
from tests.programs.ingest.pdf.test_pdf import write_paper


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("print") / "paper.pdf"
    write_paper(path, 2)
    return path


@pytest.fixture(scope="module")
def paper(source):
    return read(source)


def result_of(paper, *spans):
    quotes = [{"start": start, "end": end, "quote": paper.text[start:end]} for start, end in spans]
    return {"citations": [{"sentence": "It fell [1].", "verdict": "supported", "quotes": quotes}]}


def long_sentences(paper):
    return [each.span() for each in re.finditer(r"[A-Z][^.\n]{60,}\.", paper.text) if paper.places_of(*each.span())]


def words(text):
    return re.findall(r"\w+", text.lower())


def under(pdf, boxes):
    found = []
    for number, parts in boxes.items():
        text = pdf[number - 1].get_textpage()
        found += [text.get_text_bounded(*box) for box in parts]
    return words(" ".join(found))


def test_the_words_under_the_boxes_are_the_quotes(paper, source, tmp_path):
    spans = long_sentences(paper)[:5]
    assert len(spans) == 5
    marked = highlight([result_of(paper, *spans)], paper, source, tmp_path / "marked.pdf")
    assert [each.quote for each in marked] == [paper.text[start:end] for start, end in spans]
    pdf = pypdfium2.PdfDocument(tmp_path / "marked.pdf")
    for each in marked:
        wanted, found = set(words(each.quote)), under(pdf, each.boxes)
        assert len(wanted & set(found)) / len(wanted) > 0.8
        assert len([word for word in found if word in wanted]) / len(found) > 0.8
    count = sum(raw.FPDFPage_GetAnnotCount(page.raw) for page in pdf)
    pdf.close()
    assert count >= len(spans)


def test_the_page_itself_is_not_changed(paper, source, tmp_path):
    highlight([result_of(paper, long_sentences(paper)[0])], paper, source, tmp_path / "marked.pdf")
    assert read(tmp_path / "marked.pdf").text == paper.text


def test_quotes_of_other_papers_are_left_out_and_none_is_an_error(paper, source, tmp_path):
    other = {"start": 5, "end": 30, "quote": "A sentence of another one."}
    result = {"citations": [{"sentence": "x", "verdict": "supported", "quotes": [other]}]}
    with pytest.raises(UsageError, match="no quote of this answer is in"):
        highlight([result], paper, source, tmp_path / "marked.pdf")
    assert not (tmp_path / "marked.pdf").exists()


@pytest.mark.slow
def test_the_command_marks_an_answer(source, paper, tmp_path):
    start, end = long_sentences(paper)[0]
    asked = run("ask", paper.text[start:end], "--paper", source, "--output", tmp_path / "answer.json")
    assert asked.code == 0
    assert json.loads((tmp_path / "answer.json").read_text())["citations"]
    ran = run("highlight", tmp_path / "answer.json", "--paper", source, "--output", tmp_path / "marked.pdf")
    assert re.search(r"marked\.pdf: \d+ quotes? marked on page \d", ran.stdout)
    for wrong in (("--paper", tmp_path / "gone.pdf"), ("--paper", source, "--output", source), ("--paper", __file__)):
        assert run("highlight", tmp_path / "answer.json", *wrong).code == 2
