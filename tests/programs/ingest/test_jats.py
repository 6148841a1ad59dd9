import pytest
from lxml import etree

from programs.errors import IngestError, NoText, UnsupportedFormat
from programs.ingest.document import Document, Front
from programs.ingest.jats import read, read_front

PMC_IMAGE = "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/bin/"


@pytest.fixture
def xml(tmp_path):
    """Reads a file of such a source."""

    def read_xml(source: str) -> Document:
        path = tmp_path / "paper.xml"
        path.write_text(source, encoding="utf-8")
        return read(path)

    return read_xml


@pytest.fixture
def article(xml):
    """Reads an article of these parts."""

    def read_article(body: str = "", *, meta: str = "", back: str = "", floats: str = "") -> Document:
        return xml(f"""<article xmlns:xlink="http://www.w3.org/1999/xlink">
            <front><article-meta><article-id pub-id-type="pmc">7</article-id>{meta}</article-meta></front>
            <body>{body}</body><back>{back}</back><floats-group>{floats}</floats-group></article>""")

    return read_article


def outline(document: Document) -> list[tuple[int, str, str, str]]:
    """Level, heading, kind and text of each section."""
    return [
        (each.level, each.heading, each.kind, document.text[each.start : each.end].replace("\n", "|"))
        for each in document.sections
    ]


def test_sections_nest_and_are_read_in_order(article):
    document = article("""<p>Cold is old.</p>
        <sec><label>1.</label><title>Methods</title><p>We used yeast.</p>
          <sec><title>Participants</title><p>All mice.</p></sec>
          <p>Back in methods.</p></sec>
        <sec sec-type="results"><title>What we saw</title><p>It grew.</p></sec>""")
    assert outline(document) == [
        (1, "", "introduction", "Cold is old."),
        (1, "Methods", "methods", "We used yeast."),
        (2, "Participants", "methods", "All mice."),
        (1, "", "methods", "Back in methods."),
        (1, "What we saw", "results", "It grew."),
    ]
    assert "1. Methods\n\nWe used yeast." in document.text


def test_abstracts_come_first_the_main_one_before_summaries(article):
    document = article(
        "<p>Body.</p>",
        meta="""<abstract abstract-type="plain-language-summary"><p>Plainly.</p></abstract>
        <abstract><sec><title>Methods</title><p>Briefly.</p></sec></abstract>
        <trans-abstract><title>Resumen</title><p>En breve.</p></trans-abstract>""",
    )
    assert outline(document) == [
        (1, "Abstract", "abstract", ""),
        (2, "Methods", "abstract", "Briefly."),
        (1, "Resumen", "abstract", "En breve."),
        (1, "Plain language summary", "abstract", "Plainly."),
        (1, "", "other", "Body."),
    ]


def test_a_figure_follows_the_paragraph_that_it_is_anchored_in(article):
    document = article("""<p>Before <fig id="F1"><label>Figure 1.</label><caption><title>Growth</title>
        <p>At 4 °C.</p></caption><graphic xlink:href="paper-g1"/></fig>and after.</p><p>Next.</p>""")
    assert document.text == "Before and after.\n\nFigure 1. Growth. At 4 °C.\n\nNext."
    (figure,) = document.figures
    assert (figure.id, figure.label, figure.caption) == ("fig1", "Figure 1", "Growth. At 4 °C.")
    assert figure.image_urls == (f"{PMC_IMAGE}paper-g1.jpg",)


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("g1.tif", f"{PMC_IMAGE}g1.jpg"),
        ("g1.PNG", f"{PMC_IMAGE}g1.PNG"),
        ("my figure 1.2", f"{PMC_IMAGE}my%20figure%201.2.jpg"),
        ("https://journal.org/g1.tif", "https://journal.org/g1.tif"),
        ("javascript:alert(1)", None),
        ("JavaScript:alert(1)//x.jpg", None),
        ("data:image/png,AA", None),
        ("file:///etc/passwd", None),
    ],
)
def test_images_have_addresses_on_the_web(article, href, address):
    document = article(f'<fig><label>Figure 1</label><graphic xlink:href="{href}"/></fig>')
    assert document.figures[0].image_urls == ((address,) if address else ())


def test_without_a_pmcid_the_name_of_a_file_is_no_address(xml):
    document = xml("""<article xmlns:xlink="http://www.w3.org/1999/xlink"><front/><body><p>Text.</p>
        <fig><label>Figure 1</label><graphic xlink:href="g1.tif"/></fig></body></article>""")
    assert document.figures[0].image_urls == ()


def test_floats_follow_their_first_mention_and_the_rest_the_body(article):
    figures = "".join(
        f'<fig id="F{n}"><label>Figure {n}</label><caption><p>C{n}.</p></caption></fig>' for n in (1, 2, 3)
    )
    mention = '<xref ref-type="fig" rid="F2">Figure 2</xref>'
    document = article(f"<sec><title>Results</title><p>See {mention}.</p><p>Again {mention}.</p></sec>", floats=figures)
    assert outline(document) == [
        (1, "Results", "results", "See Figure 2.||Figure 2. C2.||Again Figure 2."),
        (1, "Figures and tables", "other", "Figure 1. C1.||Figure 3. C3."),
    ]


def test_a_group_of_figures_takes_the_images_of_panels_without_captions(article):
    document = article("""<fig-group><label>Figure 1</label><caption><p>Both.</p></caption>
        <fig><graphic xlink:href="a"/></fig><fig><graphic xlink:href="b"/></fig>
        <fig><label>Figure 2</label><caption><p>Own.</p></caption><graphic xlink:href="c"/></fig></fig-group>""")
    images = {figure.label: [url.removeprefix(PMC_IMAGE) for url in figure.image_urls] for figure in document.figures}
    assert images == {"Figure 1": ["a.jpg", "b.jpg"], "Figure 2": ["c.jpg"]}


def test_a_tables_cells_and_notes_follow_its_caption(article):
    document = article("""<table-wrap><label>Table 1</label><caption><p>Deaths</p></caption><alternatives>
        <graphic/><table><thead>
        <tr><th rowspan="2">Arm</th><th colspan="2">Dead</th></tr><tr><th>n</th><th>%</th></tr></thead>
        <tbody><tr><td>Drug</td><td>8</td><td>2.0<sup>a</sup></td></tr><tr><td/><td/></tr></tbody></table>
        </alternatives><table-wrap-foot><fn><p><sup>a</sup>Adjusted</p></fn><fn><p>n, number</p></fn>
        </table-wrap-foot></table-wrap>""")
    assert document.text.split("\n\n") == [
        "Table 1. Deaths",
        "| Arm | Dead |\n| | n | % |\n| Drug | 8 | 2.0^a |",
        "a Adjusted. n, number",
    ]
    assert [(table.id, table.kind) for table in document.figures] == [("table1", "table")]


def test_lists_and_displayed_formulas_divide_their_paragraph(article):
    document = article("""<p>Two:<list list-type="order"><list-item><p>one<list>
        <list-item><p>inner</p></list-item></list></p></list-item><list-item><p>two</p></list-item></list>where
        <disp-formula><tex-math>$$a = b$$</tex-math><label>(1)</label></disp-formula>holds.</p>""")
    assert document.text.split("\n\n") == ["Two:", "1. one\n  - inner\n2. two", "where", "a = b (1)", "holds."]


def test_code_keeps_its_lines(article):
    document = article("<preformat>for each:\n    feed it\n</preformat>")
    assert document.text == "for each:\n    feed it"


def test_boxes_are_sections_and_footnotes_follow_their_paragraph(article):
    document = article("""<sec><title>Results</title><p>It grew<fn><p>By half.</p></fn>.</p>
        <boxed-text><caption><title>Box 1</title></caption><p>Boxed.</p></boxed-text></sec>""")
    assert outline(document) == [
        (1, "Results", "results", "It grew.||By half."),
        (2, "Box 1", "results", "Boxed."),
    ]


def test_back_matter_has_kinds_and_headings_of_its_own(article):
    document = article(
        "<p>Body.</p>",
        back="""<ack><p>Thanks.</p></ack><app-group><app><title>Search terms</title><p>Yeast.</p></app></app-group>
        <ref-list><ref><label>1.</label><mixed-citation>Smith J. <italic>Cold</italic>. 2001.</mixed-citation></ref>
        <ref><label>2</label><element-citation><person-group><name><surname>Doe</surname><given-names>A</given-names>
        </name><etal/></person-group><article-title>Heat</article-title><source>J Warm</source><year>2002</year>
        <volume>3</volume><issue>4</issue><fpage>5</fpage><lpage>6</lpage></element-citation></ref></ref-list>""",
    )
    assert outline(document)[1:] == [
        (1, "Acknowledgements", "other", "Thanks."),
        (2, "Search terms", "appendix", "Yeast."),
        (1, "References", "references", "1. Smith J. Cold. 2001.||2. Doe A, et al. Heat. J Warm. 2002. 3. 4. 5. 6"),
    ]


def test_supplements_are_named_and_their_figures_are_figures(article):
    document = article("""<sec sec-type="supplementary-material"><title>Additional files</title>
        <supplementary-material><label>Figure S2</label><caption><p>More mice.</p></caption>
        <media><caption><p>Click here for additional data file.</p></caption></media></supplementary-material>
        <supplementary-material><label>Dataset 1</label><caption><p>Weights.</p></caption></supplementary-material>
        </sec>""")
    assert outline(document) == [(1, "Additional files", "appendix", "Figure S2. More mice.||Dataset 1. Weights.")]
    assert [figure.id for figure in document.figures] == ["figS2"]


def test_letters_and_translations_inside_the_file_are_left_out(xml):
    source = (
        "<article><front/><body><p>Paper.</p></body><sub-article><body><p>Letter.</p></body></sub-article></article>"
    )
    assert xml(source).text == "Paper."


@pytest.mark.parametrize(
    "wrapper",
    [
        "<pmc-articleset>{}</pmc-articleset>",
        "<OAI-PMH xmlns='x'><GetRecord><record><metadata>{}</metadata></record></GetRecord></OAI-PMH>",
    ],
)
def test_the_wrappers_of_interfaces_are_opened(xml, wrapper):
    assert xml(wrapper.format("<article><body><p>Paper.</p></body></article>")).text == "Paper."


def test_two_articles_in_one_file_are_refused(xml):
    article = "<article><body><p>Paper.</p></body></article>"
    with pytest.raises(IngestError, match="2 articles in one file; split it"):
        xml(f"<pmc-articleset>{article * 2}</pmc-articleset>")


@pytest.mark.parametrize(
    "source", ["<html><body><p>Text.</p></body></html>", "<article><para>DocBook</para></article>", "<urlset/>"]
)
def test_xml_that_is_no_jats_is_refused(xml, source):
    with pytest.raises(UnsupportedFormat, match=r"XML, but not a JATS article .*; convert it to JATS"):
        xml(source)


def test_an_article_without_text_is_refused(article):
    with pytest.raises(NoText, match="neither abstract nor body"):
        article(meta="<title-group><article-title>Only a title</article-title></title-group>")


def front_of(meta: str = "", journal: str = "") -> Front:
    return read_front(
        etree.fromstring(
            f"""<article article-type="research-article" xmlns:xlink="http://www.w3.org/1999/xlink">
            <front><journal-meta>{journal}</journal-meta><article-meta>{meta}</article-meta></front></article>"""
        )
    )


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


CC_BY = "https://creativecommons.org/licenses/by/4.0/"


@pytest.mark.parametrize(
    ("licence", "read"),
    [
        (f'<license xlink:href="{CC_BY}"><license-p>Free.</license-p></license>', CC_BY),
        (f'<license><license-p>See <ext-link xlink:href="{CC_BY}">here</ext-link></license-p></license>', CC_BY),
        ("<license><license-p>All may copy.</license-p></license>", "All may copy."),
    ],
)
def test_the_licence_is_its_address_else_what_is_said_of_it(licence, read):
    assert front_of(f"<permissions>{licence}</permissions>").metadata["licence"] == read
