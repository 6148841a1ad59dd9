"""A folder with what a user may give by mistake, for the rows of ``messages.jsonl``."""

from __future__ import annotations

from pathlib import Path

from tests.behaviour.outcomes import REPLAY
from tests.command_line import run

FILES = {
    "notes.xyz": "Not a paper.\n",
    "notes.md": "# Notes\n\n## Results\n\nRoots grew.\n",
    "questions.txt": "Does bone fall?\n",
    "other.json": '{"name": "something else"}\n',
    "concept.yaml": "title: Bone\n",
    "bone.md": "# Bone loss in orbit\n\n## Results\n\nFemur density fell by 12 % in flight mice.\n",
}


def lay_out(folder: Path) -> dict[str, Path]:
    """Write the files and an index of one paper; the places that rows name in braces."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "answer.json").write_bytes((REPLAY / "main_points.json").read_bytes())
    (folder / "empty").mkdir()
    index = folder / "bone.idx"
    made = run("index", folder / "bone.md", "--index", index)
    assert made.code == 0, made.stderr
    return {"folder": folder, "empty": folder / "empty", "paper": folder / "bone.md", "index": index}
