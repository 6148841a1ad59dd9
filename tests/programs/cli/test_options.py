import pytest

from programs.cli.options import read_filters
from programs.errors import UsageError

FIELDS = {"organism": "keyword", "year": "number", "doi": "keyword"}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (None, {}),
        (["organism=Mus musculus"], {"organism": ["Mus musculus"]}),
        (["organism=Mus musculus", "organism = Homo sapiens"], {"organism": ["Mus musculus", "Homo sapiens"]}),
        (["year>=2010", "year<2020"], {"year": {"gte": 2010, "lt": 2020}}),
        (["year=2015"], {"year": [2015]}),
        (["year!=2015"], {"year": {"not": [2015]}}),
        (["year>=2010.5"], {"year": {"gte": 2010.5}}),
        (["doi=10.5555/a=b"], {"doi": ["10.5555/a=b"]}),
    ],
)
def test_options_become_filters(texts, expected):
    assert read_filters(texts, FIELDS) == expected


@pytest.mark.parametrize("texts", [["year"], ["=2015"], ["year=2015", "year>=2010"], ["year>=2010", "year=2015"]])
def test_other_forms_are_refused(texts):
    with pytest.raises(UsageError, match="--filter"):
        read_filters(texts, FIELDS)
