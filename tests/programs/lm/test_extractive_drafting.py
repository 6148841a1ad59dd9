"""The extractive LM as a writer: own statements as they stand, evidence quoted and cited, nothing else."""

import dspy
import pytest

from signatures.paper_writer import PlanSearches, ScoreEvidence, SummarizeForQuery, WriteSection, WriteTitle
from signatures.passages import labelled

pytestmark = pytest.mark.usefixtures("extractive")

CONCEPT = "Background: Mice lose bone.\nApproach: We let mice jump.\nContribution: Jumps help.\nLimitation: One sex."
EXPERIMENTS = labelled([("E1", "", "Jumping\nMethod: Mice jumped.\nFinding: Femur density fell by 2 percent.")])
FIGURE = "![Bars](bone.png)\n*Figure 1: Femur density by group.*"
FELL = "In flight the femur density of mice fell by 12 percent against controls"
EVIDENCE = labelled(
    [
        ("okafor2014bone", "results", f"{FELL}. We saw no change of femur density in mice that rested after flight."),
        ("okafor2014bone", "results", "Femur density of jumping mice rose to the level of controls after four weeks."),
        ("okafor2014bone", "results", "Daily jumping protects the muscle mass and spine density of unloaded mice."),
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
    return dspy.Predict(WriteSection)(**{**INPUTS, "section": section, **changed}).section_text


def test_an_introduction_leads_from_background_to_hypothesis():
    paragraphs = written("introduction").split("\n\n")
    assert (paragraphs[0], paragraphs[-1]) == ("Mice lose bone.", HYPOTHESIS)
    assert paragraphs[1].startswith("“Daily jumping protects the muscle mass")
    assert paragraphs[1].endswith("” [okafor2014bone].")


def test_results_show_a_figure_behind_its_finding():
    assert written("results", figures=FIGURE).startswith(
        f"Femur density fell by 2 percent (Figure 1).\n\n{FIGURE}\n\n“"
    )


def test_an_abstract_is_one_paragraph():
    text = written("abstract")
    assert "\n" not in text
    assert text.startswith("Mice lose bone. We let mice jump. Femur density fell by 2 percent.")
    assert text.endswith("Jumps help.")


def test_nothing_of_its_own_is_said_twice():
    assert written("abstract", concept="", evidence="") == "Femur density fell by 2 percent."


def test_no_more_than_two_quotations_of_a_paper_and_none_that_speaks_of_itself():
    text = written("discussion")
    assert text.count("[okafor2014bone]") == 2
    assert "We saw" not in text
    assert "li2019root" not in text


def test_what_an_earlier_section_quotes_is_not_quoted_again():
    quoted = "Daily jumping protects the muscle mass and spine density of unloaded mice"
    assert quoted in written("discussion")
    assert quoted not in written("discussion", earlier_sections=f"“{quoted}” (okafor2014bone).")


def test_without_evidence_only_the_authors_speak():
    assert written("conclusion", evidence="") == "Jumps help."


def test_who_states_no_contribution_contributes_the_findings():
    assert written("conclusion", concept="", evidence="") == "Femur density fell by 2 percent."


def test_a_demo_teaches_how_much_to_quote():
    predictor = dspy.Predict(WriteSection)
    demo = dspy.Example(**INPUTS, section="discussion", section_text="One [okafor2014bone].").with_inputs(*INPUTS)
    predictor.demos = [demo]
    text = predictor(**INPUTS, section="discussion").section_text
    assert text.count("[okafor2014bone]") == 1


@pytest.mark.parametrize(
    ("working", "title"), [("Jumps and bone", "Jumps and bone"), ("", "Jumps keep the femur density of unloaded mice")]
)
def test_a_title_is_the_working_one_or_the_conclusions(working, title):
    own = "Hair grew. Jumps keep the femur density of unloaded mice (p = 0.01)."
    conclusion = f"{own} “{FELL}” (okafor2014bone)."
    asked = {"abstract": "", "introduction": HYPOTHESIS, "conclusion": conclusion, "working_title": working}
    assert dspy.Predict(WriteTitle)(**asked).title == title


def test_the_steps_before_writing_are_answered():
    summary = dspy.Predict(SummarizeForQuery)(passage=f"{FELL}. Cress grew.", query="femur density").summary
    assert summary == f"{FELL}."
    scores = [
        dspy.Predict(ScoreEvidence)(
            summary=text, source_section="results", target_section="results", query="femur density of mice"
        ).result.score
        for text in (summary, "Cress grew on paper.")
    ]
    assert 1 >= scores[0] > 0.5 > scores[1] >= 0


def test_the_agent_is_done_when_the_evidence_covers_the_hypothesis():
    asked = {
        "concept": CONCEPT,
        "experiments": EXPERIMENTS,
        "hypothesis": HYPOTHESIS,
        "section": "results",
        "objective": "Findings of others.",
        "past_searches": "",
        "iterations_left": 5,
    }
    assert dspy.Predict(PlanSearches)(**asked, evidence=EVIDENCE).done
    lacking = dspy.Predict(PlanSearches)(**asked, evidence=labelled([("li2019root", "results", "Cress grew.")]))
    assert not lacking.done
    assert {each.target_section for each in lacking.queries} == {"results"}
    assert lacking.queries[0].query == "Jumping protects femur density mice"
