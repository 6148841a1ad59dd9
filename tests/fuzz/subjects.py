"""What is fuzzed: each subject makes an input by chance, and gives it to the part of the program that it is meant for.

paper       a mutated file of every format                  read
page        a hostile page of HTML                          read
word        a hostile file of Word                          read
answer      a mutated saved answer                          verify
forgery     an answer made to say something else            verify: must not pass
draft       a mutated draft                                 verify
state       a mutated compiled state                        read_state
question    mutated words, put to main_points with a paper  ask
run         a mutated file of a finished run's folder       report
request     a mutated request                               serve
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import dspy

from programs.errors import CorroborateError, UsageError
from programs.ingest.document import Document
from programs.ingest.reader import read
from programs.lm import LM
from programs.main_points import MainPoints
from programs.paper_writer.draft import PaperDraft
from programs.paper_writer.evidence import PaperSection
from programs.replay import only_models_say, parts, replay, replay_parts
from programs.state import read_state
from tests.forgery.forgeries import KINDS, believed, forged_sentence
from tests.forgery.originals import PAPERS, Original, originals
from tests.fuzz.mutations import mutated, mutated_json
from tests.fuzz.pages_and_word import hostile_page, hostile_word
from tests.fuzz.requests import changed_request
from tests.fuzz.run_folders import changed_run
from tests.hashing_embedder import HashingEmbedder

_OF_ANSWERS = frozenset({"question", "topic", "figures"})
STATES = Path("programs/compiled")


class Passed(Exception):
    """A forgery that verify called true."""


@dataclass(frozen=True)
class Input:
    """One input.

    Attributes:
        subject: What it is for.
        name: Of the file that keeps it.
        content: It.
    """

    subject: str
    name: str
    content: bytes


def made(seed: int, number: int, only: Sequence[str] = ()) -> tuple[Input, Callable[[], None]]:
    """An input by its number, always the same for a seed; and what is done with it, which raises only typed errors.

    Args:
        seed: Of the run.
        number: Of the input.
        only: Subjects that are fuzzed; all of them by default.
    """
    chance = random.Random(f"{seed} {number}")
    subjects = {name: weight for name, (_, weight) in _SUBJECTS.items() if not only or name in only}
    subject = chance.choices(list(subjects), list(subjects.values()))[0]
    name, content, use = _SUBJECTS[subject][0](chance)
    return Input(subject, name, content), use


def done(use: Callable[[], None]) -> str:
    """Do it: "taken", or the name of the typed error that refused it; any other error is raised."""
    try:
        use()
    except CorroborateError as error:
        return type(error).__name__
    return "taken"


_Made = tuple[str, bytes, Callable[[], None]]


def _paper(chance: random.Random) -> _Made:
    path = chance.choice(_papers())
    content = mutated(path.read_bytes(), chance)
    suffix = path.suffix if chance.random() < 0.95 else chance.choice((".md", ".txt", ".xml", ".pdf", ".json"))
    return f"paper{suffix}", content, lambda: _read(f"paper{suffix}", content)


def _page(chance: random.Random) -> _Made:
    content, name = hostile_page(chance), chance.choice(("page.html", "page.htm", "page.xhtml"))
    return name, content, lambda: _read(name, content)


def _word(chance: random.Random) -> _Made:
    content = hostile_word(chance)
    return "paper.docx", content, lambda: _read("paper.docx", content)


def _read(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        read(path)


def _answer(chance: random.Random) -> _Made:
    original = chance.choice(_originals())
    changed = mutated_json(_saved(_originals().index(original)), chance)
    return "answer.json", _json(changed), lambda: _verify(changed, original)


def _verify(saved: Mapping[str, Any], original: Original) -> None:
    """As the command does."""
    if not replay_parts(saved, lambda name: _document(original, name)):
        for part in parts(saved).values():
            only_models_say(part)


def _document(original: Original, name: str) -> Document:
    if name != original.paper.id:
        raise UsageError(f"there is no paper {name!r}")
    return original.paper


def _forgery(chance: random.Random) -> _Made:
    original = chance.choice(_originals())
    forged = forged_sentence(original, chance.choice(list(KINDS)), chance)
    if forged is None:
        return _answer(chance)

    def use() -> None:
        named = any(sentence in forged.text for sentence in only_models_say(forged.saved))
        if believed(forged) and not named and not replay(forged.saved, lambda _: original.paper):
            raise Passed(forged.text)

    return "forgery.json", _json(forged.saved), use


def _draft(chance: random.Random) -> _Made:
    original = chance.choice(_originals())
    saved = {name: value for name, value in original.saved().items() if name not in _OF_ANSWERS}
    draft = {
        "program": "paper_writer",
        "draft": {**dict.fromkeys(PaperDraft.model_fields, saved["answer"]), "title": "Bone"},
        "sections": [{**saved, "section": each.value} for each in PaperSection],
        **{name: [] for name in ("unsupported", "papers", "notes")},
    }
    changed = mutated_json(draft, chance)
    changed = changed if isinstance(changed, dict) else draft
    return "draft.json", _json(changed), lambda: _verify({"draft": "", **changed}, original)


def _state(chance: random.Random) -> _Made:
    state = json.loads(chance.choice(sorted(STATES.glob("*.json"))).read_text(encoding="utf-8"))
    content = _json(mutated_json(state, chance)) if chance.random() < 0.7 else mutated(_json(state), chance)
    return "state.json", content, lambda: _read_state(content)


def _read_state(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "state.json")
        path.write_bytes(content)
        read_state(path)


def _question(chance: random.Random) -> _Made:
    content = mutated(b"By how much did trabecular bone volume fall in flight mice (p < 0.05)?", chance)[:20_000]
    return "question.txt", content, lambda: _ask(content.decode("utf-8", "replace"))


def _ask(question: str) -> None:
    with dspy.context(lm=LM("extractive")):
        _qa()(question=question, paper=_originals()[0].paper)


_SUBJECTS: dict[str, tuple[Callable[[random.Random], _Made], int]] = {
    "paper": (_paper, 50),
    "page": (_page, 8),
    "word": (_word, 8),
    "answer": (_answer, 20),
    "forgery": (_forgery, 12),
    "draft": (_draft, 6),
    "state": (_state, 10),
    "question": (_question, 2),
    "run": (changed_run, 6),
    "request": (changed_request, 8),
}


@cache
def _papers() -> tuple[Path, ...]:
    return tuple(sorted(PAPERS.glob("*.*")))


@cache
def _originals() -> tuple[Original, ...]:
    return tuple(each for way in (False, True) for each in originals(3, quoted=way, by_model=way))


@cache
def _saved(number: int) -> Mapping[str, Any]:
    return _originals()[number].saved()


@cache
def _qa() -> MainPoints:
    return MainPoints(HashingEmbedder())


def _json(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8")
