"""Passages of papers as indexes cut them, long tables among them, are where and what their papers say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from programs.ingest.chunking import PASSAGES, WORDS, chunk
from programs.ingest.document import Document, Figure, Section
from programs.passages import Passage
from programs.replay.saved import passage_faults

ROWS = "\n".join(f"| marker number {n} | {n}.4 ± 0.2 | {n}.9 ± 0.3 | 0.0{n % 9 + 1} |" for n in range(120))
CAPTION = "Table 1. Serum markers of bone turnover."
TEXT = f"""Results

Bone was lost in the mice that were in flight for thirty days.

{CAPTION}

| Marker | Flight | Ground | p |
{ROWS}

Bone was restored in the year after flight."""


@pytest.fixture
def paper():
    start = TEXT.index(CAPTION)
    table = Figure("table1", "table", "Table 1", "Serum markers of bone turnover.", start, start + len(CAPTION))
    return Document(
        "bone", TEXT, sections=(Section("Results", "results", TEXT.index("Bone"), len(TEXT)),), figures=(table,)
    )


def passages(paper, chunking):
    return [
        Passage(each.id, paper.id, each.section, each.heading, each.text, each.start, each.end, {}, title=paper.title)
        for each in chunk(paper, chunking)
    ]


@pytest.mark.parametrize("chunking", [PASSAGES, WORDS])
def test_every_passage_of_a_paper_replays(paper, chunking):
    cut = passages(paper, chunking)
    assert cut
    assert not [str(fault) for each in cut for fault in passage_faults(each, paper)]


def test_a_long_table_is_cut_and_its_parts_may_not_wander(paper):
    parts = [each for each in passages(paper, PASSAGES) if "::part" in each.id]
    assert parts
    assert "Serum markers" in parts[-1].heading
    start, end = paper.text.index("Bone was restored"), len(paper.text)
    elsewhere = replace(parts[-1], start=start, end=end, text=paper.text[start:end])
    assert any("its id names Table 1" in str(fault) for fault in passage_faults(elsewhere, paper))
    other = replace(parts[-1], heading="Table 2 (continued).")
    assert any("its heading is" in str(fault) for fault in passage_faults(other, paper))


def test_parts_of_a_table_may_not_exchange_their_names(paper):
    first, *later = [each for each in passages(paper, PASSAGES) if "table1" in each.id]
    assert later
    for one, heading in ((first, later[0].heading), (later[0], first.heading), (later[0], "Results")):
        assert any("its heading is" in str(each) for each in passage_faults(replace(one, heading=heading), paper))
    for name in ("::part0", "::part", "::part01", "::part1x"):
        assert list(passage_faults(replace(later[0], id=f"bone::table1{name}"), paper))
