"""Eighty real papers of PubMed Central, read and compared with what plain XPath finds in the same files."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from lxml import etree

from programs.ingest.document import Document
from programs.ingest.formats import discover, read_all
from tests.benchmarks import BENCHMARKS, needs_benchmarks

pytestmark = [needs_benchmarks, pytest.mark.slow]

PAPERS = BENCHMARKS / "evidence_inference" / "nxml"
LONG = 60  # characters from which a paragraph does not repeat by chance
WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass(frozen=True)
class Paper:
    """A file's document beside the file's own tree."""

    document: Document
    tree: etree._Element

    def texts(self, path: str) -> list[str]:
        """What the elements at a path hold, in order, white space in one form."""
        return [squeezed("".join(found.itertext())) for found in self.tree.xpath(path)]

    def words(self, path: str) -> Counter[str]:
        """The words of four letters and more at a path that are printed, each text node by itself."""
        nodes = self.tree.xpath(f"{path}//text()[not(ancestor::object-id or ancestor::supplementary-material)]")
        return Counter(WORD.findall("\n".join(nodes)))


def squeezed(text: str) -> str:
    return " ".join(text.split())


def letters(text: str) -> str:
    """Letters and digits alone: what remains the same however marks, brackets and spaces are set."""
    return re.sub(r"[\W_]+", "", text)


@pytest.fixture(scope="module")
def papers() -> list[Paper]:
    files = discover([PAPERS])
    results = list(read_all(files))
    assert [result for result in results if not isinstance(result, Document)] == []
    return [Paper(document, tree(file)) for file, document in zip(files, results, strict=True)]


def tree(file: Path) -> etree._Element:
    return etree.parse(str(file), etree.XMLParser(load_dtd=False, no_network=True, remove_comments=True)).getroot()


def test_all_are_read_with_the_front_matter_of_their_files(papers):
    assert len(papers) == 80
    own_author = "front/article-meta/contrib-group/contrib[not(@contrib-type) or @contrib-type='author']/name/surname"
    for paper in papers:
        document = paper.document
        assert document.id == document.pmcid == Path(document.source).stem
        (title,) = paper.texts("front/article-meta/title-group/article-title")
        assert letters(document.title) == letters(title), document.id
        assert document.journal in paper.texts("front/journal-meta//journal-title"), document.id
        years = paper.texts("front/article-meta/pub-date[@pub-type != 'pmc-release']/year")
        assert document.year == min(map(int, years)), document.id
        surnames = [author.partition(", ")[0] for author in document.authors if ", " in author]
        assert surnames == paper.texts(own_author), document.id
        assert document.authors  # one paper is by a group alone


def test_every_figure_and_table_caption_is_found(papers):
    captions = 0
    for paper in papers:
        read = Counter(letters(figure.caption) for figure in paper.document.figures)
        expected = Counter(filter(None, map(letters, paper.texts("//*[self::fig or self::table-wrap]/caption"))))
        assert expected <= read, paper.document.id
        captions += expected.total()
    assert captions > 300


def test_all_have_methods_and_results_and_nearly_all_an_abstract(papers):
    having = Counter(kind for paper in papers for kind in {section.kind for section in paper.document.sections})
    assert having["methods"] == having["results"] == having["introduction"] == having["references"] == 80
    assert having["abstract"] >= 79


def test_no_paragraph_is_there_twice_unless_the_file_has_it_twice(papers):
    for paper in papers:
        paragraphs = Counter(part for part in paper.document.text.split("\n\n") if len(part) >= LONG)
        source = letters("".join(paper.tree.itertext()))
        for paragraph, count in paragraphs.items():
            assert count == 1 or source.count(letters(paragraph)) >= count, (paper.document.id, paragraph[:80])


def test_no_word_of_the_body_is_lost_or_runs_into_another_and_the_text_is_as_long_as_the_file_s(papers):
    for paper in papers:
        lost = paper.words("body") - Counter(WORD.findall(paper.document.text))
        assert lost.total() <= 4, (paper.document.id, lost)  # an initial may be set apart: <u>P</u>atient
        parts = paper.texts("front/article-meta/abstract | body | back | floats-group")
        length = len(letters(paper.document.text)) / len(letters(" ".join(parts)))
        assert 0.98 < length < 1.01, (paper.document.id, length)
