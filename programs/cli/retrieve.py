"""``python -m programs retrieve``: the passages for a question, by a search alone or by a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli import console
from programs.cli.console import say
from programs.errors import UsageError
from programs.lm import with_options

if TYPE_CHECKING:
    from programs.retrieval.records import Hit


def _retrieve_papers(
    question: Sequence[str], program: str, place: str, lm: str, k: int | None, filters: list[str] | None
) -> dict[str, Any]:
    """Run the program on an index, with options as given on the command line; its result, JSON-ready."""
    from programs.registry import load
    from programs.results.rendering import as_json
    from programs.retrieval.index import Index

    if program != _PROGRAM:
        raise UsageError(f"{program} does not retrieve; --program takes {_PROGRAM}, and `ask` the programs that answer")
    if len(question) != 1:
        raise UsageError(f"{_PROGRAM} takes one question, got {len(question)}; put it in quotation marks")
    with console.language_model(lm), Index.open(place) as index:
        index.require_papers()
        console.say_outdated(index)
        retriever = load(_PROGRAM, index=index)
        if k is not None:
            retriever.set_parameters(re_retrieve_top_k=k)
        chosen = console.read_filters(filters, index.fields()) or None
        prediction = retriever(question=question[0], filters=chosen, answer=False)
    if lm == console.EXTRACTIVE:
        say("No language model was used: papers are rated by words they share with the question. Name one with --lm.")
    return {"program": program, "lm": lm, "index": place, **as_json(prediction)}


def _print_papers(result: dict[str, Any], output_format: console.Format) -> None:
    if output_format is console.Format.json:
        console.print_json(result)
        return
    out = console.stdout()
    for note in result["notes"]:
        out.print(f"Note: {note}\n", style="yellow")
    for paper in result["papers"]:
        rated = "unrated" if paper["relevance"] is None else f"{paper['relevance']} of 10"
        out.print(f"{paper['document_id']} · {rated} · {paper['title']}", style="bold")
        out.print(f"   {paper['reason']}\n", style="dim")
    for text in result["texts"]:
        chunk = text["chunk"]
        if chunk is None:
            out.print(f"Summary of {text['document_id']}", style="bold")
        else:
            found = f"found ({text['score']:.4f})" if text["role"] == "passage" else "next to it"
            out.print(f"{text['document_id']} · {chunk['section']} · {found}", style="bold")
            out.print(f"   {chunk['id']} [{chunk['start']}:{chunk['end']}]", style="dim")
        out.print(f"{text['text']}\n")
    metrics = result["metrics"]
    out.print(
        f"{metrics['candidate_papers']} papers considered, {metrics['lm_calls']} calls, "
        f"{metrics['latency_ms'] / 1000:.1f} s",
        style="dim",
    )


_PROGRAM = "paper_retriever"
_PASSAGES = 10
_CANDIDATES = 40
"""Passages of the search that are ordered anew, where no more are asked for."""


def retrieve(
    question: Annotated[list[str], typer.Argument(help="A question; several are wordings of one search.")],
    index: console.IndexOption = console.DEFAULT_INDEX,
    k: Annotated[
        int | None, typer.Option("--k", "-k", help="How many passages. [default: 10, with --program its own]", min=1)
    ] = None,
    filters: console.FilterOption = None,
    program: Annotated[
        str | None, typer.Option(help="paper_retriever: choose papers by their summaries first, with --lm.")
    ] = None,
    lm: Annotated[
        str, typer.Option(help="For --program: ollama/MODEL, any LiteLLM name, or extractive, which uses no model.")
    ] = console.EXTRACTIVE,
    lm_option: console.LMOptionsOption = None,
    order: Annotated[
        str,
        typer.Option(
            help="learned: passages that answer first; the name of another cross-encoder; none for the search's."
        ),
    ] = "learned",
    output_format: console.FormatOption = console.Format.text,
) -> None:
    """Find the passages that answer a question, by meaning and by words, best first."""
    from programs.retrieval.index import Index
    from programs.retrieval.reranking import cross_encoder, ordered

    if program is not None:
        result = _retrieve_papers(question, program, index, with_options(lm, lm_option), k, filters)
        _print_papers(result, output_format)
        return
    with Index.open(index) as opened:
        opened.require_papers()
        console.say_outdated(opened)
        encoder, count = cross_encoder("" if order == "none" else order), k or _PASSAGES
        chosen = console.read_filters(filters, opened.fields())
        found = opened.search(question, max(count, _CANDIDATES) if encoder else count, chosen)
        hits = ordered(question[0], found, encoder)[:count]
    if output_format is console.Format.json:
        flat = [{**hit.pop("chunk"), **hit} for hit in map(asdict, hits)]
        console.print_json({"query": question, "index": index, "hits": flat})
        return
    out = console.stdout()
    for rank, hit in enumerate(hits, start=1):
        title = (hit.metadata or {}).get("title", "")
        out.print(f"{rank}. {hit.chunk.document_id} · {hit.chunk.section} · {title}", style="bold")
        out.print(f"   {_scores(hit)} · {hit.chunk.id} [{hit.chunk.start}:{hit.chunk.end}]", style="dim")
        out.print(f"{hit.chunk.text}\n")
    if not hits:
        out.print("Nothing found.")


def _scores(hit: Hit) -> str:
    dense = "–" if hit.dense_score is None else f"{hit.dense_score:.3f} (#{(hit.dense_rank or 0) + 1})"
    sparse = "–" if hit.sparse_score is None else f"{hit.sparse_score:.2f} (#{(hit.sparse_rank or 0) + 1})"
    answers = "" if hit.relevance is None else f"answers {hit.relevance:.2f} · "
    return f"{answers}fused {hit.score:.4f} · meaning {dense} · words {sparse}"
