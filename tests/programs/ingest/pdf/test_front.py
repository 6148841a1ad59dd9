"""First pages as journals print them: title, authors, year, journal and DOI are told apart from all that is around."""

import pytest
from reportlab.lib.enums import TA_CENTER
from reportlab.platypus import Table

from programs.ingest.pdf import read
from tests.printed_papers import paragraph, write_flowing

TITLE = "Cold winters and the lifespan of budding yeast: a randomised trial in three laboratories"
SENTENCE = "In this trial we measured how twenty strains of budding yeast lived through a long and cold winter. "
HEADED = [(name, "Times-Bold", 12) for name in ("Introduction", "Methods", "Results")]
BODY = [part for heading in HEADED for part in (heading, (SENTENCE * 9, "Times-Roman", 10))]
ABSTRACT = [("Abstract", "Times-Bold", 12), (SENTENCE * 5, "Times-Roman", 10)]
ADDRESS = ("<super>1</super>Department of Cold, University of Winter, Oslo, Norway", "Times-Italic", 8)
BANNER = (TITLE, "Helvetica-Bold", 17)
FAMOUS = ("Lovelace, Ada", "Turing, Alan", "Hopper, Grace")


def of_lines(lines, font="Helvetica", size=9):
    """Lines of one print, but for those that give their own."""
    return [(each, font, size) if isinstance(each, str) else each for each in lines]


def printed(path, front, abstract=ABSTRACT, cover=()):
    """A paper of one column whose first page opens with these lines, each with font, size and whether it is centred."""

    def part(text, font, size, centred=False):
        return paragraph(text, font, size, spaceAfter=0.7 * size, alignment=TA_CENTER if centred else 0)

    parts = [part(*line) for line in of_lines([*front, *abstract, *BODY], size=10)]
    return read(write_flowing(path, [*(part(*line) for line in of_lines(cover)), *[None] * bool(cover), *parts]))


def sup(mark):
    return f"<super>{mark}</super>"


JOURNALS = {
    "superscripts and daggers": [
        ("Lovelace et al. BMC Cold (2019) 19:45", "Helvetica", 8),
        ("https://doi.org/10.1186/s12345-019-0045-6", "Helvetica", 8),
        ("RESEARCH ARTICLE Open Access", "Helvetica-Bold", 12),
        (TITLE, "Helvetica", 22),
        (f"Ada Lovelace{sup('1†')}, Alan M. Turing{sup('2†')} and Grace Hopper{sup('1,2*')}", "Helvetica", 11),
    ],
    "letters raised, the journal's name in larger print than anything": [
        ("Contents lists available at ColdDirect", "Helvetica", 8, True),
        ("Journal of Cold Research", "Helvetica", 24, True),
        ("journal homepage: www.example.org/locate/cold", "Helvetica", 8, True),
        (TITLE, "Times-Roman", 16),
        (f"Ada Lovelace{sup('a,b,*')}, Alan M. Turing{sup('a')}, Grace Hopper{sup('b')}", "Times-Roman", 12),
        ("https://doi.org/10.1016/j.cold.2019.01.045", "Times-Roman", 8),
        ("0140-6736/© 2019 The Author(s). Published by Cold Ltd.", "Times-Roman", 8),
    ],
    "the journal's name before the volume, and as a banner": [
        ("Polar Acids Research, 2019, Vol. 47, No. 3 1234–1245", "Times-Roman", 9),
        ("doi: 10.1093/par/gky1234", "Times-Roman", 9),
        ("Polar Acids Research", "Times-Bold", 24),
        (TITLE, "Times-Bold", 17),
        (f"Ada Lovelace{sup('1,*')}, Alan M. Turing{sup('2')} and Grace Hopper{sup('1')}", "Times-Roman", 12),
    ],
    "names in capitals, a label in the title's print": [
        ("Acta Frigida 12 (2019), 45–56", "Times-Roman", 9),
        ("DOI 10.1234/af.2019.45", "Times-Roman", 9),
        ("Short Communication", "Times-Bold", 15),
        (TITLE, "Times-Bold", 15),
        ("ADA LOVELACE, ALAN M. TURING and GRACE HOPPER", "Times-Roman", 11),
    ],
}


@pytest.mark.parametrize("journal", JOURNALS)
def test_the_first_page_is_told_apart(tmp_path, journal):
    document = printed(tmp_path / "paper.pdf", [*JOURNALS[journal], ADDRESS])
    assert document.title == TITLE
    assert [name.split(",")[0].title() for name in document.authors] == ["Lovelace", "Turing", "Hopper"]
    assert document.year == 2019
    assert document.doi.startswith("10.")
    evidence = [section for section in document.sections if section.kind not in ("notice", "references")]
    assert [section.heading for section in evidence] == ["Abstract", "Introduction", "Methods", "Results"]
    text = " ".join(document.text[section.start : section.end] for section in evidence)
    assert set(text.replace("\n\n", " ").replace(SENTENCE.strip(), "").split()) == set(), "addresses are no evidence"
    assert "Department of Cold, University of Winter" in document.text
    assert document.text.count(SENTENCE.strip()) == 5 + 27


@pytest.mark.parametrize(
    ("line", "authors"),
    [
        ("Ludwig van Beethoven and Maria de la Cruz", ("van Beethoven, Ludwig", "de la Cruz, Maria")),
        ("José Núñez-Álvarez, Zoë Müller, D’Arcy O’Neil", ("Núñez-Álvarez, José", "Müller, Zoë", "O’Neil, D’Arcy")),
        ("Thomas J. McGreevy Jr., R. Edwin Jothie", ("McGreevy, Thomas J.", "Jothie, R. Edwin")),
        ("Prof. Ada Lovelace, Dr. Alan Turing", ("Lovelace, Ada", "Turing, Alan")),
        ("WANG Xiao-Ming, ADA VAN DER BERG", ("WANG, Xiao-Ming", "VAN DER BERG, ADA")),
        ("Ada Lovelace and Alan Turing BSc (Hons)", ("Lovelace, Ada", "Turing, Alan")),
        ("By Ada Lovelace", ("Lovelace, Ada",)),
        (
            "Ada Lovelace, <i>Senior Member, IEEE</i>, and Alan Turing, <i>Fellow, IEEE</i>",
            ("Lovelace, Ada", "Turing, Alan"),
        ),
        (f"Ada Lovelace{sup('1,2')} &amp; Alan M. Turing{sup('3')}", ("Lovelace, Ada", "Turing, Alan M.")),
        (f"Ada Lovelace PhD{sup('1')} | Alan M. Turing MD{sup('2')}", ("Lovelace, Ada", "Turing, Alan M.")),
        ("Ada Lovelace, MD, PhD; Alan M. Turing, MSc", ("Lovelace, Ada", "Turing, Alan M.")),
        (f"{sup('1')}Ada Lovelace, {sup('2')}Alan M. Turing", ("Lovelace, Ada", "Turing, Alan M.")),
        ("Lovelace A*, Turing AM**, Hopper G***", ("Lovelace, A", "Turing, AM", "Hopper, G")),
        ("Lovelace, Ada; Turing, Alan", ("Lovelace, Ada", "Turing, Alan")),
        ("Li Wei, Yu An and Xu Li", ("Wei, Li", "An, Yu", "Li, Xu")),
        ("Ada Lovelace, Alan Turing, Grace Hopper, The Cold Study Group", FAMOUS),
        *((line, ()) for line in ("Research Article", "Open Access", "Oslo, Norway", "Department of Cold")),
        ("Robert E. Knowles, Jr., Wei Ma, MD and Yi Do", ("Knowles, Robert E.", "Ma, Wei", "Do, Yi")),
        ("José M. García y García, Ana Vega y Luis Soto", ("García y García, José M.", "Vega, Ana", "Soto, Luis")),
        (
            "Seán Ó Briain, Siobhán Ní Dhuill, Erika Mc Adams",
            ("Ó Briain, Seán", "Ní Dhuill, Siobhán", "Mc Adams, Erika"),
        ),
        (
            f"Ada Lovelace{sup('[0000-0002-1825-0097]')}, Wei Ma{sup('2,3[0000-0002-1825-0098]')}",
            ("Lovelace, Ada", "Ma, Wei"),
        ),
        (f"Ada Lovelace,{sup('1,*')} Alan<br/>Turing,{sup('2')} and Grace Hop-<br/>per{sup('2')}", FAMOUS),
        (f"Ada Lovelace{sup('1')}<br/>Alan Turing{sup('2')}<br/>Grace Hopper{sup('2')}", FAMOUS),
    ],
)
def test_forms_of_names(tmp_path, line, authors):
    assert printed(tmp_path / "a.pdf", [BANNER, line, ADDRESS]).authors == authors


def test_authors_of_several_lines_go_on_as_long_as_their_print_does(tmp_path):
    names = [
        f"{first} {last}" for first in ("Ada", "Alan", "Grace") for last in ("Lovelace", "Turing", "Hopper", "Curie")
    ]
    document = printed(tmp_path / "a.pdf", [BANNER, (", ".join(names), "Helvetica-Bold", 12), ADDRESS])
    assert [" ".join(reversed(name.split(", "))) for name in document.authors] == names


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([("Cold-induced life of yeast<super>*</super>", "Helvetica-Bold", 17)], "Cold-induced life of yeast"),
        ([("Journal clubs in nursing schools", "Helvetica-Bold", 17)], "Journal clubs in nursing schools"),
        ([BANNER, ("An account of the north", "Helvetica", 14)], f"{TITLE}: An account of the north"),
    ],
)
def test_forms_of_titles(tmp_path, lines, title):
    assert printed(tmp_path / "a.pdf", [*lines, "Ada Lovelace", ADDRESS]).title == title


ABSTRACT_BESIDE = [paragraph(SENTENCE * 3, "Times-Italic", 10)]
NAMES_BESIDE = [
    paragraph(line, "Helvetica-Bold" if line in ("Ada Lovelace", "Alan Turing", "Grace Hopper") else "Helvetica", 9)
    for line in ("Ada Lovelace", "Winter Labs, Oslo", "Alan Turing", "Hive Labs,", "Delft", "Grace Hopper", "Navy")
]
BESIDE = {
    "the abstract": [paragraph(*BANNER), Table([[NAMES_BESIDE, ABSTRACT_BESIDE]], (140, 350))],
    "the title": [Table([[NAMES_BESIDE, [paragraph(*BANNER), *ABSTRACT_BESIDE]]], (140, 350))],
}


@pytest.mark.parametrize("beside", BESIDE)
def test_authors_may_be_in_a_column_of_their_own(tmp_path, beside):
    document = read(write_flowing(tmp_path / "a.pdf", [*BESIDE[beside], *(paragraph(*each) for each in BODY)]))
    assert (document.title, document.authors) == (TITLE, FAMOUS)


def test_an_abstract_without_heading_is_the_prose_before_the_introduction(tmp_path):
    document = printed(
        tmp_path / "a.pdf",
        [BANNER, "Ada Lovelace", ADDRESS, ("Received 3 May 2018", "Times-Roman", 9)],
        abstract=[(SENTENCE * 5, "Times-Roman", 9)],
    )
    assert [(section.kind, section.heading) for section in document.sections if section.kind != "notice"][:2] == [
        ("abstract", ""),
        ("introduction", "Introduction"),
    ]


def in_columns(*rows, size=11):
    """Cells in rows, the first of each column larger than what is under it where sizes differ."""
    cells = [[paragraph(cell, "Times-Roman", size, alignment=TA_CENTER) for cell in row] for row in rows]
    return Table(cells)


COLUMNS = {
    "addresses in the print of the names": [
        in_columns(
            ["Ada Lovelace", "Alan Turing", "Grace Hopper"], ["UC San Diego"] * 3, ["a@b.org", "c@d.org", "e@f.org"]
        )
    ],
    "rows of columns": [
        in_columns(["Ada Lovelace", "Alan Turing"], ["Hive Labs", "Uber AI"], ["a@b.org", "c@d.org"]),
        in_columns(["Grace Hopper", ""], ["Meta Reality Labs", ""]),
    ],
    "two over one address": [
        in_columns(
            ["Ada Lovelace<super>*</super>", "Grace Hopper"],
            ["Alan Turing<super>*</super>", "<font size='9'>Institute for Navies</font>"],
            ["<font size='9'>a@b.org</font>", "<font size='9'>e@f.org</font>"],
            ["<font size='9'>Winter Labs</font>", ""],
        )
    ],
    "the last row shorter": [
        in_columns(["Ada Lovelace<super>1</super>", "Alan Turing<super>2</super>"]),
        paragraph("Grace Hopper<super>1</super>", "Times-Roman", 11),
    ],
    "one below the other": [
        paragraph("Ada Lovelace", "Times-Roman", 12, alignment=TA_CENTER),
        paragraph("Winter Labs, Oslo, Norway", "Times-Italic", 9, alignment=TA_CENTER),
        paragraph("Alan Turing", "Times-Roman", 12, alignment=TA_CENTER),
        paragraph("Hive Labs, Delft, Netherlands", "Times-Italic", 9, alignment=TA_CENTER),
        paragraph("Grace Hopper", "Times-Roman", 12, alignment=TA_CENTER),
    ],
}


@pytest.mark.parametrize("columns", COLUMNS)
def test_authors_with_the_address_of_each_below(tmp_path, columns):
    short = paragraph("Cold winters and yeast: a trial", "Times-Bold", 16)  # its left end is right of the names'
    body = [paragraph(*each) for each in (*ABSTRACT, *BODY)]
    document = read(write_flowing(tmp_path / "a.pdf", [short, *COLUMNS[columns], *body]))
    assert document.authors == FAMOUS
    assert "".join(each.heading for each in document.sections) == "AbstractIntroductionMethodsResults"


def test_the_heads_of_a_table_under_a_title_are_no_names(tmp_path):
    short = paragraph("Cold winters and yeast: a trial", "Times-Bold", 16)
    rows = in_columns(["Colony Size", "Mean Growth", "Final Count"], ["1.2", "0.71", "241"], ["3.4", "0.66", "52"])
    body = [paragraph(*each) for each in (*ABSTRACT, *BODY)]
    document = read(write_flowing(tmp_path / "a.pdf", [short, rows, *body]))
    assert document.authors == ()
    assert "Mean Growth" in document.text


COVERS = {
    "an archive's of journals": [
        ("Cold winters and yeast", "Helvetica", 14),
        "Author(s): Ada Lovelace",
        "Source: Cold Research, Vol. 12, No. 3 (Jul., 1999), pp. 123-145",
        "Stable URL: http://www.example.org/stable/1234567",
        "It is a not-for-profit service that helps scholars discover a wide range of content.",
    ],
    "a preprint server's": [
        (TITLE, "Helvetica-Bold", 18),
        ("Ada Lovelace", "Helvetica-Bold", 10),
        "Posted Date: March 8th, 2021",
        "License: Creative Commons Attribution 4.0. Read Full License",
    ],
    "a repository's": [
        "View metadata, citation and similar papers at core.example.org",
        "provided by the Repository of the University of Winter",
        "Citation for published version: Lovelace, A. (2017) The cover's own title. Cold 3, 45.",
    ],
    "a publisher's": [
        ("Journal of Cold Research", "Helvetica-Bold", 20),
        "ISSN: 1234-5678 (Print) Journal homepage: www.example.org",
        (TITLE, "Helvetica-Bold", 18),
        ("Ada Lovelace", "Helvetica", 12),
        "To cite this article: Ada Lovelace (2019) Cold winters, Journal of Cold Research, 12, 45-56",
        "To link to this article: https://doi.org/10.1080/12345.2019.45",
    ],
}


@pytest.mark.parametrize("cover", COVERS)
def test_covers_are_no_evidence(tmp_path, cover):
    front = [("Journal of Cold, 2019, Vol. 12, 45–56", "Helvetica", 8), BANNER, "Ada Lovelace", ADDRESS]
    document = printed(tmp_path / "a.pdf", front, cover=COVERS[cover])
    assert (document.title, document.authors, document.year) == (TITLE, ("Lovelace, Ada",), 2019)
    evidence = [document.text[each.start : each.end] for each in document.sections if each.kind != "notice"]
    assert not any("itation" in text or "cite" in text for text in evidence)


@pytest.mark.parametrize(("cover", "year"), [("an archive's of journals", 1999), ("a preprint server's", 2021)])
def test_what_the_paper_does_not_say_is_taken_from_its_cover(tmp_path, cover, year):
    document = printed(tmp_path / "a.pdf", [], cover=COVERS[cover])
    assert (document.title, document.authors, document.year) == (COVERS[cover][0][0], ("Lovelace, Ada",), year)
