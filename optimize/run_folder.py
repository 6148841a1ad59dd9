"""The folder of one run. Each step reads the files of the one before, so every step can be done again without it.

manifest.json        what was asked for; a run continues only under the same settings
candidates/*.json    compiled states
states.json          SHA-256 of the state that an evaluation was given, by the name of its file
questions.jsonl      the questions that the report is on, with their gold data and papers
predictions.jsonl    what programs answered, line by line as they did
judgements.jsonl     what the judge said of claims
scores.jsonl         every metric of every prediction
report.json .md .html  the result
calls/               answers of the language model, for steps that were cut off in the middle; a process that works on
                     the run holds the file ``lock`` in it
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NotRequired, Required, get_type_hints

import dspy
from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model, with_config
from typing_extensions import TypedDict

from metrics.judgements import Judgement
from metrics.score import Score
from optimize.dataset import Example
from optimize.generate import MeteredCache, Record
from programs.atomic_files import Journal, exclusive_lock, write_file
from programs.budget import STOPPED
from programs.errors import UsageError
from programs.lm.answer_cache import keep_answers_in
from signatures.values import Verdict

_STRICT = ConfigDict(strict=True)


@with_config(_STRICT)
class _Passage(TypedDict):
    id: str
    document_id: str
    text: str
    start: int
    end: int
    scores: NotRequired[dict[str, float]]
    title: NotRequired[str]
    doi: NotRequired[str]
    url: NotRequired[str]
    key: NotRequired[str]
    year: NotRequired[int | None]


@with_config(_STRICT)
class _Citation(TypedDict):
    sentence: str
    marker: str
    passage: str
    quote: str
    start: int
    end: int
    verdict: Verdict
    reason: str
    score: NotRequired[float]


@with_config(_STRICT)
class _Answered(TypedDict, total=False):
    passages: Required[list[_Passage]]
    question: str
    answer: str
    answerable: bool
    citations: list[_Citation]
    unsupported_claims: list[dict[str, Any]]
    repairs: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    uncited: list[str]
    notes: list[str]
    metrics: dict[str, Any]


@with_config(_STRICT)
class _Score(TypedDict):
    candidate: str
    split: str
    id: str
    metric: str
    value: float | None
    feedback: str
    status: str


def _line_of(kind: type, config: ConfigDict = _STRICT) -> type[BaseModel]:
    """What reads a line with the fields of a dataclass, none of them converted."""
    types: dict[str, Any] = {name: (hint, ...) for name, hint in get_type_hints(kind).items()}
    model: type[BaseModel] = create_model(kind.__name__, __config__=config, **types)
    return model


_RECORD, _JUDGEMENT = _line_of(Record), _line_of(Judgement, ConfigDict(strict=True, extra="forbid"))
_ANSWERED, _SCORE, _EXAMPLE = TypeAdapter(_Answered), TypeAdapter(_Score), TypeAdapter(Example)


def _check_record(values: Mapping[str, Any]) -> None:
    _RECORD.model_validate(values)
    if values["status"] == "answered":
        prediction = _ANSWERED.validate_python(values["prediction"])
        given = {each["id"] for each in prediction["passages"]}
        if lacking := [each["passage"] for each in prediction.get("citations", ()) if each["passage"] not in given]:
            raise ValueError(f"prediction.citations: {lacking[0]!r} is not one of its passages")


def _check_score(values: Mapping[str, Any]) -> None:
    _SCORE.validate_python(values)
    Score(values["value"], values["feedback"], status=values["status"])


def _check_judgement(values: Mapping[str, Any]) -> None:
    _JUDGEMENT.model_validate(values)


def _check_question(values: Mapping[str, Any]) -> None:
    _EXAMPLE.validate_python({name: value for name, value in values.items() if name not in ("split", "cluster")})


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of a run; open one with ``open_run``."""

    path: Path

    @property
    def questions(self) -> Journal:
        """What was asked, and what is known to be true of it; see ``write_questions``."""
        return Journal(self.path / "questions.jsonl", ("id", "split", "cluster", "question"), _check_question)

    @property
    def predictions(self) -> Journal:
        """What programs answered."""
        return Journal(self.path / "predictions.jsonl", (each.name for each in fields(Record)), _check_record)

    @property
    def judgements(self) -> Journal:
        """What the judge said."""
        return Journal(self.path / "judgements.jsonl", (each.name for each in fields(Judgement)), _check_judgement)

    @property
    def scores(self) -> Journal:
        """What metrics gave."""
        return Journal(
            self.path / "scores.jsonl", ("candidate", "split", "id", "metric", *Score.failed().as_dict()), _check_score
        )

    @property
    def sessions(self) -> Journal:
        """What the run's sessions cost, piece by piece; see ``generate.spent_in``."""
        return Journal(self.path / "sessions.jsonl", ("seconds", "lm_calls"))

    def state(self, candidate: str) -> Path:
        """Where a candidate's state is kept."""
        return self.path / "candidates" / f"{candidate}.json"

    def write_questions(self, posed: Mapping[str, Example], clusters: Mapping[str, str], split: str) -> None:
        """Keep the questions of a split as they were posed, so that later steps need no data set.

        ``clusters`` are the paper of each by id, which a question on two joined papers no longer tells.
        """
        self.questions.replace(
            {**asdict(each), "split": split, "cluster": clusters[each.id]} for each in posed.values()
        )

    def write(self, name: str, text: str) -> Path:
        """Write a file of the run, whole or not at all."""
        return write_file(self.path / name, text)


def open_run(path: Path, settings: Mapping[str, Any], *, resume: bool) -> RunFolder:
    """Start a run in a folder, or with ``resume`` continue the one there; a UsageError if that has other settings."""
    manifest = path / "manifest.json"
    # A run that ended before its first answer, over a mistyped name, is not worth keeping.
    if manifest.exists() and any(journal.stat().st_size for journal in path.rglob("predictions.jsonl")):
        if not resume:
            raise UsageError(f"{path} holds a run already; continue it with --resume, or name another --output")
        before, wanted = read_manifest(path), json.loads(json.dumps(settings))
        if changed := [name for name in wanted if before.get(name) != wanted[name]]:
            named = [name for name in changed if name != "splits"]
            changes = [f"{name} was {before.get(name)!r} and is {wanted[name]!r}" for name in named]
            differences = "; ".join(changes) or "the questions are others"
            raise UsageError(f"{path} was started with other settings: {differences}; name another --output")
    elif path.exists() and any(path.iterdir()) and not manifest.exists():
        raise UsageError(f"{path} is not empty and holds no run; name another --output")
    else:
        path.mkdir(parents=True, exist_ok=True)
        write_file(manifest, json.dumps(settings, ensure_ascii=False, indent=2) + "\n")
    return RunFolder(path)


def unfinished_run(parent: Path, settings: Mapping[str, Any]) -> Path | None:
    """The newest run under a folder that has these settings and is not at its end.

    That is where everything is written, and no budget stopped the search: under a larger one it would continue.
    """
    wanted = json.loads(json.dumps(settings))
    last = ["report.json", "report.md", *(["compiled.json"] if settings.get("command") == "compile" else [])]
    for path in sorted((each.parent for each in parent.glob("*/manifest.json")), reverse=True):
        with suppress(UsageError):  # another run's that cannot be read is not this one
            if read_manifest(path) != wanted:
                continue
            is_written = all((path / each).exists() for each in last)
            if not is_written or STOPPED in (path / "report.json").read_text(encoding="utf-8", errors="replace"):
                return path
    return None


def read_manifest(path: Path) -> dict[str, Any]:
    """What the run in a folder was asked for; a UsageError if it holds no run, or its manifest cannot be read."""
    manifest = path / "manifest.json"
    try:
        found = json.loads(manifest.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        several = sorted(str(found.parent) for found in path.glob("*/manifest.json"))
        named = f"one of {', '.join(several[:5])} …" if several else "a folder that `python -m optimize` made"
        raise UsageError(f"{path} holds no run{' itself' if several else ''}; name {named}") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{manifest} cannot be read ({error}); name another run") from error
    if not isinstance(found, dict) or "command" not in found:
        raise UsageError(f"{manifest} is not a manifest of a run: it has no command; name another run")
    splits = found.get("splits", {})
    if not isinstance(splits, dict) or not all(isinstance(each, str) for each in splits.values()):
        raise UsageError(f"{manifest} was changed: its splits are not an object of texts; name another run")
    return found


@contextmanager
def kept_calls(run: RunFolder) -> Iterator[None]:
    """Keep the language model's answers in the run's folder, so that a resumed run asks nothing twice.

    Answers of other runs are not used: what a run says it cost, it cost. What is not kept is counted by the session's
    meter, if there is one. While the block lasts, no other process can work on the run, so what the run holds is to be
    read inside it.

    Raises:
        UsageError: Another process works on the run, or the kept answers cannot be read.
    """
    before = vars(dspy).get("cache")  # asked for by name, DSPy would make one in the user's home
    calls = run.path / "calls"
    busy = f"another process works on the run in {run.path}; wait until it is done, or name another --output"
    with exclusive_lock(calls / "lock", busy):  # two would ask everything twice and spend a budget each
        try:
            kept = keep_answers_in(calls)
        except sqlite3.OperationalError:  # a full disk, say: what is kept is not damaged
            raise
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"the model's answers in {calls} cannot be read ({error}); delete that folder: finished answers are in "
                "predictions.jsonl, and only what was in the middle is asked again"
            ) from error
        dspy.cache = MeteredCache(dspy.cache)
        try:
            yield
        finally:
            kept.close()
            vars(dspy).pop("cache") if before is None else setattr(dspy, "cache", before)
