import pytest

from metrics.support.guards import vetoes
from programs.errors import IngestError
from programs.ingest.chunking import PASSAGES, chunk
from programs.ingest.markdown import read

PAPER = """\
---
title: Cold and yeast
authors: [Ada Lovelace, "Turing, Alan"]
date: 2019-05-01
journal: Journal of Cold
doi: https://doi.org/10.1000/xyz
organism: [Saccharomyces cerevisiae, Mus musculus]
mission_env: ground
doses: 3
---

# Cold and yeast

## Abstract

We study the popu-
lation of **cold** *yeast* [12], [13](#b13) (smith2024quantum).

## 2. Methods

### 2.1 Strains

The growth is $x_1 * y_2 * z$; see [our site](http://example.org) and `strains.csv`.

```python
# no heading
x = "popu-"

print(x)
```

$$
E = mc^2
= h\\nu

+ a_1 * b_2 * c
$$

## Results

![growth curve](https://x.org/growth.png)

*Figure 1: Growth at 4 °C.*

![](https://x.org/left.png)
![](right.png)
**Figure 2.** Both *sides*.

Figure 3. A bare caption.

Figure 3 shows it.

**Table 1.** Numbers.

| strain | days |
|--------|-----:|
| wild   | **12** |

- first item
- second item

## References

1. Smith J. Cold. 2001.
2. Doe J. Heat. 2002.
"""


@pytest.fixture
def document(tmp_path):
    return read_text(tmp_path, PAPER)


def read_text(folder, text, name="paper.md"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path)


def body(document, heading):
    section = next(section for section in document.sections if section.heading == heading)
    return document.text[section.start : section.end]


def test_front_matter_fills_the_fields(document):
    assert (document.title, document.year, document.journal) == ("Cold and yeast", 2019, "Journal of Cold")
    assert document.authors == ("Lovelace, Ada", "Turing, Alan")
    assert document.doi == "10.1000/xyz"
    assert document.metadata == {
        "organism": ["Saccharomyces cerevisiae", "Mus musculus"],
        "mission_env": "ground",
        "doses": 3,
    }


def test_headings_become_sections_and_markup_plain_text(document):
    assert [(section.heading, section.kind, section.level) for section in document.sections] == [
        ("Abstract", "abstract", 1),
        ("Methods", "methods", 1),
        ("Strains", "methods", 2),
        ("Results", "results", 1),
        ("References", "references", 1),
    ]
    assert body(document, "Abstract") == "We study the population of cold yeast [12], [13] (smith2024quantum)."
    assert body(document, "Strains").split("\n\n", 1)[0] == ("The growth is x_1*y_2*z; see our site and strains.csv.")
    for kept in ('# no heading\nx = "popu-"\n\nprint(x)', "$$\nE = mc^2\n= h\\nu\n\n+ a_1 * b_2 * c\n$$"):
        assert kept in document.text
    for kept in ("| strain | days |\n| wild | 12 |", "first item\n\nsecond item"):
        assert kept in body(document, "Results")
    assert body(document, "References") == "1. Smith J. Cold. 2001.\n\n2. Doe J. Heat. 2002."


def test_figures_have_captions_and_images(document):
    assert [(figure.id, figure.label, figure.caption, figure.image_urls) for figure in document.figures] == [
        ("fig1", "Figure 1", "Growth at 4 °C.", ("https://x.org/growth.png",)),
        ("fig2", "Figure 2", "Both sides.", ("https://x.org/left.png",)),
        ("fig3", "Figure 3", "A bare caption.", ()),
        ("table1", "Table 1", "Numbers.", ()),
    ]
    assert "Figure 3 shows it." in body(document, "Results")


BODY = "\n\n## Abstract\n\nBone fell in orbit.\n\n## Results\n\nBy 12 percent.\n"


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# Cold and yeast\n\n## Results\n\nYes.", "Cold and yeast"),
        ("# Introduction\n\nYes.\n\n# Results\n\nNo.", ""),
        (f"## Bone loss in flight mice: a trial{BODY}", "Bone loss in flight mice: a trial"),
        (
            f"## Risk factors associated with bone loss in orbit{BODY}",
            "Risk factors associated with bone loss in orbit",
        ),
        (f"# Risk factors associated with bone loss in orbit{BODY}", "Risk factors associated with bone loss in orbit"),
        *((f"## {heading}{BODY}", "") for heading in ("Risk factors", "Results", "Participants")),
    ],
)
def test_the_title_is_the_first_heading_that_names_no_section(tmp_path, source, title):
    document = read_text(tmp_path, source, "PMC123456.md")
    assert (document.id, document.pmcid, document.title) == ("PMC123456", "PMC123456", title)
    assert not title or title not in document.text
    assert "results" in [section.kind for section in document.sections]


def test_descriptions_are_captions_of_images_without_one(tmp_path):
    document = read_text(
        tmp_path, "![Figure 2: Growth](https://x.org/a.png)\n\nText.\n\n![A mouse](b.png)\n\n![](c.png)"
    )
    assert [(figure.label, figure.caption, figure.image_urls) for figure in document.figures] == [
        ("Figure 2", "Growth", ("https://x.org/a.png",)),
        ("", "A mouse", ()),
    ]


GRID = """\
+-------+-------------+
| Group | Deaths      |
|       +------+------+
| (n)   | Men  | Women|
+=======+======+======+
| Drug  | 1    | 2    |
+-------+------+------+
| None seen           |
+-------+------+------+
"""
TEXTS = {
    "front matter is empty": dict.fromkeys(("---\n---\nText.", "---\n# a comment\n---\nText.", "Text."), "Text."),
    "a rule is not front matter": {"Text.\n\n---\n\nMore.": "Text.\n\nMore."},
    "HTML gives its text only": {
        "<div onclick='x()'>Some <b>bold</b> text<script>alert(1)</script></div>\n\nH<sub>2</sub>O<br>is &amp; cold": (
            "Some bold text\n\nH2O is & cold"
        ),
        '<div><p>Seen.</p><p style="display:none">Not seen.</p></div>': "Seen.",
        "<style>p {display: none}</style>\n\n<main>Seen</main>\n\n<div hidden>\n\nAlso seen. And more of it is here.": (
            "Seen\n\nAlso seen. And more of it is here."
        ),
    },
    "prices are no formulas": {"It costs $5 and *not* $6.\n\n$$ open": "It costs $5 and not $6.\n\n$$ open"},
    "formulas of converters": {
        r"by $3 0 \%$ ($9 5 \% \mathrm { C I }$ $1 2 . 5 - 4 7$)": "by 30 % (95 % CI 12.5-47)",
        r"$\mathrm { p } = 0 . 0 4$; \(n = 1 , 2 3 4\)": "p = 0.04; n = 1,234",
        r"$3 7 ~ ^ { \circ } \mathrm { C }$, 10$^{6}$, CO$_2$, $1 0 ^ { - 3 } \mathrm { M }$": (
            "37 °C, 10^6, CO2, 10^-3 M"
        ),
        r"$\frac { a } { 2 } \leq \sqrt{x}$, $5 \mathrm { ~ m g \cdot k g ^ { - 1 } }$": "a/2 ≤ √x, 5 mg·kg^-1",
        r"$\begin{matrix} 1 2 \end{matrix}$": r"$\begin{matrix} 12 \end{matrix}$",
        "10<sup>6</sup> mice.<sup>3,4</sup> Ca<sup>2+</sup>": "10^6 mice.[3,4] Ca2+",
    },
    "raised, lowered, struck out": {
        "10^6^ cells, CO~2~, Ca^2+^ and ^13^C in mL^-1^": "10^6 cells, CO2, Ca2+ and 13C in mL-1",
        "10^6,10^7 or 5~10,20~30 mg": "10^6,10^7 or 5~10,20~30 mg",
        '10<span class="sup">6</span> to 10<span style="vertical-align: super">7</span>': "10^6 to 10^7",
        'We saw ~~nine~~ ten <span style="display:none">GHOST</span> mice': "We saw ten mice",
    },
    "a table inside a line": {
        "Table 2. Swans <table><tr><td>Arm</td><td>12</td></tr></table> were seen.": (
            "Table 2. Swans\n\n| Arm | 12 |\n\nwere seen."
        )
    },
    "bars that part no cells": {
        "| G | r | P |\n|---|---|---|\n| A \\| B | $|r|$ = 0.3 | 0.04 |\n| `a|b` | 0.1 | $P(A|B)$ |\n| $5 | $6 | 7 |": (
            "| G | r | P |\n| A ¦ B | ¦r¦ = 0.3 | 0.04 |\n| a¦b | 0.1 | P(A¦B) |\n| $5 | $6 | 7 |"
        ),
        "<table><tr><td>|r|</td><td>0.3</td></tr></table>": "| ¦r¦ | 0.3 |",
    },
    "cells of grids over rows and columns": {
        GRID: "| Group (n) | Deaths |\n| | Men | Women |\n| Drug | 1 | 2 |\n| None seen |"
    },
}


@pytest.mark.parametrize("what", TEXTS)
def test_what_a_source_says(tmp_path, what):
    assert {source: read_text(tmp_path, source).text for source in TEXTS[what]} == TEXTS[what]


@pytest.mark.parametrize(
    ("source", "heading", "text"),
    [
        ("Results\n=======\n\n> Quoted\n> words.\n", "Results", "Results\n\nQuoted words."),
        ("# Methods {#sec:methods .unnumbered}\n\n3. Third\n4. Fourth", "Methods", "Methods\n\n3. Third\n\n4. Fourth"),
    ],
)
def test_headings_of_other_kinds(tmp_path, source, heading, text):
    document = read_text(tmp_path, source)
    assert ([section.heading for section in document.sections], document.text) == ([heading], text)


@pytest.mark.slow
def test_comments_that_never_end_are_text_and_cost_no_time(tmp_path):
    document = read_text(tmp_path, "<!-- closed -->" + "<!-- " * 20_000)
    assert document.text == " ".join(["<!--"] * 20_000)


@pytest.mark.parametrize(
    ("front", "problem"),
    [
        ("title: [open", "front matter is not YAML"),
        ("- a\n- b", "front matter is a list"),
        ("year: soon", "has the year 'soon'"),
        ("a: !!python/object/apply:os.getcwd []", "front matter is not YAML"),
    ],
)
def test_broken_front_matter_is_refused(tmp_path, front, problem):
    with pytest.raises(IngestError, match=problem):
        read_text(tmp_path, f"---\n{front}\n---\n\nText.")


def test_authors_and_addresses_below_the_title_are_no_text(tmp_path):
    document = read_text(
        tmp_path,
        "## Risk factors associated with bone loss in space\n\n"
        "Ada Lovelace^1^, **Charles Babbage**², and Grace Hopper\n\n"
        "^1^Department of Engines, University of London, UK\n\n"
        "## Abstract\n\nCells.\n\n## Results\n\nTwelve.",
    )
    assert document.title == "Risk factors associated with bone loss in space"
    assert document.authors == ("Lovelace, Ada", "Babbage, Charles", "Hopper, Grace")
    found = [(section.kind, section.heading) for section in document.sections]
    assert found == [("notice", ""), ("abstract", "Abstract"), ("results", "Results")]


def test_text_below_the_title_stays_text(tmp_path):
    text = "Yeast and Mice\n\nCells lived longer in the cold at Boston hospital and were well."
    document = read_text(tmp_path, f"# Cold\n\n{text}")
    assert document.text == text
    assert document.authors == ()


@pytest.mark.parametrize(
    "table",
    [
        "| Group | Relapsed |\n|---|---|\n| Drug | 12 |\n| Placebo | 20 |",
        "Group | Relapsed\n---|---\nDrug | 12\nPlacebo | 20",
        "<table><tr><td>Group</td><td>Relapsed</td></tr><tr><td>Drug</td><td>$1 2$</td></tr>"
        "<tr><td>Placebo</td><td>20</td></tr></table>",
        "<html><body><table>\n<tr><th>Group</th><th>Relapsed</th></tr>\n\n<tr><td>Drug</td><td>12</td></tr>\n\n"
        "<tr><td>Placebo</td><td>20</td></tr></table></body></html>",
        r"\begin{table}\begin{tabular}{l c} \hline Group & Relapsed \\ \hline Drug & \(12\) \\ Placebo & 20 \\ \hline"
        "\n\\end{tabular}\n\\end{table}",
    ],
)
def test_rows_of_tables_have_one_form_and_are_guarded(tmp_path, table):
    rows = "| Group | Relapsed |\n| Drug | 12 |\n| Placebo | 20 |"
    for text in (f"Table 1. Relapses\n\n{table}\n\nText.", f"{table}\n\nTable 1. Relapses\n\nText."):
        document = read_text(tmp_path, f"# A trial of zinc\n\n## Results\n\n{text}")
        assert f"Table 1. Relapses\n\n{rows}\n\nText." in document.text
    (_, passage) = chunk(document, PASSAGES)
    assert passage.text.endswith(rows)
    assert not vetoes("With placebo 20 relapsed, with the drug 12.", [passage.text])
    assert vetoes("With placebo 12 relapsed, with the drug 20.", [passage.text])


@pytest.mark.parametrize(
    "after",
    [
        "# Tin and the death of swans\n\nEd Evans, Di Dent\n\nTin killed swans.",
        "# Tin and the death of swans\n\n## Abstract\n\nTin killed swans.\n\n## Results\n\nAll swans.",
        "## Recommended articles\n\n- Tin killed swans in 9 days",
    ],
)
def test_what_follows_a_paper_is_no_evidence(tmp_path, after):
    paper = "# Cold and yeast\n\n## Results\n\nCells lived longer.\n\n## References\n\n1. Smith J. Cold. 2001.\n\n"
    document = read_text(tmp_path, f"{paper}{after}")
    assert "swans" in document.text
    assert "swans" not in document.evidence_text
    appendix = read_text(tmp_path, f"{paper}# More data on cells in the cold\n\nCells of swans lived, too.")
    assert "swans" in appendix.evidence_text


@pytest.mark.parametrize(
    "source", ["<?php x ?>", "<![CDATA[ x ]]>", "<!DOCTYPE html>", "</div>", "<table>", "</table>", "<p>"]
)
def test_pieces_of_html_are_no_error(tmp_path, source):
    assert "Cells lived longer." in read_text(tmp_path, f"{source}\n\nCells lived longer.").text


ROWS = "| Group | r | P |\n| Drug | 0.30 | 0.04 |\n| No drug | 0.10 | 0.7 |"


@pytest.mark.parametrize(
    "table",
    [
        "  Group        r   P\n  --------- ------ -----\n  Drug        0.30 0.04\n  No drug     0.10 0.7\n",
        "--------- ------ -----\nGroup     r      P\nDrug      0.30   0.04\nNo drug   0.10   0.7\n"
        "--------- ------ -----\n",
        "-----------------------\nGroup     r      P\n--------- ------ -----\nDrug      0.30   0.04\n\n"
        "No        0.10   0.7\ndrug\n-----------------------\n",
        "+---------+------+------+\n| Group   | r    | P    |\n+=========+======+======+\n| Drug    | 0.30 | 0.04 |\n"
        "+---------+------+------+\n| No      | 0.10 | 0.7  |\n| drug    |      |      |\n+---------+------+------+\n",
        "|Group|r|P|\n|-----+---+---|\n|Drug|0.30|0.04|\n|No drug|0.10|0.7|\n",
        "Group | r | P\n:--|:-:|--:\nDrug | 0.30 | 0.04\nNo drug | 0.10 | 0.7\n",
    ],
)
def test_tables_of_pandoc_have_the_form_of_all_tables(tmp_path, table):
    quoted = "".join(f"> {line}\n" for line in table.splitlines())
    for source in (table, quoted, f"Table 1. Deaths\n\n{table}"):
        text = read_text(tmp_path, f"# A trial of zinc\n\nBefore.\n\n{source}\nAfter.").text
        assert f"\n\n{ROWS}\n\nAfter." in text


@pytest.mark.parametrize(
    "source",
    [
        "It fell.\n\n---\n\nIt rose in 12 mice.\n\n---\n\nNobody knows.",
        "-----\n\nIt fell   in mice\n\n--- ---\n\nIt rose",
        "Groups of mice  and rats\n--------- ------- ----\nthat were kept together in cages",
        "- - -\nIt fell",
        "+ one\n+ two | three",
    ],
)
def test_rules_and_lists_are_no_tables(tmp_path, source):
    assert "|\n" not in f"{read_text(tmp_path, f'# A trial of zinc{chr(10)}{chr(10)}{source}').text}\n"
