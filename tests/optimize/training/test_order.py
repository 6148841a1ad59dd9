"""The order from its data to its files, on small papers in which the passage with the answer can be told."""

import copy
import random
import threading

import pytest

from optimize.training.labelled_claims import rows
from optimize.training.loop import Trainer, TrainingRun, load_model
from optimize.training.order import (
    OrderSettings,
    export,
    figures,
    judged,
    listwise_loss,
    train,
)
from optimize.training.ranking_lists import (
    COLLECTIONS,
    InventedPaper,
    drawn,
    epoch,
    invented_papers,
    invented_sentences,
    is_dev,
    trials,
)
from optimize.training.wording import TrialFinding, asked, plainly
from programs.models.order import LearnedOrder

pytestmark = pytest.mark.inference

FINDING = TrialFinding("Simvastatin", "Placebo", "Vascular mortality", "less")
PASSES = {"trials": 6.0, "handwritten_sentences": 3.0}
SETTINGS = OrderSettings(passes=PASSES, size=4, length=48, rate=3e-3, last_rate=1e-4, epochs=3)
QUESTION = "What was the effect of alphamab compared with placebo on relapses?"


@pytest.fixture(scope="module")
def made(weights, data, tmp_path_factory):
    """The folder of a trained order, and the losses of its training."""
    start, folder, losses = tmp_path_factory.mktemp("start"), tmp_path_factory.mktemp("made") / "order", []
    run, dev = TrainingRun(on_step=lambda part, step, steps, loss: losses.append(loss)), [trials(data, dev=True)]
    untrained = Trainer(load_model(weights, 1), listwise_loss(SETTINGS.size)).weights()
    export(untrained, weights, start, dev, SETTINGS.length)
    trainer = train(weights, data, run, SETTINGS, start)
    export(trainer.weights(), weights, folder, dev, SETTINGS.length)
    return folder, losses


def test_training_lowers_the_loss_and_the_exported_order_prefers_what_answers(made, data):
    assert sum(made[1][-8:]) < 0.8 * sum(made[1][:8])
    found = judged(LearnedOrder(made[0]), trials(data, dev=True))
    assert found
    assert figures(found)["answer among the first 1"] > 0.75


def test_scores_are_probabilities_and_do_not_depend_on_company(made):
    order = LearnedOrder(made[0])
    texts = ["Relapses fell with alphamab.", "They cost. " * 5_000, "", "x"]
    found = order.scores(QUESTION, texts, ["Trial 1. Results", "", "", ""])
    assert all(0 <= score <= 1 for score in found)
    assert found[2] == 0
    assert order.scores(QUESTION, texts[:1], ["Trial 1. Results"]) == pytest.approx(found[:1], abs=1e-12)
    assert (order.scores(" ", ["Relapses fell."]), order.scores(QUESTION, [])) == ([0.0], [])
    with pytest.raises(ValueError, match="as many places as there are passages, 2, not 1"):
        order.scores(QUESTION, ["a", "b"], ["Trial"])


def test_threads_and_copies_share_an_order(made):
    order, found = LearnedOrder(made[0]), []
    assert copy.deepcopy([order])[0] is order
    texts = ["Relapses fell with alphamab.", "Relapses rose."]
    threads = [threading.Thread(target=lambda: found.append(order.scores(QUESTION, texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [found[0]] * 4


def test_no_paper_that_is_reported_or_kept_apart_is_trained_on(data):
    hand = {row["document"] for row in rows(data / "claims" / "handwritten.jsonl") if row["split"] == "dev"}
    seen = {passage.document for read in COLLECTIONS.values() for passage in read(data).passages}
    dev = {passage.document for passage in trials(data, dev=True).passages}
    invented = {need.document for need in invented_sentences(data, apart=True).needs}
    assert hand
    assert seen
    assert dev
    assert invented
    assert not seen & {"PMC11", "scifact:0", "scifact:1", *hand, *dev, *invented}
    assert all(map(is_dev, dev))


def test_the_first_text_of_a_list_answers_and_the_others_do_not(data):
    collection = trials(data)
    for number in range(len(collection.needs)):
        ask = drawn(collection, number, 4, random.Random(number))
        assert "Relapses fell with alphamab." in ask.texts[0]
        assert len(set(ask.texts)) >= 3


def test_an_epoch_is_the_same_for_a_seed_and_another_for_another(data):
    collections = {"trials": trials(data)}
    one, again, other = (list(epoch(collections, {"trials": 1.5}, 4, random.Random(seed))) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert len(one) == round(1.5 * len(collections["trials"].needs))


def test_a_finding_is_asked_for_in_many_wordings():
    generator = random.Random(0)
    found = {asked(FINDING, generator) for _ in range(2_000)}
    assert len(found) > 100
    assert "Does simvastatin reduce vascular mortality?" in found
    assert plainly(FINDING) == "What was the effect of simvastatin compared with placebo on vascular mortality?"


def test_the_loss_is_least_where_the_answer_stands_out():
    import torch

    loss, targets = listwise_loss(3), torch.tensor([1, 0, 0])
    assert float(loss(torch.tensor([9.0, -9.0, -9.0]), targets)) == pytest.approx(0, abs=1e-2)
    assert float(loss(torch.tensor([0.0, 9.0, -9.0]), targets)) > 5


def test_an_invented_paper_says_which_of_its_sentences_answer():
    table = ("Table 2. Growth", ["Diet: T3; FCR: 1.73", "Diet: T7; FCR: 1.5"])
    lines = ["More fish lived.", "We weighed them."]
    paper = InventedPaper("Fish fed on insects", [("Results", lines), table], [("survival", [1])])
    rows = ["Table 2. Growth | Diet | FCR | | T3 | 1.73 |", "Table 2. Growth | Diet | FCR | | T7 | 1.5 |"]
    assert paper.numbered == [("Results", text) for text in (*lines, *rows)]


def test_every_question_on_an_invented_paper_names_sentences_of_it():
    papers = invented_papers()
    assert len({each.title for each in papers}) == len(papers)
    for paper in papers:
        assert paper.questions
        for question, answers in paper.questions:
            assert question.strip()
            assert answers
            assert all(1 <= at <= len(paper.numbered) for at in answers)
