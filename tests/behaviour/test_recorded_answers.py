"""What becomes of sentences that others recorded: counts, held no worse than they are.

The recordings stand beside a development checkout (``shared/benchmarks``); nothing of them is copied here.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from metrics.passages import passages_of
from metrics.sentences import sentences
from metrics.statements import statements
from metrics.support import check
from metrics.support.guards import vetoes
from programs.certificate import certify
from programs.ingest.formats import read
from programs.passages import Passage
from programs.proof import CitedAnswer, GivenPassages
from programs.proof.sentence_proof import ModelProof, placed
from tests.benchmarks import BENCHMARKS, needs_benchmarks

pytestmark = [needs_benchmarks, pytest.mark.slow]


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (BENCHMARKS / path).read_text(encoding="utf-8").rstrip("\n").split("\n")]


def supported(answer: str, passages: list[Passage], proofs: list[ModelProof]) -> bool:
    return any(each.verdict == "supported" for each in certify(CitedAnswer(answer, passages), proofs))


# Answers of a strong reader with its proofs, half of whose sentences were made false.


def passages_in(case: dict[str, Any]) -> list[Passage]:
    """The passages of a recorded answer, one behind the other."""
    made, start = [], 0
    for each in case["passages"]:
        end = start + len(each["text"])
        made.append(Passage(f"d::{start}-{end}", "d", each["section"], "", each["text"], start, end))
        start = end + 2
    return made


def proofs_in(case: dict[str, Any], passages: list[Passage]) -> list[ModelProof]:
    found = []
    for each in case["sentences"]:
        statement = statements(each["text"], passages_of({"passages": passages}))[0]
        quotes = tuple((str(quote["passage"]), quote["quote"]) for quote in each["quotes"])
        found.append(ModelProof(statement.text, each["verdict"], quotes, each["reason"], "reader"))
    return found


def recorded() -> Iterator[tuple[bool, bool]]:
    """Of every recorded sentence whether it is true, and whether it is certified."""
    for case in lines("answers/proof_trial.jsonl"):
        passages = passages_in(case)
        # Where papers are cited by key, all passages shown are cited: the recorder kept no keys.
        everything = "".join(f"[{number}]" for number in range(1, len(passages) + 1))
        for each, proof in zip(case["sentences"], proofs_in(case, passages), strict=True):
            text = re.sub(r"(\s*\[PMC\d+\])+", everything, each["text"])
            yield each["true"], supported(text, passages, [proof])


def test_every_true_sentence_of_a_strong_reader_is_certified_and_no_false_one() -> None:
    assert Counter(recorded()) == {(True, True): 25, (False, False): 25}


def test_every_recorded_quote_is_placed_and_no_invented_one() -> None:
    count = 0
    for case in lines("answers/proof_trial.jsonl"):
        given = GivenPassages(passages_in(case))
        for sentence in case["sentences"]:
            for quote in sentence["quotes"]:
                count += 1
                assert placed([(str(quote["passage"]), quote["quote"])], given)[0]
                assert not placed([(str(quote["passage"]), "The treatment was found to help everyone.")], given)[0]
    assert count == 47


# Real sentences that stop before their verb.

FINITE = re.compile(r"(?<=\w) (?=(?:was|were|is|are|had|has|did|may|showed|increased|decreased|reduced)\b)")


def clipped_quotations(count: int) -> list[tuple[str, str]]:
    """Clipped sentences, each with the paper's sentence."""
    found = []
    for paper in sorted((BENCHMARKS / "evidence_inference").glob("**/*.*ml"))[:40]:
        text = read(paper).text
        for span in sentences(text):
            sentence = text[span.start : span.end]
            cut = [each.start() for each in FINITE.finditer(sentence) if len(sentence[: each.start()].split()) >= 6]
            if cut and sentence.endswith(".") and "\n" not in sentence:
                found.append((sentence[: cut[0]], sentence))
    random.Random(0).shuffle(found)
    return found[:count]


def test_of_a_hundred_clipped_quotations_none_is_certified() -> None:
    cases = clipped_quotations(100)
    assert len(cases) == 100
    for clipped, sentence in cases:
        passage = Passage("d::0", "d", "results", "", sentence, 0, len(sentence))
        answer = f"{clipped} [1]."
        statement = statements(answer, passages_of({"passages": [passage]}))[0]
        proof = ModelProof(statement.text, "proved", (("1", clipped),), "", "careless")
        for proofs in ([], [proof]):
            assert not supported(answer, [passage], proofs), (clipped, sentence)


# Handwritten claims, a third each supported, contradicted and open.

HANDWRITTEN = "claims/handwritten.jsonl"


def test_of_handwritten_claims_as_many_are_judged_right_as_today() -> None:
    claims = [each for each in lines(HANDWRITTEN) if each["split"] == "dev"][::8]
    found = Counter((each["label"], check(each["claim"], [each["premise"]]).verdict) for each in claims)
    assert found["supported", "supported"] >= 16  # one of 17 for partial claims: see docs/measurements.md
    assert found["contradicted", "supported"] + found["unverifiable", "supported"] <= 10
    assert found["supported", "contradicted"] + found["unverifiable", "contradicted"] == 0


def test_of_handwritten_claims_on_their_evidence_guards_refuse_as_many_as_today() -> None:
    claims = [each for each in lines(HANDWRITTEN) if each["split"] == "dev" and each["evidence"]]
    found = Counter((each["label"] == "supported", bool(vetoes(each["claim"], each["evidence"]))) for each in claims)
    assert found[True, True] <= 6, "true claims that guards refuse"
    assert found[False, True] >= 58, "false or open claims that guards refuse"
