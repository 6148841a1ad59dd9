"""A reader that makes another document of the same file needs another version, or indexes keep what it made before.

When a test here fails, a reader's output has changed. Raise its number in `programs.ingest.formats.VERSIONS`, unless
that version was never released, and write the new digest here.
"""

import hashlib
import json
from pathlib import Path

import pytest

from programs.ingest.formats import READERS, VERSIONS, reading
from programs.ingest.reader import read
from tests.programs.ingest.pdf.test_pdf import write_paper
from tests.programs.ingest.test_readability import ENGLISH
from tests.word_files import paragraph, write_docx

PAPERS = Path(__file__).resolve().parents[3] / "datasets" / "space_biology" / "papers"
ARTICLE = {"title": "Cold and yeast", "sections": [{"title": "Results", "text": ENGLISH}], "year": 2019}
OF_READING = {
    "docx 1": "6e73649a1329c41a",
    "html 1": "54105c7638887fbb",
    "article_json 1": "fe489ed023adc79f",
    "jats 2": "7997799be0d14dbe",
    "markdown 3": "2ac170abbbcbba6b",
    "pdf 7": "e7c9cf841239c886",
    "plain_text 1": "dde409586c6eb5da",
}


def write_article(path):
    path.write_text(json.dumps(ARTICLE), "utf-8")


def write_columns(path):
    write_paper(path, 2)


def write_text(path):
    path.write_text(f"Cold and yeast\n\nResults\n\n{ENGLISH}\n\nReferences\n\n1. Smith J. Cold. 2001.\n", "utf-8")


def of_dataset(ending):
    def write(path):
        path.write_bytes(min(PAPERS.glob(f"*{ending}")).read_bytes())

    return write


def write_page(path):
    path.write_text(f"<h1>Cold and yeast: a trial</h1><h2>Results</h2><p>{ENGLISH}</p>", "utf-8")


def write_word(path):
    write_docx(
        path, paragraph("Cold and yeast", style="Title"), paragraph("Results", style="Heading1"), paragraph(ENGLISH)
    )


FILES = {
    "article.json": write_article,
    "paper.docx": write_word,
    "paper.html": write_page,
    "paper.nxml": of_dataset(".nxml"),
    "paper.md": of_dataset(".md"),
    "paper.pdf": write_columns,
    "paper.txt": write_text,
}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.needs("docx") if each == "paper.docx" else ()) for each in FILES]
)
def test_a_reader_whose_output_changed_has_a_new_version(name, tmp_path):
    FILES[name](tmp_path / name)
    values = json.dumps(read(tmp_path / name).as_dict(), sort_keys=True, ensure_ascii=False)
    assert hashlib.sha256(values.encode()).hexdigest()[:16] == OF_READING[reading(name)], reading(name)


def test_every_reader_has_a_version():
    assert set(VERSIONS) == set(READERS.values())
    assert {reading(name) for name in FILES} == set(OF_READING)
