"""What all programs share: a name, tunable parameters that are saved with them, fixed prompting, and what a run cost.

A program reads as its algorithm: ``__init__`` declares the predictors, ``run`` is the steps. Language models come from
``dspy.settings`` alone; index, embedder and parameters are given to the constructor.
"""

from __future__ import annotations

import copy
import inspect
import re
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar, get_type_hints

import dspy
from dspy.utils.callback import BaseCallback
from dspy.utils.exceptions import AdapterParseError
from dspy.utils.usage_tracker import track_usage
from pydantic import BaseModel, TypeAdapter, ValidationError

from programs.compiled_state import Provenance, apply_state, read_state, save_state, stored_predictors
from programs.errors import MalformedOutput, UsageError, check_least, check_shares
from programs.lm.adapters import adapter_for, is_without_model
from programs.lm.model_size import is_large
from programs.lm.pace import MOST_TOKENS, pace_of
from programs.models.order import LEARNED
from programs.passages.passage_selection import CONTEXT_TOKENS, LEAST_RELEVANCE, Limits
from programs.progress import report_step

_HALF = re.compile("[\ud800-\udfff]")


def well_formed(value: Any) -> Any:  # noqa: ANN401 - any output field's value
    """A value in which every lone surrogate of every text is replaced by U+FFFD; other values as they are."""
    if isinstance(value, str):
        return _HALF.sub("\N{REPLACEMENT CHARACTER}", value) if _HALF.search(value) else value  # an enum stays one
    if isinstance(value, BaseModel):
        return value.model_copy(update={name: well_formed(each) for name, each in value})
    if isinstance(value, dict):
        return {well_formed(name): well_formed(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        repaired = [well_formed(each) for each in value]
        return type(value)(*repaired) if hasattr(value, "_fields") else type(value)(repaired)
    return value


P = TypeVar("P")
R = TypeVar("R")
T = TypeVar("T")

LONG = 60.0
"""Seconds; of a question that is expected to take more, that is said before the model is first asked."""
RETRY_TEMPERATURE = 0.3
"""A step whose output does not parse is asked again a little warmer: at 0 it would give the same output."""


class Program(dspy.Module, Generic[P]):
    """Base of the systems.

    Args:
        parameters: A frozen dataclass of numbers and switches; optimizers tune it, and it is saved with the prompts.

    Attributes:
        settings: Those parameters; ``parameters()`` is DSPy's, which lists the predictors.
        compiled_from: File of the compiled state that was loaded last; None without one.
    """

    name: ClassVar[str]
    run: Callable[..., dspy.Prediction]
    """The program's steps; each program has its own inputs."""

    def __init__(self, parameters: P) -> None:
        super().__init__()
        self.settings = parameters
        self.compiled_from: Path | None = None

    def __repr__(self) -> str:
        """The program in a line: what finds its passages, parameters that are not the default, its compiled state."""
        source = self.__dict__.get("retriever", self.__dict__.get("index"))
        values = ((each.name, getattr(self.settings, each.name), each.default) for each in fields(self.settings))  # type: ignore[arg-type]
        changed = (f"{name}={value!r}" for name, value, default in values if value != default)
        compiled = f"compiled_from={self.compiled_from.name!r}" if self.compiled_from else ""
        parts = ["" if source is None else repr(source), *changed, compiled]
        return f"{type(self).__name__}({', '.join(filter(None, parts))})"

    def prepare(self, **inputs: Any) -> None:  # noqa: ANN401 - each program has its own inputs
        """Do ahead, for some inputs, what is done once and kept, so that a first question takes no longer than others.

        Most programs have nothing of the kind. No model is asked.
        """

    def prompts(self, **inputs: Any) -> list[int]:  # noqa: ANN401 - each program has its own inputs
        """About how many tokens each call of a model reads for some inputs, where nothing needs repair.

        Nothing where a program does not know, or asks no model. Without inputs those of a usual question.
        """
        return []

    def forward(self, *first: Any, **inputs: Any) -> dspy.Prediction:  # noqa: ANN401 - each program has its own inputs
        """Run the program; see ``run`` of each, whose order the first inputs may be given in.

        Raises:
            UsageError: An input is missing, unknown or given twice.
        """
        given = self._checked_inputs(first, inputs)
        self._say_if_long(given)
        with dspy.context(adapter=adapter_for(dspy.settings.lm)), _accounting() as account:
            prediction = self.run(*first, **inputs)
        prediction.metrics = {**account, **(prediction.get("metrics") or {})}
        return prediction

    async def aforward(self, *first: Any, **inputs: Any) -> dspy.Prediction:  # noqa: ANN401 - as for ``forward``
        """The same in a worker thread, with this context's language model."""
        prediction: dspy.Prediction = await dspy.asyncify(self.forward)(*first, **inputs)
        return prediction

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Optimizers copy programs; what finds passages is shared by all copies, as it may be anything.
        retriever = self.__dict__.get("retriever")
        memo[id(retriever)] = retriever
        copied = copy.copy(self)
        memo[id(self)] = copied
        copied.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return copied

    def set_parameters(self, /, **changed: Any) -> None:  # noqa: ANN401 - parameters have their own types
        """Change parameters by name.

        Raises:
            UsageError: There is no such parameter, or the value is of another type or out of range.
        """
        known = asdict(self.settings)  # type: ignore[call-overload]
        unknown = sorted(changed.keys() - known.keys())
        if unknown:
            raise UsageError(f"{self.name} has no parameter {', '.join(unknown)}; it has {', '.join(known)}")
        check_types(type(self.settings), changed)
        self.settings = replace(self.settings, **changed)  # type: ignore[type-var]

    def asked_with(self, given: Mapping[str, Any]) -> Self:
        """The same with other parameters, of those that may come with a question: see ``WITH_A_QUESTION``.

        Raises:
            UsageError: One is none of these, or has a value that does not fit.
        """
        taken = [each.name for each in fields(self.settings) if each.metadata == WITH_A_QUESTION]  # type: ignore[arg-type]
        if unknown := sorted(given.keys() - set(taken)):
            known = ", ".join(taken) or "none"
            raise UsageError(f"{self.name} takes no {', '.join(unknown)} with a question; it takes {known}")
        changed = copy.copy(self)
        changed.set_parameters(**given)
        return changed

    def reset_copy(self) -> Program[P]:
        """A copy without demos; DSPy's own asks a method whose name our numbers carry."""
        copied: Program[P] = self.deepcopy()
        for _, predictor in copied.named_parameters():
            predictor.reset()
        return copied

    def dump_state(self, json_mode: bool = True) -> dict[str, Any]:
        """Prompts, demos and parameters, JSON-ready."""
        state: dict[str, Any] = super().dump_state(json_mode=json_mode)
        return {**state, "parameters": asdict(self.settings)}  # type: ignore[call-overload]

    def load_state(self, state: dict[str, Any], *, allow_unsafe_lm_state: bool = False) -> None:
        """Read what ``dump_state`` wrote.

        A program that was given to find the passages stays as it is where the state says nothing of it, which DSPy's
        own reading refuses.
        """
        predictors = stored_predictors(dict(self.named_predictors()), state)
        read = {  # all of them before any is changed
            name: copy.copy(each).load_state(state[name], allow_unsafe_lm_state=allow_unsafe_lm_state)
            for name, each in predictors.items()
        }
        for name, predictor in predictors.items():
            predictor.__setstate__(read[name].__getstate__())
        self.set_parameters(**state.get("parameters", {}))

    def save(self, path: str | Path, save_program: bool = False, modules_to_serialize: Any = None) -> None:  # noqa: ANN401 - as DSPy has it
        """Write the state to a JSON file, which ``load`` reads; with ``save_program`` the whole program, by DSPy."""
        if save_program:
            super().save(path, save_program=True, modules_to_serialize=modules_to_serialize)
        else:
            save_state(self, path, Provenance())

    def load(self, path: str | Path, allow_pickle: bool = False, allow_unsafe_lm_state: bool = False) -> None:
        """Read a state from a JSON file: one that ``save`` wrote, or one that ``python -m optimize`` made.

        Raises:
            UsageError: There is none, or it is damaged.
            StateMismatch: It was made for other signatures.
        """
        if Path(path).suffix != ".json":
            super().load(path, allow_pickle=allow_pickle, allow_unsafe_lm_state=allow_unsafe_lm_state)
            return
        apply_state(self, read_state(path))

    def _say_if_long(self, inputs: Mapping[str, Any]) -> None:
        pace = pace_of(dspy.settings.lm)
        prompts = self.prompts(**inputs) if pace else []
        if pace and (seconds := pace.seconds(prompts)) > LONG:
            report_step(
                "long",
                f"This may take about {round(seconds / 60)} min: there are about {sum(prompts):,} tokens to read, and "
                f"{model_name()} reads {pace.read:.1f} a second.",
                seconds=round(seconds),
                calls=len(prompts),
                tokens=sum(prompts),
            )

    def _checked_inputs(self, first: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
        signature = inspect.signature(self.run)
        try:
            return signature.bind(*first, **inputs).arguments
        except TypeError as error:
            raise UsageError(f"{self.name} {error}; it takes {', '.join(signature.parameters)}") from error


WITH_A_QUESTION = {"with a question": True}
"""Marks a parameter that a stranger may set with a question: no name of a model, nothing that counts as proof."""
MOST_EVIDENCE = 1_000
"""Sentences that an answer is written from at most, whatever is asked for."""
_SENTENCES = (3, 12)
_BY_SIZE: Mapping[str, tuple[Any, Any]] = {
    "reader": ("order", "both"),
    "evidence": _SENTENCES,
    "word": ("checker", "model"),
}
"""What "auto" is for a small model and for a large one."""


@dataclass(frozen=True, slots=True)
class AnsweringParameters:
    """What the programs that answer questions can all be tuned by.

    Attributes:
        context_tokens: Tokens that all passages may have, at least 1; a token is three quarters of a word. With "auto"
            6,000, of whose sentences the model is shown what it reads in about ten seconds: see ``room``.
        cross_encoder: What orders passages by the question: "learned" for the order that is shipped, the name of
            another model, or empty for none.
        least_relevance: Probability of answering, by ``cross_encoder``, below which a passage behind the first few is
            left out, unless so many passages are asked for.
        max_iterations: Rounds in which what is not proved is written anew; 0 quotes the papers at once.
        num_tries: Attempts at a step whose output does not parse, at least 1.
        verify: Whether to verify and repair the answer.
        reader: Who chooses the sentences that a model writes from: the learned order, the model itself, or both; with
            "auto" the order, for a large model both.
        evidence: How many sentences these are at most, at least 1; with "auto" 3, for a large model 12.
        least_evidence: Probability of answering, by the order, that a sentence has at least where it is an answer.
        word: Whose word certifies a sentence: the checker's alone, or the model's too, which then also says whether
            sentences answer; with "auto" a large model's counts.
        least_support: The checker's probability, where it decides alone, below which a model's sentence is not proved.
        least_coverage: Share of the question's words, in [0, 1], that an answer holds or else is withheld; 0 for any.
    """

    context_tokens: int | Literal["auto"] = "auto"
    cross_encoder: str = LEARNED
    least_relevance: float = LEAST_RELEVANCE
    max_iterations: int = 0
    num_tries: int = 1
    verify: bool = True
    reader: Literal["auto", "order", "model", "both"] = field(default="auto", metadata=WITH_A_QUESTION)
    evidence: int | Literal["auto"] = field(default="auto", metadata=WITH_A_QUESTION)
    least_evidence: float = field(default=0.1, metadata=WITH_A_QUESTION)
    word: Literal["auto", "checker", "model"] = "auto"
    least_support: float = 0.8
    least_coverage: float = field(default=0.0, metadata=WITH_A_QUESTION)

    def __post_init__(self) -> None:
        check_least(self, max_iterations=0, num_tries=1, **({} if self.evidence == "auto" else {"evidence": 1}))
        check_shares(self, "least_coverage", "least_evidence", "least_support")
        if self.evidence != "auto" and self.evidence > MOST_EVIDENCE:
            raise UsageError(f"evidence must be at most {MOST_EVIDENCE}, got more")
        _ = self.limits

    @property
    def limits(self) -> Limits:
        """How much is shown."""
        return Limits(self.passage_tokens, least_relevance=self.least_relevance)

    def for_model(self) -> Self:
        """The same with what is "auto" as it is for this context's model."""
        large = is_large(dspy.settings.lm)
        chosen = {name: values[large] for name, values in _BY_SIZE.items() if getattr(self, name) == "auto"}
        return replace(self, **chosen) if chosen else self

    @property
    def sentences(self) -> int:
        """How many sentences this context's model writes from at most."""
        return _SENTENCES[is_large(dspy.settings.lm)] if self.evidence == "auto" else self.evidence

    @property
    def passage_tokens(self) -> int:
        """Of all passages; not by the model's pace, as it is not the model that puts their sentences in order."""
        return CONTEXT_TOKENS if self.context_tokens == "auto" else self.context_tokens

    @property
    def room(self) -> int | None:
        """Tokens of these passages that this context's model is shown at once, the best first; None for any number.

        By its pace with "auto", if it was timed and is slow; a number of tokens is for the passages alone.
        """
        pace = pace_of(dspy.settings.lm) if self.context_tokens == "auto" else None
        return pace.room if pace and pace.room < MOST_TOKENS else None


def check_types(parameters: type, changed: Mapping[str, Any]) -> None:
    """Refuse, by a ``UsageError``, values of another type than the parameter of their name has."""
    hints = get_type_hints(parameters)
    for name, value in changed.items():
        try:
            TypeAdapter(hints[name]).validate_python(value, strict=True)
        except ValidationError as error:
            raise UsageError(f"{name}={value!r} is of the wrong type: {error.errors()[0]['msg'].lower()}") from error


def attempt(predictor: dspy.Module, tries: int, **inputs: Any) -> dspy.Prediction:  # noqa: ANN401 - a signature's fields
    """Ask a predictor, again when its output does not parse.

    Args:
        predictor: A ``dspy.Predict`` or ``dspy.ChainOfThought``.
        tries: How often to ask at most, at least 1.
        **inputs: The signature's input fields.

    Raises:
        MalformedOutput: No attempt gave output of the signature's form.
    """
    for number in range(tries):
        again = {"config": {"rollout_id": number, "temperature": RETRY_TEMPERATURE}} if number else {}
        try:
            found = predictor(**{**inputs, **again})
        except AdapterParseError as error:
            failure = error
            continue
        for name, value in found.items():
            found[name] = well_formed(value)
        return found
    outputs = ", ".join(failure.signature.output_fields)
    raise MalformedOutput(
        f"the model's output did not hold the fields {outputs} in {tries} tries; use a model that follows "
        "the format (`python -m programs check --lm NAME` tries one), or give num_tries in code. It wrote: "
        f"{failure.lm_response[:300]!r}"
    ) from failure


def model_name() -> str:
    """Name of the language model of this context; empty without one."""
    return str(getattr(dspy.settings.lm, "model", ""))


def reader_name() -> str:
    """Name of the model that reads what it is shown; empty where none does, as with ``extractive``."""
    return "" if is_without_model(dspy.settings.lm) else model_name()


def in_threads(
    function: Callable[[T], R], items: Iterable[T], threads: int, *, as_they_come: bool = False
) -> Generator[R, None, None]:
    """Apply a function in threads, in the order of the items; what is left is cancelled when one call raises.

    Each call runs in a copy of this context, which carries the language model and what counts its calls; a plain pool
    does not hand it on, and would finish what is waiting. Where the caller's own work on a result may raise,
    ``contextlib.closing`` ends the calls then and there.
    """
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(copy_context().run, function, each) for each in items]
        try:
            for finished in as_completed(running) if as_they_come else running:
                yield finished.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def side_by_side(calls: Iterable[Callable[[], R]]) -> list[R]:
    """Run calls at the same time; results come in their order."""
    listed = list(calls)
    return list(in_threads(lambda call: call(), listed, max(1, len(listed))))


class _Calls(BaseCallback):
    """Counts calls of language models."""

    def __init__(self) -> None:
        self.count = 0
        self._counting = threading.Lock()

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:  # noqa: ANN401
        with self._counting:
            self.count += 1


@contextmanager
def _accounting() -> Iterator[dict[str, Any]]:
    """What the block costs, once it has ended: milliseconds, calls and tokens.

    Calls that DSPy's cache answered count as calls, their tokens do not.
    """
    account: dict[str, Any] = {}
    calls, started = _Calls(), time.perf_counter()
    with dspy.context(callbacks=[*(dspy.settings.callbacks or []), calls]), track_usage() as usage:
        yield account
    account["latency_ms"] = round((time.perf_counter() - started) * 1000, 2)
    account["lm_calls"] = calls.count
    used = usage.get_total_tokens().values()
    tokens = {kind: sum(int(each.get(f"{kind}_tokens") or 0) for each in used) for kind in ("prompt", "completion")}
    account["tokens"] = {**tokens, "total": sum(tokens.values())}
