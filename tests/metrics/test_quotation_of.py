"""Nothing inside quotation marks is altered without a sign."""

import pytest

from metrics.printed_citations import quotation_of


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
