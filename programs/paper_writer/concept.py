"""What a paper is to be about: its hypothesis, and the authors' own experiments; read from a YAML file.

hypothesis: Brief climbing protects trabecular bone of mice in orbit.
experiments:
  - name: Climbing in orbit
    method: Twenty mice flew for 30 days …
    findings: [Bone volume fraction fell by 6 % in climbers and by 17 % in others (p = 0.01).]
    plots: [{file: bone.png, caption: Bone volume fraction by group.}]
"""

from __future__ import annotations

import hashlib
import re
import reprlib
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, StringConstraints, ValidationError, model_validator

from programs.atomic_files import plain_values
from programs.errors import UsageError, one_line
from signatures.passages import as_data, labelled

Text = Annotated[str, StringConstraints(strip_whitespace=True)]
Required = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

IMAGES = frozenset({".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"})
"""Endings that Markdown viewers show."""

_UNSAFE = re.compile(r"[^\w.-]+")


class Plot(BaseModel, frozen=True, extra="forbid"):
    """A figure of the paper; in a concept file its place is relative to it. Without an ``alt`` the caption is that."""

    file: Path
    caption: Required
    alt: Text = ""

    @property
    def filename(self) -> str:
        """Its name beside the draft, without characters that mean something in Markdown."""
        return _UNSAFE.sub("_", self.file.name)


class ExperimentResult(BaseModel, frozen=True, extra="forbid"):
    """An experiment of the authors: what was done, what was found, a sentence each, and what to show of it."""

    name: Required
    method: Text = ""
    findings: tuple[Required, ...] = ()
    plots: tuple[Plot, ...] = ()


class PaperConcept(BaseModel, frozen=True, extra="forbid"):
    """What the authors bring to the paper; everything in it is their own word and needs no citation.

    Contributions and limitations are a sentence each, authors are "Family, Given", and the title is a working title.
    """

    hypothesis: Required
    title: Text = ""
    background: Text = ""
    objective: Text = ""
    approach: Text = ""
    contributions: tuple[Required, ...] = ()
    limitations: tuple[Required, ...] = ()
    authors: tuple[Required, ...] = ()
    experiments: tuple[ExperimentResult, ...] = ()

    @property
    def plots(self) -> tuple[Plot, ...]:
        """All plots, in the order of their figure numbers."""
        return tuple(plot for experiment in self.experiments for plot in experiment.plots)

    @model_validator(mode="after")
    def _plots_have_unique_names(self) -> PaperConcept:
        names = [unicodedata.normalize("NFC", plot.filename).casefold() for plot in self.plots]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two plots are called {', '.join(twice)}; they are in one folder, so rename one")
        return self


def concept_shown(concept: PaperConcept) -> str:
    """A concept as it is in a prompt, one statement a line; the hypothesis has its own field."""
    said = [("Background", concept.background), ("Objective", concept.objective), ("Approach", concept.approach)]
    said += [("Contribution", text) for text in concept.contributions]
    said += [("Limitation", text) for text in concept.limitations]
    return "\n".join(f"{name}: {as_data(' '.join(text.split()))}" for name, text in said if text)


def experiments_shown(concept: PaperConcept) -> str:
    """The experiments as they are in a prompt, numbered."""
    shown = []
    for number, each in enumerate(concept.experiments, 1):
        said = [f"Method: {' '.join(each.method.split())}"] if each.method else []
        said += [f"Finding: {' '.join(text.split())}" for text in each.findings]
        shown.append((f"E{number}", "", "\n".join([each.name, *said])))
    return labelled(shown)


def inputs_of(concept: PaperConcept) -> dict[str, str]:
    """What every signature of the writer is given of a concept."""
    return {
        "concept": concept_shown(concept),
        "experiments": experiments_shown(concept),
        "hypothesis": as_data(concept.hypothesis),
    }


def digest(concept: PaperConcept) -> str:
    """SHA-256 (hex) of a concept and the bytes of its plots, wherever they are."""
    found = hashlib.sha256(with_plots(concept, lambda plot: Path(plot.filename)).model_dump_json().encode())
    for plot in concept.plots:
        found.update(plot.file.read_bytes())
    return found.hexdigest()


def with_plots(concept: PaperConcept, place: Callable[[Plot], Path]) -> PaperConcept:
    """The concept with its plots at other places."""
    experiments = [
        each.model_copy(update={"plots": tuple(plot.model_copy(update={"file": place(plot)}) for plot in each.plots)})
        for each in concept.experiments
    ]
    return concept.model_copy(update={"experiments": tuple(experiments)})


MOST_BYTES = 2**20
MOST_SAID = 1_000
"""Characters of what a reader of YAML says of a fault."""
LONGEST_NAME = 200
"""Bytes of a plot's name; file systems take 255, with what is added while it is copied."""

_EXAMPLE = Path(__file__).with_name("example") / "concept.yaml"


def read_concept(path: str | Path) -> PaperConcept:
    """Read a concept; paths of plots are taken from the file's own folder.

    Raises:
        UsageError: The file does not exist or is not YAML, a field is missing, unknown or of the wrong kind, or a plot
            is missing or not an image.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file; name a concept such as {_EXAMPLE}")
    if path.exists() and path.stat().st_size > MOST_BYTES:
        raise UsageError(f"{path} has more than {MOST_BYTES} bytes, too many for a concept; compare {_EXAMPLE}")
    try:
        content = plain_values(path.read_text(encoding="utf-8"), MOST_BYTES)
    except FileNotFoundError as error:
        raise UsageError(f"no concept at {path}; start from the example {_EXAMPLE}") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as YAML: {one_line(error, MOST_SAID)}; compare {_EXAMPLE}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path} holds no fields such as `hypothesis: …`; start from the example {_EXAMPLE}")
    try:
        concept = PaperConcept.model_validate(content)
    except ValidationError as error:
        said = "; ".join(_fault(dict(each)) for each in error.errors())
        raise UsageError(f"{path}: {said}. Every field is explained in {_EXAMPLE}") from error
    return checked(concept, path.parent)


def checked(concept: PaperConcept, folder: Path = Path()) -> PaperConcept:
    """The concept with plots found in a folder; a ``UsageError`` where one is missing, or no image."""
    for plot in concept.plots:
        place = folder / plot.file
        if len(plot.filename.encode()) > LONGEST_NAME:
            raise UsageError(
                f"the name of the plot {plot.file.name:.40}… is too long; rename it to {LONGEST_NAME} bytes"
            )
        try:
            is_there = place.is_file()
        except OSError as error:
            said = one_line(error, MOST_SAID)
            raise UsageError(f"the plot {place} cannot be looked at: {said}; correct `file`") from error
        if not is_there:
            raise UsageError(
                f"no plot at {place}; correct `file`, which is relative to the concept's folder, or take the plot out"
            )
        if plot.file.suffix.lower() not in IMAGES:
            raise UsageError(
                f"the plot {plot.file} is not an image that Markdown shows; use {', '.join(sorted(IMAGES))}"
            )
    # Where a plot is a link, the name that the authors gave it stays.
    return with_plots(concept, lambda plot: (folder / plot.file).absolute())


def _fault(error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if where == "hypothesis":
        return "it has no hypothesis, and a paper needs one: add `hypothesis: …`, what is put to the test"
    said = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "tuple_type":
        said = "give a list, an entry a line that starts with `- `, even where there is only one"
    return f"{where}: {said}, got {reprlib.repr(error['input'])}" if where else said
