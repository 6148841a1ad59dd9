"""Reads a concept from a YAML file."""

from __future__ import annotations

import reprlib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from programs.errors import UsageError
from programs.files import plain_values
from programs.paper_writer.concept import IMAGES, PaperConcept, with_plots

MOST_BYTES = 2**20
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
    try:
        content = plain_values(_text(path), MOST_BYTES)
    except FileNotFoundError as error:
        raise UsageError(f"no concept at {path}; start from the example {_EXAMPLE}") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as YAML: {_one_line(error)}; compare {_EXAMPLE}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path} holds no fields such as `hypothesis: …`; start from the example {_EXAMPLE}")
    return checked(concept_of(content, str(path)), path.parent)


def _text(path: Path) -> str:
    """The file's text, unless it is not a file or too large to be a concept."""
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file; name a concept such as {_EXAMPLE}")
    if path.stat().st_size > MOST_BYTES:
        raise UsageError(f"{path} has more than {MOST_BYTES} bytes, too many for a concept; compare {_EXAMPLE}")
    return path.read_text(encoding="utf-8")


def concept_of(content: dict[str, Any], source: str = "the concept") -> PaperConcept:
    """Make a concept of plain values.

    Raises:
        UsageError: A field is missing, unknown or of the wrong kind.
    """
    try:
        return PaperConcept.model_validate(content)
    except ValidationError as error:
        said = "; ".join(_fault(dict(each)) for each in error.errors())
        raise UsageError(f"{source}: {said}. Every field is explained in {_EXAMPLE}") from error


def checked(concept: PaperConcept, folder: Path = Path()) -> PaperConcept:
    """The concept with plots found in a folder.

    Raises:
        UsageError: A plot is missing, or no image.
    """
    for plot in concept.plots:
        if len(plot.filename.encode()) > LONGEST_NAME:
            raise UsageError(
                f"the name of the plot {plot.file.name:.40}… is too long; rename it to {LONGEST_NAME} bytes"
            )
        if not _is_there(folder / plot.file):
            raise UsageError(
                f"no plot at {folder / plot.file}; correct `file`, which is relative to the concept's folder, or take "
                "the plot out"
            )
        if plot.file.suffix.lower() not in IMAGES:
            raise UsageError(
                f"the plot {plot.file} is not an image that Markdown shows; use {', '.join(sorted(IMAGES))}"
            )
    # Where a plot is a link, the name that the authors gave it stays.
    return with_plots(concept, lambda plot: (folder / plot.file).absolute())


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as error:
        raise UsageError(f"the plot {path} cannot be looked at: {_one_line(error)}; correct `file`") from error


def _fault(error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if where == "hypothesis":
        return "it has no hypothesis, and a paper needs one: add `hypothesis: …`, what is put to the test"
    said = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "tuple_type":
        said = "give a list, an entry a line that starts with `- `, even where there is only one"
    return f"{where}: {said}, got {reprlib.repr(error['input'])}" if where else said


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
