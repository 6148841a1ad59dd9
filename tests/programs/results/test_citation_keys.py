"""What papers are cited by: keys that a bracket can hold, that resolve, and that no two papers share."""

from itertools import permutations

import pytest

from metrics.passages import citable_ids, passages_of, resolve
from programs.ingest.document import Document
from programs.passages import Passage
from programs.results.citation_keys import LONGEST, Named, citation_keys
from signatures import citation_markers

TEXT = "Femur density fell."


def document(name, pmcid=""):
    return Document(name, TEXT, pmcid=pmcid)


def keys_of(documents):
    return citation_keys(map(Named.of, documents))


def passages(*documents):
    keys = keys_of(documents)
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
        ("salt-free", "", "salt-free"),
        ("42", "", "doc_42"),
        ("Ångström_1", "", "Ångström_1"),
    ],
)
def test_a_key_is_the_pmcid_or_the_id_made_safe(name, pmcid, key):
    assert keys_of([document(name, pmcid)]) == {name: key}


@pytest.mark.parametrize(
    "names", [("a b", "a_b"), ("Bone", "bone"), ("???", "!!!"), ("x" * 60, "x" * 61), ("7", "doc_7")]
)
def test_no_two_papers_share_a_key(names):
    given = passages(*map(document, names))
    citable = passages_of({"passages": given})
    for passage in given:
        assert len(passage.key) <= LONGEST
        assert [found.document_id for found in resolve(passage.key, citable)] == [passage.document_id]


@pytest.mark.parametrize(
    "name", ["Smith 2014 [bone, mice]", "salt-and-pepper", "42", "a;b&c", "2-5", "x" * 90, "(1)", "骨 2"]
)
def test_a_key_can_be_cited_alone_and_beside_others(name):
    given = passages(document(name), document("PMC7", "PMC7"))
    valid, key = citable_ids(passages_of({"passages": given})), given[0].key
    for written in (f"It fell [{key}].", f"It fell [{key}, PMC7].", f"It fell [[{key}]][PMC7]."):
        assert citation_markers.find(written, valid)[0].ids[0] == key


@pytest.mark.parametrize(
    ("paper", "key"),
    [
        (Named("p", ("Smith, Jo",), 2024, "PMC1"), "smith2024"),
        (Named("p", ("Müller, Jörg",), 2001), "muller2001"),
        (Named("p", ("van der Berg, Jan",), 1999), "vanderberg1999"),
        (Named("p", ("Strøm-Łącki, Æsa",), 2010), "stromlacki2010"),
        (Named("p", ("Smith, Jo",)), "smithnd"),
        (Named("p", (), 2024), "p"),
        (Named("scan", ("王, 伟",), 2020), "scan"),
        (Named("p", ("Smith, Jo",), 2024, citekey="Jo:2024/a"), "Jo:2024/a"),
        (Named("p", citekey="DBLP:journals/x+y/Z-1"), "DBLP:journals/x+y/Z-1"),
        (Named("p", citekey=r"a b{c}\d,e#f%g~h"), "a_b_c_d_e_f_g_h"),
        (Named("p", citekey="müller2019α"), "müller2019α"),
        (Named("p", citekey="a--b::c."), "a_-b_:c"),
        (Named("p", citekey="salt-and-pepper"), "salt_and_pepper"),
        (Named("p", citekey="2019"), "doc_2019"),
        (Named("p", ("Smith, Jo",), 2024, citekey="{}"), "smith2024"),
    ],
)
def test_key_of_a_paper(paper, key):
    assert citation_keys([paper]) == {paper.id: key}


def test_papers_that_would_share_a_key_get_letters_whatever_their_order():
    papers = [Named(each, ("Smith, Jo",), 2024) for each in "abc"]
    wanted = {"a": "smith2024a", "b": "smith2024b", "c": "smith2024c"}
    assert all(citation_keys(order) == wanted for order in permutations(papers))


def test_a_librarys_own_key_stays_and_no_letter_makes_one_that_another_paper_has():
    papers = [Named(each, ("Smith, Jo",), 2024) for each in "ab"]
    keys = citation_keys([*papers, Named("c", citekey="smith2024"), Named("d", citekey="Smith2024A")])
    assert keys == {"c": "smith2024", "d": "Smith2024A", "a": "smith2024b", "b": "smith2024c"}


def test_keys_of_a_library_that_collide_are_told_apart():
    papers = [Named("a", citekey="bone"), Named("b", citekey="Bone"), Named("c", citekey="bone!")]
    assert citation_keys(papers) == {"a": "bonea", "b": "Boneb", "c": "bonec"}


def test_more_papers_than_letters():
    keys = citation_keys(Named(str(number), ("Chen, L",), 2023) for number in range(800))
    assert len(set(keys.values())) == 800
