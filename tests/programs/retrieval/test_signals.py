"""Each signal by itself: what it says, and that it stays in [0, 1]."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from programs.errors import UsageError
from programs.retrieval.reranking import SignalWeights
from programs.retrieval.signals import (
    Keywords,
    authority,
    bm25_shares,
    keyword_overlap,
    length_fit,
    recency,
    section_boost,
    similarities,
    stems,
)


def test_similarity_is_the_cosine_and_opposites_count_as_unrelated():
    passages = np.array([[1, 0], [0.6, 0.8], [-1, 0]], dtype=np.float32)
    assert similarities(passages[0], passages) == pytest.approx([1.0, 0.6, 0.0])


@pytest.mark.parametrize(
    ("scores", "shares"), [([5.0, None, 10.0, 2.5], [0.5, 0.0, 1.0, 0.25]), ([None, None], [0.0, 0.0]), ([], [])]
)
def test_bm25_is_a_share_of_the_best(scores, shares):
    assert bm25_shares(scores) == shares


@given(st.lists(st.none() | st.floats(-1e6, 1e6)))
def test_bm25_stays_between_0_and_1(scores):
    assert all(0 <= share <= 1 for share in bm25_shares(scores))


@pytest.mark.parametrize(
    ("question", "passage", "added", "share"),
    [
        ("Does microgravity affect bones?", "Bone is lost in microgravity, which affects mice.", [], 1.0),
        ("Does microgravity affect bones?", "The bone was weighed.", [], 1 / 3),
        ("rat", "The ratio of both was constant.", [], 0.0),
        ("Is it so?", "It is so.", [], 0.0),
        ("mouse bone", "Murine bone was weighed.", [], 0.5),
        ("mouse bone", "Murine bone was weighed.", ["mice", "murine"], 0.625),
        ("mouse bone", "Mus was a word of Rome; bone.", ["Mus musculus"], 0.5),
        ("mouse bone", "Bone, murine and of a rodent.", ["murine", "rodent"], 0.75),
        ("mouse", "Mouse, murine.", ["murine"], 1.0),
        ("bone loss", "Bones were weighed.", ["bones"], 0.5),  # the same stem again adds nothing
    ],
)
def test_keyword_overlap_is_the_share_of_stems_and_an_added_term_makes_up_for_a_part(question, passage, added, share):
    assert keyword_overlap(Keywords.of(question, added), stems(passage)) == pytest.approx(share)


def test_sections_are_shares_of_the_largest_boost_and_recency_halves_in_ten_years():
    shares = [section_boost(each) for each in ("results", "discussion", "methods", "references")]
    assert shares == pytest.approx([1.0, 0.7, 0.3, 0.0])
    assert section_boost("results", raw=True) == 0.10
    assert [recency(year, 2026) for year in (2026, 2016, 2006, 2030)] == [1.0, 0.5, 0.25, 1.0], (
        "no reward for the future"
    )
    assert recency(None, 2026) == recency(2016, 2026)


@pytest.mark.parametrize(
    ("known", "boost"),
    [
        ({"url": "https://www.nature.com/articles/x"}, 0.06),
        ({"url": "http://OSDR.NASA.gov:443/bio"}, 0.07),
        ({"url": "pmc.ncbi.nlm.nih.gov/articles/PMC1"}, 0.05),
        ({"url": "https://notnature.com/"}, 0.0),
        ({"url": "https://nature.com.evil.example/"}, 0.0),
        ({"url": "https://example.org/?u=nature.com"}, 0.0),
        ({"url": "https://user:nature.com@example.org/"}, 0.0),
        ({"url": "http://[broken"}, 0.0),
        ({"doi": "10.1038/s41526-020-0001-1"}, 0.06),
        ({"doi": "https://doi.org/10.1126/science.abc"}, 0.06),
        ({"doi": "10.10381/x"}, 0.0),
        ({"doi": "10.1038/x", "url": "https://nasa.gov"}, 0.07),
        ({"pmcid": "PMC77"}, 0.05),
        ({"pmcid": "77"}, 0.0),
        ({}, 0.0),
    ],
)
def test_authority_goes_by_the_registered_domain_and_the_doi(known, boost):
    assert authority(**known, raw=True) == boost
    assert authority(**known) == pytest.approx(boost / 0.07)


@given(st.text(), st.text(), st.text())
def test_authority_of_anything_stays_between_0_and_1(url, doi, pmcid):
    assert 0 <= authority(url, doi, pmcid) <= 1


@pytest.mark.parametrize(("words", "fit"), [(0, 0.0), (20, 0.5), (40, 1.0), (300, 1.0), (600, 0.5)])
def test_length_fits_from_two_sentences_to_a_long_paragraph(words, fit):
    assert length_fit(words) == fit


def test_the_weights_are_those_of_the_description():
    everything = dict.fromkeys(
        ("sim", "bm25", "keyword_overlap", "sec_boost", "recency", "authority", "length_fit"), 1.0
    )
    assert SignalWeights().final(everything) == pytest.approx(1.0)
    assert SignalWeights().final({**everything, "duplicate_penalty": 1.0}) == pytest.approx(0.9)


def test_a_weight_must_be_finite():
    with pytest.raises(UsageError, match=r"weight of sim must be a finite number, got inf"):
        SignalWeights(sim=math.inf)
