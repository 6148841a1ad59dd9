"""An answer as the terminal shows it: the text, its passages, and the proof of every sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from programs.cli.console import stdout

_VERDICT_STYLES = {"supported": "green", "contradicted": "red", "unverifiable": "yellow"}


def print_answer(result: Mapping[str, Any]) -> None:
    """Print a result; text from papers and models is never read as markup."""
    console = stdout()
    if result["answer"]:
        console.print(f"{result['answer']}\n")
    else:
        console.print("The papers do not hold an answer to this question.", style="bold")
    _sources(console, result)
    _proofs(console, result)
    metrics = result["metrics"]
    console.print(f"\n{metrics['lm_calls']} calls, {metrics['latency_ms'] / 1000:.1f} s", style="dim")


def _sources(console: Console, result: Mapping[str, Any]) -> None:
    for number, passage in enumerate(result["passages"], start=1):
        year = f" ({passage['year']})" if passage["year"] else ""
        title = passage["title"] or passage["document_id"]
        console.print(f"[{passage['key'] or number}] {title}{year} · {passage['section']}", style="dim")
    for figure in result["figures"]:
        console.print(f"{figure['label']} of {figure['document_id']}: {figure['caption']}", style="dim")


def _proofs(console: Console, result: Mapping[str, Any]) -> None:
    for citation in result["citations"]:
        console.print(
            f"\n{citation['verdict']} ({citation['score']:.2f}) [{citation['marker']}] {citation['sentence']}",
            style=_VERDICT_STYLES[citation["verdict"]],
        )
        console.print(f"  {citation['document_id']} [{citation['start']}:{citation['end']}] “{citation['quote']}”")
    for claim in result["unsupported_claims"]:
        console.print(f"\nNot supported, and not repaired: {claim['claim']}\n  {claim['reason']}", style="red")
    for note in result.get("notes", []):
        console.print(f"\nNote: {note}", style="yellow")
