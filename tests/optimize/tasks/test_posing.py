"""How tasks put questions of a data set to their programs: cells, collections, joined papers; and what a run costs."""

from __future__ import annotations

from dataclasses import replace

import dspy
import pytest

from metrics.grounded_utility import grounded_utility
from optimize.dataset import Example, WordSearch
from optimize.dataset.loading import Dataset
from optimize.job import Job, JobSetup, evaluate, task_of
from optimize.run_folder import open_run
from optimize.tasks import CallCount
from optimize.tasks.main_points import BASELINES, about, joined
from programs.errors import UsageError
from programs.evidence_table.cell_values import ValueType
from programs.ingest.chunking import SENTENCES, chunk
from programs.ingest.plain_text import document_of
from programs.lm import LM
from programs.registry import create
from programs.replay import replay
from programs.results.rendering import as_json
from programs.retrieval.index import UnconnectedIndex
from tests.counting_lm import CountingEngine

TASK = task_of("evidence_table")


def test_a_question_is_a_column_and_its_paper_a_row(bundled):
    example = bundled.split("train")[0]
    posed = TASK.pose(example, bundled)
    assert posed.inputs == {"question": example.question, "paper": example.document_ids[0], "wanted": ValueType()}
    labelled = replace(example, label="yes", choices=("yes", "no"))
    assert TASK.pose(labelled, bundled).inputs["wanted"] == ValueType("yes/no")
    chosen = replace(example, label="b", choices=("a", "b"))
    assert TASK.pose(chosen, bundled).inputs["wanted"] == ValueType("choices", ("a", "b"))


def test_a_question_on_two_papers_is_put_to_the_one_with_more_evidence(bundled):
    example = next(each for each in bundled.split("train") if len(each.document_ids) > 1 and each.evidence)
    paper = TASK.pose(example, bundled).inputs["paper"]
    counts = [sum(each.document_id == name for each in example.evidence) for name in example.document_ids]
    assert sum(each.document_id == paper for each in example.evidence) == max(counts)


def test_a_cell_costs_one_call_a_try(bundled):
    program = create("evidence_table", index=UnconnectedIndex())
    program.set_parameters(num_tries=3)
    assert TASK.calls(program, bundled) == CallCount(0, 3)


# Programs that search a collection.

LABELLED = Example("q", "Did density fall?", ("P1",), answer="Density fell.", label="yes", choices=("yes", "no"))
ANSWER = {"answer": "Density fell [1].", "answerable": True, "passages": ["Density fell."], "question": "?"}


@pytest.mark.parametrize("program", ["rag_fusion", "multi_signal"])
def test_a_label_that_no_program_of_them_gives_is_not_asked_of_them(program):
    posed = task_of(program).pose(LABELLED, Dataset("d", {"test": (LABELLED,)}, {}))
    assert (posed.example.label, posed.example.choices, posed.example.answer) == ("", (), "Density fell.")
    assert set(posed.inputs) == {"question", "filters"}
    assert grounded_utility(LABELLED, ANSWER).value == 0.0
    assert grounded_utility(posed.example, ANSWER).value > 0.5


def test_every_span_of_a_joined_paper_is_provable(bundled):
    documents = bundled.documents
    both = [documents["PMC0000001"], documents["PMC0000002"]]
    paper = joined(both)
    assert paper.id == "PMC0000001+PMC0000002"
    texts = [each.text[figure.start : figure.end] for each in both for figure in each.figures]
    assert [paper.text[figure.start : figure.end] for figure in paper.figures] == texts
    assert len({figure.id for figure in paper.figures}) == len(paper.figures)
    apart = [piece.text for each in both for piece in chunk(each, SENTENCES) if piece.kind == "text"]
    assert [piece.text for piece in chunk(paper, SENTENCES) if piece.kind == "text"] == apart


def test_gold_ids_become_those_of_the_joined_paper(bundled):
    example = next(each for each in bundled.split("train") if len(each.document_ids) == 2 and each.evidence)
    paper = joined([bundled.documents[each] for each in example.document_ids])
    posed = about(example, paper)
    assert posed.document_ids == (paper.id,)
    assert {each.document_id for each in posed.evidence} == {paper.id}
    assert all(each.quote in paper.text for each in posed.evidence)
    alone = Example("x", "q", (paper.id,))
    assert about(alone, paper) is alone
    assert joined([paper]) is paper


PAPER = document_of(
    "Abstract\n\nMice flew. They were fed. They slept. They came home.\n\n"
    "Results\n\nNobody sang. Femur density increased in flight compared with the ground. Tails did not change.\n",
    "P",
)
CHOICES = ("increased", "decreased", "no difference")
TRAIN = [Example(str(n), "?", ("P",), label=label) for n, label in enumerate(["decreased", "increased", "decreased"])]


def ask(name, question="Did femur density change in flight?", choices=CHOICES):
    with dspy.context(lm=LM("extractive")):
        return BASELINES[name](TRAIN)(question=question, paper=PAPER, choices=choices)


@pytest.mark.parametrize(
    ("name", "answer", "label", "calls"),
    [
        ("lead", "Mice flew [1]. They were fed [1]. They slept [1].", None, 1),
        ("best_sentence", "Femur density increased in flight compared with the ground [1].", "increased", 1),
        ("majority", "", "decreased", 0),
    ],
)
def test_baselines_answer_by_what_they_pick_replay_and_ask_only_for_a_label(name, answer, label, calls):
    found = ask(name)
    assert (found.answer, found.answerable) == (answer, bool(answer))
    assert label in (None, found.label)
    assert not list(replay(as_json(found), lambda _: PAPER))
    engine = CountingEngine()
    with dspy.context(lm=engine.lm()):
        BASELINES[name](TRAIN)(question="Did femur density change?", paper=PAPER, choices=CHOICES)
    assert len(engine.asked) == calls


def test_bm25_prefers_rare_terms_and_short_texts():
    texts = ["femur and cell", "cell", "cell of many other words beside it and after it", "wing"]
    assert WordSearch(texts).scores("the femur")[0] > 0 == max(WordSearch(texts).scores("the femur")[1:])
    scores = WordSearch(texts).scores("cell")
    assert scores[1] > scores[2] > scores[3] == 0
    assert WordSearch(texts).best("cell", 3)[0] == 1
    assert WordSearch(texts).best("wing of bone", 4) == [3]


def test_a_baseline_is_evaluated_like_a_program(dataset, tmp_path):
    setup = JobSetup(Job("eval", "best_sentence", dataset))
    report = evaluate(setup, open_run(tmp_path / "run", setup.manifest(), resume=False))
    rows = {row.metric: row for row in report.rows}
    assert rows["evidence_recall"].before.value == 1.0
    assert rows["answerability"].before.value == 0.5


def test_an_objective_comes_first():
    assert task_of("main_points", "accuracy").metrics[0] == "accuracy"
    assert sorted(task_of("main_points", "accuracy").metrics) == sorted(task_of("main_points").metrics)
    assert task_of("rag_fusion").metrics[0] == "grounded_utility"
    assert task_of("rag_fusion", "ndcg_at_k").metrics[0] == "ndcg_at_k"


@pytest.mark.parametrize(
    ("program", "objective", "said"),
    [
        *(
            ("main_points", name, f"main_points has no objective '{name}'; it has grounded_utility")
            for name in ("copy_ratio", "ndcg_at_k", "beauty")
        ),
        ("oracle", "", r"there are main_points, .* and the baselines majority, lead, best_sentence"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_there_is(program, objective, said):
    with pytest.raises(UsageError, match=said):
        task_of(program, objective)
