"""From papers to a corpus, and how the writer searches it."""

import contextvars
import threading

import pytest

from programs.errors import EmptyFile
from programs.ingest.chunking import TOKENS
from programs.paper_writer import PaperIndexer
from programs.paper_writer.run_resources import Calls, Library
from tests.hashing_embedder import HashingEmbedder
from tests.programs.paper_writer.writing import KEYS, PAPERS

EQUATION = "$$\nE = m c^2\n$$"
MARKDOWN = f"# Mass\n\n## Results\n\nThe popu-\nlation grew.\n\n<!-- page 3 -->\n\n17\n\n{EQUATION}\n"


def test_papers_are_cleaned_cut_into_tokens_and_indexed(tmp_path):
    (tmp_path / "mass.md").write_text(MARKDOWN, "utf-8")
    with PaperIndexer(HashingEmbedder())([tmp_path / "mass.md", PAPERS[0]], tmp_path / "papers.idx") as made:
        assert made.chunking == TOKENS
        assert made.citation_keys()["bone"] == KEYS["bone"]
        assert [each.id for each in made.chunks("bone")] == ["bone::sec0::chunk0"]
        (mass,) = made.chunks("mass")
    assert (mass.id, mass.section) == ("mass::sec0::chunk0", "results")
    assert "population grew" in mass.text
    assert EQUATION in mass.text
    assert "17" not in mass.text


def test_a_broken_file_is_named_and_the_others_are_indexed(tmp_path):
    (tmp_path / "empty.md").write_text("")
    indexer = PaperIndexer(HashingEmbedder())
    with pytest.raises(EmptyFile, match=r"empty\.md"):
        indexer([tmp_path / "empty.md", *PAPERS], tmp_path / "papers.idx")
    with indexer(PAPERS, tmp_path / "papers.idx") as made:
        assert made.stats().documents == 3


def test_a_search_brings_the_nearest_first_with_what_is_known_of_the_paper(index):
    found = Library(index).search("auxin transport in roots of thale cress", 2, ())
    best = found[0].chunk
    assert best.key == KEYS["roots"]
    known = {"paper_id": "roots", "citation_key": KEYS["roots"], "title": "Root growth in orbit", "year": 2009}
    known |= {"authors": ("Mbatha, Nomvula",), "metadata": {}, **dict.fromkeys(("journal", "doi", "url", "pmcid"), "")}
    assert found[0].paper.model_dump() == known
    assert best.text == index.document("roots").text[best.start : best.end]
    assert 1 >= found[0].vector_score > found[1].vector_score >= 0


def test_what_was_seen_is_left_out(index):
    library = Library(index)
    every = [each.chunk.id for each in library.search("femur", 20, ())]
    assert len(every) == 3
    assert [each.chunk.id for each in library.search("femur", 20, every[:1])] == every[1:]
    assert library.search("femur", 20, every) == []


# Calls side by side: bounded, in order, and stopped together.

WHERE = contextvars.ContextVar("where", default="nowhere")


def test_never_more_at_a_time_than_allowed_also_from_several_tasks():
    most, running, lock, met = 0, 0, threading.Lock(), threading.Barrier(3, timeout=300)

    def call(_):
        nonlocal most, running
        with lock:
            running += 1
            most = max(most, running)
        met.wait()  # passes only when three calls run at the same time
        with lock:
            running -= 1

    calls = Calls(3)
    calls.side_by_side({name: lambda: calls.map(call, range(6)) for name in "abcd"})
    assert most == 3


@pytest.mark.parametrize("threads", [1, 3])
def test_calls_are_in_order_and_carry_the_context_of_their_caller(threads):
    calls = Calls(threads)
    WHERE.set("here")
    made = calls.side_by_side({"task": lambda: calls.map(lambda number: (number, WHERE.get()), range(20))})
    assert made == {"task": [(number, "here") for number in range(20)]}
