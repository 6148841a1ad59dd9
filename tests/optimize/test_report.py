"""Facts of a report that can be worked out on paper: six questions on three papers, a judge who counts words."""

from dataclasses import replace

import pytest

from bench.support import scifact
from metrics.judgements import Ledger
from metrics.support.claim_check import default_check
from optimize.dataset import Example
from optimize.generate import Record
from optimize.report import CHECKER, AskedExamples, MeasuredProgram, ReportHeader, accuracy_of, build_report
from optimize.report_rendering import markdown
from optimize.scoring import aggregates, score
from tests.benchmarks import needs_benchmarks
from tests.word_judge import WordJudge

METRICS = ("grounded_utility", "claim_groundedness", "answerability", "contradiction_rate", "accuracy")
SENTENCE = "density fell by 12 percent"
EXAMPLES = {
    f"{paper}-{kind}": Example(
        id=f"{paper}-{kind}",
        question="What happened?",
        document_ids=(paper,),
        nuggets=(SENTENCE,) if kind == "a" else (),
        answerable=kind == "a",
    )
    for paper in ("P1", "P2", "P3")
    for kind in ("a", "b")
}
GOOD = {"answer": f"{SENTENCE} [1].", "answerable": True, "passages": [SENTENCE], "question": "What happened?"}
ABSTAINED = {"answer": "", "answerable": False, "passages": [SENTENCE], "question": "What happened?"}
COST = {"latency_ms": 100.0, "lm_calls": 3, "tokens": {"prompt": 90, "completion": 10, "total": 100}}


def measured(name, predictions):
    records = [
        Record(name, "test", each, "answered", "", {**predictions[each], "metrics": COST})
        if each in predictions
        else Record(name, "test", each, "failed", "LMTimeout: too slow", {})
        for each in EXAMPLES
    ]
    return MeasuredProgram(name, records, score(records, EXAMPLES, METRICS, Ledger(WordJudge())))


def everywhere(a, b):
    return {each: a if each.endswith("a") else b for each in EXAMPLES}


BEFORE = measured("uncompiled", everywhere(ABSTAINED, GOOD))
AFTER = measured("few_shot-4-seed0", everywhere(GOOD, ABSTAINED))


PAPERS = {name: example.cluster for name, example in EXAMPLES.items()}


def report(before=BEFORE, after=AFTER, clusters=PAPERS, choice=None, judge=None, lasting=(), **more):
    header = ReportHeader("A title", {"lm": "x"}, "x", choice or {}, tuple(lasting))
    measured = [each for each in (before, after) if each]
    return build_report(
        header, AskedExamples(EXAMPLES, clusters, "test"), measured, Ledger(judge or WordJudge()), **more
    )


def test_few_papers_and_failures_of_one_program_alone_are_told():
    few = "3 papers are few to tell how much results vary: the intervals are too narrow."
    assert report().lasting == (few,)
    failing = report(before=measured("uncompiled", dict.fromkeys(list(EXAMPLES)[:-1], GOOD)))
    said = "Failed questions count as worst, and their numbers differ (uncompiled 1, few_shot-4-seed0 0)"
    assert any(each.startswith(said) for each in failing.lasting)
    assert set(failing.lasting) <= set(failing.warnings)


def test_means_and_differences_where_both_values_are_defined():
    row = report().row("grounded_utility")
    assert (row.before.value, row.after.value) == (pytest.approx(0.1), 1.0)  # (3 · 0.2 + 3 · 0) / 6
    assert (row.paired.difference, row.paired.low, row.paired.high) == (pytest.approx(0.9),) * 3
    assert row.paired.p == pytest.approx(2 / 8)
    assert (row.paired.n, row.paired.n_clusters) == (6, 3)
    apart = report().row("claim_groundedness")
    assert (apart.before.n, apart.after.n, apart.before.total) == (3, 3, 6)
    assert apart.paired is None  # one program answered these questions, the other those
    assert [row.metric for row in report().rows] == list(METRICS[:-1])  # accuracy is defined for none


ONE_PAPER = dict.fromkeys(EXAMPLES, "P1")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {},
            "Better than uncompiled by its interval, though not by its p: grounded_utility 0.100 → 1.000, +0.900 (95 % "
            "interval +0.900 to +0.900, p 0.250, 6 questions on 3 papers).",
        ),
        ({"before": AFTER, "after": BEFORE}, "Worse than uncompiled"),
        (
            {"after": measured("other", everywhere(ABSTAINED, GOOD) | {"P1-a": GOOD})},
            "No significant difference: grounded_utility 0.100 → 0.233, +0.133 (95 % interval +0.000",
        ),
        (
            {"after": BEFORE},
            "No candidate beat the uncompiled program on val, so it is kept; its grounded_utility on the 6 questions "
            "of this report is 0.100.",
        ),
        (
            {"before": AFTER, "after": None},
            "grounded_utility of few_shot-4-seed0: 1.000 (95 % interval 1.000 to 1.000, 6 questions on 3 papers).",
        ),
        (
            {"before": AFTER, "after": None, "clusters": ONE_PAPER},
            "grounded_utility of few_shot-4-seed0: 1.000 over 6 questions; one paper is too few for an interval.",
        ),
        (
            {"clusters": ONE_PAPER},
            "grounded_utility 0.100 → 1.000, a difference of +0.900; one paper is too few to say whether it is chance.",
        ),
        ({"before": measured("uncompiled", {}), "after": None}, "grounded_utility of uncompiled: 0.000"),
    ],
)
def test_the_headline_says_what_was_found(given, said):
    assert report(**given).headline.startswith(said)


def test_failures_count_as_worst_and_are_named():
    found = report(BEFORE, measured("broken", dict.fromkeys(list(EXAMPLES)[:5], GOOD)))
    assert found.failures == {"uncompiled": {}, "broken": {"LMTimeout: too slow": 1}}
    cell = found.row("grounded_utility").after
    assert (cell.value, cell.n, cell.total) == (pytest.approx(3 / 6), 5, 6)
    assert "| broken | 1 | LMTimeout: too slow |" in markdown(found)
    assert "0.500 (5/6)" in markdown(found)


def test_skill_is_measured_from_the_best_canary_and_a_judge_that_costs_is_not_asked_about_any():
    found = report()
    assert found.canaries["always_abstain"] == pytest.approx(0.6)  # (3 · 0.2 + 3 · 1) / 6
    assert found.skill == {"uncompiled": pytest.approx(-1.25), "few_shot-4-seed0": pytest.approx(1.0)}
    *_, warning = found.warnings
    assert warning.startswith("uncompiled gets 0.100, and worthless answers get no less: always_abstain (0.600), ")
    judge = WordJudge()
    found = report(judge=judge, lasting=["Mind."], canaries=False)
    assert judge.asked == []
    assert (found.canaries, found.skill, found.warnings) == ({}, {}, found.lasting)
    assert found.lasting[0] == "Mind."


def test_the_text_has_a_row_for_everything():
    text = markdown(report(choice={"uncompiled": 0.1, "few_shot-4-seed0": 0.9}, warnings=["Mind the gap."]))
    for line in (
        "| contradiction_rate† ↓ |",
        "> **Warning.** Mind the gap.",
        "| **few_shot-4-seed0** | 0.900 |",
        "- lm: x",
        "| LM calls a question | 3.00 | 3.00 |",
        "| answers and abstains rightly | 0.000 | 1.000 |",
        "| AURC ↓ | 1.000 | 0.000 |",
        "| failed | 0 | 0 |",
        "† rests on the judge: its accuracy is not known here",
    ):
        assert line in text
    assert "nan" not in text.lower().replace("finance", "")


def test_what_the_legend_explains_is_in_the_tables():
    alone = report(before=AFTER, after=None)
    table, legend = markdown(alone).split("Intervals take papers")
    assert "(3/6) |" in table
    assert "(3/6) stands by a mean to which 3 of 6 questions" in legend
    rows = tuple(row for row in alone.rows if row.before.n == row.before.total)
    whole = markdown(replace(alone, rows=rows, aggregates={"few": aggregates({}, [], {})}))
    assert not [each for each in ("stands by a mean", "AURC", "nswers and abstains rightly") if each in whole]


def test_a_program_that_only_searches_neither_answers_nor_abstains():
    records = [Record("finder", "dev", each, "answered", "", {"answer": "", "metrics": COST}) for each in EXAMPLES]
    found = measured("finder", everywhere(ABSTAINED, ABSTAINED))
    scores = [each for each in found.scores if each.metric == "contradiction_rate"]
    searched = report(MeasuredProgram("finder", records, scores), None)
    assert not searched.has_answers
    assert "abstain" not in markdown(searched)
    assert report().has_answers


# What reports say of the judge that is shipped, measured again.

pytestmark = pytest.mark.slow


def test_what_is_said_was_measured_on_the_judge_that_is_shipped():
    assert default_check().name == CHECKER


@needs_benchmarks
def test_the_accuracy_that_reports_print_is_that_on_scifact():
    pairs, judge = scifact(tune=False), default_check()
    verdicts = [judge.check(pair.claim, [pair.passage]).verdict for pair in pairs]
    share = sum(pair.label == verdict for pair, verdict in zip(pairs, verdicts, strict=True)) / len(pairs)
    said = accuracy_of(CHECKER)
    assert f"of {len(pairs)} claims" in said
    assert f"judges {share:.0%} rightly".replace("%", " %") in said
    labels = [pair.label for pair, given in zip(pairs, verdicts, strict=True) if given == "supported"]
    assert f"says supported {labels.count('supported') / len(labels):.0%}".replace("%", " %") in said
