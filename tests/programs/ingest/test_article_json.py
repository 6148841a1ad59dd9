"""article.json: the names that crawlers use are understood, and what is wrong is named."""

import json

import pytest

from programs.errors import IngestError, UnsupportedFormat
from programs.ingest.article_json import read

ARTICLE = {
    "pmcid": "PMC12345",
    "title": "Low pH shortens yeast lifespan",
    "authors": ["Ada Lovelace", {"given": "Alan", "family": "Turing"}, {"name": "Grace Hopper"}],
    "year": "2014",
    "journal": "J Yeast",
    "doi": "https://doi.org/10.1/x",
    "abstract": "We aged yeast.",
    "sections": [
        {
            "title": "Methods",
            "text": "First paragraph.\n\nSecond one.",
            "sections": [{"heading": "Strains", "paragraphs": ["BY4741.", "Others."]}],
        },
        {"title": "Results", "text": "It died.", "figures": [{"label": "Figure 1", "caption": "Survival."}]},
    ],
    "figures": [{"label": "Figure 2.", "caption": "pH.", "image_urls": ["https://x/2.jpg"], "tileshop": "https://t/2"}],
    "references": ["1. Smith J. Cold."],
    "organism": ["Saccharomyces cerevisiae"],
    "nested": {"not": "kept"},
}


@pytest.fixture
def article(tmp_path):
    def write(content, folder="PMC777"):
        path = tmp_path / folder / "article.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return read(path)

    return write


def test_a_whole_article(article):
    document = article(ARTICLE)
    assert (document.id, document.pmcid, document.year, document.doi) == ("PMC12345", "PMC12345", 2014, "10.1/x")
    assert document.authors == ("Lovelace, Ada", "Turing, Alan", "Hopper, Grace")
    assert document.metadata == {"organism": ["Saccharomyces cerevisiae"]}
    assert [
        (each.heading, each.kind, each.level, document.text[each.start : each.end]) for each in document.sections
    ] == [
        ("Abstract", "abstract", 1, "We aged yeast."),
        ("Methods", "methods", 1, "First paragraph.\n\nSecond one."),
        ("Strains", "methods", 2, "BY4741.\n\nOthers."),
        ("Results", "results", 1, "It died.\n\nFigure 1. Survival."),
        ("Figures and tables", "other", 1, "Figure 2. pH."),
        ("References", "references", 1, "1. Smith J. Cold."),
    ]
    assert [figure.id for figure in document.figures] == ["fig1", "fig2"]
    assert (document.figures[1].image_urls, document.figures[1].tileshop) == (("https://x/2.jpg",), "https://t/2")


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "fig1.jpg", "//x/1.jpg", "https://", 7]
)
def test_only_addresses_of_the_web_pass(article, address):
    figure = {"label": "Figure 1", "caption": "pH.", "image_urls": [str(address)], "tileshop": address}
    web = {"label": "Figure 2", "caption": "pH.", "figure_image_urls": ["http://x/2.jpg"], "tileshop": "https://t/2"}
    document = article({**ARTICLE, "url": address, "sections": [], "figures": [figure, web]})
    assert [(each.image_urls, each.tileshop) for each in document.figures] == [
        ((), ""),
        (("http://x/2.jpg",), "https://t/2"),
    ]
    assert document.url == "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC12345/"


def test_an_abstract_that_is_also_a_section_is_read_once(article):
    document = article({"abstract": "We aged.", "sections": [{"title": "Abstract", "text": "We aged."}]})
    assert document.text.count("We aged.") == 1


def test_the_folder_names_an_article_that_does_not_name_itself(article):
    assert article({"abstract": "Text."}).id == "PMC777"
    assert article({"abstract": "Text."}, folder="smith").id == "smith"


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        ({"sections": 3}, IngestError, "sections: Input should be a valid list"),
        ({"sections": [{"title": "A", "text": True}]}, IngestError, r"sections\.0\.text"),
        ({"abstract": "x", "figures": ["one"]}, IngestError, r"figures\.0: Input should be"),
        ('{"abstract": "cut o', IngestError, r"not JSON \(Unterminated string"),
        ({"title": "Mice", "id": 3}, UnsupportedFormat, r'no "sections" and no "abstract" \(it has id, title\)'),
        ([1, 2], UnsupportedFormat, "not an object"),
    ],
)
def test_what_is_wrong_is_named_and_other_json_another_format(article, content, kind, reason):
    with pytest.raises(kind, match=reason):
        article(content)
