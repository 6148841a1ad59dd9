"""Metadata files: rows find their papers, columns their types, mistakes their line."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from programs.errors import UsageError
from programs.ingest.document import Document
from programs.ingest.metadata import read_metadata
from programs.retrieval.filters import CHUNK_FIELDS
from tests.command_line import run


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
        "pmcid,note\n7,found",
        "pmcid,note\npmc7,found",
    ],
)
def test_a_row_finds_its_paper(table, row):
    assert table(row).apply(replace(PAPER, pmcid="PMC7")).metadata == {"kept": 1, "note": "found"}


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


@pytest.mark.parametrize(
    ("separator", "cells", "values"),
    [
        (";", ["0,5", "12"], [0.5, 12.0]),
        (";", ["1.000,5", "2"], ["1.000,5", "2"]),
        (";", ["1.5", "2"], [1.5, 2.0]),
        (",", ["1.000", "2.5"], [1.0, 2.5]),
        (",", ["0,5", "1,25"], ["0,5", "1,25"]),
        (",", ["1,000", "12,500"], ["1,000", "12,500"]),
    ],
)
def test_numbers_are_read_as_the_file_writes_them(table, separator, cells, values):
    rows = [f'{name}{separator}"{cell}"\n' for name, cell in zip("ab", cells, strict=True)]
    papers = table("".join([f"file{separator}dose\n", *rows]))
    found = [papers.apply(Document(id=name, text="x", source=f"{name}.txt")).metadata["dose"] for name in "ab"]
    assert found == values


def test_json_lines_keep_their_types(table):
    lines = '{"doi": "10.1/X", "tags": ["bone", 3], "n": 2, "open": true, "none": null}\n\n'
    assert table(lines, "p.jsonl").apply(PAPER).metadata == {
        "kept": 1,
        "tags": ["bone", "3"],
        "n": 2,
        "open": True,
    }


@pytest.mark.parametrize("name", CHUNK_FIELDS)
def test_every_name_that_filters_take_for_a_passage_is_refused(table, name):
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
        ("file,note\na,1\na.pdf,2\n", "m.csv", "line 2 and line 3 are both about a"),
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


# Exports of a reference manager as metadata for an index.

BIBTEX = r"""@article{muller2014,
  title = {Bone {\&} muscle loss in {{C57BL}}/6 mice}, author = {M{\"u}ller, Anna and {NASA GeneLab}},
  journal = {J. Space Biology}, year = {2014}, volume = {12}, number = {3}, pages = {45--52},
  doi = {10.1000/a\_b}, keywords = {bone,muscle},
  file = {Full Text PDF:/home/ada/Zotero/storage/AB/smith 2014.pdf:application/pdf;Snapshot:/x/page.html:text/html}
}
@book{lost, title = {A book on the shelf}, author = {Ada Lovelace}, year = {1843}}
@article{again, title = {The same}, doi = {10.1000/a_b}}
"""


@pytest.mark.needs("references")
def test_an_entry_says_what_its_paper_does_not_and_one_without_a_file_or_there_twice_is_named(tmp_path):
    (tmp_path / "library.bib").write_text(BIBTEX, "utf-8")
    table = read_metadata(tmp_path / "library.bib")
    for read in (Document("x", "…", doi="10.1000/a_b", source="x.pdf"), Document("y", "…", source="smith 2014.pdf")):
        found = table.apply(read)
        assert (found.title, found.year) == ("Bone & muscle loss in C57BL/6 mice", 2014)
        assert (found.journal, found.authors) == ("J. Space Biology", ("Müller, Anna", "NASA GeneLab"))
        printed = {"volume": "12", "issue": "3", "pages": "45–52", "citekey": "muller2014", "tags": ["bone", "muscle"]}
        assert found.metadata == printed
    assert table.unmatched() == [
        "line 7: A book on the shelf (no file, DOI or PMCID, and no file is called lost)",
        "entry 3: The same (as an entry before it)",
    ]


@pytest.mark.parametrize("text", ["{", '{"a": 1}'])
def test_what_is_no_export_is_refused(text, table):
    with pytest.raises(UsageError, match="export the library"):
        table(text, "a.json")


@pytest.mark.slow
@pytest.mark.needs("references")
def test_an_index_takes_an_export_and_names_what_it_cannot_use(tmp_path):
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "smith 2014.md").write_text("# x\n\n## Results\n\nFemur density fell in flight mice.\n")
    broken = "@article{a, title = {Iron}\n year = {2018},\n}\n"
    (tmp_path / "library.bib").write_text(broken + BIBTEX.replace("smith 2014.pdf", "smith 2014.md"), "utf-8")
    ran = run("index", tmp_path / "papers", "--index", tmp_path / "i.idx", "--metadata", tmp_path / "library.bib")
    assert ran.code == 0
    assert re.search(r"Metadata of no indexed paper: line \d+: A book on the shelf \(no file, DOI", ran.stderr)
    assert "Metadata, line 1: a comma or a brace is missing" in ran.stderr
    found = run("retrieve", "femur", "--index", tmp_path / "i.idx", "--format", "json").json
    assert found["hits"][0]["metadata"]["title"].startswith("Bone & muscle loss")


# Two papers of one name: the path decides, from its end; what it does not decide is named.


def told_apart(table, *files):
    """The notes that papers in these files get, and what could not be used."""
    paths = [Path(file) for file in files]
    table.expect(paths)
    found = [table.apply(Document(f"d{n}", "…", source=path.name), path) for n, path in enumerate(paths)]
    return [each.metadata.get("note") for each in found], table.problems


@pytest.mark.parametrize(
    ("rows", "files", "notes", "said"),
    [
        (("z/12/main.pdf", "z/15/main.pdf"), ("/p/15/main.pdf", "/p/12/main.pdf"), [1, 0], ""),
        (("z/12/main.pdf", "z/15/main.pdf"), ("/p/15/main.md",), [1], ""),
        (("z/12/main.pdf",), ("/p/12/main.pdf", "/p/15/main.pdf"), [0, None], ""),
        ((r"C:\z\12\main.pdf", r"C:\z\15\main.pdf"), ("/p/15/main.pdf",), [1], ""),
        (("a/x/main.pdf", "b/x/main.pdf"), ("/p/b/x/main.pdf", "/p/a/x/main.pdf"), [1, 0], ""),
        (("/home/ada/storage/AB/main.pdf",), ("/p/main.pdf",), [0], ""),
        (("main",), ("/p/main.pdf", "/p/main.html"), [0, 0], ""),
        (("cafe\u0301.pdf",), ("/p/caf\u00e9.pdf",), [0], ""),
        # What fits two is not guessed.
        (("z/12/main.pdf", "z/15/main.pdf"), ("/p/main.pdf",), [None], "line 1 and line 2: /p/main.pdf"),
        (("main.pdf",), ("/p/12/main.pdf", "/p/15/main.pdf"), [None] * 2, "line 1: /p/12/main.pdf and /p/15/main.pdf"),
    ],
)
def test_of_two_papers_with_one_name_each_gets_its_row(rows, files, notes, said, table):
    papers = table("".join(json.dumps({"file": row, "note": n}) + "\n" for n, row in enumerate(rows)), "m.jsonl")
    found, problems = told_apart(papers, *files)
    assert found == notes
    assert not problems if not said else problems[0].startswith(f"{said} fit equally well")


def test_a_doi_decides_between_paths_that_fit_equally_well(table):
    papers = table(
        '{"file": "a/main.pdf", "doi": "10.1/A"}\n{"file": "b/main.pdf", "doi": "10.1/b", "n": 1}\n', "m.jsonl"
    )
    paper = Document("x", "…", source="main.pdf", doi="10.1/B")
    assert papers.apply(paper, Path("/p/main.pdf")).metadata == {"n": 1}


def test_a_doi_against_a_bare_name_is_named(table):
    papers = table('{"file": "z/12/main.pdf", "doi": "10.1/a"}\n{"doi": "10.1/b"}\n', "m.jsonl")
    paper = Document("x", "…", source="main.pdf", doi="10.1/b")
    assert papers.apply(paper, Path("/p/main.pdf")) is paper
    assert papers.problems[0].startswith(
        "line 2 has the DOI or PMCID of /p/main.pdf, line 1 its name in another folder"
    )
    assert papers.apply(paper, Path("/p/12/main.pdf")).doi == "10.1/a"


# Tables as programs write them.


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("file;year;dose;tags\nsmith2019.pdf;2019;0,5;'a'\n", "m.csv"),
        ("file\tyear\tdose\ttags\nsmith2019.pdf\t2019.0\t0.5\t'a'\n", "m.csv"),
        ("file\tyear\tdose\ttags\nsmith2019.pdf\t2019\t0.5\t'a'\n", "m.tsv"),
        ("sep=;\nfile;year;dose;tags\nsmith2019.pdf;2019;0,5;'a'\n", "m.csv"),
        ("file,year,dose,tags,,\nsmith2019.pdf,2019,0.5,'a',,\n,,,,,\n", "m.csv"),
        ("source,year,dose,tags\nsmith2019.pdf,2019.0,0.5,'a'\n", "m.csv"),
        ('\ufeff"file";"year";"dose";"tags"\n"smith2019.pdf";"2019";"0,5";"\'a\'"\n', "m.csv"),
    ],
)
def test_separators_years_and_empty_columns(content, name, table):
    paper = table(content, name).apply(PAPER)
    assert (paper.year, paper.metadata) == (2019, {"kept": 1, "dose": 0.5, "tags": "'a'"})


def test_a_column_with_a_name_of_an_index_is_kept_under_another_and_that_is_said(table):
    papers = table("file,source,id\nsmith2019.pdf,PubMed,7\n")
    assert papers.apply(PAPER).metadata == {"kept": 1, "paper_source": "PubMed", "paper_id": 7}
    assert papers.problems[0] == "column 'source' is kept as 'paper_source', since an index has its own source"


ZOTERO = (
    '\ufeff"Key","Item Type","Publication Year","Author","Title","Publication Title","DOI","Url","Pages","Section",'
    '"Extra","File Attachments","Manual Tags"\n'
    '"A","journalArticle","2019","van den Berg, Jan; NASA","<i>Zinc</i> in hens","J. B","","","1-9","x",'
    '"PMCID: PMC77","C:\\Users\\u\\X\\page.html; C:\\Users\\u\\X\\zinc; hens.pdf","zinc; hens"\n'
    '"B","book","","Clark, Cy","Poultry today","","","","","","","",""\n'
    '"C","journalArticle","2020","","Again","","10.1/x","","","","","",""\n'
    '"D","journalArticle","2020","","Again","","10.1/X","","","","","",""\n'
)


def test_zotero_writes_csv(table):
    papers = table(ZOTERO)
    paper = papers.apply(Document("z", "…", source="zinc; hens.pdf"))
    assert (paper.title, paper.authors, paper.year, paper.pmcid) == (
        *("Zinc in hens", ("van den Berg, Jan", "NASA")),
        *(2019, "PMC77"),
    )
    assert paper.metadata == {"pages": "1-9", "tags": ["zinc", "hens"]}
    assert papers.unmatched() == [
        "line 4: 10.1/x",
        "entry 2: Poultry today (no file, DOI or PMCID)",
        "entry 4: Again (as an entry before it)",
    ]


def test_a_file_that_is_called_by_the_key_of_an_entry_is_its_paper(tmp_path):
    entries = (
        "@article{smith2019, title = {Zinc}}\n@article{lee2020, title = {Iron}}\n@article{roy2021, doi={10.1/x}}\n"
    )
    (tmp_path / "library.bib").write_text(entries, "utf-8")
    table = read_metadata(tmp_path / "library.bib")
    named = table.apply(Document("Smith2019", "Zinc helps.", source="Smith2019.pdf"))
    assert (named.title, named.metadata["citekey"]) == ("Zinc", "smith2019")
    by_doi = table.apply(Document("lee2020", "Iron.", doi="10.1/x", source="lee2020.pdf"))
    assert by_doi.metadata["citekey"] == "roy2021"  # the surer of the two
    assert table.unmatched() == ["line 2: Iron (no file, DOI or PMCID, and no file is called lee2020)"]
