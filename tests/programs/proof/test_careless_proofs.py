"""Sentences with quotes that a careless reader takes for a proof: those that follow are certified, few others are."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from programs.passages import Passage
from programs.proof import GivenPassages
from programs.proof.sentence_proof import ModelProof, prove

CASES = yaml.safe_load(Path(__file__).with_name("careless_proofs.yaml").read_text(encoding="utf-8"))


def certified(sentence, texts):
    """Whether a sentence is certified on the word of a model that quotes these sentences."""
    text = "\n".join(texts)
    passage = Passage("d::0", "d", "results", "", text, 0, len(text))
    proof = ModelProof(sentence["claim"], "proved", tuple(("1", each) for each in texts), "", "careless")
    return prove(sentence["claim"], GivenPassages([passage]), [passage], proof).verdict == "supported"


def counted(use):
    found = Counter()
    for paper in CASES:
        if paper["use"] == use:
            for kind in ("holds", "fails"):
                for sentence in paper[kind]:
                    numbers = sentence.get("quotes", range(1, len(paper["text"]) + 1))
                    found[kind, certified(sentence, [paper["text"][number - 1] for number in numbers])] += 1
    return found


@pytest.mark.parametrize(
    ("use", "most_false"), [pytest.param("development", 12, marks=pytest.mark.slow), ("reported", 24)]
)
def test_true_sentences_are_certified_and_of_false_ones_few(use, most_false):
    found = counted(use)
    true, false = found["holds", True] + found["holds", False], found["fails", True] + found["fails", False]
    assert min(true, false) >= 40
    assert found["holds", True] >= 0.95 * true
    assert found["fails", True] <= most_false
