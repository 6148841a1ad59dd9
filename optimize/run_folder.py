"""The folder of one run. Each step reads the files of the one before, so every step can be done again without it.

manifest.json        what was asked for; a run goes on only under the same settings
candidates/*.json    compiled states
questions.jsonl      the questions that the report is on, with their gold data and papers
predictions.jsonl    what programs answered, line by line as they did
judgements.jsonl     what the judge said of claims
scores.jsonl         every metric of every prediction
report.json .md .html  what it comes to
calls/               answers of the language model, for steps that were cut off in the middle
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import dspy

from optimize.example import Example
from optimize.journal import Journal
from optimize.metering import MeteredCache
from programs.errors import UsageError


@dataclass(frozen=True, slots=True)
class RunFolder:
    """See the module; make one with ``open_run``.

    Attributes:
        path: It.
        kept: Where the language model's answers are; None for ``calls`` in it. Runs of several seeds share a folder.
    """

    path: Path
    kept: Path | None = None

    @property
    def questions(self) -> Journal:
        """What was asked, and what is known to be true of it; see ``write_questions``."""
        return Journal(self.path / "questions.jsonl")

    @property
    def predictions(self) -> Journal:
        """What programs answered."""
        return Journal(self.path / "predictions.jsonl")

    @property
    def judgements(self) -> Journal:
        """What the judge said."""
        return Journal(self.path / "judgements.jsonl")

    @property
    def scores(self) -> Journal:
        """What metrics gave."""
        return Journal(self.path / "scores.jsonl")

    @property
    def sessions(self) -> Journal:
        """What each session of the run cost: a run that was resumed has several."""
        return Journal(self.path / "sessions.jsonl")

    def state(self, candidate: str) -> Path:
        """Where a candidate's state is kept."""
        return self.path / "candidates" / f"{candidate}.json"

    def write_questions(self, posed: Mapping[str, Example], clusters: Mapping[str, str], split: str) -> None:
        """Keep the questions of a split as they were posed, so that later steps need no data set.

        Args:
            posed: By id.
            clusters: The paper of each by id, which a question on two joined papers no longer tells.
            split: Their split.
        """
        self.questions.replace(
            {**asdict(each), "split": split, "cluster": clusters[each.id]} for each in posed.values()
        )

    def write(self, name: str, text: str) -> Path:
        """Write a file of the run."""
        path = self.path / name
        path.write_text(text, encoding="utf-8")
        return path


def open_run(path: Path, settings: Mapping[str, Any], *, resume: bool) -> RunFolder:
    """Start a run in a folder, or go on with the one that is there.

    Args:
        path: The run's folder.
        settings: Everything that the result depends on, JSON-ready.
        resume: Whether to go on; a folder without a run starts one.

    Raises:
        UsageError: There is a run already, or it was started with other settings.
    """
    manifest = path / "manifest.json"
    if manifest.exists():
        if not resume:
            raise UsageError(f"{path} holds a run already; go on with it by --resume, or name another --output")
        _check_same(manifest, json.loads(json.dumps(settings)))
    elif path.exists() and any(path.iterdir()):
        raise UsageError(f"{path} is not empty and holds no run; name another --output")
    else:
        (path / "candidates").mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps(settings, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return RunFolder(path)


def unfinished_run(parent: Path, settings: Mapping[str, Any]) -> Path | None:
    """The newest run under a folder that has these settings and no report yet."""
    wanted = json.loads(json.dumps(settings))
    for manifest in sorted(parent.glob("*/manifest.json"), reverse=True):
        if not (manifest.parent / "report.json").exists() and _read(manifest) == wanted:
            return manifest.parent
    return None


@contextmanager
def kept_calls(run: RunFolder) -> Iterator[None]:
    """Keep the language model's answers in the run's folder, so that a resumed run asks nothing twice.

    Answers of other runs are not used: what a run says it cost, it cost. What is not kept is counted by the session's
    meter, if there is one.
    """
    before = vars(dspy).get("cache")  # asked for by name, DSPy would make one in the user's home
    dspy.configure_cache(disk_cache_dir=str(run.kept or run.path / "calls"), restrict_pickle=True)
    kept = dspy.cache
    dspy.cache = MeteredCache(kept)
    try:
        yield
    finally:
        kept.disk_cache.close()
        vars(dspy).pop("cache") if before is None else setattr(dspy, "cache", before)


def _check_same(manifest: Path, settings: Mapping[str, Any]) -> None:
    before = _read(manifest)
    changed = [name for name in settings if before.get(name) != settings[name]]
    if changed:
        differences = "; ".join(f"{name} was {before.get(name)!r} and is {settings[name]!r}" for name in changed)
        raise UsageError(f"{manifest.parent} was started with other settings: {differences}; name another --output")


def _read(manifest: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(manifest.read_text(encoding="utf-8")))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{manifest} cannot be read ({error}); name another --output") from error
