"""Guards look at what can be looked at: not at claims without end, nor at other words where much is quoted."""

from metrics.support.guards import MOST_QUOTED, MOST_WORDS, vetoes

FILLER = "The trial was registered. " * MOST_QUOTED
FELL = "Bone density fell in mice after flight."
ROSE = "After flight the bone density of mice increased."
TIME = "The median time to recovery was 6.1 s with the tube and 39.4 s with the mask (hazard ratio 0.33)."


def rules(claim, *quotes):
    return {veto.rule for veto in vetoes(claim, quotes)}


def test_a_claim_of_ten_thousand_words_is_refused_at_once():
    (veto,) = vetoes("and so on " * 3_334, [FELL])
    assert (veto.rule, str(MOST_WORDS) in veto.reason) == ("length", False)


def test_nothing_is_said_of_other_words_where_much_is_quoted():
    assert "course" in rules(ROSE, FELL)
    assert "course" not in rules(ROSE, FELL, FILLER)


def test_another_unit_is_refused_however_much_is_quoted():
    assert "measure" in rules("With the mask, recovery took 39.4 minutes.", TIME, FILLER)
