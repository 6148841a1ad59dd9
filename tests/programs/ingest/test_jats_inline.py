import pytest
from lxml import etree

from programs.ingest.jats.inline import inline_text, read_paragraph
from programs.ingest.tex import formula_line

BIBR = '<xref ref-type="bibr" rid="r1">{}</xref>'


def paragraph(source: str) -> etree._Element:
    return etree.fromstring(f'<p xmlns:mml="http://www.w3.org/1998/Math/MathML">{source}</p>')


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (f"mice<sup>{BIBR.format(12)}</sup>.", "mice [12]."),
        (f"mice.<sup>{BIBR.format(12)}</sup> They", "mice.[12] They"),
        (f"mice{BIBR.format('<sup>12</sup>')} and", "mice [12] and"),
        (f"mice{BIBR.format(12)} and", "mice [12] and"),
        (f"mice [{BIBR.format(12)}, {BIBR.format(13)}].", "mice [12, 13]."),
        (f"mice<sup>{BIBR.format(1)},{BIBR.format(2)}</sup>", "mice [1,2]"),
        (f"mice<sup>{BIBR.format(1)}</sup><sup>–</sup><sup>{BIBR.format(4)}</sup> and", "mice [1–4] and"),
        (f"by {BIBR.format('Smith et al. 2009')} too", "by Smith et al. 2009 too"),
    ],
)
def test_citations_never_run_into_words(source, text):
    assert inline_text(paragraph(source)) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("10<sup>6</sup> cells", "10^6 cells"),
        ("10<sup>−3</sup> M", "10^−3 M"),
        ("kg/m<sup>2</sup>", "kg/m2"),
        ("mg mL<sup>-1</sup>", "mg mL-1"),
        ("per min<sup>-1</sup>", "per min^-1"),
        ("Ca<sup>2+</sup>, Na<sup>+</sup>", "Ca2+, Na+"),
        ("<sup>13</sup>C and <sup>99m</sup>Tc", "13C and 99mTc"),
        ("the 5<sup>th</sup> day", "the 5th day"),
        ("0.59<sup>a</sup>", "0.59^a"),
        ("0.59<sup>*</sup>", "0.59*"),
        ("CO<sub>2</sub>, T<sub>max</sub>, HbA<sub>1c</sub>", "CO2, Tmax, HbA1c"),
        ("M<sub>post</sub>, dose<sub>i</sub>", "M_post, dose_i"),
        ("dose<sub>i</sub><sup>a</sup>", "dose_i^a"),
        ("x<sub>1</sub><sup>2</sup>", "x1^2"),
    ],
)
def test_raised_text_changes_neither_words_nor_numbers(source, text):
    assert inline_text(paragraph(source)) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<sup>a</sup>Median, <sup>b</sup>Fisher", "a Median, b Fisher"),
        ("<sup>a,b</sup><italic>P</italic> &lt; 0.05", "a,b P < 0.05"),
        ("<sup>1</sup>Department of <sup>18</sup>F-FDG", "1 Department of 18F-FDG"),
        ("10<sup>a </sup>and", "10^a and"),
    ],
)
def test_a_notes_mark_stands_apart_from_the_note(source, text):
    assert inline_text(paragraph(source)) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<bold>in</bold>hibits <italic>E.\n   coli</italic>", "inhibits E. coli"),
        ("one<break/>two", "one two"),
        ('see Fig.<xref ref-type="fig" rid="F1">1</xref>', "see Fig. 1"),
        ('(Figure <xref ref-type="fig" rid="F1">1A</xref>)', "(Figure 1A)"),
        ("x<inline-graphic/>y<alt-text>an image</alt-text>", "xy"),
        ("caf&#xe9; &#x3b2;-actin", "café β-actin"),
    ],
)
def test_marked_words_stay_whole(source, text):
    assert inline_text(paragraph(source)) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"<tex-math>\begin{document}$$E = mc^2$$\end{document}</tex-math>", "E = mc^2"),
        ("<mml:math><mml:mi>p</mml:mi><mml:mo>=</mml:mo><mml:mn>0.05</mml:mn></mml:math>", "p = 0.05"),
        (
            "<mml:math><mml:mfrac><mml:mi>a</mml:mi><mml:mrow><mml:mi>b</mml:mi><mml:mo>+</mml:mo><mml:mn>1</mml:mn>"
            "</mml:mrow></mml:mfrac></mml:math>",
            "a/(b+1)",
        ),
        (
            "<mml:math><mml:mn>1</mml:mn><mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac></mml:math>",
            "1 1/2",
        ),
        ("<mml:math><mml:msup><mml:mi>R</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>", "R^2"),
        ("<alternatives><graphic/><mml:math><mml:mi>x</mml:mi></mml:math><tex-math>$y$</tex-math></alternatives>", "y"),
    ],
)
def test_formulas_are_taken_once_in_their_most_exact_form(source, text):
    assert inline_text(paragraph(f"where <inline-formula>{source}</inline-formula> holds")) == f"where {text} holds"


def test_a_number_does_not_run_into_the_fraction_behind_it():
    half = "<mml:math><mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac></mml:math>"
    assert inline_text(paragraph(f"after 1<inline-formula>{half}</inline-formula> hours")) == "after 1 1/2 hours"
    assert formula_line(r"\frac{1}{2}", "after 1") == " 1/2"


def test_blocks_divide_a_paragraph_and_floats_stand_apart():
    read = read_paragraph(paragraph("Before <list><list-item/>item</list> after<fn><p>Note.</p></fn>."))
    before, block, after = read.parts
    assert (before, block.tag, after) == ("Before", "list", "after.")
    assert [each.tag for each in read.floats] == ["fn"]
