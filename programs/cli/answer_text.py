"""An answer as the terminal shows it: the text, what it cites, what else was read, and the proof of every sentence.

Cited
[1] Bone loss in flight mice (2014) · results
[4] Root growth in orbit (2009) · discussion

Also read
[2, 3] Acid and yeast ageing (2017)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console

from programs.cli.console import stdout
from programs.corrected import corrected
from programs.printed_pages import printed_pages

EXTRACTIVE = "extractive"
"""Name of the stand-in for a model, whose calls are none."""
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
    calls = "" if result.get("lm") == EXTRACTIVE else f"{metrics['lm_calls']} calls, "
    console.print(f"\n{calls}{metrics['latency_ms'] / 1000:.1f} s", style="dim")


def _sources(console: Console, result: Mapping[str, Any]) -> None:
    """Cited passages one by one, then each paper that was read and not cited."""
    named = [(passage["key"] or str(number), passage) for number, passage in enumerate(result["passages"], start=1)]
    ids = {citation["passage"] for citation in result["citations"]}
    cited = [(name, passage) for name, passage in named if passage["id"] in ids]
    papers = {passage["document_id"] for _, passage in cited}
    others = [(name, passage) for name, passage in named if passage["document_id"] not in papers]
    _listed(console, "Cited", [(name, _described(each), each["section"]) for name, each in cited])
    _listed(console, "\nAlso read" if cited else "\nRead", _a_paper_a_line(others))
    for figure in result["figures"]:
        console.print(f"{figure['label']} of {figure['document_id']}: {figure['caption']}", style="dim")


def _listed(console: Console, heading: str, sources: Sequence[tuple[str, ...]]) -> None:
    if not sources:
        return
    console.print(heading, style="bold dim")
    for name, *described in sources:
        console.print(f"[{name}] {' · '.join(described)}", style="dim")


def _a_paper_a_line(sources: Iterable[tuple[str, Mapping[str, Any]]]) -> list[tuple[str, ...]]:
    """Each paper under the names of all its passages."""
    names: dict[str, dict[str, None]] = {}
    described: dict[str, str] = {}
    for name, passage in sources:
        names.setdefault(passage["document_id"], {})[name] = None
        described[passage["document_id"]] = _described(passage)
    return [(", ".join(found), described[paper]) for paper, found in names.items()]


def _described(passage: Mapping[str, Any]) -> str:
    year = f" ({passage['year']})" if passage["year"] else ""
    said = corrected(passage)
    return f"{passage['title'] or passage['document_id']}{year}{said and f' — {said.upper()}'}"


def _proofs(console: Console, result: Mapping[str, Any]) -> None:
    for citation in result["citations"]:
        console.print(
            f"\n{citation['verdict']} ({citation['score']:.2f}) [{citation['marker']}] {citation['sentence']}",
            style=_VERDICT_STYLES[citation["verdict"]],
        )
        here = [each for each in citation["quotes"] if each["document_id"] == citation["document_id"]]
        for quote in here or citation["quotes"]:
            pages = printed_pages([quote])
            place = f"[{quote['start']}:{quote['end']}]{pages and f' {pages}'}"
            console.print(f"  {quote['document_id']} {place} “{quote['quote']}”")
        judged = (f"{each['name']}: {each['verdict']}" for each in citation["judges"])
        console.print(f"  {'; '.join(judged)}", style="dim")
    for claim in result["unsupported_claims"]:
        console.print(f"\nNot supported, and not repaired: {claim['claim']}\n  {claim['reason']}", style="red")
    for note in result.get("notes", []):
        console.print(f"\nNote: {note}", style="yellow")
