"""What ``python -m programs index --summaries`` does once papers are indexed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import say, steps

if TYPE_CHECKING:
    from programs.retrieval.index import Index
    from programs.summaries.run import Summarized

SummariesOption = Annotated[
    bool, typer.Option("--summaries", help="Have a summary of each paper written by --lm, for paper_retriever.")
]
SummariesLmOption = Annotated[
    str,
    typer.Option("--lm", help="Writes summaries: ollama/MODEL, any LiteLLM name, or extractive, which uses no model."),
]
ThreadsOption = Annotated[int, typer.Option(help="Papers summarized at a time.", min=1)]


@dataclass(frozen=True, slots=True)
class Summarizing:
    """Which model is to summarize, and how many papers at a time."""

    lm: str
    threads: int


def summarize(index: Index, how: Summarizing) -> dict[str, Any]:
    """Bring an index's summaries up to date under a bar that shows what they cost; failures are said by name.

    Returns:
        What was done, JSON-ready.
    """
    import dspy

    from programs.lm import LM
    from programs.lm.provider_errors import translated
    from programs.summaries.run import summarize_index

    with steps(index.stats().documents, "Summarizing") as advance:

        def show(done: Summarized, name: str) -> None:
            advance(done.done, f"{name} · {done.cost}".lstrip(" ·"))

        with translated(how.lm), dspy.context(lm=LM(how.lm)):
            done = summarize_index(index, threads=how.threads, on_progress=show)
    for failure in done.failures:
        say(f"Not summarized: {failure}")
    return done.as_dict() | {"lm": how.lm}


def said(report: dict[str, Any]) -> str:
    """The report in one line."""
    return (
        f"summaries by {report['lm']}: {report['made']} made, {report['current']} unchanged, "
        f"{len(report['failures'])} failed; {report['lm_calls']:,} calls, "
        f"{report['prompt_tokens'] + report['completion_tokens']:,} tokens"
    )
