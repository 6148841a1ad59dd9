"""What ``python -m programs check --lm MODEL`` prints: a model, how it does, and what a question will cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from programs.lm.trial import Trial

TOKENS_AN_ANSWER = 500
"""Of a usual call; the estimate of minutes rests on it."""


def as_document(trial: Trial) -> dict[str, Any]:
    """JSON-ready values, with the cost of a question by program."""
    from programs.registry import PROGRAMS

    pace = trial.tokens_a_second
    cost = {
        each.name: {
            "calls": each.calls,
            "minutes": round(each.calls * TOKENS_AN_ANSWER / pace / 60, 1) if pace else None,
        }
        for each in PROGRAMS
        if each.answers
    }
    return {**asdict(trial), "cost_of_a_question": cost}


def as_text(trial: Trial) -> Iterator[str]:
    """Lines for a reader."""
    document = as_document(trial)
    yield f"{trial.model}"
    yield f"  server    {trial.server or 'reached by its provider'}"
    yield f"  context   {f'{trial.context:,} tokens' if trial.context else 'not told'}"
    if trial.capabilities:
        yield f"  can       {', '.join(trial.capabilities)}"
    by = "a JSON schema" if trial.layout == "schema" else "DSPy's chat layout"
    yield f"  form      {by}: {'kept' if trial.keeps_form else 'not kept; it wrote ' + repr(trial.wrote)}"
    pace = "not told" if trial.tokens_a_second is None else f"{trial.tokens_a_second:.1f} tokens a second"
    yield f"  pace      {pace}; a short call took {trial.seconds:.1f} s"
    for name, cost in document["cost_of_a_question"].items():
        minutes = "" if cost["minutes"] is None else f", about {cost['minutes']} minutes"
        yield f"  {name}: {cost['calls']} calls a question without repairs{minutes}"
    yield from trial.warnings
