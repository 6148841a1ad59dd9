"""What ``python -m programs retrieve --program paper_retriever`` does: papers first, then passages in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from programs.cli.console import Format, print_json, say, stdout
from programs.cli.options import read_filters, say_outdated
from programs.errors import UsageError

PROGRAM = "paper_retriever"


def retrieve_papers(
    question: Sequence[str], program: str, place: str, lm: str, k: int | None, filters: list[str] | None
) -> dict[str, Any]:
    """Run the program on an index.

    Args:
        question: As given on the command line, where it must be one.
        program: As given on the command line.
        place: The index.
        lm: Name of the model that rates the papers.
        k: How many passages; None for the program's own number.
        filters: As given on the command line.

    Returns:
        Its result, JSON-ready.

    Raises:
        UsageError: It is another program, or there are several questions.
    """
    import dspy

    from programs.json_form import as_json
    from programs.lm import LM
    from programs.lm.provider_errors import translated
    from programs.registry import load
    from programs.retrieval.index import Index

    if program != PROGRAM:
        raise UsageError(f"{program} does not retrieve; --program takes {PROGRAM}, and `ask` the programs that answer")
    if len(question) != 1:
        raise UsageError(f"{PROGRAM} takes one question, got {len(question)}; put it in quotation marks")
    with translated(lm), dspy.context(lm=LM(lm)), Index.open(place) as index:
        say_outdated(index)
        retriever = load(PROGRAM, index=index)
        if k is not None:
            retriever.set_parameters(re_retrieve_top_k=k)
        chosen = read_filters(filters, index.fields()) or None
        prediction = retriever(question=question[0], filters=chosen, answer=False)
    if lm == "extractive":
        say("No language model was used: papers are rated by words they share with the question. Name one with --lm.")
    return {"program": program, "lm": lm, "index": place, **as_json(prediction)}


def print_papers(result: dict[str, Any], output_format: Format) -> None:
    """Print a result; text from papers and models is never read as markup."""
    if output_format is Format.json:
        print_json(result)
        return
    console = stdout()
    for note in result["notes"]:
        console.print(f"Note: {note}\n", style="yellow")
    for paper in result["papers"]:
        rated = "unrated" if paper["relevance"] is None else f"{paper['relevance']} of 10"
        console.print(f"{paper['document_id']} · {rated} · {paper['title']}", style="bold")
        console.print(f"   {paper['reason']}\n", style="dim")
    for text in result["texts"]:
        _print_text(console, text)
    metrics = result["metrics"]
    console.print(
        f"{metrics['candidate_papers']} papers considered, {metrics['lm_calls']} calls, "
        f"{metrics['latency_ms'] / 1000:.1f} s",
        style="dim",
    )


def _print_text(console: Console, text: dict[str, Any]) -> None:
    chunk = text["chunk"]
    if chunk is None:
        console.print(f"Summary of {text['document_id']}", style="bold")
    else:
        found = f"found ({text['score']:.4f})" if text["role"] == "passage" else "next to it"
        console.print(f"{text['document_id']} · {chunk['section']} · {found}", style="bold")
        console.print(f"   {chunk['id']} [{chunk['start']}:{chunk['end']}]", style="dim")
    console.print(f"{text['text']}\n")
