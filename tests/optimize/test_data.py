import json

import pytest

from optimize.data import find_folder, load_dataset, split_hashes
from optimize.example import digest, spread
from programs.errors import UsageError
from tests import small_dataset


@pytest.fixture
def questions():
    return small_dataset.rows()


def problems(tmp_path, questions):
    with pytest.raises(UsageError) as caught:
        load_dataset(small_dataset.write(tmp_path / "set", questions))
    return str(caught.value)


def test_a_folder_is_read(tmp_path):
    dataset = load_dataset(small_dataset.write(tmp_path / "set"))
    assert {split: len(examples) for split, examples in dataset.splits.items()} == {"train": 6, "val": 4, "test": 6}
    example = dataset.split("train")[0]
    assert (example.id, example.document_ids, example.answerable) == ("P1-a", ("P1",), True)
    assert example.evidence[0].quote in dataset.documents["P1"].text


def test_the_bundled_set_is_found_by_name():
    dataset = load_dataset("space_biology")
    assert {split: len(examples) for split, examples in dataset.splits.items()} == {
        "train": 71,
        "val": 35,
        "dev": 24,
        "test": 49,
    }


def test_a_wrong_column_is_named_with_its_line(tmp_path, questions):
    questions["val"][1]["anwser"] = "a typing error"
    assert "val.jsonl:2: anwser: Unexpected keyword argument" in problems(tmp_path, questions)


def test_a_wrong_type_is_named(tmp_path, questions):
    questions["val"][0]["answerable"] = "yes"
    questions["test"][0]["document_ids"] = "P6"
    found = problems(tmp_path, questions)
    assert "val.jsonl:1: answerable: Input should be a valid boolean" in found
    assert "test.jsonl:1: document_ids: Input should be a valid" in found


def test_a_repeated_id_is_named_with_both_lines(tmp_path, questions):
    questions["test"][3]["id"] = "P1-a"
    assert "test.jsonl:4: the id P1-a is already that of train.jsonl:1" in problems(tmp_path, questions)


def test_a_paper_in_two_splits_is_an_error(tmp_path, questions):
    questions["test"][0] |= {"document_ids": ["P1"], "evidence": []}
    assert "test.jsonl:1: P1 is in test, and at train.jsonl:1 in train; split by paper" in problems(tmp_path, questions)


def test_nearly_the_same_question_in_two_splits_is_an_error(tmp_path, questions):
    questions["test"][0]["question"] = questions["train"][0]["question"].upper().replace("?", " ?!")
    assert "test.jsonl:1: almost the same question as train.jsonl:1" in problems(tmp_path, questions)


def test_a_quote_that_the_paper_does_not_hold_is_an_error(tmp_path, questions):
    questions["train"][0]["evidence"][0]["quote"] = "Density rose by 99 percent."
    assert "train.jsonl:1: P1 does not hold the quote 'Density rose" in problems(tmp_path, questions)


def test_an_unknown_paper_is_an_error(tmp_path, questions):
    questions["train"][1]["document_ids"] = ["P99"]
    assert "train.jsonl:2: there is no paper P99" in problems(tmp_path, questions)


def test_gold_has_to_fit_the_answerable_flag(tmp_path, questions):
    questions["train"][0]["answerable"] = False
    questions["train"][1]["answerable"] = True
    found = problems(tmp_path, questions)
    assert "train.jsonl:1: not answerable, but with an answer" in found
    assert "train.jsonl:2: answerable, but without answer" in found


def test_every_problem_is_named_at_once_and_an_unknown_split_too(tmp_path, questions):
    questions["tset"] = []
    questions["val"][0]["id"] = ""
    found = problems(tmp_path, questions)
    assert "questions/tset.jsonl: no split has this name" in found
    assert "val.jsonl:1: id, question and document_ids must not be empty" in found


def test_a_broken_paper_is_named(tmp_path):
    folder = small_dataset.write(tmp_path / "set")
    (folder / "papers" / "empty.txt").write_text("")
    with pytest.raises(UsageError, match=r"empty\.txt"):
        load_dataset(folder)


@pytest.mark.parametrize(
    ("given", "advice"), [("nowhere", "bundled are space_biology"), (".", "no folder 'questions'")]
)
def test_a_missing_set_says_what_there_is(tmp_path, monkeypatch, given, advice):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=advice):
        find_folder(given)


def test_a_limit_takes_questions_from_all_papers(tmp_path):
    dataset = load_dataset(small_dataset.write(tmp_path / "set"))
    assert [each.id for each in dataset.split("train", 3)] == ["P1-a", "P2-a", "P3-a"]
    assert dataset.split("train", 99) == dataset.split("train")
    with pytest.raises(UsageError, match="no split 'dev'"):
        dataset.split("dev")
    with pytest.raises(UsageError, match="limit of 0"):
        dataset.split("train", 0)


def test_hashes_know_content_and_not_order(tmp_path):
    examples = load_dataset(small_dataset.write(tmp_path / "set")).split("train")
    assert digest(examples) == digest(examples[::-1])
    assert digest(examples) != digest(spread(examples, 5))
    assert split_hashes({"train": examples}) == {"train": digest(examples)}


def test_a_blank_line_is_no_question(tmp_path, questions):
    folder = small_dataset.write(tmp_path / "set", questions)
    file = folder / "questions" / "val.jsonl"
    file.write_text(json.dumps(questions["val"][0]) + "\n\n")
    assert len(load_dataset(folder).split("val")) == 1
