import pytest

from programs.ingest.line_shapes import Caption, split_caption


@pytest.mark.parametrize(
    ("paragraph", "label", "text"),
    [
        ("Figure 2. Growth of cells.", "Figure 2", "Growth of cells."),
        ("Fig. 2A: Survival", "Fig. 2A", "Survival"),
        ("FIGURE 10 | Overview", "FIGURE 10", "Overview"),
        ("Table 1Baseline values", "Table 1", "Baseline values"),
        ("TABLE II", "TABLE II", ""),
        ("**Figure 2.** Bold caption", "Figure 2", "Bold caption"),
        ("*Figure 3: in italics*", "Figure 3", "in italics"),
        ("Supplementary Figure S3. More", "Supplementary Figure S3", "More"),
        ("Fig. S1 (A) Left panel", "Fig. S1", "(A) Left panel"),
        ("Figure 4 Effect of cold", "Figure 4", "Effect of cold"),
        ("Table 3 – Doses", "Table 3", "Doses"),
        ("Table 3 (continued)", "Table 3", "(continued)"),
        ("Continued Table 3", "Table 3", "Continued"),
        ("(cont.) Table 3", "Table 3", "Continued"),
    ],
)
def test_captions_are_split(paragraph, label, text):
    assert split_caption(paragraph) == Caption(label, text)


@pytest.mark.parametrize(
    "paragraph",
    [
        "Figure 2 shows that cells grew.",
        "Figure 2, which is small, shows it.",
        "Figure 2) was redrawn.",
        "Figure 2A and B show it.",
        "figure 2. the start of a wrapped line",
        "Figures of speech",
        "Table salt: a study",
        "Continued Table 3 as above",
        "The Figure 2. is here",
        "",
    ],
)
def test_sentences_about_figures_are_no_captions(paragraph):
    assert split_caption(paragraph) is None


def test_tables_are_told_from_figures():
    assert Caption("Table 1", "").is_table
    assert not Caption("Fig. 1", "").is_table
