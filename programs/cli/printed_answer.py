"""An answer as ``ask`` prints it: what is said, its sources, and with ``--proof`` the certificate of every sentence.

A search without a model shows its finds instead: sentences of the papers, in quotation marks, by paper. Text from
papers and models is never read as markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from programs.cli import console
from programs.results.finds import (
    NEAREST,
    QUOTED,
    Proof,
    cited_passages,
    described,
    finds,
    is_search,
    judged,
    key_of,
    marked_answer,
    nothing_near,
    printed_in,
    printed_pages,
    proofs,
    shown_verdict,
    verdict_of,
)
from programs.results.rendering import NO_ANSWER, figures_of_answer
from signatures import citation_markers

_STYLES = {"supported": "green", "contradicted": "red", "unverifiable": "yellow"}


def print_answer(result: Mapping[str, Any], *, proof: bool = False, papers: int | None = None) -> None:
    """Print a result as JSON has it.

    Args:
        result: As ``as_json`` makes it.
        proof: Whether to print the certificates too.
        papers: How many were searched, where that is known.
    """
    out, citations = console.stdout(), result["citations"]
    if is_search(result):
        _print_finds(out, result, papers)
    else:
        out.print(marked_answer(result) or NO_ANSWER)
        _print_sources(out, result)
    for claim in result["unsupported_claims"]:
        out.print(f"\nNot supported, and left out: {claim['claim']}\n  {claim['reason']}", style="red")
    for note in result.get("notes", []):
        out.print(f"\nNote: {note}", style="yellow")
    if proof:
        for each in proofs(result):
            _print_proof(out, result, each)
    metrics = result["metrics"]
    calls = f"{metrics['lm_calls']} calls, " if metrics["lm_calls"] else ""
    more = "; --proof shows places and judges" if citations and not proof else ""
    out.print(f"\n{calls}{metrics['latency_ms'] / 1000:.1f} s{more}", style="dim")


def _print_finds(out: Console, result: Mapping[str, Any], papers: int | None) -> None:
    found = finds(result)
    if not result["answer"]:
        out.print(nothing_near(result, papers), style="bold")
    if found:
        out.print(NEAREST if result["answer"] else f"\n{NEAREST}", style="bold")
    for each in found:
        about = ", ".join(filter(None, (described(each.passage), printed_in(result, each.passage))))
        out.print(f"\n{about} [{key_of(result, each.passage)}]", style="bold dim")
        for one in each.finds:
            out.print(f"  “{one.text}”{one.pages and f' {one.pages}'}")


def _print_sources(out: Console, result: Mapping[str, Any]) -> None:
    if said := judged(result["citations"]):
        out.print(f"\nSentences: {said}.\n\nSources", style="bold dim")
    for marker, passage, of in cited_passages(result):
        paper = passage["document_id"]
        key, printed = key_of(result, passage), printed_in(result, passage)
        name = "" if marker == key else key
        pages = printed_pages(quote for each in of for quote in each["quotes"] if quote["document_id"] == paper)
        out.print(f"[{marker}] {', '.join(filter(None, [described(passage), printed, name, pages]))}", style="dim")
    if not result["citations"] and result["passages"]:
        read = dict.fromkeys(map(described, result["passages"]))
        out.print("\n".join(["\nRead", *read]), style="dim")
    for figure in figures_of_answer(result):
        out.print(f"{figure['label']} of {figure['document_id']}: {figure['caption']}", style="dim")


def _print_proof(out: Console, result: Mapping[str, Any], proof: Proof) -> None:
    """A sentence once, with its verdict, quotes and judges; a citation that has no part in its proof is named.

    It is cited as the answer cites it; finds are cited by the key that their paper is listed with.
    """
    said = proof.proving[0]
    sentence, markers = proof.sentence, [each["marker"] for each in proof.proving]
    if is_search(result):
        passages = {each["id"]: each for each in result["passages"]}
        markers = [key_of(result, passages[each["passage"]]) for each in proof.proving]
        sentence = citation_markers.strip(sentence)
    cited = ", ".join(dict.fromkeys(markers))
    out.print(f"\n{shown_verdict(said)} [{cited}] {sentence}", style=_STYLES[said["verdict"]])
    if "english" in said:
        out.print(f"  translated from what is proved: {said['english']}")
    for quote in proof.quotes:
        pages = printed_pages([quote])
        place = f"[{quote['start']}:{quote['end']}]{pages and f' {pages}'}"
        out.print(f"  {quote['document_id']} {place} “{quote['quote']}”")
    if verdict_of(said) != QUOTED:
        judges = (f"{each['name']}: {each['verdict']}" for each in said["judges"])
        out.print(f"  {'; '.join(judges)}", style="dim")
    for beside in proof.beside:
        out.print(f"  [{beside['marker']}] has no part in this: {beside['reason']}", style="yellow")
