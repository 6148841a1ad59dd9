"""Answers and tables in other forms, each read back by a library that did not write it."""

from __future__ import annotations

import csv
import io
from typing import Any

import bibtexparser
import httpx
import pypdf
import pytest
import rispy

from programs.retrieval.file_indexing import index_files
from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests.hashing_embedder import HashingEmbedder
from tests.programs.ingest.pdf.test_pdf import write_paper
from tests.running_server import error_of, running

QUESTION = "How many strains of budding yeast lived through the winter of the fourth trial?"


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    write_paper(folder / "cold.pdf", 2)
    (folder / "other.txt").write_text("Roots of cress\n\nRoots of cress grew in every direction without gravity.")
    with Index.open(folder / "papers.idx", create=True, embedder=HashingEmbedder(256)) as index:
        index_files(index, [folder / "cold.pdf", folder / "other.txt"])
        with running(create_app(index, "extractive", ServerOptions())) as client:
            yield client


@pytest.fixture(scope="module")
def result(printed):
    asked = printed.post("/api/ask", json={"question": QUESTION, "document_id": "cold"})
    found: dict[str, Any] = asked.json()
    assert found["citations"]
    return found


def exported(client, result, form, **more):
    return client.post("/api/export", params={"form": form, **more}, json=result)


def test_an_answer_is_given_in_every_form_with_what_it_cites_by_its_key(printed, result):
    key, doi = result["references"]["cold"]["id"], "10.1186/1741-7015-3-6"
    (entry,) = bibtexparser.parse_string(exported(printed, result, "answer.bib").text).entries
    assert (entry.key, entry["doi"]) == (key, doi)
    answer = exported(printed, result, "answer.ris")
    assert answer.headers["content-disposition"] == 'attachment; filename="answer.ris"'
    (item,) = rispy.loads(answer.text)
    assert (item["id"], item["doi"]) == (key, doi)
    rows = list(csv.DictReader(io.StringIO(exported(printed, result, "answer.csv").text)))
    assert [row["quote"] for row in rows] == [each["quote"] for one in result["citations"] for each in one["quotes"]]
    assert {(row["verdict"], row["key"], row["probability"], row["pages"][0]) for row in rows} == {
        ("quoted", key, "", "p")
    }
    text = exported(printed, result, "answer.md").text
    assert "Nearest in your papers" in text
    assert key in text


def test_the_pdf_of_a_cited_paper_is_marked(printed, result):
    answer = exported(printed, result, "marked.pdf", document_id="cold")
    assert answer.headers["content-type"] == "application/pdf"
    notes = [
        str(each.get_object()["/Contents"])
        for page in pypdf.PdfReader(io.BytesIO(answer.content)).pages
        for each in page.get("/Annots", [])
    ]
    assert len(notes) >= len(result["citations"])
    assert all(each.startswith("quoted: ") for each in notes)


def test_a_table_is_given_in_every_form(printed):
    columns = [{"name": "strains", "question": QUESTION}]
    table = printed.post("/api/table", json={"columns": columns}).json()
    rows = list(csv.DictReader(io.StringIO(exported(printed, table, "table.csv").text)))
    assert [row["paper"] for row in rows] == ["cold", "other", "all papers"]
    cells = list(csv.DictReader(io.StringIO(exported(printed, table, "cells.csv").text)))
    assert {row["column"] for row in cells} == {"strains"}
    assert "strains" in exported(printed, table, "table.md").text
    assert "<table" in exported(printed, table, "table.html").text


@pytest.mark.parametrize(
    ("form", "change", "said"),
    [
        ("answer.doc", {}, "the form 'answer.doc' is unknown"),
        ("answer.md", {"answer": 3}, "this is not an answer"),
        ("answer.md", {"citations": [{}]}, "this is not an answer"),
        ("answer.md", {"answer": "a\0"}, "this is not an answer"),
        ("table.csv", {}, "this is not a table"),
        ("marked.pdf", {"citations": []}, "no quote of this answer"),
        ("marked.pdf", {"citations": [{}]}, "this is not an answer"),
    ],
)
def test_what_the_server_did_not_give_is_refused(
    printed: httpx.Client, result: dict[str, Any], form: str, change: dict[str, Any], said: str
) -> None:
    answer = exported(printed, {**result, **change}, form, document_id="cold")
    assert error_of(answer) == (400, "bad_request")
    assert said in answer.text


def test_a_paper_that_is_no_pdf_has_no_marked_copy(printed, result):
    assert error_of(exported(printed, result, "marked.pdf", document_id="other")) == (404, "page_not_shown")
    assert error_of(exported(printed, result, "marked.pdf")) == (404, "document_not_found")
