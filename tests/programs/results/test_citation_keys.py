"""What papers are cited by: keys that a bracket can hold, that resolve, and that no two papers share."""

from itertools import permutations

import pytest

from metrics.passages import citable_ids, passages_of, resolve
from programs.ingest.document import Document
from programs.passages import Passage
from programs.proof import CitedAnswer
from programs.results.citation_keys import LONGEST, Named, as_keys, author_year_keys, pmcid_keys
from signatures import citation_markers

TEXT = "Femur density fell."


def document(name, pmcid=""):
    return Document(name, TEXT, pmcid=pmcid)


def passages(*documents):
    keys = pmcid_keys(documents)
    return [
        Passage.of(each, 0, len(TEXT), id=f"{each.id}::sec0::chunk0", section="results", key=keys[each.id])
        for each in documents
    ]


@pytest.mark.parametrize(
    ("name", "pmcid", "key"),
    [
        ("PMC7", "PMC7", "PMC7"),
        ("scan", "pmc7", "PMC7"),
        ("bone", "", "bone"),
        ("Smith 2014 [bone, mice]", "", "Smith_2014_bone_mice"),
        ("salt-and-pepper", "", "salt_and_pepper"),
        ("42", "", "doc_42"),
        ("Ångström_1", "", "Ångström_1"),
    ],
)
def test_a_key_is_the_pmcid_or_the_id_made_safe(name, pmcid, key):
    assert pmcid_keys([document(name, pmcid)]) == {name: key}


@pytest.mark.parametrize(
    "names", [("a b", "a_b"), ("Bone", "bone"), ("???", "!!!"), ("x" * 60, "x" * 61), ("7", "doc_7")]
)
def test_no_two_papers_share_a_key(names):
    given = passages(*map(document, names))
    citable = passages_of({"passages": given})
    for passage in given:
        assert len(passage.key) <= LONGEST
        assert [found.document_id for found in resolve(passage.key, citable)] == [passage.document_id]


def test_two_files_of_one_article_have_keys_of_their_own():
    keys = pmcid_keys([document("PMC7", "PMC7"), document("scan", "PMC7")])
    assert keys == {"PMC7": "PMC7", "scan": "PMC7_2"}


@pytest.mark.parametrize(
    "name", ["Smith 2014 [bone, mice]", "salt-and-pepper", "42", "a;b&c", "2-5", "x" * 90, "(1)", "骨 2"]
)
def test_a_key_can_be_cited_alone_and_beside_others(name):
    given = passages(document(name), document("PMC7", "PMC7"))
    valid, key = citable_ids(passages_of({"passages": given})), given[0].key
    for written in (f"It fell [{key}].", f"It fell [{key}, PMC7].", f"It fell [[{key}]][PMC7]."):
        assert citation_markers.find(written, valid)[0].ids[0] == key
        assert as_keys(CitedAnswer(written, given)).text.startswith(f"It fell [{key}]")


def test_every_spelling_becomes_the_key():
    given = passages(document("PMC7", "PMC7"), document("my paper"))
    assert as_keys(
        CitedAnswer("A [pmc 7]. B [My_Paper, PMC7]. C [PMC7::sec0::chunk0][PMC7]. D [PMC999]. E [2].", given)
    ).text == ("A [PMC7]. B [my_paper][PMC7]. C [PMC7][PMC7]. D [PMC999]. E [2].")


# Citation keys of author, year and title word.


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
