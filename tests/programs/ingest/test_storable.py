import math

import pytest

from programs.ingest.document import Document
from programs.ingest.reader import storable


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("year", 2015, ("year", 2015)),
        ("my key", "v", ("my_key", "v")),
        ("a[b].c", "v", ("a_b_c", "v")),
        ("", "v", ("_", "v")),
        ("größe", ["a", "b"], ("größe", ["a", "b"])),
        ("score", math.inf, ("score", "inf")),
        ("score", 10**400, ("score", str(10**400))),
        ("score", -1.5, ("score", -1.5)),
        ("tags", ["a\ud800"], ("tags", ["a?"])),
    ],
)
def test_only_what_cannot_be_stored_is_changed(name, value, kept):
    assert dict(storable(Document("one", "Text.", metadata={name: value})).metadata) == dict([kept])


def test_names_of_files_that_are_no_text_are_mended():
    mended = storable(Document("bad\udcff", "Text.", source="bad\udcff.md"))
    assert (mended.id, mended.source) == ("bad?", "bad?.md")
    assert mended.content_hash
