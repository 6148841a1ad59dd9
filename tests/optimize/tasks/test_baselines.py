import dspy
import pytest

from metrics.retrieval import ndcg_at_k
from optimize.dataset.data import load_dataset
from optimize.dataset.example import Example
from optimize.dataset.word_search import WordSearch
from optimize.evaluating.evaluate import evaluate_program
from optimize.job import Job, JobSetup
from optimize.running.run_folder import open_run
from optimize.tasks import task_of
from optimize.tasks.baselines import BASELINES
from programs.errors import UsageError
from programs.ingest.plain_text import document_of
from programs.lm import LM
from programs.replay import replay
from programs.results.rendering import as_json
from tests import small_dataset
from tests.counting_lm import CountingEngine
from tests.hashing_embedder import HashingEmbedder

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


def test_lead_is_the_first_sentences():
    assert ask("lead").answer == "Mice flew [1]. They were fed [1]. They slept [1]."


def test_the_best_sentence_shares_the_rarest_words():
    found = ask("best_sentence")
    assert found.answer == "Femur density increased in flight compared with the ground [1]."
    assert found.label == "increased"


def test_the_majority_is_that_of_train_and_answers_nothing():
    found = ask("majority")
    assert (found.label, found.answer, found.answerable) == ("decreased", "", False)


def test_chance_is_the_same_in_every_run_and_gives_every_label():
    given = [ask("random", f"Question {number}?").label for number in range(60)]
    assert given == [ask("random", f"Question {number}?").label for number in range(60)]
    assert all(given.count(choice) >= 10 for choice in CHOICES)


def test_abstaining_says_nothing():
    found = ask("abstain")
    assert (found.answer, found.label, found.passages) == ("", "", [])


@pytest.mark.parametrize("name", BASELINES)
def test_answers_replay_from_the_paper(name):
    assert not list(replay(as_json(ask(name)), lambda _: PAPER))


def test_only_baselines_that_find_something_ask_for_a_label():
    calls = {}
    for name in BASELINES:
        engine = CountingEngine()
        with dspy.context(lm=engine.lm()):
            BASELINES[name](TRAIN)(question="Did femur density change?", paper=PAPER, choices=CHOICES)
        calls[name] = len(engine.asked)
    assert calls == {"abstain": 0, "random": 0, "majority": 0, "lead": 1, "best_sentence": 1}


def test_bm25_prefers_rare_terms_and_short_texts():
    texts = ["femur and cell", "cell", "cell of many other words beside it and after it", "wing"]
    assert WordSearch(texts).scores("the femur")[0] > 0 == max(WordSearch(texts).scores("the femur")[1:])
    scores = WordSearch(texts).scores("cell")
    assert scores[1] > scores[2] > scores[3] == 0
    assert WordSearch(texts).best("cell", 3)[0] == 1
    assert WordSearch(texts).best("wing of bone", 4) == [3]


def test_a_baseline_is_evaluated_like_a_program(tmp_path):
    data = small_dataset.write(tmp_path / "set")
    setup = JobSetup(Job("eval", "best_sentence", str(data)))
    report = evaluate_program(setup, open_run(tmp_path / "run", setup.manifest(), resume=False))
    rows = {row.metric: row for row in report.rows}
    assert rows["evidence_recall"].before.value == 1.0
    assert rows["answerability"].before.value == 0.5


@pytest.fixture
def retrieval(tmp_path):
    dataset = load_dataset(small_dataset.write(tmp_path / "set"))
    return dataset, HashingEmbedder()


@pytest.mark.parametrize("name", ["multi_signal", "rag_fusion"])
def test_search_alone_finds_passages_and_writes_no_answer(retrieval, name):
    dataset, embedder = retrieval
    task = task_of(name, "ndcg_at_k")
    program = task.program(dataset, embedder)
    engine = CountingEngine()
    posed = task.pose(dataset.split("test")[0], dataset)
    with dspy.context(lm=engine.lm()), program.retriever:
        found = program(**posed.inputs)
    assert (found.answer, found.citations) == ("", [])
    assert float(ndcg_at_k(posed.example, found)) > 0.5
    assert len({each.document_id for each in found.passages}) >= 5
    assert len(engine.asked) <= task.calls(program, dataset).most
    assert name == "rag_fusion" or not engine.asked


def test_an_objective_comes_first():
    assert task_of("main_points", "accuracy").metrics[0] == "accuracy"
    assert sorted(task_of("main_points", "accuracy").metrics) == sorted(task_of("main_points").metrics)
    assert task_of("rag_fusion").metrics[0] == "grounded_utility"
    assert task_of("rag_fusion", "mrr").metrics[0] == "mrr"


@pytest.mark.parametrize("objective", ["copy_ratio", "ndcg_at_k", "beauty"])
def test_an_objective_that_does_not_fit_is_refused(objective):
    with pytest.raises(UsageError, match=f"main_points has no objective '{objective}'; it has grounded_utility"):
        task_of("main_points", objective)


def test_an_unknown_program_is_refused_with_what_there_is():
    with pytest.raises(UsageError, match=r"there are main_points, .* and the baselines abstain, random, majority"):
        task_of("oracle")
