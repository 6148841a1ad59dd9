"""Paragraphs that break off at a caption, a table or a figure, and go on behind it."""

import pytest

from programs.ingest.pdf.blocks import blocks
from programs.ingest.pdf.layout import PrintedLine, TextRun

LEFT, WIDTH = 50.0, 240.0
FULL = ("Winters were counted for all strains of the", "north, and the longest of them was found in")
CAPTION = "Figure 1. Winters by strain and by year."


def lines(texts, top, size=10.0, right=LEFT + WIDTH):
    placed = ((text, top - 12 * number) for number, text in enumerate(texts))
    return [PrintedLine((TextRun(text, LEFT, y - size, right, y, size),), LEFT, LEFT + WIDTH) for text, y in placed]


def texts(*groups):
    return [block.text({}) for block in blocks([[line for group in groups for line in group]])]


@pytest.mark.parametrize(
    "rest", ["Candida krusei, which grew for sixty days and was not seen again later on.", "(17%) of the plates."]
)
def test_a_paragraph_with_a_full_last_line_goes_on_behind_a_caption_and_words_of_the_figure(rest):
    rest = f"{rest} All other strains of the collection were lost."
    found = texts(lines(FULL, 700), lines([CAPTION], 640, 8.0), lines(["a b"], 600, 7.0), lines([rest], 560))
    assert found[0] == f"{' '.join(FULL)} {rest}"


def test_with_a_small_letter_it_goes_on_past_a_footnote():
    note = lines(["* The first two authors counted the winters together."], 640, 7.0)
    found = texts(lines(FULL, 700), note, lines(["strains of yeast, which grew for sixty days."], 560))
    assert found[0] == f"{' '.join(FULL)} strains of yeast, which grew for sixty days."


@pytest.mark.parametrize(
    ("first", "caption", "right"),
    [
        ((FULL[0], "north, and the longest was found in May."), CAPTION, LEFT + WIDTH),  # it ends
        (FULL, "Figure 1. Winters by strain, of which the longest", LEFT + WIDTH),  # the caption goes on
        (FULL, "Figure 1", LEFT + WIDTH),  # what follows is the caption
        (FULL, CAPTION, LEFT + 0.8 * WIDTH),  # its last line is short, as that of a list's entry
    ],
)
def test_another_paragraph_is_not_joined(first, caption, right):
    rest = "Candida krusei is shown for the sixty days on which it grew in the cold of the winter."
    found = texts(lines(first, 700, right=right), lines([caption], 640, 8.0), lines([rest], 560))
    assert found[0] == " ".join(first)


def test_entries_of_a_list_of_references_stay_apart():
    entry = "Smith J, Doe B. The cold and the lifespan of yeast in all the winters of the north. J Cold 2019"
    found = texts(lines(["References"], 740, 14.0), lines(FULL, 700), lines([entry], 600))
    assert found[-1] == entry


@pytest.mark.parametrize("end", ["was 0.75", "as Smith et al.,"])
def test_a_decimal_number_or_a_comma_ends_no_sentence(end):
    rest = "(0.61 to 0.93) in all years of the winters that were counted in the north."
    assert len(texts(lines([FULL[0], f"of them the share of the longest {end}"], 700), lines([rest], 660))) == 1


@pytest.mark.parametrize("end", ["in mice.", "in mice.12", "in mice.[3,4]", "in 2019."])
def test_a_citation_mark_may_follow_the_end(end):
    rest = "Winters in the south were shorter in all years of the winters that were counted."
    assert len(texts(lines([FULL[0], f"of them the share of the longest {end}"], 700), lines([rest], 660))) == 2
