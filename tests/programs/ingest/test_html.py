"""HTML becomes a document as JATS does; scripts, styles, navigation and hidden text are not evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from programs.errors import IngestError, NoText, UnsafeFile
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


def test_title_and_authors_are_found_without_a_head(tmp_path: Path) -> None:
    document = page(
        tmp_path,
        "<h1>Risk factors associated with bone loss</h1><p>By Ada Lovelace and Alan Turing</p>"
        "<h2>Methods</h2><p>We ran.</p>",
    )
    assert document.title == "Risk factors associated with bone loss"
    assert document.authors == ("Lovelace, Ada", "Turing, Alan")


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>GHOST</script>",
        "<style>GHOST</style>",
        "<noscript>GHOST</noscript>",
        "<template><p>GHOST</p></template>",
        "<!-- GHOST -->",
        "<p hidden>GHOST</p>",
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


def test_styles_of_print_and_white_on_dark_are_shown(tmp_path: Path) -> None:
    style = "<style>@media print {p {display:none}} p {color:white; background:black}</style>"
    assert "Shown words." in page(tmp_path, f"{style}<h1>A title of a long paper</h1><p>Shown words.</p>").text


def test_the_encoding_that_a_page_states_is_used(tmp_path: Path) -> None:
    path = tmp_path / "latin.htm"
    path.write_bytes('<meta charset="iso-8859-1"><h1>Über Kälte</h1><p>Größe 5 µm.</p>'.encode("cp1252"))
    assert "Größe 5 µm." in read(path).text


def test_an_encoding_is_never_guessed(tmp_path: Path) -> None:
    path = tmp_path / "latin.html"
    path.write_bytes("<p>Größe</p>".encode("latin-1"))
    with pytest.raises(IngestError, match="not UTF-8"):
        read(path)


def test_a_page_too_deep_or_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsafeFile, match="nest"):
        page(tmp_path, "<div>" * 200 + "deep" + "</div>" * 200)
    with pytest.raises(NoText):
        page(tmp_path, "<script>only()</script>")


def test_nested_layout_tables_take_no_more_than_linear_time(tmp_path: Path) -> None:
    cells = "".join(f"<tr><td>{number}</td><td>x</td></tr>" for number in range(20_000))
    document = page(tmp_path, f"<h1>Cold and yeast: a trial</h1><table>{cells}</table>")
    assert "| 19999 | x |" in document.text
