"""Citations and callouts that papers print in their sentences."""

import pytest

from metrics.printed_citations import cites_authors, quotation_of, without_apparatus, works_cited_for


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Damage rose near water (Botey, Miguel & Perea, 2021).", ["Botey, Miguel & Perea, 2021"]),
        ("Dickman (2010) showed the same [18, 19].", ["Dickman (2010)", "[18, 19]"]),
        ("It fell (see Parker et al., 2014; Lindsey et al., 2005a).", ["Parker et al., 2014; Lindsey et al., 2005a"]),
        ("According to Seoraj-Pillai (2016), income mattered.", ["Seoraj-Pillai (2016)"]),
        ("Patients enrolled (January, 2010) at two sites (n = 20).", []),
        ("The incidence of 2.3% here compares with 2.7% there [38] and less elsewhere [4] in all.", []),
        ("The median was 4 weeks, range [1, 8].", []),
        ("In May (2010) it fell by 12 % (95 % CI 3 to 21; Fig. 2A).", []),
    ],
)
def test_works_are_named_as_printed(text, cited):
    assert list(works_cited_for(text)) == cited
    assert cites_authors(text) == any(not each.startswith("[") for each in cited)


def test_callouts_and_citations_are_left_out_where_brackets_hold_nothing_else():
    text = "It fell (Fig. 2A) in mice (Smith et al., 2010; Lee and Kim 2011), and rose (Smith, 2010; not in rats)."
    assert without_apparatus(text) == "It fell in mice, and rose (Smith, 2010; not in rats)."


@pytest.mark.parametrize(
    ("words", "source", "printed"),
    [
        ("Growth slowed in mice", "Growth slowed (Figure 1) in mice [3].", "Growth slowed […] in mice"),
        ("Growth slowed, and bone fell", "Growth slowed[3,4], and bone fell.", "Growth slowed […], and bone fell"),
        ("Muscle did not change", "However, muscle did not\nchange (Smith, 2010).", "muscle did not change"),
        ("It was called 'slow' by some", "It was called “slow” by some.", "It was called 'slow' by some"),
        (
            "The mean rose and the mean fell",
            "The mean [2] rose and the mean fell.",
            "The mean […] rose and the mean fell",
        ),
        ("Growth rose in mice", "Growth slowed in mice.", None),
        ("Mice in growth slowed", "Growth slowed in mice.", None),
        ("", "Growth slowed.", ""),
    ],
)
def test_left_out_words_have_their_sign(words, source, printed):
    assert quotation_of(words, source) == printed
