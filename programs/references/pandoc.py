"""An answer as Markdown with pandoc's citation keys, and as DOCX where pandoc is installed.

Femur density fell by 12 % in flight mice [@PMC1234567; @PMC7654321].
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from programs.errors import CorroborateError, UsageError
from programs.ingest.document import Document
from programs.references.files import csl_json
from programs.references.items import item_of, key_of

_SECONDS = 120
_APART = re.compile(r"\]\s*\[@")
FORMATS = (".md", ".docx")


def check_written(path: Path) -> None:
    """Make sure that an answer can be written there, before it is asked for.

    Raises:
        UsageError: The name ends otherwise, there is no such folder, or DOCX is wanted and pandoc is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise UsageError(
            f"{path} is not a document that an answer is written to; give a name in {' or '.join(FORMATS)}"
        )
    if not path.parent.is_dir():
        raise UsageError(f"no folder at {path.parent} for {path}; make it first")
    if path.suffix.lower() == ".docx" and shutil.which("pandoc") is None:
        raise UsageError(
            f"{path.name} is written by pandoc, which is not on PATH; install it (pandoc.org), or give "
            f"{path.with_suffix('.md').name} and convert that elsewhere: pandoc --citeproc"
        )


def write_answer(path: Path, result: Mapping[str, Any], papers: Iterable[Document]) -> None:
    """Write an answer with a bibliography of the papers that it cites.

    Beside ``answer.md`` stands ``answer.references.json``, which its first lines name; a DOCX holds the list.
    """
    references = csl_json([item_of(each) for each in papers])
    if path.suffix.lower() == ".md":
        _written(path, references, result)
        return
    with TemporaryDirectory() as folder:
        source = Path(folder) / "answer.md"
        _written(source, references, result)
        command = ["pandoc", "--citeproc", "--output", str(path.resolve()), source.name]
        done = subprocess.run(  # noqa: S603 - a fixed command; the answer is a file
            command, cwd=folder, check=False, capture_output=True, text=True, timeout=_SECONDS
        )
    if done.returncode:
        raise CorroborateError(f"pandoc could not write {path}: {done.stderr.strip()[:500]}")


def as_pandoc(result: Mapping[str, Any], bibliography: str) -> str:
    """The question as title, and the answer; its citations are keys of the bibliography, a file's name."""
    from programs.results.rendering import answer_text

    head = json.dumps({"title": result["question"], "bibliography": bibliography}, ensure_ascii=False)
    text = answer_text(result).replace("@", "\\@").replace("^", "\\^")
    for citation in result["citations"]:
        text = re.sub(rf"(?<!\\)\[{re.escape(citation['marker'])}\]", f"[@{key_of(citation['document_id'])}]", text)
    return f"---\n{head}\n---\n\n{_APART.sub('; @', text)}\n"


def _written(path: Path, references: str, result: Mapping[str, Any]) -> None:
    beside = path.with_suffix(".references.json")
    beside.write_text(references, encoding="utf-8")
    path.write_text(as_pandoc(result, beside.name), encoding="utf-8")
