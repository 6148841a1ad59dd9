"""Page and boxes of quotes: from a printed paper through every way of asking to the answer, and back through verify."""

import copy
import json
import re
from pathlib import Path

import dspy
import pytest
from pypdfium2 import PdfDocument
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from programs.cli.ask import print_answer
from programs.ingest.pdf import read
from programs.lm import LM
from programs.main_points import MainPoints
from programs.multi_signal import MultiSignal
from programs.paper_writer.draft import SectionDraft
from programs.paper_writer.evidence import Evidence, PaperSection
from programs.paper_writer.run_resources import Library
from programs.rag_fusion import RagFusion
from programs.replay import replay
from programs.results.rendering import as_json, as_markdown, printed_pages
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder
from tests.loopback_qdrant import QUIET, SERVER, served
from tests.papers import BONE

QUESTION = "How much did femur density fall in flight mice?"
CROP = (30, 40, 560, 800)
PAGES = (
    (
        "Mice were housed in pairs and fed every day before the flight,",
        "and their food was weighed by the crew at noon.",
    ),
    (
        "Femur density fell by 12 percent in flight mice compared with",
        "ground controls after thirty days in orbit.",
        "Nobody saw a change of the weight of any of these animals.",
    ),
)
FELL = " ".join(PAGES[1][:2])
FOLDER = Path(__file__).parents[2].parent / "shared" / "benchmarks" / "pdfs"

pytestmark = QUIET


@pytest.fixture(scope="module")
def pdf(tmp_path_factory):
    path = tmp_path_factory.mktemp("printed") / "bone.pdf"
    canvas = Canvas(str(path), pagesize=A4, cropBox=CROP)
    for lines in PAGES:
        canvas.setFont("Times-Bold", 14)
        canvas.drawString(100, 730, "Results" if lines is PAGES[0] else "Discussion")
        canvas.setFont("Times-Roman", 10)
        for number, line in enumerate(lines):
            canvas.drawString(100, 700 - 12 * number, line)
        canvas.showPage()
    canvas.save()
    return path


@pytest.fixture(scope="module")
def paper(pdf):
    return read(pdf)


@pytest.fixture(scope="module")
def answer(paper):
    return asked(MainPoints(HashingEmbedder()), paper=paper)


@pytest.fixture(params=["edge", SERVER])
def index(request, tmp_path, monkeypatch, paper):
    place = str(tmp_path / "papers.idx") if request.param == "edge" else served(monkeypatch)
    with Index.open(place, create=True, embedder=HashingEmbedder()) as made:
        made.add([paper])
        yield made


def asked(program, question=QUESTION, **inputs):
    """An answer of the extractive LM, as a file holds it."""
    with dspy.context(lm=LM("extractive")):
        return json.loads(json.dumps(as_json(program(question=question, **inputs))))


def quotes_of(answer):
    return [quote for citation in answer["citations"] for quote in citation["quotes"]]


def under(pdf, places, origin=CROP):
    """The words that PDFium finds in the boxes."""
    found = []
    with PdfDocument(pdf) as opened:
        for place in places:
            text = opened[place["page"] - 1].get_textpage()
            x, y = origin[:2]
            box = (place["left"] + x, place["bottom"] + y, place["right"] + x, place["top"] + y)
            found += words(text.get_text_bounded(*box))
    return found


def words(text):
    return re.findall(r"\w+", text)


def faults(answer, paper):
    return [str(fault) for fault in replay(answer, lambda _: paper)]


def test_the_words_under_the_boxes_of_a_quote_are_its_words(pdf, answer):
    (quote,) = [each for each in quotes_of(answer) if each["quote"] == FELL]
    assert [place["page"] for place in quote["places"]] == [2, 2]
    assert under(pdf, quote["places"]) == words(FELL)
    assert quote["places"][0]["left"] == pytest.approx(100 - CROP[0], abs=1)


def test_each_line_tells_its_part_of_the_text(answer, paper):
    (quote,) = [each for each in quotes_of(answer) if each["quote"] == FELL]
    assert [paper.text[place["start"] : place["end"]] for place in quote["places"]] == list(PAGES[1][:2])


def test_a_paper_without_pages_has_quotes_without_places():
    answer = asked(MainPoints(HashingEmbedder()), "What happened to femur density?", paper=BONE)
    assert quotes_of(answer)
    assert all("places" not in quote for quote in quotes_of(answer))
    assert faults(answer, BONE) == []


@pytest.mark.parametrize("program", [RagFusion, MultiSignal])
def test_places_come_through_an_index_and_back_through_verify(index, program, pdf):
    answer = asked(program(index))
    (quote, *_) = [each for each in quotes_of(answer) if each["quote"] == FELL]
    assert under(pdf, quote["places"]) == words(FELL)
    assert [str(fault) for fault in replay(answer, index.document)] == []


def test_a_section_of_a_draft_has_them_also_when_it_was_stored(index, pdf):
    found = Library(index).search(QUESTION, 5, ())
    near = next(each for each in found if FELL in each.chunk.text)
    scores = dict.fromkeys(("vector_score", "llm_score", "combined_score"), 0.5)
    evidence = Evidence(paper=near.paper, chunk=near.chunk, summary=FELL, source_query=QUESTION, **scores)
    text = f"{FELL[:-1]} ({near.chunk.key})."
    draft = SectionDraft(section=PaperSection.RESULTS, text=text, evidence=(evidence,))
    stored = SectionDraft.model_validate_json(draft.model_dump_json()).as_dict()
    (quote,) = quotes_of(stored)
    assert under(pdf, quote["places"]) == words(FELL)
    assert [str(fault) for fault in replay(json.loads(json.dumps(stored)), index.document)] == []


# What verify says of places


@pytest.mark.parametrize(
    ("name", "value"), [("page", 1), ("left", 0.0), ("top", "high"), ("end", 7), ("colour", "red")]
)
def test_a_changed_place_is_a_fault_with_its_name(answer, paper, name, value):
    assert faults(answer, paper) == []
    changed = copy.deepcopy(answer)
    changed["citations"][0]["quotes"][0]["places"][1][name] = value
    (fault,) = faults(changed, paper)
    assert f"{name} of places 2 of quotes 1" in fault
    assert fault.startswith("citation 1 (bone::")


@pytest.mark.parametrize("places", [[], None, 7, [7], [[1, 2, 3]], {}])
def test_places_of_another_type_are_faults_and_no_crash(answer, paper, places):
    changed = copy.deepcopy(answer)
    changed["citations"][0]["quotes"][0]["places"] = places
    assert any("places of quotes 1" in fault or "places 1 of" in fault for fault in faults(changed, paper))


# What people are shown


def test_markdown_and_terminal_name_the_page(answer, capsys):
    assert "orbit.” p. 2 [1]\n" in as_markdown(answer)
    print_answer(answer, proof=True)
    (line,) = [each for each in capsys.readouterr().out.splitlines() if FELL[:40] in each and "bone [" in each]
    assert "] p. 2 “Femur" in line


@pytest.mark.parametrize(("pages", "named"), [([], ""), ([4], "p. 4"), ([4, 4], "p. 4"), ([10, 9, 10], "pp. 9, 10")])
def test_pages_are_named_once_and_in_order(pages, named):
    assert printed_pages([{"quote": "It fell."}, *({"places": [{"page": page}]} for page in pages)]) == named


# A paper as it is printed


@pytest.mark.slow
@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no published PDFs at {FOLDER}")
def test_the_quotes_of_a_published_paper_stand_under_their_boxes():
    path = FOLDER / "PMC6215600.pdf"
    paper = read(path)
    answer = asked(MainPoints(HashingEmbedder()), "What did the study find?", paper=paper)
    assert faults(answer, paper) == []
    with PdfDocument(path) as opened:
        origins = [page.get_cropbox()[:2] for page in opened]
    for quote in quotes_of(answer):
        found = [word for place in quote["places"] for word in under(path, [place], origins[place["page"] - 1])]
        assert "".join(words(quote["quote"])) in "".join(found)
    assert quotes_of(answer)
