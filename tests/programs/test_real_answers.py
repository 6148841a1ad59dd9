"""Real papers, asked and proved; `python -m bench.answers` prints many more, to be read."""

import copy

import pytest

from bench.answers import answered, qasper, trials
from programs.main_points import MainPoints
from programs.replay import replay
from programs.results.rendering import as_json
from tests.benchmarks import needs_benchmarks

pytestmark = [needs_benchmarks, pytest.mark.slow]


@pytest.fixture(scope="module")
def outcomes(embedder):
    program = MainPoints(embedder)
    return [answered(program, case) for case in (*trials(4), *qasper(1))]


def test_every_answer_replays_from_its_paper(outcomes):
    assert [outcome.faults for outcome in outcomes] == [[]] * 5
    assert all(outcome.prediction.citations for outcome in outcomes)


def test_what_is_copied_is_supported(outcomes):
    verdicts = {citation.verdict for outcome in outcomes for citation in outcome.prediction.citations}
    assert verdicts == {"supported"}
    assert [outcome.prediction.unsupported_claims for outcome in outcomes] == [[]] * 5
    assert [outcome.prediction.uncited for outcome in outcomes] == [[]] * 5


def test_the_effect_asked_for_is_found_where_the_experts_found_it(outcomes):
    found, cited = ([getattr(outcome, name) for outcome in outcomes[:4]] for name in ("found", "cited"))
    assert found.count(True) >= 3, [outcome.prediction.answer for outcome in outcomes]
    assert cited.count(True) >= 3, [outcome.prediction.answer for outcome in outcomes]


def test_passages_are_windows_not_papers(outcomes):
    for outcome in outcomes:
        words = len(outcome.case.document.text.split())
        assert sum(len(passage.text.split()) for passage in outcome.prediction.passages) < 0.8 * words


@pytest.mark.parametrize(
    ("part", "name"), [("citations", "quote"), ("citations", "start"), ("passages", "text"), ("passages", "end")]
)
def test_one_byte_changed_in_a_real_answer_is_named(outcomes, part, name):
    for outcome in outcomes:
        changed = copy.deepcopy(as_json(outcome.prediction))
        place = changed[part][0]
        place[name] = place[name] + 1 if isinstance(place[name], int) else "¶" + place[name][1:]
        faults = [str(fault) for fault in replay(changed, lambda _, paper=outcome.case.document: paper)]
        kind = part.removesuffix("s")
        assert any(fault.startswith(f"{kind} ") for fault in faults), faults
