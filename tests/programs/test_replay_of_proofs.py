"""Replaying answers that a model proved: what holds, what is told, and what four hundred edits come to."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from enum import StrEnum
from string import ascii_lowercase
from typing import NamedTuple

import dspy
import pytest

from metrics.sentences import sentence_texts
from programs.errors import UsageError
from programs.ingest.chunking import PASSAGES, WORDS, chunk
from programs.ingest.document import Document, Figure, Section
from programs.main_points import MainPoints, MainPointsParameters
from programs.passages import Passage
from programs.program import well_formed
from programs.proof import CitedAnswer
from programs.proof.sentence_proof import ModelProof
from programs.registry import create
from programs.replay import only_models_say, replay
from programs.replay.saved_answer import passage_faults
from programs.results.rendering import as_json
from programs.results.result import result
from programs.retrieval.index import Index
from programs.verified import Verified
from signatures.values import UnsupportedClaim
from tests.hashing_embedder import HashingEmbedder
from tests.papers import BONE, PAPERS, paper
from tests.scripted_lm import Script, saying

PAPER = paper(
    "bone",
    "Femur density fell by 12.4 percent in flight mice compared with ground controls.",
    "Osteoclast counts rose from 14 to 29 in the flight group.",
    "Muscle mass did not differ between the groups after 30 days.",
    "Treadmill running prevented the loss of density in 8 of 10 rats.",
    title="Bone loss in flight mice",
)
START = len("Results\n\n")
PROOF_PASSAGES = [
    Passage.of(PAPER, START, 147, id=f"bone::{START}-147", section="results", heading="Results"),
    Passage.of(PAPER, 148, len(PAPER.text), id=f"bone::148-{len(PAPER.text)}", section="results", heading="Results"),
]
COPIED = (
    "Femur density fell by 12.4 percent in flight mice compared with ground controls [1]. "
    "Osteoclast counts rose from 14 to 29 in the flight group [1]. "
    "Muscle mass did not differ between the groups after 30 days [2]. "
    "Treadmill running prevented the loss of density in 8 of 10 rats [2]."
)
SPANISH = "La densidad del fémur cayó un 12.4 por ciento en los ratones de vuelo [1]."


def nearest(statement):
    """The label and words of the sentence of the cited passages that shares most words with a statement."""
    said = set(statement.text.split())
    parts = ((label, PROOF_PASSAGES[int(label) - 1]) for label in statement.cites)
    quotes = [(label, text) for label, each in parts for text in sentence_texts(each.text)]
    return max(quotes, key=lambda each: len(said.intersection(each[1].split())))


def saved(answer, refused="", quote=None):
    """An answer whose sentences a model proved by the nearest sentence, or by another quote, but a refused one."""
    cited = CitedAnswer(answer, PROOF_PASSAGES)
    proofs = tuple(
        ModelProof(each.text, "not proved", (), "no", "scripted/1")
        if each.text == refused
        else ModelProof(each.text, "proved", (quote or nearest(each),), "", "scripted/1")
        for each in cited.statements
    )
    return json.loads(json.dumps(as_json(result("What happened?", Verified(cited, proofs=proofs)))))


def faults(answer):
    return [str(fault) for fault in replay(answer, lambda _: PAPER)]


@pytest.fixture(scope="module")
def proved():
    return saved(COPIED)


@pytest.mark.slow
def test_an_answer_that_a_model_proved_replays_without_a_model(proved):
    assert [each["verdict"] for each in proved["citations"]] == ["supported"] * 4
    assert faults(proved) == []
    assert only_models_say(proved) == []


@pytest.mark.slow
def test_what_only_a_model_said_is_told():
    answer = saved(f"{COPIED} {SPANISH}")
    assert faults(answer) == []
    assert only_models_say(answer) == [SPANISH]


@pytest.mark.slow
def test_an_answer_whose_quotes_were_invented_replays_as_what_the_checker_found():
    false = "Muscle mass did not differ between the groups after 30 days [2]."
    answer = saved(false, quote=("2", "Nothing changed at all."))
    assert [each["by"] for each in answer["citations"][0]["judges"]] == ["model", "guard", "checker"]
    assert faults(answer) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda quote: {**quote, "quote": quote["quote"][:40], "end": quote["start"] + 40}, "its quote"),
        (lambda quote: {**quote, "quote": quote["quote"].replace("12.4", "21.4")}, "its "),
        (lambda quote: {**quote, "start": quote["start"] + 1}, "its start of quotes 1 is"),
        (lambda quote: {**quote, "passage": PROOF_PASSAGES[1].id}, "its "),
        (lambda quote: {**quote, "document_id": "roots"}, "its document_id of quotes 1 is"),
        (lambda _: {}, "its "),
    ],
)
def test_a_quote_that_is_clipped_moved_or_altered_is_named(proved, change, named):
    changed = json.loads(json.dumps(proved))
    changed["citations"][0]["quotes"] = [change(changed["citations"][0]["quotes"][0])]
    assert any(named in fault for fault in faults(changed))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["judges", "quotes"])
def test_proofs_of_another_type_are_refused_or_faults(proved, name):
    def with_value(value):
        return {**proved, "citations": [{**proved["citations"][0], name: value}, *proved["citations"][1:]]}

    for value in (None, 7, "model", {"by": "model"}, [None], [[]], True):
        with pytest.raises(UsageError, match=rf"citations\.0\.{name}"):
            faults(with_value(value))
    for value in ([{"by": []}], [{"quote": {}}]):
        assert faults(with_value(value)) != []


# Many edits; `python -m tests.fuzz` makes any number of forged answers.


# Passages of papers as indexes cut them, long tables among them, are where and what their papers say.

ROWS = "\n".join(f"| marker number {n} | {n}.4 ± 0.2 | {n}.9 ± 0.3 | 0.0{n % 9 + 1} |" for n in range(120))
CAPTION = "Table 1. Serum markers of bone turnover."
TEXT = f"""Results

Bone was lost in the mice that were in flight for thirty days.

{CAPTION}

| Marker | Flight | Ground | p |
{ROWS}

Bone was restored in the year after flight."""


@pytest.fixture
def article():
    start = TEXT.index(CAPTION)
    table = Figure("table1", "table", "Table 1", "Serum markers of bone turnover.", start, start + len(CAPTION))
    return Document(
        "bone", TEXT, sections=(Section("Results", "results", TEXT.index("Bone"), len(TEXT)),), figures=(table,)
    )


def passages(article, chunking):
    return [
        Passage(
            each.id,
            article.id,
            each.section,
            each.heading,
            each.text,
            each.start,
            each.end,
            {},
            title=article.title,
        )
        for each in chunk(article, chunking)
    ]


@pytest.mark.parametrize("chunking", [PASSAGES, WORDS])
def test_every_passage_of_a_paper_replays(article, chunking):
    cut = passages(article, chunking)
    assert cut
    assert not [str(fault) for each in cut for fault in passage_faults(each, article)]


def test_a_part_of_a_table_may_not_wander(article):
    parts = [each for each in passages(article, PASSAGES) if "::part" in each.id]
    assert "Serum markers" in parts[-1].heading
    start, end = article.text.index("Bone was restored"), len(article.text)
    elsewhere = replace(parts[-1], start=start, end=end, text=article.text[start:end])
    assert any("its id names Table 1" in str(fault) for fault in passage_faults(elsewhere, article))


def test_parts_of_a_table_may_not_exchange_their_names(article):
    first, *later = [each for each in passages(article, PASSAGES) if "table1" in each.id]
    assert later
    for one, heading in ((first, later[0].heading), (later[0], first.heading), (later[0], "Results")):
        assert any("its heading is" in str(each) for each in passage_faults(replace(one, heading=heading), article))
    for name in ("::part0", "::part", "::part01", "::part1x"):
        assert list(passage_faults(replace(later[0], id=f"bone::table1{name}"), article))


# Models that write nonsense: no program takes it for an answer, whatever the model says of it.

PROGRAMS = ("main_points", "rag_fusion", "multi_signal")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    place = tmp_path_factory.mktemp("salad") / "papers.idx"
    with Index.open(place, create=True, embedder=HashingEmbedder()) as opened:
        opened.add(PAPERS)
        yield opened


def salad(chance, count):
    words = ("".join(chance.choices(ascii_lowercase, k=chance.randint(2, 9))) for _ in range(count))
    return " ".join(words).capitalize()


def nonsense(seed):
    """A model that keeps to the form, says that it can answer, gives numbers, and calls most of what it says proved."""
    chance = random.Random(seed)

    def written():
        return {"text": f"{salad(chance, 9)}.", "evidence": chance.choices(range(12), k=chance.randint(0, 3))}

    said = {"answerable": True, "answer": [written() for _ in range(3)], "bullets": [written()]}
    return Script(
        answer=said,
        bullets=said,
        verdict=lambda _: {"verdict": chance.choice(["all of it", "all of it", "a part of it"])},
        corrected=lambda _: {"corrected": written()},
    )


@pytest.mark.slow
@pytest.mark.parametrize("word", ["checker", "model"])
def test_of_many_answers_of_letter_salad_none_is_given(index, word):
    for number in range(6):
        name = PROGRAMS[number % 3]
        program = create(name, embedder=HashingEmbedder()) if name == "main_points" else create(name, index=index)
        program.set_parameters(word=word, **({"reform": False} if name == "rag_fusion" else {}))
        with dspy.context(lm=nonsense(number).lm()):
            found = program(question="Did femur density fall?", **({"paper": BONE} if name == "main_points" else {}))
        assert re.sub(r" \[\w+\]", "", found.answer) == "“Femur density fell by 12 percent in flight mice”."
        assert len(found.unsupported_claims) >= 3
        assert found.metrics["grounded_ratio"] == 1.0


# Half characters of models: replaced wherever they stand, before anything has to write them down.


class Pair(NamedTuple):
    text: str
    number: int


class Part(StrEnum):
    bone = "\N{BONE}"


HALF, WHOLE = "bone \ud83d loss", "bone \N{BONE} loss"


@pytest.mark.parametrize(
    ("value", "mended"),
    [
        (HALF, "bone \ufffd loss"),
        (WHOLE, WHOLE),
        ([HALF, 3, None], ["bone \ufffd loss", 3, None]),
        ((HALF, True), ("bone \ufffd loss", True)),
        (Pair(HALF, 1), Pair("bone \ufffd loss", 1)),
        ({HALF}, {"bone \ufffd loss"}),
        ([Part.bone], [Part.bone]),
        ({HALF: HALF}, {"bone \ufffd loss": "bone \ufffd loss"}),
        (UnsupportedClaim(claim=HALF, reason="x"), UnsupportedClaim(claim="bone \ufffd loss", reason="x")),
    ],
)
def test_halves_are_replaced_and_nothing_else(value, mended):
    found = well_formed(value)
    assert (found, repr(found)) == (mended, repr(mended))


def test_an_answer_with_half_a_character_can_be_written_down():
    script = Script(answer=saying("Femur density \ud800 fell by 12 percent in flight mice."))
    with dspy.context(lm=script.lm()):
        found = MainPoints(HashingEmbedder(), MainPointsParameters(verify=False))(
            question="Did femur density fall?", paper=BONE
        )
    assert found.answer == ""
    assert "\ufffd" in found.notes[0]
    assert str(as_json(found)).encode()
