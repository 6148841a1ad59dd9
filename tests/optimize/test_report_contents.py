"""What a run's page shows, worked out on paper: see ``tests.invented_run``."""

import json
from dataclasses import asdict, replace

import pytest
from optimize.changes import ablation, compared, prompts

from optimize.finished_run import effects, headline, interval_of, read_run, rivals
from optimize.regressions import MOST, regressions
from optimize.report_rendering import candidates, markdown, risk
from programs.errors import UsageError
from tests import invented_run
from tests.invented_run import COMPILED, CONTEXT, FINDING, SETTINGS

EVALUATION = {**SETTINGS, "command": "eval", "split": "dev"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return read_run(invented_run.write(tmp_path_factory.mktemp("run") / "run").path)


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory):
    return read_run(invented_run.write(tmp_path_factory.mktemp("eval") / "run", settings=EVALUATION).path)


def test_the_headline_is_the_difference_with_its_interval(run):
    found = headline(run)
    assert (found.verdict, found.tone) == ("No significant difference", "unclear")
    assert found.figure == "−0.600"  # before 1, 1, 1; after 1, 0.2, 0
    assert found.interval.startswith("95 % interval −")
    assert ("uncompiled → compiled", "1.000 → 0.400") in found.facts
    assert ("cost of compiling and this report", "9 calls") in found.facts
    assert ("questions", "3 on 3 papers") in found.facts
    assert found.sentence == ""


def test_an_evaluation_has_a_mean_with_an_interval(evaluation):
    found = headline(evaluation)
    assert (found.verdict, found.figure, found.interval) == ("Measured", "1.000", "95 % interval 1.000 to 1.000")
    _, (each, *_) = effects(evaluation.report)
    assert (each.row.before.value, each.row.after, interval_of(each.paired)) == (1.0, None, "1.000 to 1.000")
    assert prompts(evaluation) is None
    assert candidates(evaluation).tried == ()
    assert regressions(evaluation).cases == ()


def test_every_metric_has_a_dot_on_one_scale(run):
    axis, found = effects(run.report)
    assert axis.description == "axis from -1 to 1"
    assert [each.row.metric for each in found] == list(invented_run.METRICS)
    assert [each.paired.difference for each in found] == pytest.approx([-0.6, -0.5, 0.5, -1 / 3])
    assert [each.paired.n for each in found] == [3, 2, 2, 3]
    assert [each.row.is_judged for each in found] == [True, True, True, False]
    (contradicted,) = [each for each in found if not each.row.higher_is_better]
    assert contradicted.drawing.title == "contradiction_rate"
    assert contradicted.drawing.description.startswith("+0.500")


def test_the_worst_regression_comes_first(run):
    found = regressions(run)
    assert (found.better, found.same, found.worse) == (0, 1, 2)
    assert [(case.id, case.change) for case in found.cases] == [("P3-a", -1.0), ("P2-a", pytest.approx(-0.8))]
    before, after = found.cases[0].answers
    assert (before.value, before.outcome, after.value) == (1.0, "answered", 0.0)
    assert found.cases[1].answers[1].outcome == "abstained"
    assert ("answer", FINDING) in found.cases[0].gold


def test_a_claim_opens_to_the_quote_that_decides(run):
    before, after = regressions(run).cases[0].answers
    (claim,) = after.claims
    assert claim.verdict == "contradicted"
    (proof,) = claim.proofs
    assert (proof.marker, proof.verdict, proof.source) == ("1", "contradicted", "P3 (2020), Results")
    assert (proof.before, proof.quote, proof.after) == (f"{CONTEXT} ", FINDING, "")
    assert before.claims[0].verdict == "supported"


def test_without_judgements_the_certificates_tell_the_verdict(tmp_path):
    folder = invented_run.write(tmp_path / "run")
    folder.judgements.path.unlink()
    (claim,) = regressions(read_run(folder.path)).cases[0].answers[1].claims
    assert claim.verdict == "contradicted"


def test_no_more_than_the_worst_are_shown(run):
    assert len(regressions(run).cases) <= MOST


def test_risk_is_counted_over_all_questions(run):
    before, after = risk(run).curves
    assert (before.name, before.points) == ("uncompiled", [(1 / 3, 0.0), (2 / 3, 0.0), (1.0, 0.0)])
    assert after.points == [(1 / 3, 0.0), (2 / 3, 0.5)]  # one abstains; the turned one has the lower support
    assert after.aurc == 0.25
    assert risk(run).is_ordered


def test_leaving_out_a_signal_moves_the_passages(run):
    found = {each.signal: each for each in ablation(run).rows}
    assert (ablation(run).questions, ablation(run).proved) == (3, 3)
    assert (found["bm25"].swapped, found["bm25"].led) == (1.0, 3)
    assert found["bm25"].change.difference == -0.5
    assert (found["sim"].swapped, found["sim"].change.difference) == (0.0, 0.0)
    assert found["bm25"].tone == "worse"


def test_passages_that_other_weights_ranked_are_not_ablated(tmp_path):
    folder = invented_run.write(tmp_path / "run")
    folder.state(COMPILED).write_text(invented_run.state("Answer.", w_sim=0.9, w_bm25=0.18))
    assert ablation(read_run(folder.path)) is None


def test_prompts_are_compared_word_by_word(run):
    found = prompts(run)
    (step,) = found.steps
    assert [(piece.text, piece.is_changed) for piece in step.instruction.after] == [
        ("Answer the question", False),
        (" briefly", True),
        (".", False),
    ]
    assert (step.name, step.demos_before, step.demos_after) == ("answer.write", 0, 1)
    assert step.demos == ({"question": "Which bone?", "answer": "The femur [1]."},)
    assert [(each.name, each.before, each.after) for each in found.parameters if not each.is_same] == [
        ("top_k", "6", "8")
    ]


def test_candidates_stand_by_cost_and_quality(run):
    found = candidates(run)
    assert [(each.name, each.val, each.tone) for each in found.tried] == [
        ("uncompiled", 0.5, "before"),
        (COMPILED, 0.75, "after"),
    ]
    assert found.drawing is None  # nobody was asked val here, so no cost is known


def test_a_candidate_whose_answers_were_kept_has_no_cost(tmp_path):
    folder = invented_run.write(tmp_path / "run")
    costs = {"uncompiled": {"tokens": {"total": 100}}, COMPILED: {"tokens": {"total": 0}, "cached_calls": 2}}
    for name, metrics in costs.items():
        kept = invented_run.record(name, "P1", {**invented_run.prediction("P1", FINDING), "metrics": metrics}, "val")
        folder.predictions.append(asdict(kept))
    found = candidates(read_run(folder.path))
    assert [each.cost.tokens for each in found.tried] == [100, None]
    assert found.drawing is None  # one point is not a picture


def test_a_single_paper_and_an_undefined_objective_are_named(tmp_path):
    one = [replace(invented_run.example(paper), document_ids=("P1",)) for paper in invented_run.PAPERS]
    found = headline(read_run(invented_run.write(tmp_path / "one", examples=one).path))
    assert (found.verdict, found.interval) == ("One paper is too few to tell", "no interval: one paper is too few")
    assert ("questions", "3 on 1 paper") in found.facts
    gold = {"answer": "", "nuggets": (), "evidence": ()}
    none = [replace(invented_run.example(paper), **gold) for paper in invented_run.PAPERS]
    found = headline(read_run(invented_run.write(tmp_path / "none", examples=none).path))
    assert (found.verdict, found.figure) == ("Undefined", "")


def test_the_text_has_prompts_signals_and_regressions(run):
    text = markdown(run.report, run)
    assert "| answer.write | changed | 0 → 1 |" in text
    assert "    Answer the question briefly." in text
    assert "| top_k | 6 | 8 |" in text
    assert "| bm25 | 0.180 | 100% | 3 of 3 | −0.500 [−0.500, −0.500] |" in text
    assert "Questions: 0 better, 1 the same, 2 worse." in text
    assert "| How did femur density change? | 1.000 | 0.000 | −1.000 | groundedness 0.00" in text
    assert text.index("## The worst regressions") < text.index("## About")


def test_canaries_stand_beside_the_programs(run):
    found = rivals(run)
    assert [found[0].name, found[0].value, found[0].tone] == ["uncompiled", 1.0, "before"]
    assert {each.name for each in found} > {"always_abstain", "empty"}


def test_what_is_no_finished_run_is_refused(tmp_path):
    with pytest.raises(UsageError, match="holds no run"):
        read_run(tmp_path / "nowhere")
    folder = invented_run.write(tmp_path / "run")
    report = json.loads((folder.path / "report.json").read_text())
    folder.write("report.json", json.dumps({"seeds": []}))
    with pytest.raises(UsageError, match="several seeds"):
        read_run(folder.path)
    del report["rows"]
    folder.write("report.json", json.dumps(report))
    with pytest.raises(UsageError, match="of another version \\(rows: Field required\\)"):
        read_run(folder.path)
    folder.write("report.json", "{")
    with pytest.raises(UsageError, match="cannot be read"):
        read_run(folder.path)
    (folder.path / "report.json").unlink()
    with pytest.raises(UsageError, match="is not finished"):
        read_run(folder.path)


def test_changed_words_that_follow_each_other_are_one_piece():
    found = compared(
        "Answer what is asked here in your own words.", "Answer what is asked here with two long sentences."
    )
    assert [(piece.text, piece.is_changed) for piece in found.after] == [
        ("Answer what is asked here ", False),
        ("with two long sentences", True),
        (".", False),
    ]
    assert not found.is_same
    assert compared("the same", "the same").is_same


def test_texts_with_nothing_in_common_are_called_rewritten():
    found = compared("One two three four five six.", "Quite another instruction stands here now, without likeness")
    assert found.is_rewritten
    assert not found.is_same
