"""The bundled data set beyond what reading it checks (quotes, splits): what it is made of, and what its card says."""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from optimize.dataset import near_duplicates
from programs.evidence_table.columns import read_columns
from programs.ingest.document import Document
from programs.ingest.formats import read

FOLDER = Path(__file__).resolve().parents[2] / "datasets" / "space_biology"
SPLITS = ("train", "val", "dev", "test")
KINDS = {"fact", "number", "comparison", "mechanism", "method", "null_result", "figure", "multi_paper", "unanswerable"}
FIELDS = ["id", "question", "language", "document_ids", "answer", "nuggets", "evidence", "answerable", "kind", "figure"]
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
FIGURE_NAME = re.compile(r"Figure \d+")


def _questions(split: str) -> list[dict]:
    lines = (FOLDER / "questions" / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


QUESTIONS = {split: _questions(split) for split in SPLITS}
ALL = list(itertools.chain.from_iterable(QUESTIONS.values()))
ANSWERABLE = [question for question in ALL if question["answerable"]]
PAPERS_OF = {split: {paper for row in rows for paper in row["document_ids"]} for split, rows in QUESTIONS.items()}


@pytest.fixture(scope="module")
def papers() -> dict[str, Document]:
    return {document.id: document for document in map(read, sorted((FOLDER / "papers").iterdir()))}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (FOLDER / "metadata.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _tokens(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """Jaccard index of two sets of tokens, 0 to 1."""
    return len(left & right) / len(left | right)


def _paragraphs(paper: Document) -> list[str]:
    """Paragraphs outside of the references, which papers may share."""
    bodies = (paper.text[section.start : section.end] for section in paper.sections if section.kind != "references")
    return list(itertools.chain.from_iterable(body.split("\n\n") for body in bodies))


class TestQuestions:
    def test_every_question_has_the_same_fields_and_a_known_kind(self):
        assert {tuple(question) for question in ALL} == {tuple(FIELDS)}
        assert {question["kind"] for question in ALL} == KINDS

    def test_ids_are_unique_and_run_without_a_gap(self):
        assert [question["id"] for question in ALL] == [f"sb-{place:04d}" for place in range(1, len(ALL) + 1)]

    def test_questions_are_about_papers_that_exist(self, papers: dict[str, Document]):
        assert set().union(*PAPERS_OF.values()) == set(papers)

    def test_answerable_questions_have_answer_nuggets_and_a_quote_from_each_paper(self):
        for question in ANSWERABLE:
            assert question["answer"]
            assert question["nuggets"]
            assert {quote["document_id"] for quote in question["evidence"]} == set(question["document_ids"])

    @pytest.mark.parametrize("split", SPLITS)
    def test_a_sixth_of_each_split_is_unanswerable(self, split: str):
        unanswerable = sum(not question["answerable"] for question in QUESTIONS[split])
        assert 0.15 <= unanswerable / len(QUESTIONS[split]) <= 0.20

    @pytest.mark.parametrize("language", ["es", "de", "ja"])
    def test_each_further_language_is_in_every_split_and_sometimes_unanswerable(self, language: str):
        asked = [question for question in ALL if question["language"] == language]
        assert len(asked) >= 8
        assert {not question["answerable"] for question in asked} == {True, False}
        assert all(any(question["language"] == language for question in rows) for rows in QUESTIONS.values())

    def test_japanese_questions_and_answers_are_written_in_japanese(self):
        asked = [question for question in ALL if question["language"] == "ja"]
        assert all(re.search(r"[ぁ-ん]", question["question"]) for question in asked)
        assert all(re.search(r"[ぁ-ん]", question["answer"]) for question in asked if question["answerable"])

    def test_enough_questions_name_a_figure_and_enough_need_two_papers(self):
        kinds = Counter(question["kind"] for question in ALL)
        assert kinds["figure"] >= 12
        assert kinds["multi_paper"] >= 12
        assert all(len(question["document_ids"]) == 1 + (question["kind"] == "multi_paper") for question in ALL)

    def test_a_named_figure_exists_and_its_caption_is_the_evidence(self, papers: dict[str, Document]):
        for question in ALL:
            named = FIGURE_NAME.search(question["question"])
            assert question["figure"] == (named[0] if named else None)
            if named:
                (quote,) = question["evidence"]
                paper = papers[quote["document_id"]]
                (figure,) = (figure for figure in paper.figures if figure.label == named[0])
                assert quote["quote"] in paper.text[figure.start : figure.end]

    def test_numbers_of_english_answers_and_of_all_nuggets_stand_in_the_quotes(self):
        for question in ANSWERABLE:
            proved = set(NUMBER.findall(" ".join(quote["quote"] for quote in question["evidence"])))
            answer = question["answer"] if question["language"] == "en" else ""
            named = FIGURE_NAME.sub("", " ".join([answer, *question["nuggets"]]))
            assert set(NUMBER.findall(named)) <= proved, question["id"]

    def test_questions_do_not_copy_their_evidence(self):
        for question in ANSWERABLE:
            for quote in question["evidence"]:
                assert _overlap(_tokens(question["question"]), _tokens(quote["quote"])) < 0.6, question["id"]


class TestPapers:
    def test_every_paper_says_that_it_is_fictional_and_invented(self, papers: dict[str, Document]):
        for paper in papers.values():
            labels = [text for text in _paragraphs(paper) if "software evaluation" in text]
            assert any("fiction" in text.lower() and "invented" in text for text in labels), paper.id

    def test_dois_are_of_the_test_prefix_and_unique(self, papers: dict[str, Document], rows: list[dict[str, str]]):
        assert all(paper.doi.startswith("10.5555/") for paper in papers.values())
        assert len({row["doi"] for row in rows}) == len(rows)

    def test_metadata_describes_each_paper_as_it_reads(self, papers: dict[str, Document], rows: list[dict[str, str]]):
        assert {row["file"] for row in rows} == {paper.source for paper in papers.values()}
        for row in rows:
            paper = papers[row["pmcid"]]
            assert (row["doi"], row["title"]) == (paper.doi, paper.title)
            assert all(row[field] for field in ("organism", "mission_env", "exposure", "system", "assay", "tissue"))
            if paper.source.endswith((".md", ".nxml")):
                assert row["authors"].split(";") == list(paper.authors)
                assert (int(row["year"]), row["journal"]) == (paper.year, paper.journal)

    def test_three_formats_are_read_with_sections_and_figures(self, papers: dict[str, Document]):
        formats = Counter(Path(paper.source).suffix for paper in papers.values())
        assert formats == {".md": 14, ".nxml": 11, ".pdf": 1}
        for paper in papers.values():
            assert {"abstract", "introduction", "references"} <= {section.kind for section in paper.sections} or (
                paper.id == "PMC0000010"  # "Why stir?" introduces, in its own words
            )
            assert {"fig1", "fig2"} <= {figure.id for figure in paper.figures}

    def test_no_paragraph_of_one_split_stands_in_another(self, papers: dict[str, Document]):
        paragraphs = {
            split: [text for name in sorted(names) for text in _paragraphs(papers[name]) if len(text.split()) >= 12]
            for split, names in PAPERS_OF.items()
        }
        assert all(len(texts) > 40 for texts in paragraphs.values())
        assert not list(near_duplicates([(split, text) for split, texts in paragraphs.items() for text in texts]))

    def test_no_paper_is_large(self):
        assert all(path.stat().st_size < 100_000 for path in (FOLDER / "papers").iterdir())


class TestCard:
    def test_card_counts_questions_and_papers_as_they_are(self):
        card = (FOLDER / "README.md").read_text(encoding="utf-8")
        for name, counts in {
            "papers": [len(PAPERS_OF[split]) for split in SPLITS],
            "questions": [len(QUESTIONS[split]) for split in SPLITS],
            "unanswerable": [sum(not row["answerable"] for row in QUESTIONS[split]) for split in SPLITS],
            "evidence quotes": [sum(len(row["evidence"]) for row in QUESTIONS[split]) for split in SPLITS],
        }.items():
            assert f"| {name} | " + " | ".join(map(str, [*counts, sum(counts)])) + " |" in card

    def test_card_lists_each_paper_under_its_split(self):
        card = (FOLDER / "README.md").read_text(encoding="utf-8")
        listed = set(re.findall(r"^\| (\w+) \| (PMC\d+)\.\w+ \|", card, re.MULTILINE))
        assert listed == {(split, paper) for split, names in PAPERS_OF.items() for paper in names}

    @pytest.mark.needs("hub")
    def test_hugging_face_loads_questions_and_papers_offline(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
        from datasets import load_dataset

        questions = load_dataset(str(FOLDER), "questions", cache_dir=str(tmp_path))
        table = str(FOLDER / "metadata.csv")
        papers = load_dataset("csv", data_files=table, split="train", cache_dir=str(tmp_path))
        assert {split: list(questions[split]["id"]) for split in questions} == {
            split: [row["id"] for row in rows] for split, rows in QUESTIONS.items()
        }
        assert set(papers["pmcid"]) == set().union(*PAPERS_OF.values())

    def test_no_package_hides_the_hugging_face_library(self):
        assert not list(FOLDER.parent.rglob("__init__.py"))


# The bundled table: ten columns, and gold cells whose quotes stand in their papers.

CELLS = [json.loads(line) for line in (FOLDER / "table" / "cells.jsonl").read_text(encoding="utf-8").splitlines()]


def test_there_are_ten_columns_and_no_cell_twice(papers):
    columns = {each.name: each.wanted for each in read_columns(FOLDER / "table" / "columns.yaml")}
    keys = [(each["document_id"], each["column"]) for each in CELLS]
    assert len(columns) == 10
    assert {column for _, column in keys} == columns.keys()
    assert {paper for paper, _ in keys} == papers.keys()
    assert len(set(keys)) == len(keys) > 240
    for each in CELLS:
        wanted = columns[each["column"]]
        assert all(wanted.read(value) is not None for value in each["values"]), each


def test_every_value_has_a_quote_that_stands_in_its_paper(papers):
    for each in CELLS:
        assert bool(each["values"]) is bool(each.get("quote")), each
        assert each.get("quote", "") in papers[each["document_id"]].text, each
