"""How a sentence is proved: what the checker is asked, where quotes stand, who outvotes whom.

Which sentences are proved is in ``tests/behaviour/proofs.yaml``.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict

import pytest

from metrics.support import Support
from programs.certificate import by_model_alone, certify
from programs.ingest.chunking import Chunking, chunk
from programs.ingest.document import DocumentBuilder
from programs.passages import Passage, shown
from programs.proof import CitedAnswer, GivenPassages
from programs.proof.sentence_proof import CHECKER, ModelProof, placed, prove
from programs.replay import replay
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verified import Verified
from tests.papers import BONE

PASSAGE = Passage.of(BONE, 9, 84, id="bone::9-84", section="results")
FELL = "Femur density fell by 12 percent in flight mice"


def certified(answer, passages, proofs):
    return certify(CitedAnswer(answer, passages), proofs)


# Bad input


@pytest.mark.parametrize("quotes", [(), (("1", f"{FELL}."),)])
def test_a_claim_of_ten_thousand_words_is_not_certified(quotes):
    claim = (f"{FELL} " + "and so on " * 3_333).strip()
    (citation,) = certified(
        f"{claim} [1].", [PASSAGE], [ModelProof(f"{claim}.", "proved", quotes, "", "m")] * len(quotes)
    )
    assert citation.verdict != "supported"


def test_a_quote_is_found_among_three_hundred_passages():
    others = [
        Passage(f"d::{number}", "d", "results", "", f"Growth was {number} cm in pot {number}.", 0, 30)
        for number in range(299)
    ]
    proof = ModelProof(f"{FELL}.", "proved", (("299", f"{FELL}."),), "", "m")  # under another's number
    (citation,) = certified(f"{FELL} [300].", [*others, PASSAGE], [proof])
    assert (citation.verdict, citation.quotes[0].quote) == ("supported", f"{FELL}.")


class Counting:
    """The checker, and what it was asked."""

    name = CHECKER.name

    def __init__(self):
        self.asked = []

    def check(self, claim, passages, question=""):
        self.asked.append((claim, *passages))
        return CHECKER.check(claim, passages, question)


def test_a_copy_is_checked_once_against_the_passage_that_it_was_copied_from():
    text = "Mice were fed twice a day during the flight."
    others = [Passage(f"other::{n}", "other", "methods", "", f"{text} Group {n}.", 0, 0) for n in range(5)]
    checker = Counting()
    first = prove(FELL, GivenPassages([*others, PASSAGE]), [*others, PASSAGE], checker=checker)
    assert (first.verdict, first.quotes[0].passage) == ("supported", PASSAGE.id)
    assert checker.asked == [(FELL, PASSAGE.text)]
    assert (
        prove(FELL, GivenPassages([PASSAGE]), [PASSAGE], checker=checker) == first
    )  # as an answer is proved, then certified
    assert len(checker.asked) == 1


def test_what_is_no_copy_is_checked_against_all_that_is_cited():
    checker = Counting()
    texts = ("Mice lost bone in orbit.", "Astronauts lost muscle in orbit.")
    cited = [Passage(f"p::{n}", "p", "results", "", text, 0, len(text)) for n, text in enumerate(texts)]
    prove("Bones of astronauts grew in orbit.", GivenPassages(cited), cited, checker=checker)
    assert sorted(text for _, text in checker.asked) == sorted(texts)


def test_a_row_that_stands_twice_is_found_again_where_it_was_quoted():
    text = "| Time | Score |\n\n| Pre-post | |\n| Drug | 12 |\n| Pre-post | |\n| Placebo | 14 |"
    passage = Passage("t::0", "t", "results", "", text, 100, 100 + len(text))
    at = 100 + text.rindex("| Pre-post")
    quotes = [("t::0", "| Pre-post | |"), ("t::0", "| Placebo | 14 |")]
    assert [quote.start for quote in placed(quotes, GivenPassages([passage]), [at, 0])[0]] == [at, at + 15]
    assert placed(quotes, GivenPassages([passage]))[0][0].start == 100 + text.index("| Pre-post")


@pytest.fixture(scope="module")
def parts():
    """The parts of a long table as passages, and their paper."""
    builder = DocumentBuilder()
    builder.add_section("Results")
    builder.add_paragraph("Relapses were counted.")
    builder.add_figure("Table 2.", "Relapses in a year.")
    rows = [f"| Centre {number} | {number} (5%) | {number + 9} |" for number in range(8)]
    builder.add_paragraph("\n".join(["| | Drug | Placebo |", "| Women |", *rows, "| Men |", *rows]), keep_lines=True)
    document = builder.build(id="PMC1", title="Relapses")
    made = [
        Passage.of(document, each.start, each.end, id=each.id, section=each.section, heading=each.heading)
        for each in chunk(document, Chunking("passages", 20))
        if each.kind == "table"
    ]
    return document, made


@pytest.mark.parametrize("quoted", ["| | Drug | Placebo |", "Table 2. Relapses in a year.", "| Men |", "{row}"])
def test_what_a_part_of_a_table_repeats_is_quoted_where_it_stands(quoted, parts):
    document, (_, *later) = parts
    part = later[-1]
    wanted = quoted.format(row=part.text.splitlines()[0])
    given = GivenPassages([part])  # without the part that holds the header
    assert placed([("1", "| | Drug | Sham treatment |")], given)[0] == []
    (quote,), problems = placed([("1", wanted)], given)
    assert (quote.quote, problems) == (wanted, [])
    assert (quote.passage, document.text[quote.start : quote.end]) == (part.id, wanted)
    assert placed([(part.id, wanted)], given, [quote.start])[0] == [quote]


def test_a_later_part_is_shown_with_caption_header_and_group_each_on_its_line(parts):
    _, (_, *later) = parts
    part = later[-1]
    first, *rows = shown([part]).splitlines()
    assert first == "[1] (results) Table 2 (continued). Relapses in a year."
    assert [each.strip() for each in rows] == ["| | Drug | Placebo |", "| Men |", *part.text.splitlines()]


def test_a_quoted_header_of_a_later_part_replays(parts):
    document, (_, *later) = parts
    part = later[-1]
    row = part.text.splitlines()[0]
    centre, drug, placebo = (each.strip() for each in row.strip("| ").split("|"))
    quoted = ("Table 2. Relapses in a year.", "| | Drug | Placebo |", row)
    said = f"Relapses in {centre} were {drug} with the drug and {placebo} with placebo"
    proof = ModelProof(f"{said}.", "proved", tuple(("1", each) for each in quoted), "", "ollama/strong")
    made = result("How many?", Verified(CitedAnswer(f"{said} [1].", [part]), proofs=(proof,)))
    assert made.answer
    assert [each.quote for each in made.citations[0].quotes][:2] == [
        "Table 2. Relapses in a year.",
        "| | Drug | Placebo |",
    ]
    saved = json.loads(json.dumps(as_json(made)))
    assert replay(saved, lambda _: document) == []
    saved["citations"][0]["quotes"][1]["start"] += 1
    assert replay(saved, lambda _: document)


class Believing:
    """A judge that holds everything for proved."""

    name = "believing/1"

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        return Support("supported", 0.9, 0, passages[0], 0, len(passages[0]), "why not")


def test_a_guard_that_model_and_checker_outvote_is_told_and_the_models_word_counts_as_needed():
    text = "The intraocular pressures of the right and left eye gradually increased in all test groups."
    claim = "Intraocular pressure decreased gradually in all groups."
    passage = Passage("d::0", "d", "results", "", text, 0, len(text))
    given, proof = GivenPassages([passage]), ModelProof(claim, "proved", (("1", text),), model="reader")
    found = prove(claim, given, [passage], proof, Believing())
    assert [each.by for each in found.judges] == ["model", "checker", "guard"]
    assert found.verdict == "supported"
    assert by_model_alone(found.verdict, [asdict(each) for each in found.judges])
    alone = prove(claim, given, [passage], checker=Believing())
    assert alone.verdict != "supported"
