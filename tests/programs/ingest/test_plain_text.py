import json

from programs.ingest.plain_text import document_of
from tests.benchmarks import BENCHMARKS, needs_benchmarks


def test_nothing_is_an_empty_document():
    assert document_of("\n \n", "empty").text == ""


@needs_benchmarks
def test_articles_without_empty_lines_have_sections():
    lines = (BENCHMARKS / "qasper" / "papers_qa.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        kinds = {section.kind for section in document_of(json.loads(line)["paper"], "paper").sections}
        assert "introduction" in kinds
        assert {"conclusion", "results", "methods", "discussion"} & kinds
