"""Without its extra a DOCX file is named with what to install, and the other files are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from programs.errors import IngestError
from programs.ingest import docx
from programs.ingest.reader import discover, read_all
from tests.word_files import paragraph, write_docx


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx, "lacking", lambda extra: ("mammoth",))
    write_docx(tmp_path / "a.docx", paragraph("Text."))
    (tmp_path / "b.txt").write_text("Mice lived longer in the cold.")
    refused, document = read_all(discover([tmp_path]))
    assert isinstance(refused, IngestError)
    assert "pip install 'corroborate[docx]'" in str(refused)
    assert not isinstance(document, IngestError)
