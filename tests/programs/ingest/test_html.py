"""HTML that is large, deep or in another encoding; what else its reader makes of pages is in ``reading.yaml``."""

from __future__ import annotations

from pathlib import Path

import pytest

from programs.errors import IngestError, UnsafeFile
from programs.ingest.document import Document
from programs.ingest.formats import read


def page(folder: Path, body: str, name: str = "page.html") -> Document:
    path = folder / name
    path.write_text(body, encoding="utf-8")
    return read(path)


def test_the_encoding_that_a_page_states_is_used_and_none_is_guessed(tmp_path: Path) -> None:
    path = tmp_path / "latin.htm"
    path.write_bytes('<meta charset="iso-8859-1"><h1>Über Kälte</h1><p>Größe 5 µm.</p>'.encode("cp1252"))
    assert "Größe 5 µm." in read(path).text
    path.write_bytes("<p>Größe</p>".encode("latin-1"))
    with pytest.raises(IngestError, match="not UTF-8"):
        read(path)


def test_a_page_too_deep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsafeFile, match="nest"):
        page(tmp_path, "<div>" * 200 + "deep" + "</div>" * 200)


@pytest.mark.slow
def test_nested_layout_tables_take_no_more_than_linear_time(tmp_path: Path) -> None:
    cells = "".join(f"<tr><td>{number}</td><td>x</td></tr>" for number in range(20_000))
    document = page(tmp_path, f"<h1>Cold and yeast: a trial</h1><table>{cells}</table>")
    assert "| 19999 | x |" in document.text


@pytest.mark.parametrize("data", [" " * 15_000 + "x", "<!-- " * 3_000, "<!DOCTYPE " * 1_500])
def test_what_a_file_begins_as_is_told_in_linear_time(tmp_path: Path, data: str) -> None:
    assert page(tmp_path, f"{data} {'words that are read ' * 1_000}", "a.txt").text
