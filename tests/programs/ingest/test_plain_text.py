import json

import pytest

from programs.ingest.plain_text import document_of, read
from tests.benchmarks import BENCHMARKS, needs_benchmarks


def read_text(folder, text, name="paper.txt"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path)


WRAPPED = """\
Cold and the lifespan of budding yeast: a randomised
trial in two laboratories

Abstract

We study how the cold changes the lifespan of a popu-
lation of cells. The population lives longer at 4 °C than
it does at 30 °C.

1. INTRODUCTION

Yeast is small. It has been known for many years that the
cold slows its growth down, and that stress-induced genes
are involved (see Figure 1).
Another paragraph starts here without an empty line, since
the line before it is short.

2. Materials and Methods

2.1 Strains

Twenty strains were grown. Stress and induced genes are
named in Table 1.

Figure 1. Growth of the cells at both temperatures, as a
mean of three runs.

Figure 1 shows that they grew.

References

1. Smith J. Cold. 2001.
"""


def test_wrapped_lines_become_paragraphs_headings_and_captions(tmp_path):
    document = read_text(tmp_path, WRAPPED)
    assert document.title == "Cold and the lifespan of budding yeast: a randomised trial in two laboratories"
    bodies = {section.heading: document.text[section.start : section.end] for section in document.sections}
    assert bodies["Abstract"] == (
        "We study how the cold changes the lifespan of a population of cells. "
        "The population lives longer at 4 °C than it does at 30 °C."
    )
    assert bodies["INTRODUCTION"].split("\n\n") == [
        "Yeast is small. It has been known for many years that the cold slows its growth down, "
        "and that stress-induced genes are involved (see Figure 1).",
        "Another paragraph starts here without an empty line, since the line before it is short.",
    ]
    assert [(section.heading, section.kind, section.level) for section in document.sections] == [
        ("Abstract", "abstract", 1),
        ("INTRODUCTION", "introduction", 1),
        ("Materials and Methods", "methods", 1),
        ("Strains", "methods", 2),
        ("References", "references", 1),
    ]
    (figure,) = document.figures
    assert (figure.id, figure.label) == ("fig1", "Figure 1")
    assert document.text[figure.start : figure.end] == (
        "Figure 1. Growth of the cells at both temperatures, as a mean of three runs."
    )


def test_lines_without_wrapping_are_paragraphs(tmp_path):
    long = "A sentence that is much longer than any line that an editor would wrap, and goes on. " * 3
    document = read_text(tmp_path, f"Introduction\n{long}\n{long}\nTable 1Baseline values\n")
    assert document.text == f"Introduction\n\n{long.strip()}\n\n{long.strip()}\n\nTable 1. Baseline values"
    assert document.figures[0].id == "table1"


@pytest.mark.parametrize("first", ["Introduction", "We did it and it was good.", "1. Background"])
def test_a_first_line_that_is_no_title_stays_in_the_text(tmp_path, first):
    document = read_text(tmp_path, f"{first}\n\nMore text follows here.")
    assert document.title == ""
    assert document.text.startswith(first)


def test_identifiers_come_from_name_and_text(tmp_path):
    text = "Cold and yeast\n\nBMC Cold 2019, 3:45 https://doi.org/10.1186/s1-2-3.\n\nText."
    document = read_text(tmp_path, text, "PMC2654319.txt")
    assert (document.id, document.pmcid) == ("PMC2654319", "PMC2654319")
    assert (document.year, document.doi, document.source) == (2019, "10.1186/s1-2-3", "PMC2654319.txt")


def test_one_line_is_text_not_title_and_nothing_an_empty_document(tmp_path):
    assert read_text(tmp_path, "Only this").text == "Only this"
    assert document_of("\n \n", "empty").text == ""


@needs_benchmarks
def test_articles_without_empty_lines_have_sections(tmp_path):
    lines = (BENCHMARKS / "qasper" / "papers_qa.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        document = read_text(tmp_path, json.loads(line)["paper"])
        kinds = {section.kind for section in document.sections}
        assert "introduction" in kinds
        assert {"conclusion", "results", "methods", "discussion"} & kinds
