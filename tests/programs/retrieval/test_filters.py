import pytest

from programs.errors import UnknownFilterField, UsageError
from programs.retrieval.filters import parse_filters

FIELDS = {"organism": "keyword", "year": "number", "controlled": "keyword", "section": "keyword", "kind": "keyword"}


def test_an_unknown_field_names_its_neighbours():
    every = "controlled, kind, organism, section, year"
    with pytest.raises(UnknownFilterField, match=rf"'organisms'; did you mean organism\? The fields are: {every}$"):
        parse_filters({"organisms": "mouse"}, FIELDS)
    with pytest.raises(UnknownFilterField, match=rf"'qqq'; filter on one of: {every}$"):
        parse_filters({"qqq": "mouse"}, FIELDS)


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"section": "result"}, "'result'; it is one of: abstract, appendix, conclusion, discussion, introduction, "),
        ({"section": ["results", "references"]}, "'references'; it is one of: abstract"),
        ({"section": {"not": ""}}, "''; it is one of"),
        ({"kind": "image"}, "'image'; it is one of: figure, table, text"),
        ({"kind": True}, "got True; it is one of: figure, table, text"),
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
