"""Drafts without a model are outlines: own statements as they stand, evidence quoted and cited, nothing else."""

import pytest

from signatures.paper_writer import PlanSearches, ScoreEvidence, WriteSection, WriteTitle
from signatures.passages import labelled
from tests.baseline import asked

CONCEPT = "Background: Mice lose bone.\nApproach: We let mice jump.\nContribution: Jumps help.\nLimitation: One sex."
EXPERIMENTS = labelled([("E1", "", "Jumping\nMethod: Mice jumped.\nFinding: Femur density fell by 2 percent.")])
FELL = "In flight the femur density of mice fell by 12 percent against controls"
EVIDENCE = labelled(
    [
        ("okafor2014", "results", f"{FELL}. We saw no change of femur density in mice that rested after flight."),
        ("okafor2014", "results", "Femur density of jumping mice rose to the level of controls after four weeks."),
        ("okafor2014", "results", "Daily jumping protects the muscle mass and spine density of unloaded mice."),
        ("li2019root", "methods", "Seeds of cress germinated on wet paper under red light for six days."),
    ]
)
HYPOTHESIS = "Jumping protects the femur density of mice."
INPUTS = {
    "concept": CONCEPT,
    "experiments": EXPERIMENTS,
    "evidence": EVIDENCE,
    "earlier_sections": "",
    "figures": "",
    "hypothesis": HYPOTHESIS,
    "guidelines": "",
    "corrections": "",
}


def written(section, **changed):
    return asked(WriteSection, **{**INPUTS, "section": section, **changed}).section_text


QUOTED = "“Daily jumping protects the muscle mass and spine density of unloaded mice” [okafor2014]."


@pytest.mark.parametrize(
    ("section", "stated"),
    [
        ("introduction", ["Mice lose bone.", HYPOTHESIS]),
        ("methods", ["We let mice jump.", "Mice jumped."]),
        ("results", ["Femur density fell by 2 percent."]),
        ("discussion", ["Jumps help.", "One sex."]),
        ("conclusion", ["Jumps help."]),
        ("related_work", []),
    ],
)
def test_a_section_is_what_its_authors_state_and_what_the_evidence_says(section, stated):
    *own, quoted = written(section).split("\n\n")
    assert own == ["\n".join(f"- {each}" for each in stated)][: len(stated)]
    assert all(each.startswith("- “") and each.endswith("” [okafor2014].") for each in quoted.splitlines())
    assert "We saw" not in quoted
    assert written(section, evidence="") == "\n".join(f"- {each}" for each in stated)


def test_figures_stand_behind_what_is_stated():
    figure = "![Bars](bone.png)\n*Figure 1: Femur density by group.*"
    assert written("results", figures=figure).startswith(f"- Femur density fell by 2 percent.\n\n{figure}\n\n- “")


def test_no_more_than_two_quotations_of_a_paper_and_none_of_what_is_beside_the_point():
    text = written("related_work")
    assert text.count("[okafor2014]") == 2
    assert "li2019root" not in text


def test_what_an_earlier_section_quotes_is_not_quoted_again():
    assert QUOTED in written("related_work")
    assert QUOTED not in written("related_work", earlier_sections=QUOTED)


def test_who_states_no_contribution_contributes_the_findings():
    assert written("conclusion", concept="", evidence="") == "- Femur density fell by 2 percent."


@pytest.mark.parametrize(
    ("working", "conclusion", "title"),
    [
        ("Jumps", "Jumps help.", "Jumps"),
        ("", "- Jumps help.\n- Bone stays.", "Jumps help"),
        ("", f"- {QUOTED}", ""),
        ("", "", ""),
    ],
)
def test_a_title_is_the_working_one_or_what_the_authors_conclude(working, conclusion, title):
    inputs = {"abstract": "", "introduction": "", "conclusion": conclusion, "working_title": working}
    assert asked(WriteTitle, **inputs).title == title


@pytest.mark.parametrize(("summary", "low", "high"), [(f"{FELL}.", 0.5, 1), ("Cress grew on paper.", 0, 0.5)])
def test_evidence_counts_by_what_it_holds_of_the_query(summary, low, high):
    about = {"source_section": "results", "target_section": "results", "query": "femur density of mice"}
    assert low <= asked(ScoreEvidence, summary=summary, **about).result.score <= high


def test_no_search_is_added():
    about = {"concept": CONCEPT, "experiments": EXPERIMENTS, "hypothesis": HYPOTHESIS, "section": "results"}
    more = {"objective": "", "past_searches": "", "iterations_left": 5, "evidence": EVIDENCE}
    plan = asked(PlanSearches, **about, **more)
    assert (plan.done, plan.queries) == (True, [])
