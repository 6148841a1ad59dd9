"""Splitting into sentences: what a scientific text holds, exact spans, and linear time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.sentences import WINDOW, Span, sentences

REPEATABLE = settings(derandomize=True, database=None, deadline=None, max_examples=150)


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        # abbreviations
        ["This was shown by Smith et al. in mice.", "We repeated it."],
        ["Growth slowed (Smith et al., 2009).", "We agree with Jones et al. (2010) and Lee et al. [12]."],
        ["Lattari et al. [27] showed that it helps.", "Others did not."],
        ["As seen in Fig. 2A, growth slowed.", "See also Figs. 1 and 2."],
        ["Growth slowed (Fig. 2A).", "Then it stopped (Figs. 3B, C; Tab. 1)."],
        ["Figure-2. Growth of the cells after treatment.", "It slowed."],
        ["Some cells, i.e. Those in G1, died.", "Others, e.g. HeLa, lived."],
        ["Drug A vs. Drug B was not tested.", "It will be."],
        ["Dr. Smith and Prof. Lee agreed.", "Mr. Brown did not."],
        ["It took approx. 5 min. at room temperature.", "Then it stopped."],
        ["Sample no. 5 was lost.", "Nos. 6 and 7 were kept."],
        ["See Eq. 4, Eqs. 5–6, Ref. 7, Refs. 8 and 9, Sec. 2, Ch. 3, Vol. 4, pp. 6–7 and Supp. Table S1.", "It holds."],
        ["It had (1) 5 min and (2) 9 min of rest.", "Exercise followed (3) each time.", "It ended."],
        ["Flow of patients by arm.", "(B) Survival of all.", "(C) Survival of those who were treated."],
        ["| Sex | 1.34 (4) | 0.73 (2) | 1.05 (6) |"],
        ["Cells were bought from Invitrogen Inc. (Carlsbad, CA).", "They were stored."],
        ["They moved to Davis, CA.", "The others stayed."],
        ["It took 120 ms.", "The rest was faster."],
        ["Patients with diabetes, hypertension, etc. were excluded.", "Others stayed."],
        ["The U.S. cohort was larger.", "It came from the U.S. National Registry."],
        ["The Ph.D. student left at 8 a.m. on Jan. 5.", "It was cold."],
        # species, genes, units, numbers
        ["S. cerevisiae and C. elegans were used.", "E. coli was the control."],
        ["We used S. cerevisiae.", "C. elegans was grown on E. coli OP50."],
        ["mRNA rose.", "p53 fell.", "β-catenin was stable."],
        ["The effect was small (p < 0.05).", "It was larger in men (P = .03)."],
        ["The difference was clear, p < 0.01.", "Higher scores indicate better balance."],
        ["Cells grew at ca. 3.5 °C for 2 h.", "They died at 4 °C."],
        ["The dose was 3.5 mg/kg.", "The control got 0.9% NaCl."],
        ["It was true in group B.", "In group A it was not."],
        ["This is the state of the art.", "A new method is needed."],
        # citations stay with what they support
        ["We saw this in mice [3].", "We saw it in rats [12, 14–16]."],
        ["This is known. [12]", "The rest is not."],
        ["We saw it in cells.[12]", "The rest died."],
        ["Growth slowed. [PMC2654319] [PMC1079844]", "It stopped. (smith2024quantum)", "That is all."],
        ["It was seen in cells.12,13", "The rest died.14–16", "None lived."],
        ["It was seen in cells.¹²", "The rest died."],
        # quotes, brackets, lists
        ["He paused... and went on.", "Then he stopped."],
        ["He said “It works.”", "She agreed."],
        ["Is it true?", "Yes!", "We think so."],
        ["Groups were given: 1) 2 ml of plasma (n = 15), 2) 2 ml of saline, or (3) nothing.", "All lived."],
        ["1. The first item.", "2. The second item."],
        ["Table 3. An adapted version of the scale.", "It has ten items."],
        # other languages
        ["Das gilt z. B. für Hefe.", "Es gilt d. h. nicht für Mäuse."],
        ["¿Funciona?", "Sí, p. ej. En ratones."],
        ["Między 24. a 48. godziną lek przyjęło 5 osób.", "Inni nie."],
        ["Am 24. Mai begann es.", "Es endete am 3. Juni."],
        ["Er nahm es vom 3. bis 5. Tag.", "Dann nicht mehr."],
        ["The value was 24.", "p values were low."],
        ["The number of mice was 24.", "A 48 h fast followed."],
    ],
    ids=lambda expected: expected[0][:30],
)
def test_sentences_of_scientific_prose(expected: list[str]) -> None:
    assert split(" ".join(expected)) == expected


def test_japanese_needs_no_spaces() -> None:
    assert split("これは文です。これも文です。") == ["これは文です。", "これも文です。"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Methods\n\nWe used\nmice. They\nlived.", ["Methods", "We used\nmice.", "They\nlived."]),
        ("By Smith et al.\n \nNew paragraph.", ["By Smith et al.", "New paragraph."]),
        ("Items:\n- first thing\n- second thing\n\nEnd", ["Items:", "- first thing", "- second thing", "End"]),
        ("1. First\n2. Second", ["1. First", "2. Second"]),
        ("# Results\nMice lived. All did.", ["# Results", "Mice lived.", "All did."]),
        ("| a | b |\n| 1 | 2 |\nMice lived.", ["| a | b |", "| 1 | 2 |", "Mice lived."]),
        ("| Event | Drug (n = 269) | None (n = 251) |", ["| Event | Drug (n = 269) | None (n = 251) |"]),
    ],
)
def test_layout_ends_sentences(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize("text", ["", " \n\t\n "])
def test_no_text_has_no_sentences(text: str) -> None:
    assert sentences(text) == []


PIECES = [
    "Mice", "died", ".", " ", "\n", "\n\n", "et al.", "[12]", "(", ")", "“", "”", "Fig.", "2", "The", "。", "- ", "é",
    "😀",
]  # fmt: skip


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=60).map("".join))
@REPEATABLE
def test_spans_are_in_order_stripped_and_leave_only_white_space_out(text: str) -> None:
    position = 0
    for span in sentences(text):
        assert not text[position : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
        position = span.end
    assert not text[position:].strip()


def test_a_paragraph_longer_than_a_window_is_split_like_a_short_one() -> None:
    sentence = "Smith et al. [3] measured the weight of 12 mice in Fig. 2A and found no change (p < 0.05)."
    count = 3 * WINDOW // len(sentence)
    assert split(" ".join([sentence] * count)) == [sentence] * count


@pytest.mark.parametrize("text", ["word " * 200_000, "x" * 1_000_000], ids=["words", "one word"])
def test_a_line_without_punctuation_is_one_sentence(text: str) -> None:
    assert sentences(text) == [Span(0, len(text.rstrip()))]


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["“", '"a. B', "[1]", "(a. ", "文。", "```\n", "e.g. "])
def test_a_long_text_of_one_pattern_ends(unit: str) -> None:
    # A quarter of a megabyte takes half a second; where a rule is quadratic it takes hours.
    text = unit * (250_000 // len(unit))
    spans = sentences(text)
    assert spans[0].start == 0
    assert spans[-1].end == len(text.rstrip())
