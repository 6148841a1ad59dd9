"""Papers as their publishers print them, beside their JATS: what the first page says, and what is evidence."""

import re

import pytest

from programs.ingest.formats import read
from tests.benchmarks import BENCHMARKS, needs_benchmarks

FOLDER = BENCHMARKS / "pdfs"
# One of each of ten publishers.
PAPERS = """
    PMC12077731 PMC12092414 PMC12124168 PMC1397864 PMC4391421 PMC4562040 PMC4575751 PMC5301171 PMC5971330 PMC6281068
""".split()  # noqa: SIM905
NOTICES = re.compile(r"^(?:Received|Copyright|©|Citation:|How to cite|Publisher’s Note|Submit your)", re.MULTILINE)

pytestmark = needs_benchmarks


@pytest.fixture(scope="module", params=PAPERS)
def papers(request):
    """The same paper from its PDF and from its JATS."""
    return read(FOLDER / f"{request.param}.pdf"), read(FOLDER / f"{request.param}.nxml")


def words(text):
    return re.findall(r"[^\W\d_]+", text.lower())


@pytest.mark.slow
def test_the_first_page_says_what_the_publisher_says(papers):
    pdf, jats = papers
    assert words(pdf.title) == words(jats.title)
    assert len(pdf.authors) == len(jats.authors)
    assert pdf.year == jats.year
    assert pdf.doi.lower() in (jats.doi.lower(), "")


def test_notices_and_references_are_no_evidence(papers):
    pdf, jats = papers
    evidence = " ".join(
        pdf.text[each.start : each.end] for each in pdf.sections if each.kind not in ("notice", "references")
    )
    assert not NOTICES.findall(evidence)
    listed = next((each for each in jats.sections if each.kind == "references"), None)
    if listed is not None:
        first = words(jats.text[listed.start : listed.end])[:8]
        assert " ".join(first) not in " ".join(words(evidence))


@pytest.mark.slow
def test_the_sections_of_the_paper_are_found(papers):
    pdf, jats = papers
    main = {"methods", "results", "discussion", "references"}
    assert {each.kind for each in jats.sections} & main <= {each.kind for each in pdf.sections}
