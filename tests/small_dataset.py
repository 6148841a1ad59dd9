"""A data set small enough to compile in a second: eight invented papers, two questions on each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_SUBJECTS = (
    ("P1", "train", "femur density", "mice", 12, "increased"),
    ("P2", "train", "root length", "cress", 31, "decreased"),
    ("P3", "train", "sleep duration", "crews", 44, "decreased"),
    ("P4", "val", "heart volume", "rats", 17, "increased"),
    ("P5", "val", "wing span", "flies", 23, "decreased"),
    ("P6", "test", "scale thickness", "zebrafish", 28, "increased"),
    ("P7", "test", "spore survival", "tardigrades", 39, "decreased"),
    ("P8", "test", "leaf area", "lettuce", 52, "increased"),
)


def text_of(thing: str, who: str, percent: int, verb: str) -> str:
    """A paper: what changed, how it was measured, and what did not change."""
    return (
        f"Abstract\n\nWe flew {who} for thirty days and compared them with controls on the ground.\n\n"
        f"Methods\n\nThe {thing} of {who} was measured by a calibrated scanner after landing.\n\n"
        f"Results\n\nThe {thing} of the {who} {verb} by {percent} percent in flight compared with ground controls. "
        f"Body mass of the {who} did not differ between the groups.\n"
    )


def rows() -> dict[str, list[dict[str, Any]]]:
    """The questions by split."""
    splits: dict[str, list[dict[str, Any]]] = {"train": [], "val": [], "test": []}
    for name, split, thing, who, percent, verb in _SUBJECTS:
        quote = f"The {thing} of the {who} {verb} by {percent} percent in flight compared with ground controls."
        splits[split] += [
            {
                "id": f"{name}-a",
                "question": f"By how many percent did the {thing} of the {who} change in flight?",
                "document_ids": [name],
                "answer": f"The {thing} {verb} by {percent} percent.",
                "nuggets": [f"the {thing} of the {who} {verb} by {percent} percent in flight"],
                "evidence": [{"document_id": name, "quote": quote}],
            },
            {
                "id": f"{name}-b",
                "question": f"Which hormone made {who} dream of {percent} comets?",
                "document_ids": [name],
                "answerable": False,
            },
        ]
    return splits


def write(folder: Path, questions: dict[str, list[dict[str, Any]]] | None = None) -> Path:
    """Write the data set, or one with other questions on its papers."""
    (folder / "papers").mkdir(parents=True)
    (folder / "questions").mkdir()
    for name, _, thing, who, percent, verb in _SUBJECTS:
        (folder / "papers" / f"{name}.txt").write_text(text_of(thing, who, percent, verb), encoding="utf-8")
    for split, lines in (questions or rows()).items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / "questions" / f"{split}.jsonl").write_text(text, encoding="utf-8")
    return folder
