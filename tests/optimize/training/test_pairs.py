import random
import re

import pytest

from optimize.training import labelled_claims
from optimize.training.altered_sentences import (
    BEYOND,
    FALSE,
    changed_by,
    copy_of,
    everything,
    exchanged_things,
    other_thing,
    other_unit,
)
from optimize.training.stages import STAGES, Sources, calibration_pairs, epoch_pairs
from optimize.training.wording import TrialFinding, false_statement, figures, swapped, true_statement

SENTENCE = "In older adults, the drug reduced mortality by 12.5 % compared with placebo, whereas costs rose (Table 2)."


@pytest.fixture
def generator():
    return random.Random(3)


def test_a_false_copy_is_never_the_sentence(generator):
    true = {copy_of(SENTENCE, generator) for _ in range(300)}
    false = {changed_by(FALSE, SENTENCE, generator) for _ in range(300)} - {None}
    beyond = {changed_by(BEYOND, SENTENCE, generator) for _ in range(300)} - {None}
    assert min(len(true), len(false), len(beyond)) > 10
    assert not true & false
    assert not true & beyond


def test_findings_are_worded_both_ways(generator):
    finding = TrialFinding("simvastatin", "placebo", "Mortality", "less")
    true = {true_statement(finding, generator) for _ in range(3_000)}
    false = {false_statement(finding, generator) for _ in range(3_000)}
    assert len(true) > 60
    assert "Mortality was lower with simvastatin than with placebo." in true
    assert "There was no significant difference in mortality between simvastatin and placebo." in false
    assert not true & false
    assert swapped(swapped(finding)) == finding


def test_no_reported_paper_is_trained_on_and_an_epoch_is_the_same_for_a_seed(data):
    claims = labelled_claims.rows(data / "claims" / "handwritten.jsonl")
    hand, sources = {row["document"] for row in claims if row["split"] == "dev"}, Sources(data)
    epochs = [epoch_pairs(stage, sources, 0) for stage in STAGES]
    trained = {pair.document for epoch in epochs for pair in epoch}
    assert hand
    assert not trained & (hand | {"PMC11", "scifact:0", "scifact:1"})
    assert not trained & {pair.document for pair in calibration_pairs(sources)}
    assert epoch_pairs(STAGES[0], Sources(data), 0) == epochs[0] != epoch_pairs(STAGES[0], sources, 2)
    assert {"copies", "worded", "scifact", "handwritten_evidence"} <= {pair.source for pair in epochs[0]}


def test_missing_data_and_another_label_are_named(tmp_path):
    with pytest.raises(labelled_claims.TrainingDataMissing, match="--data"):
        labelled_claims.claim_set(tmp_path, "handwritten", "train")
    with pytest.raises(ValueError, match="'maybe' is not a label"):
        labelled_claims.Pair("c", "p", "maybe", "s", "d")


DECAY = "Thymol, eugenol and menthol reduced decay in strawberries, thymol most of all within 4 days."


def test_one_thing_of_a_claim_is_made_false(generator):
    assert other_thing("Thymol slowed decay.", DECAY, generator) in ("Menthol slowed decay.", "Eugenol slowed decay.")
    assert exchanged_things("Thymol is better than menthol.", DECAY, generator) == "Menthol is better than thymol."
    assert other_unit("It took 4 days.", DECAY, generator) in ("It took 4 hours.", "It took 4 weeks.")
    assert everything("Some of the berries kept.", DECAY, generator) == "All of the berries kept."
    for change in (other_thing, exchanged_things, other_unit, everything):
        assert change("Nobody came.", DECAY, generator) is None


def test_figures_are_pairs_of_a_true_and_a_false_claim_and_long_descriptions_of_arms_are_left_out(generator):
    finding = TrialFinding("simvastatin", "placebo", "Mortality", "less")
    found = list(figures([(finding, "d")] * 400, generator))
    assert [pair.label for pair in found] == ["supported", "contradicted"] * 400
    assert len({pair.premise for pair in found}) > 300
    assert all(one.premise == other.premise for one, other in zip(found[::2], found[1::2], strict=True))
    long = TrialFinding("a regimen of " + "many " * 10 + "drugs", "placebo", "Mortality", "less")
    assert list(figures([(long, "d")], generator)) == []


LOWER = re.compile(
    r"(?:With simvastatin, m|M)ortality was (?:significantly )?(?:lower|less|decreased|reduced|smaller|diminished|less "
    r"pronounced) (?:(?:with|after) simvastatin )?than (?:with|after) placebo\."
)
VALUES = re.compile(r"was (?P<first>\d[\d.]*)%? with (?P<arm>\w+) (?:and|versus) (?P<second>\d[\d.]*)")


def test_a_true_claim_on_figures_agrees_with_them(generator):
    finding, seen = TrialFinding("simvastatin", "placebo", "Mortality", "less"), set()
    for pair in figures([(finding, "d")] * 6_000, generator):
        values = VALUES.search(pair.premise)
        if values and LOWER.fullmatch(pair.claim):
            first, second = float(values["first"]), float(values["second"])
            lower = first < second if values["arm"] == "simvastatin" else second < first
            proven = not re.search(r"NS|> 0\.05|= 0\.(?:0[6-9]|[1-9])", pair.premise)
            assert (lower and proven) == (pair.label == "supported"), pair
            seen.add(pair.label)
    assert seen == {"supported", "contradicted"}
