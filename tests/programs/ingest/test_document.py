import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from programs.ingest.document import Document, DocumentBuilder, Section, figure_id


def test_the_evidence_text_leaves_out_references_and_notices_with_their_headings():
    parts = "Density fell.|Published 2017.|Results|It fell by half.|References|1. Smith 2001.|Funding|None."
    text = parts.replace("|", "\n\n")
    spans = (
        ("", "other", "Density fell."),
        ("", "notice", "Published 2017."),
        ("Results", "results", "It fell by half."),
        ("References", "references", "1. Smith 2001."),
        ("Funding", "other", "None."),
    )
    sections = tuple(
        Section(heading, kind, text.index(body), text.index(body) + len(body)) for heading, kind, body in spans
    )
    found = Document("P1", text, sections=sections).evidence_text
    assert found.split("\n\n") == ["Density fell.", "Results", "It fell by half.", "Funding", "None."]


def test_a_document_of_references_alone_is_read_whole():
    text = "1. Smith 2001."
    assert Document("P1", text, sections=(Section("", "references", 0, len(text)),)).evidence_text == text


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (  # text before the first heading is a section without one
            [("", "Before."), ("Results", 1), ("", "After.")],
            [("", "other", "Before."), ("Results", "results", "After.")],
        ),
        (  # a heading without text stays, and a section without both does not
            [("", 1), ("Results", 1), ("Deaths", 2), ("", "None.")],
            [("Results", "results", ""), ("Deaths", "results", "None.")],
        ),
        (  # a subsection has the kind of the section around it
            [("Results", 1), ("Participants", 2), ("Age", 3), ("Methods", 1), ("Participants", 2)],
            [
                *(("Results", "results", ""), ("Participants", "results", ""), ("Age", "results", "")),
                *(("Methods", "methods", ""), ("Participants", "methods", "")),
            ],
        ),
        (  # a summary is the abstract only where the paper opens
            [("Summary", 1), ("Results", 1), ("Summary", 1)],
            [("Summary", "abstract", ""), ("Results", "results", ""), ("Summary", "conclusion", "")],
        ),
    ],
)
def test_sections_are_made_of_headings_and_paragraphs(steps, expected):
    builder = DocumentBuilder()
    for heading, rest in steps:
        builder.add_paragraph(rest) if isinstance(rest, str) else builder.add_section(heading, rest)
    document = builder.build(id="x")
    found = [(each.heading, each.kind, document.text[each.start : each.end]) for each in document.sections]
    assert found == expected


@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b\ufeff\u00ad"])
def test_what_is_not_seen_is_no_paragraph(blank):
    builder = DocumentBuilder()
    assert builder.add_paragraph(blank) is None
    assert builder.add_figure(blank, blank) is None
    assert builder.is_empty
    assert builder.build(id="x").text == ""


@pytest.mark.parametrize(
    ("raw", "keep_lines", "text"),
    [
        ("Cafe\u0301", False, "Café"),
        ("popu\u00adlation", False, "population"),
        ("a\u00a0b\r\nc", False, "a b c"),
        ("a\x00b\x07", False, "a b"),
        ("half \ud83d pair", False, "half \ufffd pair"),
        ("\n  if x:\r\n      y\n\n", True, "  if x:\n      y"),
    ],
)
def test_text_is_composed_without_what_is_not_printed_and_lines_kept_where_they_matter(raw, keep_lines, text):
    builder = DocumentBuilder()
    builder.add_paragraph(raw, keep_lines=keep_lines)
    assert builder.build(id="x").text == text


@pytest.mark.parametrize(
    ("label", "kind", "expected"),
    [
        ("Figure 2", "figure", "fig2"),
        ("FIG. 2A.", "figure", "fig2A"),
        ("Figure S3", "figure", "figS3"),
        ("Supplementary Fig. 3", "figure", "figS3"),
        ("Extended Data Figure 4", "figure", "figED4"),
        ("Figure 1.2", "figure", "fig1.2"),
        ("TABLE II", "table", "tableII"),
        ("Table A1", "table", "tableA1"),
        ("Graphical abstract", "figure", "fig9"),
        ("", "table", "table9"),
    ],
)
def test_ids_of_figures_are_made_of_their_labels(label, kind, expected):
    assert figure_id(label, kind, 9) == expected


def test_ids_of_figures_are_unique_and_tables_are_known_by_their_label():
    builder = DocumentBuilder()
    labels = ["Figure 1", "Figure 1", "Table 1", "", "Figure 1"]
    figures = [builder.add_figure(label, "Caption.") for label in labels]
    assert [figure.id for figure in figures] == ["fig1", "fig1-2", "table1", "fig3", "fig1-3"]
    assert [figure.kind for figure in figures] == ["figure", "figure", "table", "figure", "figure"]


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("RETRACTED: Cold and yeast", ("retracted, as its title says",)),
        ("[Retracted article] Cold and yeast", ("retracted, as its title says",)),
        ("Retracted papers in PubMed", ()),
    ],
)
def test_a_title_that_says_retracted_counts_in_every_format(title, said):
    document = DocumentBuilder().build(id="yeast", title=title)
    assert (document.corrections, "retracted" in document.metadata) == (said, bool(said))


def test_fields_are_one_line_each():
    document = DocumentBuilder().build(id="x", title="Cold\n and yeast", authors=["Li,\u00a0A", " "], year=2019)
    assert (document.title, document.authors, document.year) == ("Cold and yeast", ("Li, A",), 2019)


STEPS = st.lists(st.tuples(st.sampled_from(["section", "paragraph", "figure"]), st.text(max_size=12)), max_size=12)


@given(STEPS)
def test_spans_are_exact_whatever_is_added(steps):
    builder = DocumentBuilder()
    add = {
        "section": lambda text: builder.add_section(text, 1 + len(text) % 3),
        "paragraph": builder.add_paragraph,
        "figure": lambda text: builder.add_figure("Figure", text),
    }
    for step, text in steps:
        add[step](text)
    document = builder.build(id="x")
    assert unicodedata.is_normalized("NFC", document.text)
    ends = [0]
    for section in document.sections:
        assert ends[-1] <= section.start <= section.end <= len(document.text)
        body = document.text[section.start : section.end]
        assert body == body.strip()
        ends.append(section.end)
    for figure in document.figures:
        assert document.text[figure.start : figure.end] == ". ".join(filter(None, (figure.label, figure.caption)))
        assert any(section.start <= figure.start and figure.end <= section.end for section in document.sections)
