"""Fields and passages of predictions, in whatever form they come."""

from types import SimpleNamespace

import dspy
import pytest

from metrics.passages import Citable, citable_ids, passages_of, read, read_texts, resolve

VALUES = {"answer": "It fell.", "labels": ["yes"], "error": None}


@pytest.mark.parametrize(
    "item", [VALUES, SimpleNamespace(**VALUES), dspy.Example(**VALUES), dspy.Prediction(**VALUES)], ids=type
)
def test_a_field_is_read_from_any_form(item):
    assert read(item, "answer") == "It fell."
    assert read(item, "labels") == ["yes"]
    assert read(item, "error", "none") == "none"
    assert read(item, "items", "missing") == "missing" or not hasattr(item, "keys")


def test_a_missing_item_has_no_fields():
    assert read(None, "answer", "nothing") == "nothing"


def test_texts_come_from_the_first_field_that_has_any():
    assert read_texts({"answers": ["a", " "], "answer": "b"}, "answers", "answer") == ("a",)
    assert read_texts({"answers": [], "answer": "b"}, "answers", "answer") == ("b",)
    assert read_texts({}, "answers", "answer") == ()


def test_passages_may_be_text_mappings_or_objects():
    prediction = {
        "passages": [
            "Bone fell.",
            {"text": "Bone rose.", "id": "PMC1::sec0::chunk1", "section": "results"},
            SimpleNamespace(text="Bone stayed.", id="x", document_id="PMC2", key="smith2024bone"),
        ]
    }
    assert passages_of(prediction) == (
        Citable(1, "Bone fell."),
        Citable(2, "Bone rose.", "PMC1::sec0::chunk1", "PMC1", "results"),
        Citable(3, "Bone stayed.", "x", "PMC2", "", "smith2024bone"),
    )
    assert passages_of({}) == ()


def test_citations_resolve_by_number_id_document_and_key():
    passages = passages_of(
        {"passages": [{"text": "a", "id": "PMC1::0"}, {"text": "b", "id": "PMC1::1"}, {"text": "c", "key": "wu2020x"}]}
    )
    assert [passage.number for passage in resolve("2", passages)] == [2]
    assert [passage.number for passage in resolve("pmc1::0", passages)] == [1]
    assert [passage.number for passage in resolve("PMC1", passages)] == [1, 2]
    assert [passage.number for passage in resolve("wu2020x", passages)] == [3]
    assert resolve("4", passages) == ()
    assert citable_ids(passages) == ("1", "PMC1::0", "PMC1", "2", "PMC1::1", "wu2020x")


def test_a_citation_names_a_passage_by_what_it_was_shown_under():
    keyed = passages_of({"passages": [{"text": "Bone fell [1].", "id": "PMC1::0", "key": "PMC1"}]})
    assert resolve("1", keyed) == ()
    assert [passage.marker for passage in resolve("pmc1", keyed)] == ["PMC1"]
    file = passages_of({"passages": [{"text": "It fell.", "id": "control::chunk0", "document_id": "control"}]})
    assert "control" not in citable_ids(file), "a word in brackets cites no file of that name"
    assert resolve("control", file) == ()
    assert resolve("1", file) == resolve("control::chunk0", file) == file
