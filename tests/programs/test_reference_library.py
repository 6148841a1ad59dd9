"""Exports of a reference manager as metadata for an index."""

import json

import pytest

from programs.errors import UsageError
from programs.ingest.document import Document
from programs.ingest.metadata import read_metadata
from tests.command_line import run

BIBTEX = r"""@article{muller2014,
  title = {Bone {\&} muscle loss in {{C57BL}}/6 mice}, author = {M{\"u}ller, Anna and {NASA GeneLab}},
  journal = {J. Space Biology}, year = {2014}, volume = {12}, number = {3}, pages = {45--52},
  doi = {10.1000/a\_b}, keywords = {bone,muscle},
  file = {Full Text PDF:/home/ada/Zotero/storage/AB/smith 2014.pdf:application/pdf;Snapshot:/x/page.html:text/html}
}
@book{lost, title = {A book on the shelf}, author = {Ada Lovelace}, year = {1843}}
@article{again, title = {The same}, doi = {10.1000/a_b}}
"""
RIS = """TY  - JOUR
TI  - Bone & muscle loss in C57BL/6 mice
AU  - Müller, Anna
AU  - NASA GeneLab
T2  - J. Space Biology
PY  - 2014
VL  - 12
IS  - 3
SP  - 45
EP  - 52
DO  - 10.1000/a_b
KW  - bone
KW  - muscle
L1  - files/12/smith 2014.pdf
ER  -

TY  - BOOK
TI  - A book on the shelf
ER  -
"""
CSL = [
    {
        "id": "m",
        "title": "Bone & muscle loss in C57BL/6 mice",
        "author": [{"family": "Müller", "given": "Anna"}, {"literal": "NASA GeneLab"}],
        "container-title": "J. Space Biology",
        "issued": {"date-parts": [["2014", 5]]},
        "volume": "12",
        "issue": "3",
        "page": "45-52",
        "DOI": "10.1000/a_b",
    },
    {"id": "b", "title": "A book on the shelf"},
]
EXPORTS = {"library.bib": BIBTEX, "library.ris": RIS, "library.json": json.dumps(CSL)}


@pytest.mark.needs("references")
@pytest.mark.parametrize("name", EXPORTS)
def test_an_entry_says_what_its_paper_does_not_and_one_without_a_file_is_named(name, tmp_path):
    (tmp_path / name).write_text(EXPORTS[name], "utf-8")
    table = read_metadata(tmp_path / name)
    read = Document(id="x", text="…", doi="10.1000/a_b", source="x.pdf")
    found = table.apply(read)
    assert found.title == "Bone & muscle loss in C57BL/6 mice"
    assert found.authors == ("Müller, Anna", "NASA GeneLab")
    assert (found.journal, found.year, found.metadata["volume"]) == ("J. Space Biology", 2014, "12")
    assert found.metadata["pages"].replace("–", "-") == "45-52"
    assert "entry 2: A book on the shelf (no file, DOI or PMCID)" in table.unmatched()
    if name != "library.json":
        assert found.metadata["tags"] == ["bone", "muscle"]
        assert read_metadata(tmp_path / name).apply(Document("y", "…", source="smith 2014.pdf")).title == found.title


@pytest.mark.needs("references")
def test_an_entry_that_is_there_twice_is_named(tmp_path):
    (tmp_path / "library.bib").write_text(BIBTEX, "utf-8")
    assert "entry 3: The same (as an entry before it)" in read_metadata(tmp_path / "library.bib").unmatched()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{"),
        ("a.json", '{"a": 1}'),
        pytest.param("a.bib", "@article{x, title = {", marks=pytest.mark.needs("references")),
    ],
)
def test_what_is_no_export_is_refused(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match="export the library"):
        read_metadata(tmp_path / name)


@pytest.mark.needs("references")
@pytest.mark.needs("weights")
def test_an_index_takes_an_export(tmp_path):
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "smith 2014.md").write_text("# x\n\n## Results\n\nFemur density fell in flight mice.\n")
    (tmp_path / "library.bib").write_text(BIBTEX.replace("smith 2014.pdf", "smith 2014.md"), "utf-8")
    ran = run("index", tmp_path / "papers", "--index", tmp_path / "i.idx", "--metadata", tmp_path / "library.bib")
    assert ran.code == 0
    assert "Metadata of no indexed paper: entry 2: A book on the shelf" in ran.stderr
    found = run("retrieve", "femur", "--index", tmp_path / "i.idx", "--format", "json").json
    assert found["hits"][0]["metadata"]["title"].startswith("Bone & muscle loss")
