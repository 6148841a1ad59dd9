"""HTML becomes a document as JATS does; scripts, styles, navigation and hidden text are not evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from programs.errors import IngestError, UnsafeFile
from programs.ingest.document import Document
from programs.ingest.formats import read

PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><title>Cold and yeast: a trial | Journal of Cold</title>
<meta name="citation_title" content="Cold and yeast: a trial">
<meta name="citation_author" content="Ada Lovelace"><meta name="citation_author" content="Turing, Alan">
<meta name="citation_publication_date" content="2019/05/01"><meta name="citation_doi" content="10.1000/cold.1">
<meta name="citation_journal_title" content="Journal of Cold">
<link rel="canonical" href="https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1234567/"></head>
<body><header><h1>Journal of Cold</h1></header><nav>Menu</nav>
<main><h1>Cold and yeast: a trial</h1><p>Ada Lovelace<sup>1</sup>, Alan Turing<sup>2</sup></p>
<p><sup>1</sup>Department of Engines, University of London</p>
<h2>Abstract</h2><p>Cells lived longer in the cold.</p>
<h2>2. Results</h2><p>Of 12 mice<sup><a href="#ref-3">3</a></sup> ten had 10<sup>6</sup> cells.</p>
<div>Loose text<ul><li>One</li><li>Two <ol><li>inner</li></ol></li></ul>and more.</div>
<h3>Deaths</h3>
<figure><img src="x.png" alt="chart"><figcaption><b>Figure 1.</b> Growth at 4 °C.</figcaption></figure>
<table><caption>Table 1. Deaths</caption><tr><th>Arm</th><th>Deaths</th></tr><tr><td>Drug</td><td>12</td></tr></table>
<h2>References</h2><ol><li>Babbage C. Engines. 1843.</li></ol></main><footer>Imprint</footer></body></html>"""


def page(folder: Path, body: str, name: str = "page.html") -> Document:
    path = folder / name
    path.write_text(body, encoding="utf-8")
    return read(path)


def test_a_page_has_what_its_head_states(tmp_path: Path) -> None:
    document = page(tmp_path, PAGE)
    assert (document.id, document.pmcid) == ("PMC1234567", "PMC1234567")
    assert (document.title, document.year) == ("Cold and yeast: a trial", 2019)
    assert document.authors == ("Lovelace, Ada", "Turing, Alan")
    assert (document.doi, document.journal) == ("10.1000/cold.1", "Journal of Cold")


def test_a_page_has_sections_lists_tables_captions_and_citations(tmp_path: Path) -> None:
    document = page(tmp_path, PAGE)
    found = [(section.kind, section.level, section.heading) for section in document.sections if section.heading]
    assert found == [
        ("abstract", 1, "Abstract"),
        ("results", 1, "Results"),
        ("results", 2, "Deaths"),
        ("references", 1, "References"),
    ]
    assert "Of 12 mice [3] ten had 10^6 cells." in document.text
    assert "Loose text\n\n- One\n- Two\n  1. inner\n\nand more." in document.text
    assert "| Arm | Deaths |\n| Drug | 12 |" in document.text
    assert [(each.id, each.caption) for each in document.figures] == [("fig1", "Growth at 4 °C."), ("table1", "Deaths")]
    assert not any(word in document.text for word in ("Menu", "Imprint", "Journal of Cold"))


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>GHOST</script>",
        "<style>GHOST</style>",
        "<noscript>GHOST</noscript>",
        "<template><p>GHOST</p></template>",
        "<!-- GHOST -->",
        "<p hidden>GHOST</p>",
        "<del>GHOST</del>",
        "<s>GHOST</s>",
        '<p aria-hidden="true">GHOST</p>',
        '<p style="display: none">GHOST</p>',
        '<p style="visibility:hidden">GHOST</p>',
        '<p style="font-size:0">GHOST</p>',
        '<p style="color:#fff">GHOST</p>',
        '<p style="position:absolute; left:-9999px">GHOST</p>',
        '<span class="sr-only">GHOST</span>',
        '<style>.gone, p.other {display:none}</style><p class="gone">GHOST</p><p class="other">GHOST</p>',
        "<style>#gone {opacity: 0}</style><p id=gone>GHOST</p>",
        "<nav>GHOST</nav>",
        "<footer>GHOST</footer>",
        '<div role="navigation">GHOST</div>',
        "<form><button>GHOST</button><textarea>GHOST</textarea></form>",
        "<iframe>GHOST</iframe>",
        "<svg><text>GHOST</text></svg>",
        '<img alt="GHOST" src=x>',
    ],
)
def test_what_is_not_shown_is_no_evidence(tmp_path: Path, hidden: str) -> None:
    document = page(tmp_path, f"<h1>Cold and yeast: a trial</h1><p>Before {hidden} after the hidden words.</p>")
    assert "GHOST" not in document.text
    assert "after the hidden words." in document.text


def test_the_encoding_that_a_page_states_is_used_and_none_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "latin.htm"
    path.write_bytes('<meta charset="iso-8859-1"><h1>Über Kälte</h1><p>Größe 5 µm.</p>'.encode("cp1252"))
    assert "Größe 5 µm." in read(path).text
    path.write_bytes("<p>Größe</p>".encode("latin-1"))
    with pytest.raises(IngestError, match="not UTF-8"):
        read(path)


def test_a_page_too_deep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsafeFile, match="nest"):
        page(tmp_path, "<div>" * 200 + "deep" + "</div>" * 200)


@pytest.mark.slow
def test_nested_layout_tables_take_no_more_than_linear_time(tmp_path: Path) -> None:
    cells = "".join(f"<tr><td>{number}</td><td>x</td></tr>" for number in range(20_000))
    document = page(tmp_path, f"<h1>Cold and yeast: a trial</h1><table>{cells}</table>")
    assert "| 19999 | x |" in document.text


BODY = "<h2>Results</h2><p>Tin kept swans warm for 9 days in a pond. The pond was measured by one reader.</p>"


@pytest.mark.parametrize(
    "page_of", ["<form id=f>{}</form><form>Search GHOST</form>", "<div><form><main>{}</main></form></div>"]
)
def test_a_page_inside_one_form_is_read(tmp_path: Path, page_of: str) -> None:
    body = page_of.format(f"<h1>Tin and the warmth of swans</h1>{BODY}")
    assert "Tin kept swans warm" in page(tmp_path, body).evidence_text


TITLE = "<h1>Tin and the warmth of swans</h1>"
LONG = "<p>The pond was measured by one reader of the dose each day of the week in winter.</p>" * 9


def linked(said: str) -> str:
    script = '<script type="application/ld+json">{broken</script><script type="application/ld+json">'
    return f"<head>{script}{said}</script></head>{TITLE}{BODY}"


@pytest.mark.parametrize(
    "source",
    [
        f"{TITLE}<p>By Ann Li and Bob Brown</p><h2>Methods</h2><p>We ran.</p>",
        f'{TITLE}<div id="author-list"><button>Ann Li<sup>a</sup></button>, <button>Bob Brown<sup>b</sup></button>'
        f"</div><button>Sign In</button>{BODY}",
        f'{TITLE}<ul class="contributors"><li><button><span>Ann Li</span></button></li>'
        f"<li><button><span>Bob Brown</span></button></li></ul><button>Sign In</button>{BODY}",
        f"{TITLE}<p>Ann Li<sup>a</sup>, Bob Brown<sup>a,b</sup></p>{BODY}",
        f'{TITLE}<p><span class="author">Ann Li<span class="affiliation">Swan Research, Ghent</span></span>, '
        f'<span class="author">Bob Brown</span></p>{BODY}',
        f"<div><div>{TITLE}<p>Ann Li, Bob Brown</p></div><article><h2>Abstract</h2>{LONG}</article></div>",
        linked(
            '{"@type": "ScholarlyArticle", "author": [{"@type": "Person", "name": "Ann Li"}, {"name": "Brown, Bob"}]}'
        ),
        linked(
            '{"@graph": [{"@type": "WebPage"}, {"@type": ["MedicalScholarlyArticle"], "author": '
            '[{"givenName": "Ann", "familyName": "Li"}, "Bob Brown"]}]}'
        ),
        linked('{"mainEntity": {"@type": "ScholarlyArticle", "author": [{"name": "Ann Li"}, {"name": "Bob Brown"}]}}'),
    ],
)
def test_title_and_authors_are_found_without_a_head_that_states_them(tmp_path: Path, source: str) -> None:
    document = page(tmp_path, source)
    assert (document.title, document.authors) == ("Tin and the warmth of swans", ("Li, Ann", "Brown, Bob"))
    assert "Sign In" not in document.text


def test_a_doi_may_be_linked_before_the_article(tmp_path: Path) -> None:
    head = f"<div>{TITLE}<a>doi:10.1000/swan</a></div>"
    document = page(tmp_path, f"<div>{head}<article><h2>Abstract</h2>{LONG}</article></div>")
    assert document.doi == "10.1000/swan"


REFERENCES = "<h2>References</h2><ol><li>Clark C. Iron in geese. J Swan 2010;3:4.</li></ol>"


@pytest.mark.parametrize(
    "after",
    [
        f"{REFERENCES}<h2>More to explore</h2><ul><li>GHOST of copper in 52 ducks</li></ul>",
        f"{REFERENCES}<h2>Related articles</h2><p>GHOST of copper in 52 ducks was seen by all.</p>",
        f"<h2>You may also like</h2><p>GHOST of copper in 52 ducks.</p>{REFERENCES}",
        f"<h2>Readers also viewed</h2><p>GHOST of copper in 52 ducks.</p>{REFERENCES}",
        f"<h2>Cited by (12)</h2><ul><li>GHOST of copper in 52 ducks.</li></ul>{REFERENCES}",
        "<h2>References (1)</h2><ol><li>GHOST in geese. 2010.</li></ol>",
        '<div class="c-article-recommendations"><p>GHOST of copper in 52 ducks.</p></div>',
        '<section id="relatedArticles"><div>GHOST of copper in 52 ducks.</div></section>',
        "<p><b>Related articles</b></p><p>GHOST of copper in 52 ducks.</p>",
        "<p>Get full access to GHOST: add to cart.</p>",
        f"{REFERENCES}<h1>GHOST raises egg weight in ducks</h1><p>Ed Evans, Di Dent</p><h2>Results</h2><p>GHOST.</p>",
        '<table class="references"><tr><td>1</td><td>GHOST in geese. 2010.</td></tr></table>',
        '<section role="doc-bibliography"><p>GHOST in geese. J Swan 2010.</p></section>',
        "<table><tr><td><b>References</b></td></tr><tr><td>1</td><td>GHOST in geese. 2010.</td></tr></table>",
    ],
)
def test_what_surrounds_a_paper_is_no_evidence(tmp_path: Path, after: str) -> None:
    document = page(tmp_path, f"<h1>Tin and the warmth of swans</h1>{BODY}{after}")
    assert "Tin kept swans warm" in document.evidence_text
    assert "GHOST" not in document.evidence_text


WORK = "<section id=related-work class=related-work><h2>Related work</h2><p>Tin was seen in 52 ducks.</p></section>"
AFTER = "<h2>Exhibits</h2><p>Table 1. Swans</p><table><tr><td>Arm</td><td>12</td></tr></table>"


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        (f"<h1>Tin and the warmth of swans</h1>{WORK}{BODY}", ["52 ducks"]),
        (f"{BODY}{REFERENCES}<h2>Funding</h2><p>Paid by tin.</p>{AFTER}", ["Paid by tin.", "| Arm | 12 |"]),
    ],
)
def test_related_work_and_what_follows_the_references_is_the_paper_s(
    tmp_path: Path, source: str, kept: list[str]
) -> None:
    found = page(tmp_path, source).evidence_text
    assert all(each in found for each in kept)


JATS = """<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "x.dtd"><article><front><article-meta>
<title-group><article-title>Tin and swans</article-title></title-group></article-meta></front><body><sec>
<title>Results</title><p>Tin kept swans warm.</p></sec></body></article>"""
TEI = """<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title>Tin and swans</title></titleStmt><sourceDesc><biblStruct><analytic><author><persName><forename>Ann</forename>
<surname>Li</surname></persName></author></analytic><monogr><imprint><date when="2019-05-01"/></imprint></monogr>
<idno type="DOI">10.1000/swan</idno></biblStruct></sourceDesc></fileDesc><profileDesc><abstract><p>Tin is warm.</p>
</abstract></profileDesc></teiHeader><text><body><div><head n="1">Results</head><p>Tin kept swans warm
<ref type="bibr">[1]</ref>.</p></div><figure type="table"><head>Table 1 .</head><label>1</label><figDesc>Swans</figDesc>
<table><row><cell>Arm</cell><cell>12</cell></row></table></figure></body><back><div type="references"><listBibl>
<biblStruct><analytic><title>GHOST</title></analytic></biblStruct></listBibl></div></back></text></TEI>"""


@pytest.mark.parametrize("doctype", ["<!DOCTYPE html>", "<!doctype html>", ""])
def test_a_document_type_is_in_any_case(tmp_path: Path, doctype: str) -> None:
    document = page(tmp_path, f"{doctype}<html><body><h1>Tin and swans</h1><p>Tin is warm.</p></body></html>", "a.txt")
    assert (document.title, document.text) == ("Tin and swans", "Tin is warm.")


CITED = "Zhao Q. Iron. J Poultry 2010;3:4. Published 2021 Mar 3. https://doi.org/10.1000/iron"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.html", f"<h1>Tin and swans</h1><h2>Results</h2><p>Tin is warm.</p><h2>References</h2><p>{CITED}</p>"),
        ("a.md", f"# Tin and swans\n\n## Results\n\nTin is warm.\n\n## **References**\n\n{CITED}\n"),
        ("a.txt", f"Tin and swans\n\nResults\n\nTin is warm.\n\nReferences\n\n{CITED}\n"),
        ("b.txt", "Tin and swans\n\nResults\n\nAs in J Poultry 2010;3:4 tin is warm.\n"),
    ],
)
def test_year_and_doi_are_not_those_of_a_cited_work(tmp_path: Path, name: str, body: str) -> None:
    document = page(tmp_path, body, name)
    assert (document.title, document.year, document.doi) == ("Tin and swans", None, "")


@pytest.mark.parametrize("name", ["a.html", "a.txt", "a.htm", "a.md"])
def test_jats_is_read_under_any_ending_of_text(tmp_path: Path, name: str) -> None:
    document = page(tmp_path, JATS, name)
    assert (document.title, document.text) == ("Tin and swans", "Results\n\nTin kept swans warm.")


@pytest.mark.parametrize("name", ["a.tei.xml", "a.txt"])
def test_tei_is_read_without_its_references(tmp_path: Path, name: str) -> None:
    document = page(tmp_path, TEI, name)
    assert (document.title, document.authors, document.year) == ("Tin and swans", ("Li, Ann",), 2019)
    assert document.doi == "10.1000/swan"
    assert document.text == (
        "Abstract\n\nTin is warm.\n\n1 Results\n\nTin kept swans warm [1].\n\nTable 1. Swans\n\n| Arm | 12 |"
    )


def test_a_page_is_read_under_the_ending_of_text(tmp_path: Path) -> None:
    document = page(
        tmp_path, f"<!DOCTYPE html>\n<!-- saved --><html><h1>Tin and the warmth of swans</h1>{BODY}", "a.txt"
    )
    assert document.title == "Tin and the warmth of swans"
    assert page(tmp_path, f"<html><body><h1>Tin and swans in ponds</h1>{BODY}</body></html>", "a.xml").title


@pytest.mark.parametrize("data", [" " * 15_000 + "x", "<!-- " * 3_000, "<!DOCTYPE " * 1_500])
def test_what_a_file_begins_as_is_told_in_linear_time(tmp_path: Path, data: str) -> None:
    assert page(tmp_path, f"{data} {'words that are read ' * 1_000}", "a.txt").text


def test_a_list_of_references_has_one_heading_and_words_on_buttons_in_headings_are_the_paper_s(tmp_path: Path) -> None:
    document = page(tmp_path, f'{BODY}<h2>References</h2><ol class="references"><li>Clark C. Iron. 2010.</li></ol>')
    assert [section.heading for section in document.sections] == ["Results", "References"]
    document = page(
        tmp_path,
        "<h1>Zinc and the wounds of ducks</h1><h2><button>Results</button></h2><p>Zinc did <button>not</button> "
        "shorten <button>wound closure</button> in 12 ducks.</p><button>Download</button>"
        "<h2><button>References</button></h2><p>1. Clark C. Tin. 2010.</p>",
    )
    assert "Zinc did not shorten wound closure in 12 ducks." in document.text
    assert "Download" not in document.text
    assert [section.kind for section in document.sections][-1] == "references"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"At <i>\(37\,^{\circ}\hbox{C}\)</i> (\(p<0.05\)).", "At 37 °C (p < 0.05)."),
        (
            "<style>@media print {p {display:none}} p {color:white; background:black}</style>shown",
            "shown",
        ),
        ("10<span class=sup>6</span>", "10^6"),
        ('10<span class="c-xref superscript">6</span>', "10^6"),
        ('10<span style="font-size:70%; vertical-align:super">6</span>', "10^6"),
        ('10<font style="position:relative; font-size:8px; top:-0.4em">6</font>', "10^6"),
        ("<style>.s2, i.up {vertical-align: super}</style>10<span class=s2>6</span>", "10^6"),
        ('CO<span style="vertical-align:sub">2</span>', "CO2"),
        ("seen in mice.<sup>3,4</sup>", "seen in mice.[3,4]"),
        ('mice<a class="sup" href="#ref-3">3</a>', "mice [3]"),
        (
            "<span class='sub'>A heading that is a subtitle of the page</span>",
            "A heading that is a subtitle of the page",
        ),
    ],
)
def test_formulas_of_scripts_are_read_and_styles_raise_lower_and_show_as_elements_do(
    tmp_path: Path, source: str, text: str
) -> None:
    document = page(tmp_path, f"<h1>Zinc in the wounds of ducks</h1><p>It was {source} here.</p>")
    assert f"It was {text} here." in document.text


@pytest.mark.parametrize(
    "banner",
    [
        '<div role="alert">This article has been retracted.</div>',
        "<header><p>RETRACTED ARTICLE</p></header>",
        '<aside><p>The <a href="/r">Retraction Note</a> to this article has been published in J Cold 2020.</p></aside>',
        '<p><a href="https://doi.org/10.1000/notice">Retraction</a></p>',
        "<p>Editor's Note: This paper was formally withdrawn on 3 May 2020.</p>",
    ],
)
def test_a_banner_or_link_says_that_a_paper_is_retracted(tmp_path: Path, banner: str) -> None:
    paper = (
        "<article><h1>Zinc in the wounds of ducks</h1><h2>Results</h2><p>Zinc closed wounds in 12 ducks.</p></article>"
    )
    assert page(tmp_path, f"{banner}{paper}").metadata["retracted"] is True
    assert "retracted" not in page(tmp_path, f"<div hidden>{banner}</div>{paper}").metadata


@pytest.mark.parametrize(
    "text",
    [
        "<h1>Retraction: Zinc in the wounds of ducks</h1><p>This article has been retracted.</p>",
        "<h1>Why papers on ducks are retracted</h1><p>The paper of Brown was read by us. It has been retracted.</p>",
        "<h1>Zinc in the wounds of ducks</h1><nav><a>Retractions</a></nav><h2>Retraction</h2><p>Skin was held.</p>",
    ],
)
def test_other_words_of_retraction_are_no_notice(tmp_path: Path, text: str) -> None:
    assert "retracted" not in page(tmp_path, text).metadata


def test_a_caption_below_its_table_and_images_before_theirs(tmp_path: Path) -> None:
    document = page(
        tmp_path,
        "<h1>Zinc in the wounds of ducks</h1><h2>Results</h2><p><img src='https://x.org/1.png'></p>"
        "<p>Figure 1. Ducks</p><table><tr><td>Arm</td><td>12</td></tr></table><p>Table 1. Deaths</p><p>More.</p>",
    )
    assert document.text.endswith("Table 1. Deaths\n\n| Arm | 12 |\n\nMore.")
    assert document.figures[0].image_urls == ("https://x.org/1.png",)
