"""A library of fifty: its own keys are what answers, drafts, tables and every export cite its papers by."""

import csv
import io

import bibtexparser
import pytest

from programs.evidence_table.filling import chosen_papers
from programs.evidence_table.table import Table, TableRow
from programs.evidence_table.table_export import as_markdown_table, values
from programs.ingest.document import Document
from programs.ingest.metadata import read_metadata
from programs.paper_writer.draft import bibtex
from programs.paper_writer.evidence import CitedPaper
from programs.paper_writer.run_resources import Library
from programs.references import references_of, write_references
from programs.replay.saved_answer import reference_faults
from programs.results.exports import as_csv
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder

ODD = {0: "DBLP:journals/x/Y-1", 1: "müller2019α", 2: "smith+jones.2020", 3: "bone", 4: "Bone"}
SAFE = {**ODD, 3: "bonea", 4: "Boneb"}
FIFTY = range(50)


def key(number):
    return SAFE.get(number, f"Author{number}_2019")


def library():
    entry = (
        "@article{{{key}, title = {{Bone {number}}}, author = {{Author{number}, Ann}}, year = {{2019}}, "
        "journal = {{J. Bone}}, volume = {{{number}}}, number = {{2}}, pages = {{10--{end}}}, "
        "doi = {{10.1000/b{number}}}}}"
    )
    return "\n".join(entry.format(key=ODD.get(number, key(number)), number=number, end=20 + number) for number in FIFTY)


@pytest.fixture(scope="module")
def table_of_metadata(tmp_path_factory):
    path = tmp_path_factory.mktemp("library") / "library.bib"
    path.write_text(library(), "utf-8")
    return read_metadata(path)


@pytest.fixture(scope="module")
def index(table_of_metadata):
    papers = [Document(f"p{n}", f"Femur density fell by {n} percent.", doi=f"10.1000/b{n}") for n in FIFTY]
    with Index.open(":memory:", create=True, embedder=HashingEmbedder()) as opened:
        opened.add(map(table_of_metadata.apply, papers))
        yield opened


@pytest.fixture(scope="module")
def items(index):
    result = {"passages": [{"document_id": f"p{number}"} for number in FIFTY]}
    return list(references_of(result, index.document, index.citation_keys()).values())


def test_keys_that_collide_are_told(table_of_metadata):
    (said,) = table_of_metadata.problems
    assert "'Bone' is that of line 4 too" in said


def test_drafts_and_tables_cite_by_the_keys_of_the_index(index):
    keys = index.citation_keys()
    assert keys == {f"p{number}": key(number) for number in FIFTY}
    assert Library(index).keys == keys
    assert {each.document_id: each.key for each in chosen_papers(index)} == keys


def test_a_table_names_the_key_the_authors_and_the_journal(index):
    (paper,) = chosen_papers(index, named=["p0"])
    table = Table([], [TableRow(paper, ())], "extractive", ())
    _, row, _ = csv.reader(io.StringIO(as_csv(values(table))))
    assert row == ["p0", ODD[0], "Bone 0", "Author0, Ann", "2019", "J. Bone", "10.1000/b0", ""]
    assert f"Bone 0 ({ODD[0]})" in as_markdown_table(table)


@pytest.mark.parametrize("ending", [".bib", ".ris", ".json"])
def test_an_export_read_as_a_library_keeps_its_keys(ending, items, tmp_path):
    write_references(tmp_path / f"refs{ending}", items)
    again = read_metadata(tmp_path / f"refs{ending}")
    papers = [again.apply(Document(f"p{n}", "Text.", doi=f"10.1000/b{n}")) for n in FIFTY]
    assert [each.metadata["citekey"] for each in papers] == [key(number) for number in FIFTY]
    assert [each.metadata["volume"] for each in papers] == [str(number) for number in FIFTY]
    assert again.problems == ()


def test_a_drafts_bibliography_has_volume_and_pages(index):
    paper = CitedPaper.of(index.document("p9"), index.citation_keys()["p9"])
    (entry,) = bibtexparser.parse_string(bibtex([CitedPaper.model_validate(paper.model_dump(mode="json"))])).entries
    assert (entry.key, entry["volume"], entry["pages"]) == ("Author9_2019", "9", "10--29")


@pytest.mark.parametrize("change", [{"id": "Author8_2019"}, {"title": "Heart"}, {"volume": "8"}, {"id": None}])
def test_a_reference_that_was_changed_is_a_fault(change, index, items):
    papers = {"p7": index.document("p7")}
    assert list(reference_faults({"p7": items[7]}, papers)) == []
    assert list(reference_faults({"p7": {**items[7], **change}}, papers))


def test_the_papers_are_read_once_for_their_keys_until_one_is_added(monkeypatch, tmp_path):
    for place in (":memory:", str(tmp_path / "papers.idx")):
        with Index.open(place, create=True, embedder=HashingEmbedder()) as opened:
            opened.add([Document("a", "Femur density fell.", authors=("Smith, Jo",), year=2014)])
            scrolled: list[object] = []
            scroll = opened.store.scroll
            monkeypatch.setattr(
                opened.store,
                "scroll",
                lambda *given, scroll=scroll, seen=scrolled: seen.append(given) or scroll(*given),
            )
            assert opened.citation_keys() == opened.citation_keys() == {"a": "smith2014"}
            assert len(scrolled) == 1
            with opened.reading():
                opened.add([Document("b", "Femur density rose.", authors=("Smith, Jo",), year=2014)])
                assert len(opened.citation_keys()) <= 2
            assert opened.citation_keys() == {"a": "smith2014a", "b": "smith2014b"}
