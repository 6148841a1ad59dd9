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

import atexit
import json
import random
import shutil
import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import dspy

from optimize.finished_run import read_run
from optimize.report_rendering import markdown, write_page
from programs.compiled_state import read_state
from programs.errors import CorroborateError, UsageError
from programs.ingest.document import Document
from programs.ingest.formats import read
from programs.lm import LM
from programs.main_points import MainPoints
from programs.paper_writer.draft import PaperDraft
from programs.paper_writer.evidence import PaperSection
from programs.replay import only_models_say, parts, replay, replay_parts
from programs.retrieval.index import Index
from programs.server.app import create_app
from programs.server.request_queue import ServerOptions
from tests import invented_run
from tests.forgery import forgeries
from tests.forgery.forgeries import KINDS, Original, believed, forged_sentence, originals
from tests.fuzz.mutations import hostile_page, hostile_word, mutated, mutated_json
from tests.hashing_embedder import HashingEmbedder
from tests.papers import PAPERS
from tests.running_server import running

# Requests in which bytes or values were changed, sent to a server of this process: only answers, none from 500 on.

_QUESTION = "By how much did femur density fall?"
_FILTERS = {"organism": ["Mus musculus"], "year": {"gte": 2010, "lt": 2020}}
_BODIES: Mapping[str, Any] = {
    "/api/chat": {"query": _QUESTION, "filters": _FILTERS, "top_k": 4},
    "/api/ask": {"question": _QUESTION, "program": "main_points", "filters": _FILTERS},
}
_ADDRESSES = (
    *("/", "/health", "/ready", "/openapi.json", "/api/programs", "/api/fields", "/api/documents?limit=2&offset=1"),
    *("/api/documents/bone", "/static/../../etc/passwd"),
)
_HEAD = "{method} {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: {accept}\r\nConnection: close\r\n"
_FIRST_SECONDS, _SECONDS = 0.5, 120
_FROM_HERE_OUR_FAULT = 500


class Refused(CorroborateError):
    """The server answered with an error that names what was wrong with the request."""


class Failed(Exception):
    """The server did not answer, or with an error of its own."""


def changed_request(chance: random.Random) -> tuple[str, bytes, Callable[[], None]]:
    """A request's bytes without the port, and its sending."""
    if chance.random() < 0.6:
        address, body = chance.choice(list(_BODIES.items()))
        sent = json.dumps(mutated_json(body, chance)).encode() if chance.random() < 0.7 else json.dumps(body).encode()
        head = _HEAD + f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n"
    else:
        address, sent, head = chance.choice(_ADDRESSES), b"", _HEAD
    accept = chance.choice(("application/json", "text/event-stream", "*/*"))
    method = "POST" if sent else chance.choice(("GET", "GET", "GET", "HEAD", "OPTIONS", "DELETE"))
    first = head.format(method=method, address=address, accept=accept, port="PORT").encode()
    content = first + b"\r\n" + sent
    if chance.random() < 0.5:
        content = mutated(content, chance)
    return "request.http", content, lambda: _send(content)


def _send(content: bytes) -> None:
    """Send it, and judge what is answered; a connection that is closed without a word refuses too."""
    with socket.create_connection(("127.0.0.1", _port()), timeout=_FIRST_SECONDS) as connection:
        with suppress(ConnectionError):  # what was sent first was refused
            connection.sendall(content.replace(b"PORT", str(_port()).encode()))
        heard = _heard(connection)
    status = int(heard.split(None, 2)[1]) if heard.startswith(b"HTTP/1.1 ") else 0
    if status >= _FROM_HERE_OUR_FAULT or b"Traceback" in heard:
        raise Failed(heard[:2_000].decode("utf-8", "replace"))
    if not 200 <= status < 400:
        raise Refused(f"status {status}")


def _heard(connection: socket.socket) -> bytes:
    """All that is answered; where a request is not whole the server waits for the rest until it is told of the end."""
    heard, is_ended = b"", False
    while True:
        try:
            part = connection.recv(65_536)
        except TimeoutError as error:
            if is_ended:
                raise Failed(f"no answer within {_SECONDS} seconds after {heard[:80]!r}") from error
            connection.settimeout(_SECONDS)
            connection.shutdown(socket.SHUT_WR)
            is_ended = True
            continue
        except ConnectionError:  # it closed while more was sent
            return heard
        if not part:
            return heard
        heard += part


@cache
def _port() -> int:
    """Of a server that runs until the process ends."""
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory())
        embedder = HashingEmbedder()
        index = opened.enter_context(Index.open(Path(folder, "papers.idx"), create=True, embedder=embedder))
        index.add(PAPERS)
        client = opened.enter_context(running(create_app(index, "extractive", ServerOptions())))
        atexit.register(opened.pop_all().close)
        port = client.base_url.port
    assert port
    return port


# Run folders in which one file was changed: they are read, shown as text and as a page, and reported on again.


def changed_run(chance: random.Random) -> tuple[str, bytes, Callable[[], None]]:
    """A file of a run by its place in the folder, its changed content, and the reading of the run."""
    name = chance.choice(sorted(each.relative_to(_run()).as_posix() for each in _run().rglob("*.json*")))
    content = _changed((_run() / name).read_bytes(), chance)
    return name.replace("/", "-"), content, lambda: _read_run(name, content)


def _changed(content: bytes, chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        return mutated(content, chance)
    try:
        return json.dumps(mutated_json(json.loads(content), chance)).encode()
    except ValueError:  # lines of JSON
        lines = content.splitlines(keepends=True)
        place = chance.randrange(len(lines))
        changed = json.dumps(mutated_json(json.loads(lines[place]), chance)).encode() + b"\n"
        return b"".join([*lines[:place], changed, *lines[place + 1 :]])


def _read_run(name: str, content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run")
        shutil.copytree(_run(), path)
        (path / name).write_bytes(content)
        run = read_run(path)
        markdown(run.report, run)
        write_page(run, Path(folder, "report.html"))


@cache
def _run() -> Path:
    folder = tempfile.TemporaryDirectory()
    _KEPT.append(folder)
    invented_run.write(Path(folder.name, "run"))
    return Path(folder.name, "run")


_KEPT: list[tempfile.TemporaryDirectory[str]] = []
"""Removed with the process."""


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
    subjects = {name: weight for name, (_, weight) in SUBJECTS.items() if not only or name in only}
    subject = chance.choices(list(subjects), list(subjects.values()))[0]
    name, content, use = SUBJECTS[subject][0](chance)
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
    return f"paper{suffix}", content, lambda: _use_file(f"paper{suffix}", content, read)


def _page(chance: random.Random) -> _Made:
    content, name = hostile_page(chance), chance.choice(("page.html", "page.htm", "page.xhtml"))
    return name, content, lambda: _use_file(name, content, read)


def _word(chance: random.Random) -> _Made:
    content = hostile_word(chance)
    return "paper.docx", content, lambda: _use_file("paper.docx", content, read)


def _use_file(name: str, content: bytes, use: Callable[[Path], Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        use(path)


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
    return "state.json", content, lambda: _use_file("state.json", content, read_state)


def _question(chance: random.Random) -> _Made:
    content = mutated(b"By how much did trabecular bone volume fall in flight mice (p < 0.05)?", chance)[:20_000]
    return "question.txt", content, lambda: _ask(content.decode("utf-8", "replace"))


def _ask(question: str) -> None:
    with dspy.context(lm=LM("extractive")):
        _qa()(question=question, paper=_originals()[0].paper)


SUBJECTS: dict[str, tuple[Callable[[random.Random], _Made], int]] = {  # with their weights
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
    return tuple(sorted(forgeries.PAPERS.glob("*.*")))


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
