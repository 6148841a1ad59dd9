"""Metadata files: rows find their papers, columns their types, mistakes their line."""

import pytest

from programs.errors import UsageError
from programs.ingest.document import Document
from programs.ingest.metadata import read_metadata
from programs.retrieval.filters import CHUNK_FIELDS


@pytest.fixture
def table(tmp_path):
    def write(content, name="papers.csv"):
        path = tmp_path / name
        path.write_text(content, "utf-8")
        return read_metadata(path)

    return write


PAPER = Document(
    id="smith2019", text="Mice.", title="Draft", source="smith2019.pdf", doi="10.1/X", metadata={"kept": 1}
)


@pytest.mark.parametrize(
    "row",
    [
        "file,note\nsmith2019.pdf,found",
        "filename,note\nsmith2019,found",
        "File,Note\npapers/smith2019.pdf,found",
        "doi,note\nhttps://doi.org/10.1/X,found",
        "pmcid,doi,note\n,10.1/X,found",
    ],
)
def test_a_row_finds_its_paper(table, row):
    assert table(row).apply(PAPER).metadata == {"kept": 1, "note": "found"}


def test_a_pmcid_is_found_with_and_without_its_letters(table):
    paper = Document(id="PMC7", text="x", pmcid="PMC7")
    assert table("pmcid,note\n7,a").apply(paper).metadata == {"note": "a"}
    assert table("pmcid,note\npmc7,a").apply(paper).metadata == {"note": "a"}


def test_own_fields_replace_what_the_paper_says_and_empty_cells_do_not(table):
    paper = table('file,title,authors,year,journal,doi\nsmith2019.pdf,Mice,"Smith, J; Doe, A",2019,J Biol,\n').apply(
        PAPER
    )
    assert (paper.title, paper.authors, paper.year, paper.journal) == ("Mice", ("Smith, J", "Doe, A"), 2019, "J Biol")
    assert (paper.doi, paper.id) == ("10.1/X", "smith2019")


def test_a_paper_that_gets_a_pmcid_is_known_by_it(table):
    paper = table("file,pmcid\nsmith2019.pdf,99").apply(PAPER)
    assert (paper.id, paper.pmcid) == ("PMC99", "PMC99")


def test_columns_have_one_type_each(table):
    papers = table("file,dose,score,tags,code\na,1,0.5,bone; muscle,007\nb,2,2,heart,12\n")
    one, two = (papers.apply(Document(id=name, text="x", source=f"{name}.txt")).metadata for name in "ab")
    assert one == {"dose": 1, "score": 0.5, "tags": ["bone", "muscle"], "code": "007"}
    assert two == {"dose": 2, "score": 2.0, "tags": ["heart"], "code": "12"}


def test_json_lines_keep_their_types(table):
    lines = '{"doi": "10.1/X", "tags": ["bone", 3], "n": 2, "open": true, "none": null}\n\n'
    assert table(lines, "papers.jsonl").apply(PAPER).metadata == {
        "kept": 1,
        "tags": ["bone", "3"],
        "n": 2,
        "open": True,
    }


def test_every_name_that_filters_take_for_a_passage_is_refused(table):
    for name in CHUNK_FIELDS:
        with pytest.raises(UsageError, match="rename it"):
            table(f"file,{name}\na,b\n")


def test_rows_without_paper_are_reported_and_papers_without_row_stay(table):
    papers = table("file,note\nsmith2019.pdf,a\njones.pdf,b\n")
    other = Document(id="x", text="x", source="x.pdf")
    assert papers.apply(other) is other
    papers.apply(PAPER)
    assert papers.unmatched() == ["line 3: jones"]
    assert len(papers) == 2


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("file,note\na,b\nc,d,e\n", "m.csv", "line 3: the header has 2 columns"),
        ("file,note\na\n", "m.csv", "line 2: the header has 2 columns"),
        ("file,file\na,b\n", "m.csv", "line 1: a column is named twice"),
        ("note\nb\n", "m.csv", "line 2: it does not say which paper"),
        ("file,year\na,soon\n", "m.csv", "line 2: the year 'soon'"),
        ("file,note\na,1\na.pdf,2\n", "m.csv", "lines 2 and 3 are both about a"),
        ('file,note\na,"open\n', "m.csv", r"line \d: unexpected end of data"),
        ('{"file": "a"}\n{"file": ', "m.jsonl", "line 2: not JSON"),
        ("[1]", "m.jsonl", "line 1: list instead of an object"),
        ('{"file": "a", "x": {"y": 1}}', "m.jsonl", "line 1: 'x' holds dict"),
        ("file,section\na,b\n", "m.csv", "line 2: 'section' already has a meaning in an index; rename it, as paper_"),
        ('{"file": "a", "Kind": "review"}', "m.jsonl", "line 1: 'kind' already has a meaning"),
        ("", "m.csv", "empty"),
        ("file\na\n", "m.xlsx", r"\.csv or \.jsonl"),
    ],
)
def test_mistakes_are_named_with_file_and_line(table, content, name, message):
    with pytest.raises(UsageError, match=message) as caught:
        table(content, name)
    assert name in str(caught.value)
