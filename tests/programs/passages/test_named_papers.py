"""Papers that a question names, in every form, and passages of them among others."""

from __future__ import annotations

import numpy as np
import pytest

from programs.ingest.document import Chunk, Document
from programs.passages.named import first_of_each, ids_in, joined, meant_by, named_in, within
from programs.retrieval.index import Index
from programs.retrieval.records import Hit
from programs.retrieval.retriever import SearchCandidates
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, paper

NUMBERED = paper("smith-2014", "Femur density fell.")
CENTRAL = paper("PMC77", "Snails kept their balance.")


def hit(name, document_id="A"):
    return Hit(Chunk(f"{document_id}::{name}", document_id, "results", "text", "", 0, 0), 0.5)


def ids(hits):
    return [each.chunk.id for each in hits]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What does Figure 2 of PMC77 show?", ["PMC77"]),
        ("pmc77's figure", ["PMC77"]),
        ("(PMC77, PMC78–PMC79)?", ["PMC77", "PMC78", "PMC79"]),
        ("図2はPMC77の", ["PMC77"]),
        ("Did smith-2014 weigh bones?", ["smith-2014"]),
        ("What of bone after 42 days?", []),
    ],
)
def test_what_may_be_an_id_is_read_out_of_a_question(question, found):
    assert [each for each in ids_in(question) if each in found] == found
    assert found or ids_in(question) == []


def test_an_index_says_which_papers_there_are(tmp_path):
    with Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder()) as index:
        index.add([BONE, NUMBERED, CENTRAL])
        assert named_in("Do pmc77, PMC99 and smith-2014 agree on bone?", index, None) == ["PMC77", "smith-2014"]
        assert named_in("What of bone?", index, None) == []
        assert named_in("What of PMC77?", index, {"document": ["bone"]}) == [], "filters choose the papers"
        assert within({"year": 2014}, "PMC77") == {"year": 2014, "document": ["PMC77"]}


@pytest.mark.parametrize(
    ("question", "is_meant"),
    [
        ("What did Petrosyan 2018 find?", True),
        ("Which figure of Petrosyan et al. (2018) shows it?", True),
        ("What did petrosyan and Smith, 2018, find?", True),
        ("What did Petrosyan 2017 find?", False),
        ("What was found in 2018 by Petrosyan?", False),
        ("What did Petrosyanov 2018 find?", False),
        ("What does X-1 say?", True),
        ("What does PMC5 say?", True),
        ("What does PMC55 say?", False),
    ],
)
def test_papers_at_hand_are_meant_by_id_or_by_author_and_year(question, is_meant):
    known = Document("X-1", "", authors=("Petrosyan, Ani", "Smith, Ann"), year=2018, pmcid="PMC5")
    other = Document("other", "")
    assert meant_by(question, {"X-1": known, "other": other}) == ([known] if is_meant else [])


def test_named_papers_bring_their_share_and_the_best_of_all_fill_the_rest():
    everything = [hit(number) for number in range(6)]
    one, two = [hit(number, "B") for number in range(6)], [hit(0, "C")]
    assert ids(first_of_each(everything, [one], 4)) == ["B::0", "B::1", "A::0", "A::1"]
    assert ids(first_of_each(everything, [one, two], 3)) == ["B::0", "C::0", "A::0"]
    assert ids(first_of_each(everything, [one, two], 1)) == ["B::0"]
    assert ids(first_of_each(everything, [everything], 3)) == ["A::0", "A::1", "A::2"], "no passage twice"


def test_candidates_of_several_searches_keep_their_vectors():
    query = np.ones(2, dtype=np.float32)

    def found(*hits, value):
        return SearchCandidates(hits, np.full((len(hits), 2), value, dtype=np.float32), query, [value] * len(hits))

    both = joined([found(hit(0), hit(1), value=1.0), found(hit(1), hit(2), value=2.0)])
    assert ids(both.hits) == ["A::0", "A::1", "A::2"]
    assert both.vectors.tolist() == [[1, 1], [1, 1], [2, 2]]
    assert both.bm25 == [1.0, 1.0, 2.0]
    assert joined([found(value=1.0)]).hits == []
