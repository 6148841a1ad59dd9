"""`paper_retriever` and `paper_writer` before a data set: what they are asked, shown, and saved as."""

import random
from dataclasses import replace

import dspy
import pytest

from metrics.retrieval import evidence_utility, selection_ndcg
from optimize.job import Job, JobSetup, task_of
from optimize.job import plan as plan_evaluation
from optimize.tasks.paper_writer import PASSAGES
from programs.errors import LMError
from programs.registry import load
from programs.results.rendering import as_json
from programs.summaries import opening
from tests.counting_lm import CountingEngine
from tests.hashing_embedder import HashingEmbedder

pytestmark = pytest.mark.slow

PROGRAMS = ("paper_retriever", "paper_writer")
TEST_PAPERS = {"P6", "P7", "P8"}


@pytest.fixture(scope="module", params=PROGRAMS)
def setup(request, dataset):
    made = JobSetup(Job("compile", request.param, dataset, optimizer="few_shot"), embedder=HashingEmbedder())
    yield made
    made.new_program().index.close()


def asked(setup, split, place=0, engine=None):
    """A question of a split as it was posed, what came of it, and what it asked the model."""
    engine = engine or CountingEngine()
    posed = setup.posed(split)[place]
    with dspy.context(lm=engine.lm()):
        return posed, setup.new_program()(**posed.inputs), engine.asked


@pytest.fixture(scope="module")
def demos(bundled):
    """By program: every third training question with its demos."""
    return {
        name: [
            (each, task_of(name).demos(each, bundled, random.Random(each.id))) for each in bundled.split("train")[::3]
        ]
        for name in PROGRAMS
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_demos_show_papers_of_the_training_split_alone(name, bundled, demos):
    train = {paper for each in bundled.split("train") for paper in each.document_ids}
    shown = str(demos[name])
    for paper, document in bundled.documents.items():
        if paper not in train:
            assert document.title not in shown
            assert opening(document)[:100] not in shown


def test_the_selector_is_shown_the_right_paper_among_others(bundled, demos):
    for example, made in demos["paper_retriever"]:
        demo = made["selector.select"]
        best = [each for each in demo["selections"] if each["relevance"] > 2]
        numbered = demo["papers"].split("\n[")
        assert len(numbered) == 5
        assert len(best) == len(example.document_ids)
        titles = {bundled.documents[each].title for each in example.document_ids}
        assert all(any(title in numbered[each["paper"] - 1] for title in titles) for each in best)
        assert {each["relevance"] for each in best} == {10 if example.answerable else 6}


def test_scores_teach_both_sides(demos):
    taught = [(each, made["gatherer.search_evidence.score"]) for each, made in demos["paper_writer"]]
    assert {demo["result"]["score"] for _, demo in taught} == {0.9, 0.1}
    for example, demo in taught:
        quotes = [f"“{' '.join(one.quote.split())}”" for one in example.evidence]
        assert (demo["summary"] in quotes) == (demo["result"]["score"] == 0.9)


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_questions_see_test_papers_only_in_the_test_split(setup, split):
    _, found, prompts = asked(setup, split)
    papers = {each["document_id"] for each in as_json(found)["passages"]}
    assert bool(papers & TEST_PAPERS) == (split == "test")
    questions = [each for each in prompts if "change in flight?" in each]
    assert questions
    assert any("zebrafish" in each for each in questions) == (split == "test")


def test_metrics_of_the_task_apply_to_its_predictions(setup):
    posed, found, _ = asked(setup, "test")
    objective = {"paper_retriever": selection_ndcg, "paper_writer": evidence_utility}[setup.job.program]
    assert objective(posed.example, as_json(found)).value > 0.8
    assert objective.__name__ == setup.task.metrics[0]


def test_a_question_costs_no_more_than_is_said(setup):
    asked(setup, "val")  # papers are summarized before the first question
    calls = setup.task.calls(setup.bare_program, setup.dataset)
    for place in range(len(setup.posed("val"))):
        _, found, prompts = asked(setup, "val", place)
        assert calls.least <= len(prompts) == found.metrics["lm_calls"] <= calls.most


def test_the_plan_names_what_is_done_once_before_the_first_question(setup):
    before = setup.task.calls(setup.bare_program, setup.dataset).before
    with_model = replace(setup, lm=CountingEngine().lm())
    planned = plan_evaluation(with_model)
    assert plan_evaluation(setup).most_calls == 0  # without a model there are none
    assert before == (len(setup.dataset.documents) if setup.job.program == "paper_retriever" else 0)
    assert planned.most_calls == planned.reporting * planned.calls.most + before
    assert ("before the first" in str(planned)) == (before > 0)


def test_papers_are_summarized_once_for_all_copies(dataset):
    job, engine = Job("eval", "paper_retriever", dataset), CountingEngine()
    setup = JobSetup(job, embedder=HashingEmbedder(32, "tests/once"), lm=engine.lm())
    try:
        asked(setup, "val", engine=engine)
        asked(setup, "test", engine=engine)
        summarized = [each for each in engine.asked if "paper_summary" in each]
        assert len(summarized) == len(setup.dataset.documents)
        assert len(engine.asked) == len(summarized) + 2
    finally:
        setup.new_program().index.close()


def test_of_the_writer_a_dozen_passages_are_scored_and_one_that_the_model_fails_at_fails_the_question(dataset):
    class Unsteady(CountingEngine):
        def complete(self, request):
            if "[[ ## numbers ## ]]" in str(request.messages):
                raise LMError("out of memory")
            return super().complete(request)

    writer = JobSetup(Job("eval", "paper_writer", dataset), embedder=HashingEmbedder())
    program = writer.new_program()
    try:
        _, found, _ = asked(writer, "test")
        assert len(found.evidence) == min(PASSAGES, program.index.stats().chunks)
        assert program.settings == load("paper_writer", index=program.index, state=None).settings
        with pytest.raises(LMError, match="out of memory"):
            asked(writer, "test", engine=Unsteady())
    finally:
        program.index.close()
