import pytest

from programs.ingest.sections import classify, strip_numbering


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
