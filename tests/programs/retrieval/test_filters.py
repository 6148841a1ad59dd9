import pytest

from programs.errors import UnknownFilterField, UsageError
from programs.retrieval.filters import Condition, parse_filters

FIELDS = {"organism": "keyword", "year": "number", "controlled": "keyword", "section": "keyword", "kind": "keyword"}


def test_a_value_and_a_list_match_any_of_their_items():
    assert parse_filters({"organism": ["Mus musculus", "Homo sapiens"], "section": "results"}, FIELDS) == (
        Condition("metadata.organism", "keyword", values=("Mus musculus", "Homo sapiens")),
        Condition("section", "keyword", values=("results",)),
    )


def test_an_object_is_a_range_or_an_exclusion():
    assert parse_filters({"year": {"gte": 2010, "lt": 2020, "not": 2015}}, FIELDS) == (
        Condition("metadata.year", "number", values=(2015,), negated=True),
        Condition("metadata.year", "number", bounds={"gte": 2010, "lt": 2020}),
    )


@pytest.mark.parametrize("nothing", [None, {}])
def test_no_filters_are_no_conditions(nothing):
    assert parse_filters(nothing, FIELDS) == ()


def test_an_unknown_field_names_its_neighbours():
    every = "controlled, kind, organism, section, year"
    with pytest.raises(UnknownFilterField, match=rf"'organisms'; did you mean organism\? The fields are: {every}$"):
        parse_filters({"organisms": "mouse"}, FIELDS)
    with pytest.raises(UnknownFilterField, match=rf"'qqq'; filter on one of: {every}$"):
        parse_filters({"qqq": "mouse"}, FIELDS)


def test_sections_and_kinds_are_known_however_they_are_written():
    assert parse_filters({"section": [" Results", "METHODS"], "kind": {"not": "Figure"}}, FIELDS) == (
        Condition("section", "keyword", values=("results", "methods")),
        Condition("kind", "keyword", values=("figure",), negated=True),
    )


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"section": "result"}, "'result'; it is one of: abstract, appendix, conclusion, discussion, introduction, "),
        ({"section": ["results", "references"]}, "'references'; it is one of: abstract"),
        ({"section": {"not": ""}}, "''; it is one of"),
        ({"kind": "image"}, "'image'; it is one of: figure, table, text"),
        ({"kind": True}, "got True; it is one of: figure, table, text"),
    ],
)
def test_a_section_or_kind_that_there_never_is_names_those_that_there_are(filters, message):
    with pytest.raises(UsageError, match=message):
        parse_filters(filters, FIELDS)


def test_case_counts_in_what_papers_say_of_themselves():
    (condition,) = parse_filters({"organism": "mus Musculus"}, FIELDS)
    assert condition.values == ("mus Musculus",)


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"organism": []}, "empty list"),
        ({"organism": 3}, "holds text"),
        ({"organism": None}, "holds text"),
        ({"year": "2015"}, "holds numbers"),
        ({"year": {"from": 2015}}, "gte, gt, lte, lt or not"),
        ({"year": {}}, "gte, gt, lte, lt or not"),
        ({"year": {"gte": "2015"}}, "must be a number"),
        ({"organism": {"gte": 1}}, "is a range, but the field holds text"),
        ({"controlled": 1}, "holds text"),
        ({"organism": [["nested"]]}, "got"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(filters, message):
    with pytest.raises(UsageError, match=message):
        parse_filters(filters, FIELDS)


def test_true_and_false_are_matched_as_words():
    assert parse_filters({"controlled": True}, FIELDS) == (
        Condition("metadata.controlled", "keyword", values=("true",)),
    )
