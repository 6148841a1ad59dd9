import pytest
from lxml import etree

from programs.ingest.document import Front
from programs.ingest.jats import read_front


def front_of(meta: str = "", journal: str = "") -> Front:
    return read_front(
        etree.fromstring(
            f"""<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink">
            <front><journal-meta>{journal}</journal-meta><article-meta>{meta}</article-meta></front></article>"""
        )
    )


def test_an_article_without_front_matter_has_empty_fields():
    assert read_front(etree.fromstring("<article><body/></article>")) == Front()


def test_the_title_is_one_line_without_its_footnote():
    title = "Cold\n and <italic>S. cerevisiae</italic><fn><p>Funded.</p></fn>"
    front = front_of(f"<title-group><article-title>{title}</article-title></title-group>")
    assert front.title == "Cold and S. cerevisiae"


@pytest.mark.parametrize(
    ("kind", "printed"), [("pmc", "1079844"), ("pmc", "PMC1079844"), ("pmcid", "PMC1079844"), ("pmcid", "PMC1079844.2")]
)
def test_a_pmcid_has_one_form(kind, printed):
    front = front_of(f'<article-id pub-id-type="{kind}">{printed}</article-id>')
    assert front.pmcid == "PMC1079844"
    assert front.url == "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1079844/"


def test_without_a_pmcid_the_address_is_that_of_the_doi():
    front = front_of('<article-id pub-id-type="doi">https://doi.org/10.1/x</article-id>')
    assert (front.doi, front.url) == ("10.1/x", "https://doi.org/10.1/x")


@pytest.mark.parametrize(
    ("contributor", "author"),
    [
        ("<name><surname>Turing</surname><given-names>Alan M</given-names></name>", "Turing, Alan M"),
        ("<name><surname>King</surname><given-names>M</given-names><suffix>Jr</suffix></name>", "King, M, Jr"),
        ("<name-alternatives><name><surname>Li</surname></name><name/></name-alternatives>", "Li"),
        ("<string-name>Ada Lovelace</string-name>", "Ada Lovelace"),
        ("<collab>The <italic>Cold</italic> Group<contrib-group><contrib/></contrib-group></collab>", "The Cold Group"),
    ],
)
def test_authors_are_family_name_first(contributor, author):
    assert front_of(f"<contrib-group><contrib>{contributor}</contrib></contrib-group>").authors == (author,)


def test_editors_are_no_authors():
    editor = '<contrib contrib-type="editor"><name><surname>Ed</surname></name></contrib>'
    author = '<contrib contrib-type="author"><name><surname>Au</surname></name></contrib>'
    assert front_of(f"<contrib-group>{editor}{author}</contrib-group>").authors == ("Au",)


def dates(**years: int) -> str:
    return "".join(f'<pub-date pub-type="{kind}"><year>{year}</year></pub-date>' for kind, year in years.items())


@pytest.mark.parametrize(
    ("printed", "year"),
    [
        (dates(ppub=2010, epub=2009), 2009),
        (dates(collection=2012), 2012),
        (dates(ppub=2010) + '<pub-date pub-type="pmc-release"><year>2008</year></pub-date>', 2010),
        ('<pub-date pub-type="pmc-release"><year>2008</year></pub-date>', 2008),
        ('<pub-date date-type="pub" iso-8601-date="2019-05-01"/>', 2019),
        ("<pub-date><year>in press</year></pub-date>", None),
        ("", None),
    ],
)
def test_the_year_is_the_earliest_of_publication(printed, year):
    assert front_of(printed).year == year


def test_the_journal_is_its_title_else_its_short_name():
    short = '<journal-id journal-id-type="nlm-ta">J Cold</journal-id>'
    titled = short + "<journal-title-group><journal-title>Journal of Cold</journal-title></journal-title-group>"
    assert front_of(journal=titled).journal == "Journal of Cold"
    assert front_of(journal=short).journal == "J Cold"


def test_keywords_subjects_and_numbers_become_metadata():
    front = front_of(
        """<article-id pub-id-type="pmid">123</article-id>
        <article-categories><subj-group><subject>Biology</subject><subj-group><subject>Yeast</subject></subj-group>
        </subj-group></article-categories>
        <kwd-group><kwd>cold</kwd><kwd><italic>E. coli</italic></kwd><kwd>cold</kwd></kwd-group>
        <kwd-group kwd-group-type="abbreviations"><kwd>CI</kwd></kwd-group>"""
    )
    assert front.metadata == {
        "article_type": "research-article",
        "keywords": ["cold", "E. coli"],
        "pmid": "123",
        "retracted": False,
        "subjects": ["Biology", "Yeast"],
    }


def test_what_a_reference_says_of_the_printed_paper_becomes_metadata():
    front = front_of(
        "<volume>12</volume><issue>3</issue><fpage>45</fpage><lpage>52</lpage>",
        "<publisher><publisher-name>Cold Press</publisher-name></publisher><issn>1234-5678</issn>",
    )
    printed = {"volume": "12", "issue": "3", "pages": "45–52", "publisher": "Cold Press", "issn": "1234-5678"}
    assert printed.items() <= front.metadata.items()
    assert front_of("<elocation-id>e1001</elocation-id>").metadata["pages"] == "e1001"


def related(kind: str) -> str:
    return f'<related-article related-article-type="{kind}" xlink:href="10.1000/notice"/>'


@pytest.mark.parametrize(
    ("kind", "retracted", "corrections"),
    [
        ("retraction-forward", True, ["retracted by 10.1000/notice"]),
        ("partial-retraction-forward", False, ["retracted in part by 10.1000/notice"]),
        ("correction-forward", False, ["corrected by 10.1000/notice"]),
        ("expression-of-concern", False, ["under an expression of concern by 10.1000/notice"]),
        ("companion", False, None),
    ],
)
def test_retractions_and_corrections_are_kept(kind, retracted, corrections):
    metadata = front_of(related(kind)).metadata
    assert metadata["retracted"] is retracted
    assert metadata.get("corrections") == corrections


def test_a_notice_is_not_the_paper_that_it_is_on():
    notice = f"""<article article-type="retraction" xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta>
        {related("retracted-article")}{related("retraction-forward")}</article-meta></front></article>"""
    assert read_front(etree.fromstring(notice)).metadata["retracted"] is False


def test_a_title_that_says_retracted_counts():
    metadata = front_of("<title-group><article-title>RETRACTED: Cold and yeast</article-title></title-group>").metadata
    assert metadata["retracted"] is True
    assert (
        front_of("<title-group><article-title>Retracted papers in PubMed</article-title></title-group>").metadata[
            "retracted"
        ]
        is False
    )


CC_BY = "https://creativecommons.org/licenses/by/4.0/"


@pytest.mark.parametrize(
    ("licence", "read"),
    [
        (f'<license xlink:href="{CC_BY}"><license-p>Free.</license-p></license>', CC_BY),
        (f'<license><license-p>See <ext-link xlink:href="{CC_BY}">here</ext-link></license-p></license>', CC_BY),
        ('<license license-type="open-access"><license-p>Free.</license-p></license>', "open-access"),
        ("<license><license-p>All may copy.</license-p></license>", "All may copy."),
    ],
)
def test_the_licence_is_its_address_else_what_is_said_of_it(licence, read):
    assert front_of(f"<permissions>{licence}</permissions>").metadata["licence"] == read
