"""Captions and notices are recognised by their words, and sentences that begin alike are not."""

import pytest

from programs.ingest.line_shapes import Caption, classify, is_notice, split_caption, strip_numbering


@pytest.mark.parametrize(
    ("paragraph", "caption"),
    [
        ("Figure 2. Growth of cells.", ("Figure 2", "Growth of cells.")),
        ("Fig. 2A: Survival", ("Fig. 2A", "Survival")),
        ("FIGURE 10 | Overview", ("FIGURE 10", "Overview")),
        ("Table 1Baseline values", ("Table 1", "Baseline values")),
        ("TABLE II", ("TABLE II", "")),
        ("**Figure 2.** Bold caption", ("Figure 2", "Bold caption")),
        ("*Figure 3: in italics*", ("Figure 3", "in italics")),
        ("Supplementary Figure S3. More", ("Supplementary Figure S3", "More")),
        ("Fig. S1 (A) Left panel", ("Fig. S1", "(A) Left panel")),
        ("Figure 4 Effect of cold", ("Figure 4", "Effect of cold")),
        ("Table 3 – Doses", ("Table 3", "Doses")),
        ("Table 3 (continued)", ("Table 3", "(continued)")),
        ("Continued Table 3", ("Table 3", "Continued")),
        ("(cont.) Table 3", ("Table 3", "Continued")),
        *(
            (sentence, None)
            for sentence in (
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
            )
        ),
    ],
)
def test_captions_are_split_and_sentences_about_figures_are_none(paragraph, caption):
    assert split_caption(paragraph) == (caption and Caption(*caption))


def test_tables_are_told_from_figures():
    assert Caption("Table 1", "").is_table
    assert not Caption("Fig. 1", "").is_table


NOTICES = (
    "Author details 1 Institute of Cold, University of the North, 2 Department of Snow",
    "KEYWORDS yeast, cold, winter",
    "ORCID Amy E. Mayer https://orcid.org/0000-0002-1032-5111",
    "SUPPORTING INFORMATION Additional supporting information can be found online.",
    "Publish with BioMed Central and every scientist can read your work free of charge",
    "2 Department of Zoology, University of Punjab, Lahore 54590, Pakistan.",
    "Box 73, 97310 Mérida, Yucatán, México Full list of author information is available at the end of the article",
)
SENTENCES = (
    "2 schools, the university, and the hospital took part: all of them in the north, in winter.",
    "ORCID identifiers were given by most authors.",
    "Author details are given to show that keywords were searched.",
)


@pytest.mark.parametrize(
    ("text", "is_one"), [*((each, True) for each in NOTICES), *((each, False) for each in SENTENCES)]
)
def test_a_notice_is_told_by_its_words(text, is_one):
    assert is_notice(text) is is_one


KINDS = {
    "abstract": ("ABSTRACT", "Zusammenfassung"),
    "introduction": ("1 Introduction", "Background and significance", "Related work"),
    "methods": (
        "2. Materials and Methods",
        "Patients & methods",
        "II. METHODS",
        "Matériel et méthodes",
        "Participants",
    ),
    "results": ("RESULTS AND DISCUSSION", "3 | Results", "Resultados", "Effects of cold on yeast", "Case presentation"),
    "discussion": ("Discussion and conclusions", "Strengths and limitations"),
    "conclusion": ("Concluding remarks", "Summary"),
    "references": ("Literature cited", "Références bibliographiques"),
    "appendix": ("Supplementary material", "Appendix A: search terms"),
    "other": ("Acknowledgements", "Competing interests", "Authors’ contributions", "Data availability", "Yeast", ""),
}


@pytest.mark.parametrize(("kind", "heading"), [(kind, each) for kind, headings in KINDS.items() for each in headings])
def test_headings_say_what_a_section_is_for(heading, kind):
    assert classify(heading) == kind


@pytest.mark.parametrize(
    ("heading", "around", "kind"),
    [
        ("Participants", {"parent": "results"}, "results"),
        ("Yeast", {"parent": "methods"}, "methods"),
        ("Conclusions", {"parent": "discussion"}, "conclusion"),
        ("Acknowledgements", {"parent": "conclusion"}, "other"),
        ("Participants", {"parent": "other"}, "methods"),
        ("Methods", {"parent": "abstract"}, "abstract"),
        ("Discussion", {"parent": "references"}, "references"),
        ("What we did", {"hint": "materials|methods"}, "methods"),
        ("Results", {"hint": "methods"}, "results"),
        ("Yeast", {"hint": "subsection"}, "other"),
        ("Summary", {"opens_paper": True}, "abstract"),
    ],
)
def test_what_is_around_a_heading_says_more(heading, around, kind):
    assert classify(heading, **around) == kind


NUMBERED = (
    "2.1 ",
    "2.1",
    "3. ",
    "(2) ",
    "2| ",
    "Section 3: ",
    "CHAPTER 3 ",
    "§ 4 ",
    "II. ",
    "(iv) ",
    "A. ",
    "b) ",
    "A.1 ",
)
UNNUMBERED = ("E. coli strains", "5-HT receptors", "2 mg of aspirin", "I was wrong", "2019 cohort", "3D printing")


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        *((f"{number}Results", "Results") for number in NUMBERED),
        *((each, each) for each in (*UNNUMBERED, "Part 2 of the trial", "Part 2:")),
    ],
)
def test_numbering_is_left_out_and_numbers_that_belong_to_the_heading_stay(heading, words):
    assert strip_numbering(heading) == words
