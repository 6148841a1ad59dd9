"""Documents, messages and docstrings use plain words: tests/wording.yaml has the others, with what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
RULES = yaml.safe_load((ROOT / "tests" / "wording.yaml").read_text("utf-8"))
WORDS = {re.compile(word["pattern"], re.IGNORECASE): word["plain"] for word in RULES["words"]}
WIDEST = 120
UNWRAPPED = re.compile(r"\s*(\||!?\[|<|https?://)")
"""Lines of Markdown that may be longer: rows of tables, links, HTML."""
OURS = ("docs", "datasets", "examples", "programs", "optimize")
NOT_OURS = ("datasets/space_biology/papers", "optimize/templates")
"""Papers, whose text is data, and templates, whose lines are not those of what they render."""


def _lines(*patterns: str) -> Iterator[tuple[str, str]]:
    """Every line of the files that match, with its place."""
    for path in sorted({path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            yield f"{path.relative_to(ROOT).as_posix()}:{number}", line


def _excepts(exception: dict[str, str], place: str, line: str) -> bool:
    return place.startswith(exception["file"]) and exception["text"] in line


def test_plain_words_are_used_and_every_exception_is_still_needed():
    found = [
        (place, line, f'{place}: "{match[0]}"; write: {plain}')
        for place, line in _lines(*RULES["scope"])
        for pattern, plain in WORDS.items()
        for match in pattern.finditer(line)
    ]
    wrong = [said for *line, said in found if not any(_excepts(each, *line) for each in RULES["exceptions"])]
    unused = [each for each in RULES["exceptions"] if not any(_excepts(each, *line) for *line, _ in found)]

    assert not wrong, "\n".join(wrong)
    assert not unused


def test_prose_is_wrapped():
    fenced, long = False, []
    for place, line in _lines("*.md", *(f"{folder}/**/*.md" for folder in OURS)):
        fenced ^= line.startswith("```")
        if len(line) > WIDEST and not fenced and not UNWRAPPED.match(line) and not place.startswith(NOT_OURS):
            long.append(place)

    assert not long
