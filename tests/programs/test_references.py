"""Reference lists, read back without loss by libraries that did not write them."""

import json

import bibtexparser
import pytest
import rispy
from bibtexparser.middlewares import LatexDecodingMiddleware

from programs.errors import UsageError
from programs.ingest.document import Document
from programs.references import as_pandoc, check_references, check_written, item_of, write_answer, write_references

FULL = Document(
    id="PMC1234567",
    text="…",
    title="Bone & muscle loss in 100 % of C57BL/6_J mice: the β-catenin pathway",
    authors=("Müller, Anna-Lena", "King, Martin L, Jr", "NASA GeneLab and friends"),
    year=2014,
    journal="J. Space Biology & Medicine",
    doi="https://doi.org/10.1000/a_b%c#d",
    pmcid="PMC1234567",
    url="https://example.org/a_b?x=1&y=2",
    metadata={
        "volume": "12",
        "issue": "3",
        "pages": "45–52",
        "publisher": "Cold Press",
        "issn": "1234-5678",
        "corrections": ["retracted by 10.1000/notice"],
        "retracted": True,
    },
)
BARE = Document(id="my paper (2)", text="…")
ITEMS = [item_of(FULL, "PMC1234567"), item_of(BARE, "my_paper_2")]
RESULT = {
    "references": {FULL.id: ITEMS[0], BARE.id: ITEMS[1]},
    "question": "How much: 'a' or \"b\"?",
    "answer": "Density fell [1][2]. Mail x@y.org says [sic] 5^2 [2].",
    "citations": [
        {"marker": "1", "document_id": "PMC1234567", "sentence": "Density fell [1][2].", "verdict": "supported"},
        {"marker": "2", "document_id": "my paper (2)", "sentence": "Density fell [1][2].", "verdict": "supported"},
    ],
}


@pytest.mark.needs("references")
def test_bibtex_is_read_back_by_bibtexparser(tmp_path):
    write_references(tmp_path / "refs.bib", ITEMS)
    raw = (tmp_path / "refs.bib").read_text("utf-8")
    found = bibtexparser.parse_string(raw, append_middleware=[LatexDecodingMiddleware()]).entries_dict
    entry = {name: field.value for name, field in found["PMC1234567"].fields_dict.items()}
    assert "doi = {10.1000/a_b%c#d}" in raw
    assert "url = {https://example.org/a_b?x=1&y=2}" in raw
    assert entry["title"] == FULL.title
    assert entry["journal"] == FULL.journal
    assert (entry["year"], entry["volume"], entry["number"], entry["pages"]) == ("2014", "12", "3", "45–52")
    assert (entry["publisher"], entry["issn"], entry["pmcid"]) == ("Cold Press", "1234-5678", "PMC1234567")
    assert entry["note"] == "retracted by 10.1000/notice"
    people = entry["author"].split(" and ")
    assert people[:2] == ["Müller, Anna-Lena", "King, Jr, Martin L"]
    assert "my_paper_2" in found


@pytest.mark.needs("references")
def test_ris_is_read_back(tmp_path):
    write_references(tmp_path / "refs.ris", ITEMS)
    raw = (tmp_path / "refs.ris").read_text("utf-8")
    entry, bare = rispy.loads(raw)
    assert entry["title"] == FULL.title
    assert entry["authors"] == ["Müller, Anna-Lena", "King, Martin L, Jr", "NASA GeneLab and friends"]
    assert entry["doi"] == "10.1000/a_b%c#d"
    printed = [entry[name] for name in ("volume", "number", "start_page", "end_page", "year", "publisher", "issn")]
    assert printed == ["12", "3", "45", "52", "2014", "Cold Press", "1234-5678"]
    assert entry["notes"] == ["retracted by 10.1000/notice"]
    assert bare["title"] == "my paper (2)"


def test_csl_json_says_what_the_others_say(tmp_path):
    write_references(tmp_path / "refs.json", ITEMS[:1])
    (item,) = json.loads((tmp_path / "refs.json").read_text("utf-8"))
    assert item["author"][1] == {"family": "King", "given": "Martin L", "suffix": "Jr"}
    assert item["author"][2] == {"literal": "NASA GeneLab and friends"}
    assert (item["DOI"], item["page"], item["issued"]) == ("10.1000/a_b%c#d", "45-52", {"date-parts": [[2014]]})


@pytest.mark.parametrize(
    ("name", "said"), [("refs.txt", r"ends in \.bib, \.ris, \.json"), ("no/refs.json", "no folder")]
)
def test_a_list_that_cannot_be_written_is_refused_before_the_work(name, said, tmp_path):
    with pytest.raises(UsageError, match=said):
        check_references(tmp_path / name)


def test_an_answer_has_pandocs_keys_and_names_its_references(tmp_path):
    write_answer(tmp_path / "answer.md", RESULT)
    head, text = (tmp_path / "answer.md").read_text("utf-8").removeprefix("---\n").split("\n---\n\n")
    assert json.loads(head) == {"title": RESULT["question"], "bibliography": "answer.references.json"}
    assert "Density fell [@PMC1234567; @my_paper_2]." in text
    assert r"x\@y.org says \[sic\] 5\^2 [@my_paper_2]" in text
    keys = [each["id"] for each in json.loads((tmp_path / "answer.references.json").read_text("utf-8"))]
    assert keys == ["PMC1234567", "my_paper_2"]


def test_another_ending_is_refused_and_says_what_to_do(tmp_path):
    with pytest.raises(UsageError, match=r"give a name in \.md, of which `pandoc --citeproc answer\.md --out"):
        check_written(tmp_path / "answer.docx")


def test_an_empty_answer_is_a_document_too():
    assert "do not hold an answer" in as_pandoc({"question": "q", "answer": "", "citations": []}, "refs.json")
