"""Year, journal and DOI are those of the imprint.

The journal's name is left empty where authors, addresses or references look like one.
"""

import pytest

from programs.ingest.pdf.margins import imprint_of, journal_of
from programs.ingest.pdf.reading_order import TextRun

BODY = ["Roots grew without direction.", "Femur density fell in orbit."]


def test_a_journal_is_named_above_its_volume():
    head = ["Hindawi", "The Cold World Journal", "Volume 2014, Article ID 239508, 5 pages"]
    assert journal_of([head, BODY], "") == "The Cold World Journal"


def runs(*lines):
    return [TextRun(text, 50, 780 - 12 * place, 400, 788 - 12 * place, 9) for place, text in enumerate(lines)]


@pytest.mark.parametrize(
    ("head", "year", "journal"),
    [
        ("Sensors 2014, 14, 15553-15572; doi:10.3390/s140815553", 2014, "Sensors"),
        ("Lovelace et al. Cold Medicine (2018) 18:55", 2018, "Cold Medicine"),
        ("A. Lovelace et al. / Cold Medicine 10 (2014) 1-5", 2014, "Cold Medicine"),
        ("Cold Medicine. 2025;39:e70049. wileyonlinelibrary.com/journal/cold 1 of 12", 2025, "Cold Medicine"),
        ("J Cold-Borne Dis, September 2017, 11(3): 427-432", 2017, "J Cold-Borne Dis"),
        ("Bioinformation 13(3): 67-72 (2017)", None, "Bioinformation"),
        ("Journal of Cold and Life Volume 7, Special Issue 3, 2014", 2014, "Journal of Cold and Life"),
        ("Iranian Journal of Cold Vol.9. No.3. pp: 177-186, Summer 2011", 2011, "Iranian Journal of Cold"),
        ("Cold World, EISSN: 2231-0916", None, "Cold World"),
        ("Temesgen and Warkineh (2025), PeerJ, DOI 10.7717/peerj.19428 1/31", None, "PeerJ"),
        ("Received 3 May 2018", None, ""),
    ],
)
def test_a_head_of_the_first_page_tells_year_and_journal(head, year, journal):
    imprint = imprint_of([runs(head, "We followed 2000 yeasts."), runs(*BODY)], "")
    assert (imprint.year, imprint.journal) == (year, journal)


@pytest.mark.parametrize(
    "line",
    [
        "Gupta, S. K., Prakash, J., and Srivastava, S. (2013). 14, 123",
        "Jeyaseelan, E.C. 2012, 2, 5",
        "R., Grando, S.A. and Kummer, W. (2003) 92, 5",
        "Temesgen and Warkineh (2025), 13",
        "China. Sustainability. 2019; 11: 44",
        "India. Nat Prod Res. 2010; 24: 12",
        "Karnataka, India 2014, 12",
        "Plants collected in winter 2014, 12 of them in bloom",
        "Research 2014, 12",
        "Original Article Volume 3",
        "Volume 2018, Article ID 5656189, 5 pages",
        "Department of Botany, 2014, 12",
        "Received 3 May 2018",
        "Elsevier www.elsevier.com",
        "Journal homepage: www.example.org",
    ],
)
def test_what_only_looks_like_a_name_gives_none(line):
    assert journal_of([[line, *BODY], BODY], "") == ""


LISTED = "Roots of cress\nReferences\nNat Prod Res 2010, 24:5"
PUBLISHED = "© 2011 The Authors. Nat Prod Res published by Lovelace Ltd.\nReferences"


@pytest.mark.parametrize(
    ("margins", "first", "journal"),
    [
        ([["Roots of cress"], ["Cold Medicine 2006, 6:3", "2"], ["Cold Medicine 2006, 6:3", "3"]], "", "Cold Medicine"),
        ([BODY, ["Nat Prod Res 2010, 24"], ["Nat Prod Res 2011, 25"]], "", ""),  # references at the edges
        ([["Nat Prod Res 2010, 24:5"], BODY], LISTED, ""),
        ([["Nat Prod Res 2010, 24:5"], BODY], PUBLISHED, "Nat Prod Res"),
    ],
)
def test_the_same_numbers_on_several_pages_name_it(margins, first, journal):
    assert journal_of(margins, first) == journal


@pytest.mark.parametrize(
    "foot", ["Frontiers in Cold | www.frontiersin.org {} May 2015", "Frontiers in Cold 0{} frontiersin.org"]
)
def test_a_web_address_counts_when_it_runs_over_pages(foot):
    assert journal_of([[foot.format(page)] for page in (1, 2, 3)], "") == "Frontiers in Cold"
    assert journal_of([[foot.format(1)], ["Nat Prod Res 2010, 24"]], "") == ""


@pytest.mark.parametrize(
    ("pages", "stated", "doi"),
    [
        ([runs("doi: 10.1234/cold.1", "text")], "", "10.1234/cold.1"),
        ([runs("https://doi.org/10.1371/journal.", "pone.0323994")], "", "10.1371/journal.pone.0323994"),
        ([runs("text", "data: doi.org/10.5281/zenodo.45", "10.1234/COLD.1")], "10.1234/cold.1", "10.1234/COLD.1"),
        ([runs("as in 10.9999/other", "x"), *[runs("10.1234/cold.1", "text")] * 3], "", "10.1234/cold.1"),
        ([runs("no DOI is printed")], "10.1234/cold.1", "10.1234/cold.1"),
        ([runs("no DOI is printed")], "", ""),
    ],
)
def test_the_doi_is_the_papers_own(pages, stated, doi):
    assert imprint_of(pages, stated).doi == doi


CITED = "Clark C. Copper in ducks. J Cold 2021;4:11"
TEXT = [f"Line {number} of a text about the winter" for number in range(12)]


@pytest.mark.parametrize(
    ("pages", "year"),
    [
        ([[*TEXT], [CITED, *TEXT]], None),
        ([[*TEXT], [*TEXT, CITED]], None),
        ([[*TEXT], ["J Cold 2021;4:11", *TEXT], [*TEXT, "J Cold 2017;4:11"]], None),
        ([[*TEXT, "References", CITED]], None),
        ([["J Cold 2019;3:45", *TEXT, "References", CITED]], 2019),
        ([[*TEXT], ["J Cold 2019;3:45", *TEXT], ["J Cold 2019;3:46", *TEXT]], 2019),
        ([["Abstract", *TEXT, "was seen before (J Heat 2011; 4(2):11) in", *TEXT]], None),
        ([["Abstract", *TEXT, "1. Brown B. Heat and yeast. J Heat 2011;4:11."]], None),
        ([["J Cold 2019;3:45", "Abstract", *TEXT, "as in J Heat 2011;4:11 we", *TEXT]], 2019),
        ([["Abstract", *TEXT, "as in J Heat 2011;4:11 we", *TEXT, "Accepted 3 May 2018", *TEXT]], 2018),
    ],
)
def test_the_year_is_not_that_of_a_cited_work(pages, year):
    assert imprint_of([runs(*page) for page in pages], "").year == year
