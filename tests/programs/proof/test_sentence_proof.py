"""Whether sentences are proved: a strong reader's recorded proofs, invented ones, and clipped quotations."""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import asdict

import pytest

from metrics.passages import passages_of
from metrics.sentences import sentences
from metrics.statements import statements
from metrics.support import Support
from programs.certificate import by_model_alone, certify
from programs.ingest.chunking import Chunking, chunk
from programs.ingest.document import DocumentBuilder
from programs.ingest.formats import read
from programs.passages import Passage, shown
from programs.proof import CitedAnswer, GivenPassages
from programs.proof.sentence_proof import CHECKER, ModelProof, placed, prove
from programs.replay import replay
from programs.results.rendering import as_json
from programs.results.result import result
from programs.verification import Verified
from tests import papers
from tests.benchmarks import BENCHMARKS, needs_benchmarks
from tests.papers import BONE

PASSAGE = Passage.of(BONE, 9, 84, id="bone::9-84", section="results")
FELL = "Femur density fell by 12 percent in flight mice"


def certified(answer, passages, proofs):
    return certify(CitedAnswer(answer, passages), proofs)


def trial():
    lines = (BENCHMARKS / "answers" / "proof_trial.jsonl").read_text(encoding="utf-8").rstrip("\n").split("\n")
    return [json.loads(line) for line in lines]


def passages_in(case):
    """The passages of a recorded answer one behind the other, under the keys that it cites."""
    cited = re.search(r"\[(PMC\d+)\]", " ".join(each["text"] for each in case["sentences"]))
    titles = {}
    made, start = [], 0
    for each in case["passages"]:
        key = f"PMC{len(titles)}" if cited else ""
        titles.setdefault(each["title"], cited[1] if cited and not titles else key)
        end = start + len(each["text"])
        made.append(Passage(f"d::{start}-{end}", "d", each["section"], "", each["text"], start, end))
        start = end + 2
    return made


def proofs_in(case, passages):
    found = []
    for each in case["sentences"]:
        (statement,) = statements(each["text"], passages_of({"passages": passages}))[:1]
        quotes = tuple((str(quote["passage"]), quote["quote"]) for quote in each["quotes"])
        found.append(ModelProof(statement.text, each["verdict"], quotes, each["reason"], "reader"))
    return found


def recorded():
    """Every recorded sentence with what is certified of it, and whether it is true."""
    for case in trial():
        passages = passages_in(case)
        for each, proof in zip(case["sentences"], proofs_in(case, passages), strict=True):
            # Where papers are cited by key, all passages shown are cited: the recorder kept no keys.
            everything = "".join(f"[{number}]" for number in range(1, len(passages) + 1))
            text = re.sub(r"(\s*\[PMC\d+\])+", everything, each["text"])
            citations = certified(text, passages, [proof])
            yield each, any(citation.verdict == "supported" for citation in citations)


@pytest.mark.slow
@needs_benchmarks
def test_every_true_sentence_of_a_strong_reader_is_certified_and_no_false_one():
    found = [(sentence["true"], certified) for sentence, certified in recorded()]
    assert len(found) == 50
    assert [certified for is_true, certified in found if is_true] == [True] * 25
    assert [certified for is_true, certified in found if not is_true] == [False] * 25


@needs_benchmarks
def test_every_recorded_quote_is_placed():
    quotes = [
        (str(quote["passage"]), quote["quote"], passages_in(case))
        for case in trial()
        for sentence in case["sentences"]
        for quote in sentence["quotes"]
    ]
    assert len(quotes) == 47
    assert all(placed([(label, quote)], GivenPassages(passages))[0] for label, quote, passages in quotes)


@needs_benchmarks
def test_no_sentence_is_certified_by_quotes_that_a_model_invents():
    for case in trial():
        passages = passages_in(case)
        for proof in proofs_in(case, passages):
            invented = tuple((label, "The treatment was found to help everyone.") for label, _ in proof.quotes)
            made = ModelProof(proof.sentence, "proved", invented or (("1", "It was so."),), "", "liar")
            (quotes, problems) = placed(made.quotes, GivenPassages(passages))
            assert quotes == []
            assert problems


@pytest.mark.parametrize(("year", "verdict"), [("2016", "supported"), ("2015", "unverifiable")])
def test_a_study_may_be_told_by_the_year_that_the_list_of_papers_gives(year, verdict):
    text = "Platelets stored with the extract formed fewer clots than those of controls."
    passage = Passage("d::0", "d", "results", "", text, 0, len(text), title="Clots", year=2016)
    sentence = f"A {year} study found fewer clots of platelets stored with the extract"
    proof = ModelProof(f"{sentence}.", "proved", (("1", text),), "", "reader")
    assert [each.verdict for each in certified(f"{sentence} [1].", [passage], [proof])] == [verdict]


FINITE = re.compile(r"(?<=\w) (?=(?:was|were|is|are|had|has|did|may|showed|increased|decreased|reduced)\b)")


def clipped_quotations(count):
    """Real sentences that stop before their verb, with the paper's sentence."""
    chance = random.Random(0)
    found = []
    for paper in sorted((BENCHMARKS / "evidence_inference").glob("**/*.*ml"))[:40]:
        text = read(paper).text
        for span in sentences(text):
            sentence = text[span.start : span.end]
            cut = [each.start() for each in FINITE.finditer(sentence) if len(sentence[: each.start()].split()) >= 6]
            if cut and sentence.endswith(".") and "\n" not in sentence:
                found.append((sentence[: chance.choice(cut[:1])], sentence))
    chance.shuffle(found)
    return found[:count]


@needs_benchmarks
def test_of_a_hundred_clipped_quotations_none_is_certified():
    cases = clipped_quotations(100)
    assert len(cases) == 100
    for clipped, sentence in cases:
        passage = Passage("d::0", "d", "results", "", sentence, 0, len(sentence))
        answer = f"{clipped} [1]."
        (statement,) = statements(answer, passages_of({"passages": [passage]}))
        proof = ModelProof(statement.text, "proved", (("1", clipped),), "", "careless")
        for proofs in ([], [proof]):
            assert [each.verdict for each in certified(answer, [passage], proofs)] != ["supported"], (
                clipped,
                sentence,
            )


def test_the_example_of_the_issue():
    paper = (
        "Estimated VE against HPV 31 (45·7% to 65·3%), the type for which VE was demonstrated most consistently, "
        "was 39·7 % overall."
    )
    passage = Passage("d::0", "d", "results", "", paper, 0, len(paper))
    for clipped in (
        "Estimated VE against HPV 31 (45·7% to 65·3%), the type for which VE was demonstrated most consistently",
        "Estimated VE against HPV 31, the type for which VE was demonstrated most consistently",
    ):
        proof = ModelProof(f"{clipped}.", "proved", (("1", clipped),), "", "careless")
        for proofs in ([], [proof]):
            assert [each.verdict for each in certified(f"{clipped} [1].", [passage], proofs)] != ["supported"]


# Bad input


@pytest.mark.parametrize("said", [None, ("1", f"{FELL}.")])
def test_a_claim_of_ten_thousand_words_is_not_certified(said):
    claim = f"{FELL} " + "and so on " * 3_333
    proofs = [ModelProof(f"{claim.strip()}.", "proved", (said,), "", "m")] if said else []
    (citation,) = certified(f"{claim.strip()} [1].", [PASSAGE], proofs)
    assert citation.verdict != "supported"


def test_an_empty_passage_proves_nothing():
    empty = Passage("d::0-0", "d", "results", "", "", 0, 0)
    (citation,) = certify(
        CitedAnswer(f"{FELL} [1].", [empty]), [ModelProof(f"{FELL}.", "proved", (("1", FELL),), "", "m")]
    )
    assert (citation.verdict, citation.quotes) == ("unverifiable", ())


def test_a_quote_is_found_among_three_hundred_passages():
    others = [
        Passage(f"d::{number}", "d", "results", "", f"Growth was {number} cm in pot {number}.", 0, 30)
        for number in range(299)
    ]
    proof = ModelProof(f"{FELL}.", "proved", (("299", f"{FELL}."),), "", "m")  # under another's number
    (citation,) = certified(f"{FELL} [300].", [*others, PASSAGE], [proof])
    assert (citation.verdict, citation.quotes[0].quote) == ("supported", f"{FELL}.")


@pytest.mark.parametrize(
    "sentence",
    [
        "La densidad del fémur bajó un 12 por ciento en ratones de vuelo",
        "Die Femurdichte fiel bei Flugmäusen um 12 Prozent",
        "La densité du fémur a baissé de 12 pour cent chez les souris",
        "飛行マウスの大腿骨密度は12パーセント低下した",
    ],
)
def test_a_sentence_in_another_language_is_certified_by_the_models_word_and_says_so(sentence):
    (statement,) = statements(f"{sentence} [1].", passages_of({"passages": [PASSAGE]}))
    proof = ModelProof(statement.text, "proved", (("1", FELL),), "", "m")
    (citation,) = certified(f"{sentence} [1].", [PASSAGE], [proof])
    assert citation.verdict == "supported"
    assert {each.by: each.verdict for each in citation.judges} == {"model": "supported", "checker": "unverifiable"}


def test_a_number_that_is_changed_in_translation_is_refused():
    sentence = "La densidad del fémur bajó un 21 por ciento en ratones de vuelo."
    proof = ModelProof(sentence, "proved", (("1", FELL),), "", "m")
    (citation,) = certified(f"{sentence[:-1]} [1].", [PASSAGE], [proof])
    assert citation.verdict == "unverifiable"
    assert citation.judges[-1].name.endswith(": numbers")


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


@pytest.mark.parametrize("second", ["The loss came with a rise of osteoclasts.", "Bone recovered in all of them."])
def test_a_proof_of_which_a_quote_does_not_stand_needs_the_checkers_word(second):
    text = "Troponin was measured at the onset of symptoms and after two days. Weather was fair."
    passage = Passage("d::0", "d", "results", "", text, 0, len(text))
    quotes = (("1", "Troponin was measured at the onset of symptoms and after two days."), ("1", second))
    claim = "Troponin rose alike in both groups and declined two days later"
    given = GivenPassages([passage])
    whole = prove(claim, given, [passage], ModelProof(claim, "proved", quotes[:1], model="reader"))
    assert whole.verdict == "supported"  # a model's word, as it says that this quote proves it
    partly = prove(claim, given, [passage], ModelProof(claim, "proved", quotes, model="reader"))
    assert partly.verdict != "supported"
    assert second in partly.reason


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


@pytest.mark.parametrize(
    ("quoted", "found"),
    [
        ("| | Drug | Placebo |", ["| | Drug | Placebo |"]),
        ("Table 2 (continued). Relapses in a year.", ["Table 2. Relapses in a year."]),
        ("Table 2 (continued). Relapses in a year. | | Drug | Placebo |",
         ["Table 2. Relapses in a year.", "| | Drug | Placebo |"]),
        ("{heading}\n{row}",
         ["Table 2. Relapses in a year.", "| | Drug | Placebo |", "| Men |", "{row}"]),
        ("| | Drug | Placebo | … {row}", ["| | Drug | Placebo |", "{row}"]),
    ],
)  # fmt: skip
def test_what_a_part_of_a_table_repeats_is_quoted_where_it_stands(quoted, found, parts):
    document, (_, *later) = parts
    part = later[-1]
    filled = {"heading": part.heading, "row": part.text.splitlines()[0]}
    given = GivenPassages([part])  # without the part that holds the header
    quotes, problems = placed([("1", quoted.format(**filled))], given)
    assert problems == []
    assert [each.quote for each in quotes] == [each.format(**filled) for each in found]
    for each in quotes:
        assert (each.passage, document.text[each.start : each.end]) == (part.id, each.quote)
    again, _ = placed([(part.id, each.quote) for each in quotes], given, [each.start for each in quotes])
    assert again == quotes


def test_a_later_part_is_shown_with_caption_header_and_group_each_on_its_line(parts):
    _, (_, *later) = parts
    part = later[-1]
    first, *rows = shown([part]).splitlines()
    assert first == "[1] (results) Table 2 (continued). Relapses in a year."
    assert [each.strip() for each in rows] == ["| | Drug | Placebo |", "| Men |", *part.text.splitlines()]


def test_a_header_that_the_table_does_not_have_is_refused(parts):
    _, (_, *later) = parts
    assert placed([("1", "| | Drug | Sham treatment |")], GivenPassages([later[-1]]))[0] == []


def test_a_quoted_header_of_a_later_part_replays(parts):
    document, (_, *later) = parts
    part = later[-1]
    row = part.text.splitlines()[0]
    centre, drug, placebo = (each.strip() for each in row.strip("| ").split("|"))
    said = f"Relapses in {centre} were {drug} with the drug and {placebo} with placebo"
    proof = ModelProof(f"{said}.", "proved", (("1", f"{part.heading}\n{row}"),), "", "ollama/strong")
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


MICE = papers.paper(
    "mice", "Femora of mice were scanned after the Bion flight.", "Mean age was 12 weeks.", title="Mice on Bion"
)
RATS = papers.paper("rats", "Femur density fell by 12 percent in flight.", title="Rats on Cosmos")
BOTH = [
    Passage.of(each, 9, len(each.text), id=f"{each.id}::9-{len(each.text)}", section="results") for each in (MICE, RATS)
]
SCANNED = ("1", "Femora of mice were scanned after the Bion flight.")
DROPPED = ("2", "Femur density fell by 12 percent in flight.")


@pytest.mark.parametrize(
    ("claim", "cited", "needs"),
    [
        ("In mice on Bion, femur density fell by 12 percent", 0, "[2]"),
        ("In flight mice on Bion, femur density fell by 12 percent", 1, "[1]"),
    ],
)
def test_a_paper_that_a_proof_needs_must_be_cited(claim, cited, needs):
    proof = ModelProof(claim, "proved", (SCANNED, DROPPED), model="reader")
    found = prove(claim, GivenPassages(BOTH), [BOTH[cited]], proof)
    assert found.verdict != "supported"
    assert found.reason == f"its proof needs {needs} too, a paper that it does not cite"


def test_a_proof_by_two_papers_that_are_cited_may_hold():
    claim = "Femora of mice were scanned after the Bion flight, and femur density fell by 12 percent in flight"
    proof = ModelProof(claim, "proved", (SCANNED, DROPPED), model="reader")
    assert prove(claim, GivenPassages(BOTH), BOTH, proof).verdict == "supported"


@pytest.mark.parametrize("proof", [None, (("1", "Mean age was 12 weeks."),)], ids=["no model", "by a model"])
def test_a_name_of_a_paper_that_is_not_cited_is_refused(proof):
    claim = "In rats on Cosmos the mean age was 12 weeks"
    said = ModelProof(claim, "proved", proof, model="reader") if proof else None
    found = prove(claim, GivenPassages(BOTH), [BOTH[0]], said)
    assert (found.verdict != "supported", found.reason) == (True, 'no passage names "Cosmos"')
