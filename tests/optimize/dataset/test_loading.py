import json
import random

import dspy
import pytest

from metrics.words import words
from optimize.dataset import Example, GoldEvidence, digest, leaked, near_duplicates, same_papers, spread
from optimize.dataset.loading import BUNDLED, find_folder, load_dataset
from programs.errors import UsageError
from programs.registry import create
from tests import small_dataset


@pytest.fixture
def questions():
    return small_dataset.rows()


def problems(tmp_path, questions):
    with pytest.raises(UsageError) as caught:
        load_dataset(small_dataset.write(tmp_path / "set", questions))
    return str(caught.value)


def test_a_folder_is_read_and_the_bundled_set_found_by_name(tmp_path):
    dataset = load_dataset(small_dataset.write(tmp_path / "set"))
    assert {split: len(examples) for split, examples in dataset.splits.items()} == {"train": 6, "val": 4, "test": 6}
    example = dataset.split("train")[0]
    assert (example.id, example.document_ids, example.answerable) == ("P1-a", ("P1",), True)
    assert example.evidence[0].quote in dataset.documents["P1"].text
    sizes = {split: len(examples) for split, examples in load_dataset("space_biology").splits.items()}
    assert sizes == {"train": 71, "val": 35, "dev": 24, "test": 49}


def quoted(paper, quote):
    return {"evidence": [{"document_id": paper, "quote": quote}]}


YES_NO = ["yes", "no"]


@pytest.mark.parametrize(
    ("line", "changed", "said"),
    [
        ("val.jsonl:2", {"anwser": "a typing error"}, "anwser: there is no such field; did you mean answer?"),
        ("test.jsonl:4", {"id": "P1-a"}, "the id P1-a is already that of train.jsonl:1"),
        (
            "test.jsonl:1",
            {"document_ids": ["P1"], "evidence": []},
            "P1 is in test, and at train.jsonl:1 in train; split",
        ),
        ("train.jsonl:1", quoted("P1", "Density rose by 99 percent."), "P1 does not hold the quote 'Density rose"),
        ("train.jsonl:1", quoted("P1", "The femur\ndensity"), "; it has 'The femur density'"),
        ("train.jsonl:1", quoted("P6", "scale"), "quoted from P6, which document_ids does not name"),
        ("train.jsonl:1", quoted("P1", " "), "evidence: an empty text is among them"),
        ("train.jsonl:2", {"document_ids": ["P99"]}, "there is no paper P99"),
        *(
            ("train.jsonl:2", {"document_ids": [paper]}, f"there is no paper {paper} in papers/; did you mean P1?")
            for paper in ("P1.txt", "p1", "papers/P1")
        ),
        ("val.jsonl:1", {"answerable": "yes"}, "answerable: Input should be a valid boolean"),
        ("test.jsonl:1", {"document_ids": "P6"}, "document_ids: Input should be a valid"),
        ("train.jsonl:1", {"answerable": False}, "not answerable, but with an answer"),
        ("train.jsonl:2", {"answerable": True}, "answerable, but without answer"),
        ("train.jsonl:1", {"nuggets": ["dense", ""]}, "nuggets: an empty text is among them"),
        ("train.jsonl:1", {"nuggets": [], "answer": "  "}, "answerable, but without answer, answers, nuggets or label"),
        (
            "train.jsonl:1",
            {"label": "yess", "choices": YES_NO},
            "the label 'yess' is none of the choices ['yes', 'no']",
        ),
        ("train.jsonl:1", {"label": "yes"}, "the label 'yes' is none of the choices []"),
        ("train.jsonl:1", {"choices": YES_NO}, "choices without a label"),
        ("train.jsonl:1", {"choices": ["yes", "yes"], "label": "yes"}, "choices: one of them is there twice"),
        ("train.jsonl:1", {"document_ids": ["P1", "P1"]}, "document_ids: one of them is there twice"),
        ("train.jsonl:1", {"id": "a\x1b[31m"}, "holds control characters"),
        ("train.jsonl:1", {"answer": None}, "answer: Input should be a valid string, got None"),
        ("train.jsonl:1", {"answer": float("nan")}, "answer: Input should be a valid string, got nan"),
        ("train.jsonl:1", {"answer": "a" * 1_000_001}, "a question has 1,000,000 at most, and papers go to papers/"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, questions, line, changed, said):
    file, _, number = line.partition(":")
    questions[file.removesuffix(".jsonl")][int(number) - 1] |= changed
    found = problems(tmp_path, questions)
    assert f"{line}: " in found
    assert said in found


def test_a_paper_that_is_in_two_splits_under_two_names_is_an_error(tmp_path):
    folder = small_dataset.write(tmp_path / "set")
    train, test = folder / "papers" / "P1.txt", folder / "papers" / "P6.txt"
    test.write_text(test.read_text() + train.read_text() + "\nAcknowledgements\n\nWe thank the crew.\n")
    with pytest.raises(
        UsageError, match=r"test\.jsonl:1: P6 is almost the same text as P1, at train\.jsonl:1 in train"
    ):
        load_dataset(folder)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_and_foreign_line_ends_do_not_matter(tmp_path, questions, encoding):
    questions["val"][0]["answer"] = "one\u2028two\x85three"
    folder = small_dataset.write(tmp_path / "set", questions)
    lines = [json.dumps(row, ensure_ascii=False) for row in questions["val"]]
    (folder / "questions" / "val.jsonl").write_bytes("\r\n".join(lines).encode(encoding))
    assert [each.id for each in load_dataset(folder).split("val")] == [row["id"] for row in questions["val"]]
    assert load_dataset(folder).split("val")[0].answer == "one\u2028two\x85three"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("val.jsonl", "Größe".encode("latin-1"), "questions/val.jsonl: not UTF-8: byte 0xf6 at offset 2"),
        ("val.jsonl", b" \n", "questions/val.jsonl: empty (2 bytes, none of them text)"),
        ("val.jsonl", b'[{"id": "a"}]', "val.jsonl:1: no JSON object on one line"),
        ("val.json", b"[]", "questions/val.json: questions are read from val.jsonl"),
        ("val.jsonl.gz", b"\x1f\x8b", "questions/val.jsonl.gz: questions are read from val.jsonl"),
        ("Val.jsonl", b"{}", "questions/Val.jsonl: questions are read from val.jsonl"),
    ],
)
def test_a_file_that_cannot_be_read_as_questions_is_named(tmp_path, name, content, said):
    folder = small_dataset.write(tmp_path / "set")
    (folder / "questions" / name).write_bytes(content)
    with pytest.raises(UsageError) as caught:
        load_dataset(folder)
    assert said in str(caught.value)


def test_a_folder_instead_of_a_file_a_link_to_nothing_and_a_set_without_anything_are_named(tmp_path):
    folder = small_dataset.write(tmp_path / "set")
    (folder / "questions" / "dev.jsonl").symlink_to(tmp_path / "gone.jsonl")
    (folder / "questions" / "val.jsonl").unlink()
    (folder / "questions" / "val.jsonl").mkdir()
    bare = tmp_path / "bare"
    (bare / "questions").mkdir(parents=True)
    (bare / "papers").mkdir()
    for place, said in (
        (folder, "questions/dev.jsonl: cannot be read (No such file or directory)"),
        (folder, "questions/val.jsonl: cannot be read (Is a directory)"),
        (bare, "questions: it holds none; write them to train.jsonl"),
        (bare, "papers: there is no paper in it; papers are files that end in"),
    ):
        with pytest.raises(UsageError) as caught:
            load_dataset(place)
        assert said in str(caught.value)


def test_a_broken_paper_and_a_row_of_the_table_that_means_no_paper_are_told(tmp_path):
    folder = small_dataset.write(tmp_path / "set")
    (folder / "metadata.csv").write_text("file,year\nP1.txt,2019\nPP2.txt,2020\n")
    assert load_dataset(folder).notes == ("left out of metadata.csv, because no paper is meant: line 3: PP2",)
    (folder / "metadata.jsonl").write_text("")
    with pytest.raises(UsageError, match=r"metadata\.csv and metadata\.jsonl are both there; keep one"):
        load_dataset(folder)
    (folder / "metadata.jsonl").unlink()
    (folder / "papers" / "empty.txt").write_text("")
    with pytest.raises(UsageError, match=r"empty\.txt"):
        load_dataset(folder)


def test_the_lines_that_the_documentation_shows_are_read(tmp_path):
    text = (BUNDLED / "space_biology" / "README.md").read_text(encoding="utf-8")
    shown = text.partition("```json\n")[2].partition("```")[0]
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "smith2019.txt").write_text("Results\n\nMice lost 18 % of bone volume.\n")
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "test.jsonl").write_text(shown)
    assert [each.answerable for each in load_dataset(tmp_path).split("test")] == [True, False]


def test_every_problem_is_named_at_once_and_an_unknown_split_too(tmp_path, questions):
    questions["tset"] = []
    questions["val"][0]["id"] = ""
    questions["test"][0]["question"] = questions["train"][0]["question"].upper().replace("?", " ?!")
    found = problems(tmp_path, questions)
    assert "questions/tset.jsonl: no split has this name" in found
    assert "val.jsonl:1: id, question and document_ids must not be empty" in found
    assert "test.jsonl:1: almost the same question as train.jsonl:1" in found


@pytest.mark.parametrize(
    ("given", "advice"), [("nowhere", "bundled are space_biology"), (".", "no folder 'questions'")]
)
def test_a_missing_set_says_what_there_is(tmp_path, monkeypatch, given, advice):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=advice):
        find_folder(given)


def test_a_limit_takes_questions_from_all_papers_and_hashes_know_content_and_not_order(tmp_path):
    dataset = load_dataset(small_dataset.write(tmp_path / "set"))
    examples = dataset.split("train")
    assert [each.id for each in dataset.split("train", 3)] == ["P1-a", "P2-a", "P3-a"]
    assert dataset.split("train", 99) == examples
    with pytest.raises(UsageError, match="no split 'dev'"):
        dataset.split("dev")
    with pytest.raises(UsageError, match="limit of 0"):
        dataset.split("train", 0)
    assert digest(examples) == digest(examples[::-1]) != digest(spread(examples, 5))


def test_own_questions_need_no_id_and_a_blank_line_is_none(tmp_path, questions):
    for row in questions["val"]:
        del row["id"]
    folder = small_dataset.write(tmp_path / "set", questions)
    file = folder / "questions" / "val.jsonl"
    file.write_text(f"{file.read_text()}\n\n")
    ids = [each.id for each in load_dataset(folder).split("val")]
    assert len(set(ids)) == len(ids) == len(questions["val"])
    assert all(each.startswith("q-") for each in ids)


def jaccard(one, other):
    first, second = set(words(one)), set(words(other))
    return len(first & second) / len(first | second)


def test_the_short_way_finds_what_comparing_all_pairs_finds():
    rng = random.Random(1)
    known = ["bone", "root", "cell", "mass", "heart", "skin"]
    texts = [(rng.choice("ab"), " ".join(rng.choices(known, k=rng.randint(1, 7)))) for _ in range(120)]
    expected = [
        (first, second)
        for first in range(len(texts))
        for second in range(first + 1, len(texts))
        if texts[first][0] != texts[second][0] and jaccard(texts[first][1], texts[second][1]) >= 0.7
    ]
    assert expected
    assert list(near_duplicates(texts, 0.7)) == expected
    assert list(near_duplicates([("train", "How much bone?"), ("train", "How much bone?")])) == []


def invented(seed, length=400):
    known = ["bone", "root", "cell", "mass", "heart", "skin", "in", "the", "rose", "fell"]
    return " ".join(random.Random(seed).choices(known, k=length))


def test_versions_of_a_paper_are_found_and_others_and_those_with_one_licence_are_not():
    first, other = invented(1), invented(2)
    version = first[:1200] + " a new middle " + first[1300:] + " Acknowledgements: we thank the crew."
    papers = {"first": first, "other": other, "version": version, "abstract": first[:300], "empty": ""}
    assert set(same_papers(papers)) == {("first", "version"), ("first", "abstract"), ("version", "abstract")}
    licence = invented(0, 60)
    assert list(same_papers({str(number): f"{licence} {invented(number + 1, 40)}" for number in range(30)})) == []


QUOTE = "Bone volume fell by 18.0\u00a0% in eleven flown mice."
SEEN = Example(
    "t1",
    "How much bone volume did the eleven flown mice lose in orbit?",
    ("P1",),
    answer="They lost 18 percent of it, and no more than that.",
    answers=("Eighteen percent of their bone volume was gone.",),
    nuggets=("bone volume was lower by 18 percent in mice",),
    evidence=(GoldEvidence("P1", QUOTE),),
)


@pytest.fixture
def program():
    return create("main_points")


def planted(program, **demo):
    _, predictor = next(iter(program.named_predictors()))
    predictor.demos = [dspy.Example(**demo)]
    return list(leaked(program, [SEEN]))


@pytest.mark.parametrize("text", [SEEN.question, SEEN.answer, SEEN.answers[0], SEEN.nuggets[0], QUOTE])
@pytest.mark.parametrize("wrap", [str, lambda text: [f"[1] {text}"], lambda text: {"passages": (text.upper(),)}])
def test_gold_text_in_a_demo_is_found_however_it_is_kept(program, text, wrap):
    assert planted(program, context=wrap(text)) == [f"t1: {text[:80]!r}"]


def test_gold_text_in_what_an_optimizer_wrote_is_found_and_a_few_words_are_no_leak(program):
    assert planted(program, context="Bone volume fell by 12.0 % in eleven flown mice.", answer="18 percent") == []
    _, predictor = next(iter(program.named_predictors()))
    name = next(iter(predictor.signature.output_fields))
    predictor.signature = predictor.signature.with_updated_fields(name, desc=f"Such as: {SEEN.answer}")
    assert list(leaked(program, [SEEN])) == [f"t1: {SEEN.answer!r}"]
