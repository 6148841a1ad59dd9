import pytest

from programs.errors import UnknownFilterField, UsageError
from programs.retrieval.filters import Bounds, Condition, parse_filters

FIELDS = {"organism": "keyword", "year": "number", "controlled": "keyword", "section": "keyword"}


def test_a_value_and_a_list_match_any_of_their_items():
    assert parse_filters({"organism": ["Mus musculus", "Homo sapiens"], "section": "results"}, FIELDS) == (
        Condition("metadata.organism", "keyword", values=("Mus musculus", "Homo sapiens")),
        Condition("section", "keyword", values=("results",)),
    )


def test_an_object_is_a_range_or_an_exclusion():
    assert parse_filters({"year": {"gte": 2010, "lt": 2020, "not": 2015}}, FIELDS) == (
        Condition("metadata.year", "number", values=(2015,), negated=True),
        Condition("metadata.year", "number", bounds=Bounds(gte=2010, lt=2020)),
    )


@pytest.mark.parametrize("nothing", [None, {}])
def test_no_filters_are_no_conditions(nothing):
    assert parse_filters(nothing, FIELDS) == ()


def test_an_unknown_field_names_its_neighbours():
    with pytest.raises(UnknownFilterField, match=r"'organisms'.*organism"):
        parse_filters({"organisms": "mouse"}, FIELDS)


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
