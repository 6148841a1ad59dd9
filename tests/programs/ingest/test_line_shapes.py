"""Captions and notices are recognised by their words, and sentences that begin alike are not."""

import pytest

from programs.ingest.line_shapes import Caption, classify, is_imprint, is_notice, split_caption, strip_numbering


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


@pytest.mark.parametrize(
    "text",
    [
        "Molecules 2017, 22, 1763; doi:10.3390/molecules22111763 www.mdpi.com/journal/molecules",
        "Ecology and Evolution, 2025; 15:e71422 https://doi.org/10.1002/ece3.71422",
        "www.ecolevol.org Ecology and Evolution 2016; 6: 7671–7682 © 2016 The Authors.",
        "Ecology and Evolution 2016; 6: 7671–7682 www.ecolevol.org © 2016 The Authors.",
        "Author details 1 Institute of Cold, University of the North, 2 Department of Snow",
        "KEYWORDS yeast, cold, winter",
        "ORCID Amy E. Mayer https://orcid.org/0000-0002-1032-5111",
        "SUPPORTING INFORMATION Additional supporting information can be found online.",
        "Publish with BioMed Central and every scientist can read your work free of charge",
        "2 Department of Zoology, University of Punjab, Lahore 54590, Pakistan.",
        "Box 73, 97310 Mérida, Yucatán, México Full list of author information is available at the end of the article",
    ],
)
def test_a_notice_is_told_by_its_words(text):
    assert is_notice(text) or is_imprint(text)


@pytest.mark.parametrize(
    "text",
    [
        "In 2017, 22 patients were treated (www.trial.org).",
        "The trial was registered in 2019, and www.registry.org holds the data.",
        "2 schools, the university, and the hospital took part: all of them in the north, in winter.",
        "ORCID identifiers were given by most authors.",
        "Author details are given to show that keywords were searched.",
    ],
)
def test_a_sentence_is_none(text):
    assert not is_notice(text)
    assert not is_imprint(text)


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("ABSTRACT", "abstract"),
        ("Zusammenfassung", "abstract"),
        ("1 Introduction", "introduction"),
        ("Background and significance", "introduction"),
        ("Related work", "introduction"),
        ("2. Materials and Methods", "methods"),
        ("Patients & methods", "methods"),
        ("II. METHODS", "methods"),
        ("Material und Methoden", "methods"),
        ("Matériel et méthodes", "methods"),
        ("2.1 Statistical analysis", "methods"),
        ("Participants", "methods"),
        ("Results", "results"),
        ("RESULTS AND DISCUSSION", "results"),
        ("3 | Results", "results"),
        ("Resultados", "results"),
        ("Effects of cold on yeast", "results"),
        ("Case presentation", "results"),
        ("Discussion", "discussion"),
        ("Discussion and conclusions", "discussion"),
        ("Strengths and limitations", "discussion"),
        ("Concluding remarks", "conclusion"),
        ("Summary", "conclusion"),
        ("Literature cited", "references"),
        ("Références bibliographiques", "references"),
        ("Supplementary material", "appendix"),
        ("Appendix A: search terms", "appendix"),
        ("Acknowledgements", "other"),
        ("Competing interests", "other"),
        ("Authors’ contributions", "other"),
        ("Data availability", "other"),
        ("Pre-publication history", "other"),
        ("Yeast", "other"),
        ("", "other"),
    ],
)
def test_headings_say_what_a_section_is_for(heading, kind):
    assert classify(heading) == kind


@pytest.mark.parametrize(
    ("heading", "parent", "kind"),
    [
        ("Participants", "results", "results"),
        ("Statistical analysis", "discussion", "discussion"),
        ("Yeast", "methods", "methods"),
        ("Conclusions", "discussion", "conclusion"),
        ("Acknowledgements", "conclusion", "other"),
        ("Participants", "other", "methods"),
        ("Yeast", "other", "other"),
        ("Methods", "abstract", "abstract"),
        ("Results", "appendix", "appendix"),
        ("Discussion", "references", "references"),
    ],
)
def test_a_section_stands_in_another(heading, parent, kind):
    assert classify(heading, parent) == kind


@pytest.mark.parametrize(
    ("heading", "hint", "kind"),
    [
        ("What we did", "methods", "methods"),
        ("What we did", "materials|methods", "methods"),
        ("What we saw", "results", "results"),
        ("Results", "methods", "results"),
        ("Yeast", "subsection", "other"),
    ],
)
def test_markup_helps_where_the_heading_says_nothing(heading, hint, kind):
    assert classify(heading, hint=hint) == kind


def test_a_summary_that_opens_the_paper_is_its_abstract():
    assert classify("Summary", opens_paper=True) == "abstract"


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("2.1 Animals", "Animals"),
        ("2.1Animals", "Animals"),
        ("3. Results", "Results"),
        ("(2) Results", "Results"),
        ("2| Results", "Results"),
        ("Section 3: results", "results"),
        ("CHAPTER 3 RESULTS", "RESULTS"),
        ("§ 4 Results", "Results"),
        ("II. Results", "Results"),
        ("(iv) Results", "Results"),
        ("A. Results", "Results"),
        ("b) results", "results"),
        ("A.1 Results", "Results"),
    ],
)
def test_numbering_is_left_out(heading, words):
    assert strip_numbering(heading) == words


@pytest.mark.parametrize(
    "heading",
    [
        "E. coli strains",
        "5-HT receptors",
        "2 mg of aspirin",
        "I was wrong",
        "2019 cohort",
        "3D printing",
        "Part 2 of the trial",
        "Part 2:",
    ],
)
def test_numbers_and_initials_that_belong_to_the_heading_stay(heading):
    assert strip_numbering(heading) == heading
