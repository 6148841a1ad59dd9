"""Compiled states: a program's prompts, demos and parameters as one JSON file, and what they were made for.

    {"extract.predict": {…}, …, "parameters": {"threshold": 0.4, …},
     "metadata": {"program": "main_points", "format": 1, "fingerprint": {…}, "provenance": {"lm": "extractive/1", …}}}

DSPy's own state names neither fields nor their types, and loading it into a changed signature silently swaps
descriptions. So the fingerprint holds them, and a state that does not fit is refused. JSON only, never a pickle, which
could run code, and nothing but instructions, demonstrations and parameters (``programs.compiled_state``).
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, JsonValue, StringConstraints, TypeAdapter

from programs.atomic_files import write_file
from programs.errors import StateMismatch, UsageError
from programs.models.order import LEARNED

if TYPE_CHECKING:
    import dspy

LARGEST_STATE = 20 * 2**20
"""Bytes of a state file at most; those that are shipped have up to 200,000."""
MOST_DEMOS = 64

_STRICT = ConfigDict(extra="forbid", strict=True)
_Name = Annotated[str, StringConstraints(max_length=100)]
_Instructions = Annotated[str, StringConstraints(max_length=50_000)]


class _FieldText(BaseModel):
    model_config = _STRICT
    prefix: Annotated[str, StringConstraints(max_length=500)]
    description: Annotated[str, StringConstraints(max_length=10_000)]


class _SignatureText(BaseModel):
    model_config = _STRICT
    instructions: _Instructions
    fields: Annotated[list[_FieldText], Field(max_length=50)]


class _PredictorState(BaseModel):
    model_config = _STRICT
    signature: _SignatureText
    demos: Annotated[list[dict[_Name, JsonValue]], Field(max_length=MOST_DEMOS)]
    traces: Annotated[list[JsonValue], Field(max_length=0)] = []
    train: Annotated[list[JsonValue], Field(max_length=0)] = []
    lm: None = None


_PREDICTORS = TypeAdapter(dict[_Name, _PredictorState])


FORMAT = 1

FINDING = "retriever."
"""Beginning of the names of predictors of another program, which was given to find the passages. A state may leave them
out: that program has its own states."""

UNCOMPILED = "uncompiled"
"""Name of the candidate that every compilation begins with: the program as its authors wrote it."""

_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What comes of a file with another content: no UTF-8, no JSON, too deep, a number of too many digits, other types."""

Fingerprint: TypeAlias = dict[str, dict[str, list[list[str]]]]
"""By predictor ``inputs`` and ``outputs``, each a list of name and type."""


_V = TypeVar("_V")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a compiled state comes from.

    Attributes:
        lm: The model it was compiled for, as ``dspy.LM.model`` names it: "extractive/1", "ollama/gpt-oss"; empty
            where a program was saved as it is.
        prompt_lm: The model that showed how, or wrote prompts; empty without one.
        judge: Name and version of what judged claims.
        adapter: How prompts were laid out.
        candidate: The candidate that was chosen, by ``optimizers`` in their order.
        budget: Sizes that were set, such as the number of candidates.
        splits: SHA-256 of the examples of each split of the data set.
        scores: Mean objective by split, each in [0, 1]; ``val`` is what ``load`` compares; ``uncompiled`` is the same.
        date: Day of the compilation, ISO 8601.
        version: Of this project.
    """

    lm: str = ""
    prompt_lm: str = ""
    judge: str = ""
    adapter: str = "ChatAdapter"
    optimizers: tuple[str, ...] = ()
    candidate: str = ""
    seed: int = 0
    budget: Mapping[str, Any] = field(default_factory=dict)
    dataset: str = ""
    splits: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[str, FiniteFloat] = field(default_factory=dict)
    uncompiled: Mapping[str, FiniteFloat] = field(default_factory=dict)
    date: str = ""
    version: str = ""


class _Metadata(BaseModel):
    program: str
    fingerprint: Fingerprint
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class State:
    """A state file that was read.

    Attributes:
        program: Name of the program it was made for.
        fingerprint: Fields of its predictors.
        provenance: How it was made.
        content: Prompts, demos and parameters.
    """

    path: Path
    program: str
    fingerprint: Fingerprint
    provenance: Provenance
    content: Mapping[str, Any]

    @property
    def lm(self) -> str:
        """Name of the language model it was compiled for."""
        return self.provenance.lm

    @property
    def score(self) -> float:
        """Its score on the validation split; what is not known counts as worst."""
        return self.provenance.scores.get("val", float("-inf"))

    @property
    def is_gain(self) -> bool:
        """Whether it is anything but the uncompiled program, which nothing beat."""
        return self.provenance.candidate != UNCOMPILED

    @property
    def is_loss(self) -> bool:
        """Whether it did worse on test than the uncompiled program, as far as that is known."""
        made = self.provenance
        return made.scores.get("test", 0.0) < made.uncompiled.get("test", 0.0)

    def __str__(self) -> str:
        made = self.provenance
        by = ", ".join(made.optimizers) if self.is_gain else "the defaults, since compiling found nothing better"
        return f"{self.path.name} ({by}; {made.dataset})"


def fingerprint(program: dspy.Module) -> Fingerprint:
    """Names and types of every predictor's fields, in their order."""
    return {
        name: {
            side: [[field, _type_name(info.annotation)] for field, info in fields.items()]
            for side, fields in (
                ("inputs", predictor.signature.input_fields),
                ("outputs", predictor.signature.output_fields),
            )
        }
        for name, predictor in _thawed(program).named_predictors()
    }


def state_of(program: dspy.Module, provenance: Provenance) -> dict[str, Any]:
    """A program's state as JSON-ready values; its language model is not part of it."""
    program = _thawed(program)
    program.set_lm(None)
    state = program.dump_state()
    parameters = state.pop("parameters")
    metadata = {
        "program": program.name,
        "format": FORMAT,
        "fingerprint": fingerprint(program),
        "provenance": asdict(provenance),
    }
    without_runs = {name: {**values, "traces": [], "train": []} for name, values in state.items()}
    return {**without_runs, "parameters": parameters, "metadata": metadata}


def save_state(program: dspy.Module, path: str | Path, provenance: Provenance) -> Path:
    """Write a program's state to a JSON file, whole or not at all.

    Raises:
        UsageError: The name does not end in ``.json``, or a symbolic link is in its place.
    """
    path = _json_path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_file(path, json.dumps(state_of(program, provenance), ensure_ascii=False, indent=1) + "\n")


def read_state(path: str | Path) -> State:
    """Read a state file.

    Raises:
        UsageError: There is none, or it not a JSON document of this form; pickles are never read.
    """
    path = _json_path(path)
    try:
        return _read(path)
    except UsageError:
        raise
    except FileNotFoundError as error:
        raise UsageError(f"no compiled state at {path}; make one with `python -m optimize`") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); give what `optimize` wrote") from error
    except _UNREADABLE as error:
        raise UsageError(
            f"{path} is not a compiled state of this project ({error!r}); give what `optimize` wrote"
        ) from error


def _read(path: Path) -> State:
    if path.stat().st_size > LARGEST_STATE:
        raise UsageError(f"{path} is larger than {LARGEST_STATE} bytes, which no compiled state is")
    content = json.loads(path.read_bytes())
    metadata = content.pop("metadata")
    if (made_with := metadata["format"]) != FORMAT:
        raise UsageError(f"{path} has format {made_with!r}, this version reads {FORMAT}; compile again")
    made = _Metadata.model_validate(metadata)
    predictors = {name: values for name, values in content.items() if name != "parameters"}
    if predictors.keys() != made.fingerprint.keys():
        raise ValueError(f"it holds {', '.join(predictors)}, and says that it holds {', '.join(made.fingerprint)}")
    _PREDICTORS.validate_python(predictors)
    if not isinstance(content.get("parameters", {}), dict):
        raise TypeError("parameters are not an object")
    return State(path, made.program, made.fingerprint, made.provenance, content)


def apply_state(program: dspy.Module, state: State) -> None:
    """Load a state into a program, after checking that it was made for exactly these signatures.

    Raises:
        StateMismatch: It was made for another program, or for other fields, or it names a model.
    """
    difference = mismatch(program, state) or _chosen_by_name(program, state)
    if difference:
        raise StateMismatch(f"{state.path} does not fit {program.name}: {difference}; compile the program again")
    _thaw(program)
    try:
        program.load_state(dict(state.content))
    except (UsageError, *_UNREADABLE) as error:  # parameters or values that this version does not know
        raise StateMismatch(f"{state.path} does not fit {program.name}: {error}; compile the program again") from error
    program.compiled_from = state.path


def mismatch(program: dspy.Module, state: State) -> str:
    """In words, the first thing in which a state does not fit a program; empty when it fits."""
    if state.program != program.name:
        return f"it was made for the program {state.program!r}"
    own = stored_predictors(fingerprint(program), state.fingerprint)
    if own.keys() != state.fingerprint.keys():
        return f"it has the predictors {', '.join(state.fingerprint)}, the program has {', '.join(own)}"
    for name, sides in own.items():
        for side, found in sides.items():
            made_for = state.fingerprint[name].get(side)
            if made_for != found:
                return f"the {side} of {name} were {_listed(made_for or [])}, now they are {_listed(found)}"
    return ""


def stored_predictors(predictors: Mapping[str, _V], state: Iterable[str]) -> dict[str, _V]:
    """Of a program's predictors, those that a state has to tell: all but those of a program that finds the passages.

    Args:
        predictors: By name.
        state: Names that the state holds; a predictor among them counts in any case.
    """
    held = set(state)
    return {name: each for name, each in predictors.items() if name in held or not name.startswith(FINDING)}


def _chosen_by_name(program: dspy.Module, state: State) -> str:
    """In words, a parameter by which a state would have a model of its choice loaded; empty when there is none."""
    hints = get_type_hints(type(program.settings))
    own = asdict(program.settings)
    for name, value in state.content.get("parameters", {}).items():
        if hints.get(name) is str and value not in (own[name], "", LEARNED):
            return f"it would load a model of its choice; if you want that one, give {name}={value!r} yourself"
    return ""


def _json_path(path: str | Path) -> Path:
    path = Path(path)
    if path.suffix != ".json":
        raise UsageError(f"{path} is not a JSON file; compiled states are JSON, pickles are neither written nor read")
    return path


def _thawed(program: dspy.Module) -> dspy.Module:
    copied = copy.deepcopy(program)
    _thaw(copied)
    return copied


def _thaw(program: dspy.Module) -> None:
    """Bring all predictors into sight: DSPy leaves those of compiled submodules out of a program's state."""
    for _, module in program.named_sub_modules():
        if hasattr(module, "_compiled"):
            module._compiled = False


def _type_name(annotation: Any) -> str:  # noqa: ANN401 - any annotation
    """A type in full, with the fields of its models: a demo must not fit a value of another form."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if origin in (Union, UnionType):
        return " | ".join(map(_type_name, arguments))
    if origin is not None:
        return f"{origin.__name__}[{', '.join(map(_type_name, arguments))}]"
    if annotation is NoneType:
        return "None"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = ", ".join(f"{name}: {_type_name(info.annotation)}" for name, info in annotation.model_fields.items())
        return f"{annotation.__name__}({inner})"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _listed(described: list[list[str]]) -> str:
    return ", ".join(f"{name}: {kind}" for name, kind in described) or "none"
