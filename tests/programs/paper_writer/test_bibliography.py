"""BibTeX that other programs read, and a list for people."""

from pybtex.database import parse_string

from programs.paper_writer.draft import bibtex, cited_papers, reference
from programs.paper_writer.evidence import CitedPaper
from tests.programs.paper_writer.writing import evidence

FULL = CitedPaper(
    paper_id="p1",
    citation_key="vanderberg2024yield",
    title="The {H}_2O yield of 50% & more: $p < 0.05",
    authors=("van der Berg, Jan", "Müller, Jörg", "Rock and Roll Consortium", "王, 伟", "World Health Organization"),
    year=2024,
    journal="J & K",
    doi="10.5555/a.b",
)
BARE = CitedPaper(paper_id="p2", citation_key="p2")


def test_it_is_read_back():
    read = parse_string(bibtex([FULL, BARE]), "bibtex").entries
    assert set(read) == {"vanderberg2024yield", "p2"}
    entry = read["vanderberg2024yield"]
    assert (entry.type, entry.fields["year"], entry.fields["doi"]) == ("article", "2024", "10.5555/a.b")
    assert [str(each) for each in entry.persons["author"]] == [
        "van der Berg, Jan",
        "Müller, Jörg",
        "{Rock and Roll Consortium}",
        "王, 伟",
        "{World Health Organization}",
    ]
    assert (read["p2"].type, read["p2"].fields["title"]) == ("misc", "p2")


def test_without_papers_there_is_nothing():
    assert bibtex([]) == ""


def test_a_reference_names_what_is_known():
    assert reference(FULL).startswith("van der Berg, Jan et al. (2024). The {H}_2O yield")
    assert reference(FULL).endswith("J & K. https://doi.org/10.5555/a.b")
    assert reference(BARE) == "Anonymous (n.d.). p2"


def test_only_what_is_cited_is_listed():
    given = [evidence(), evidence("li2019root", "PMC0000007")]
    assert [each.citation_key for each in cited_papers(given, ["li2019root", "li2019root"])] == ["li2019root"]
