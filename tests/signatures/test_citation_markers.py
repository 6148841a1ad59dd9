"""Citations as models write them."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.sentences import sentences
from signatures.citation_markers import cited_sentences, find, render, strip

SIX = [str(number) for number in range(1, 7)]


def ids(text, valid_ids=None):
    return [marker.ids for marker in find(text, valid_ids)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Femur density fell [1].", [("1",)]),
        ("Femur density fell [2][3].", [("2",), ("3",)]),
        ("Femur density fell [1, 2].", [("1", "2")]),
        ("Femur density fell [1; 3 and 5].", [("1", "3", "5")]),
        ("Femur density fell [1-3].", [("1", "2", "3")]),
        ("Femur density fell [1–3,6].", [("1", "2", "3", "6")]),
        ("Femur density fell [2]–[5].", [("2", "3", "4", "5")]),
        ("Femur density fell [2, 2].", [("2",)]),
        ("Femur density fell [PMC1234567].", [("PMC1234567",)]),
        ("Femur density fell [pmc 123].", [("PMC123",)]),
        ("Femur density fell [[PMC1]].", [("PMC1",)]),
        ("Femur density fell [PMC1, PMC2].", [("PMC1", "PMC2")]),
        ("Femur density fell [PMCID: PMC12].", [("PMC12",)]),
        ("Femur density fell [PMC12::sec0::chunk1].", [("PMC12::sec0::chunk1",)]),
        ("Femur density fell [PMC12, Figure 2].", [("PMC12",)]),
        ("Femur density fell (PMC12).", [("PMC12",)]),
        ("Femur density fell (smith2024quantum).", [("smith2024quantum",)]),
        ("Femur density fell [smith2024quantum; jones2020b].", [("smith2024quantum", "jones2020b")]),
        ("Femur density fell [passage 2].", [("2",)]),
        ("Femur density fell [Source: 4].", [("4",)]),
        ("Femur density fell [^3] [#4].", [("3",), ("4",)]),
        ("Femur density fell 【1†source】.", [("1",)]),
        ("Femur density fell 【1†L10-L15】.", [("1",)]),
        ("Femur density fell [1†only in ground controls; in flight bone GREW 81 %].", []),
        ("骨密度が低下した［2］。", [("2",)]),
        ("Femur density fell [1](https://example.org/a).", [("1",)]),
        ("Femur density fell (see [1]).", [("1",)]),
    ],
)
def test_finds_what_models_write(text, expected):
    assert ids(text) == expected
    assert ids(text, [*SIX, "PMC1", "smith2024quantum"]) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The hazard ratio was 0.4 [0.3, 0.5].",
        "Time to rebound was 4 [1–8] wk, n = 21.",
        "Survival was 4 [1–3] weeks.",
        "The index rose, 62[47–70] 62[46–64] 0.19",
        "It lasted [2–5] days.",
        "The median [1, 3] was low.",
        "The 95% CI [2, 9] held zero.",
        "Cells took up [Ca2+] and [18F]FDG.",
        "Published in [2020].",
        "The scale [0] starts at zero.",
        "See ![1](figure.png) and list item (1).",
        "Rats (n = 3) and mice (2024).",
        "It says [see below], [sic] and [...].",
        "[1–150] is no list of passages.",
        "[3-1] runs backwards.",
        "",
    ],
)
def test_leaves_other_brackets_alone(text):
    assert ids(text) == []
    assert ids(text, SIX) == []


def test_numbers_beside_a_citation_do_not_hide_it():
    assert ids("It fell to 12 [1]. It rose by 40% [2, 3]. It was seen in 2010 [1–3].", SIX) == [
        ("1",),
        ("2", "3"),
        ("1", "2", "3"),
    ]


def test_ids_that_are_not_given_are_found_but_not_in_a_place_for_measurements():
    assert ids("Muscle shrank [9].", SIX) == [("9",)]
    assert ids("Muscle shrank by 40 [8–12].", SIX) == []


def test_given_ids_have_their_spelling_and_any_shape():
    assert ids("Muscle shrank [Smith-2020_Draft].", ["smith-2020_draft"]) == [("smith-2020_draft",)]
    assert ids("Muscle shrank [my paper (final), v2].") == []
    assert ids("Muscle shrank [pmc7::SEC1].", ["PMC7::sec1"]) == [("PMC7::sec1",)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Femur density fell [1][2].", "Femur density fell."),
        ("Femur density fell [1], [2] and [3].", "Femur density fell."),
        ("Density [1] fell in mice.", "Density fell in mice."),
        ("Density fell. [1] Muscle shrank [2].", "Density fell. Muscle shrank."),
        ("[1] Density fell.", "Density fell."),
        ("- Density fell [1].\n- Muscle shrank [2].", "- Density fell.\n- Muscle shrank."),
        ("Density fell (see [1]).", "Density fell."),
        ("骨密度が低下した［2］。", "骨密度が低下した。"),
        ("Ratio 0.4 [0.3, 0.5] held.", "Ratio 0.4 [0.3, 0.5] held."),
    ],
)
def test_strips_citations_and_their_spaces(text, expected):
    assert strip(text) == expected


def test_renders_one_bracket_an_id():
    assert render(["2", "PMC3"]) == "[2][PMC3]"
    assert render([]) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Density fell [1] in mice [2]. Muscle shrank. Blood thinned [1][1].", [("1", "2"), (), ("1",)]),
        ("Density fell [2].\n\n[1] Smith, Bone.", [("2",), ("1",)]),  # a reference list keeps its numbers
        ("Density fell.\n\n[1]\n\n[2]\n\nMuscle shrank.", [("1", "2"), ()]),
        ("", []),
        ("[1]", []),
    ],
)
def test_citations_belong_to_their_sentences(text, expected):
    assert [sentence.ids for sentence in cited_sentences(text, sentences(text))] == expected


@dataclass(frozen=True)
class Span:
    start: int
    end: int


def test_a_citation_behind_the_full_stop_belongs_to_the_sentence_before():
    text = "Density fell in cells. [1] Next came muscle [2]. [3]"
    for spans in (sentences(text), [Span(0, 22), Span(23, 48), Span(49, 52)]):
        assert [sentence.ids for sentence in cited_sentences(text, spans)] == [("1",), ("2", "3")]


def test_a_citation_that_is_a_subject_stays():
    text = "Density fell. [1] reports a loss."
    assert [each.ids for each in cited_sentences(text, [Span(0, 13), Span(14, 33)])] == [(), ("1",)]


_PLAIN = st.text(alphabet="abc XY.,;:\n()0123456789%é細", max_size=40)
_IDS = st.lists(st.sampled_from([*SIX, "PMC123", "smith2024quantum"]), min_size=1, max_size=3, unique=True)


@given(_PLAIN, _PLAIN, _IDS)
def test_stripping_leaves_no_citation_and_only_takes_characters_away(before, after, cited):
    text = f"{before} fell {render(cited)} {after}"
    bare = strip(text, cited)
    assert find(bare, cited) == []
    remaining = iter(text)
    assert all(character in remaining for character in bare)


@given(_IDS)
def test_rendered_ids_come_back(cited):
    assert [each for marker in find(f"It fell {render(cited)}.") for each in marker.ids] == cited


@given(st.text(alphabet="[]()【】 1,–-PMCa2024.†\n", max_size=60))
def test_markers_are_in_order_apart_and_inside_the_text(text):
    position = 0
    for marker in find(text, SIX):
        assert position <= marker.start < marker.end <= len(text)
        assert marker.ids
        position = marker.end


def test_long_hostile_text_is_read_in_linear_time():
    assert find("[" * 50_000 + "1" + "(" * 50_000) == []
    assert len(find("[1]" * 20_000)) == 20_000
    assert strip("[1] a " * 20_000).count("a") == 20_000
    text = "Bone [1] fell. " * 5_000
    assert len(cited_sentences(text, [Span(start, start + 14) for start in range(0, len(text), 15)])) == 5_000
