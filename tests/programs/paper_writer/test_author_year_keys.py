"""Citation keys of author, year and title word."""

from itertools import permutations

import pytest

from programs.results.citation_keys import Named, author_year_keys


@pytest.mark.parametrize(
    ("paper", "key"),
    [
        (Named("p", ("Smith, Jo",), 2024, "The Quantum Yield of Moss"), "smith2024quantum"),
        (Named("p", ("Müller, Jörg",), 2001, "How little gravity is enough?"), "muller2001gravity"),
        (Named("p", ("van der Berg, Jan",), 1999, "On Ångström units"), "vanderberg1999angstrom"),
        (Named("p", ("Strøm-Łącki, Æsa",), 2010, "Bone"), "stromlacki2010bone"),
        (Named("p", ("Plato",), 2003, "Why is it?"), "plato2003"),
        (Named("p", (), 2024, "Quantum moss"), "anon2024quantum"),
        (Named("p", ("Smith, Jo",), None, "Quantum moss"), "smithndquantum"),
        (Named("p", ("王, 伟",), 2020, "Moss"), "anon2020moss"),
        (Named("PMC0000007"), "pmc0000007"),
        (Named("王"), "paper"),
    ],
)
def test_key_of_a_paper(paper, key):
    assert author_year_keys([paper]) == {"p" if paper.id == "p" else paper.id: key}


def test_papers_that_would_share_a_key_get_letters_whatever_their_order():
    papers = [Named(each, ("Smith, Jo",), 2024, "Quantum moss") for each in "abc"]
    wanted = {"a": "smith2024quantuma", "b": "smith2024quantumb", "c": "smith2024quantumc"}
    assert all(author_year_keys(order) == wanted for order in permutations(papers))


def test_a_letter_makes_no_key_that_another_paper_has():
    papers = [Named(each, ("Smith, Jo",), 2024, "Moss") for each in "ab"]
    keys = author_year_keys([*papers, Named("c", ("Smith, Jo",), 2024, "Mossa")])
    assert keys == {"a": "smith2024mossb", "b": "smith2024mossc", "c": "smith2024mossa"}
