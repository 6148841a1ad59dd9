"""``python -m programs retrieve``: the passages for a question, by a search alone or by a program."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import Format, print_json, stdout
from programs.cli.options import (
    DEFAULT_INDEX,
    FilterOption,
    FormatOption,
    IndexOption,
    LMOptionsOption,
    read_filters,
    say_outdated,
)
from programs.cli.paper_retrieval import print_papers, retrieve_papers
from programs.lm.options import with_options

if TYPE_CHECKING:
    from programs.retrieval.records import Hit

_PASSAGES = 10
_CANDIDATES = 40
"""Passages of the search that are ordered anew, where no more are asked for."""


def retrieve(
    question: Annotated[list[str], typer.Argument(help="A question; several are wordings of one search.")],
    index: IndexOption = DEFAULT_INDEX,
    k: Annotated[
        int | None, typer.Option("--k", "-k", help="How many passages. [default: 10, with --program its own]", min=1)
    ] = None,
    filters: FilterOption = None,
    program: Annotated[
        str | None, typer.Option(help="paper_retriever: choose papers by their summaries first, with --lm.")
    ] = None,
    lm: Annotated[
        str, typer.Option(help="For --program: ollama/MODEL, any LiteLLM name, or extractive, which uses no model.")
    ] = "extractive",
    lm_option: LMOptionsOption = None,
    order: Annotated[
        str,
        typer.Option(
            help="learned: passages that answer first; the name of another cross-encoder; none for the search's."
        ),
    ] = "learned",
    output_format: FormatOption = Format.text,
) -> None:
    """Find the passages that answer a question, by meaning and by words, best first."""
    from programs.retrieval.index import Index
    from programs.retrieval.reranking.cross_encoder import cross_encoder, ordered

    if program is not None:
        print_papers(retrieve_papers(question, program, index, with_options(lm, lm_option), k, filters), output_format)
        return
    with Index.open(index) as opened:
        say_outdated(opened)
        encoder, count = cross_encoder("" if order == "none" else order), k or _PASSAGES
        found = opened.search(
            question, max(count, _CANDIDATES) if encoder else count, read_filters(filters, opened.fields())
        )
        hits = ordered(question[0], found, encoder)[:count]
    if output_format is Format.json:
        print_json({"query": question, "index": index, "hits": [_as_dict(hit) for hit in hits]})
        return
    console = stdout()
    for rank, hit in enumerate(hits, start=1):
        title = (hit.metadata or {}).get("title", "")
        console.print(f"{rank}. {hit.chunk.document_id} · {hit.chunk.section} · {title}", style="bold")
        console.print(f"   {_scores(hit)} · {hit.chunk.id} [{hit.chunk.start}:{hit.chunk.end}]", style="dim")
        console.print(f"{hit.chunk.text}\n")
    if not hits:
        console.print("Nothing found.")


def _as_dict(hit: Hit) -> dict[str, Any]:
    return {**asdict(hit.chunk), **{key: value for key, value in asdict(hit).items() if key != "chunk"}}


def _scores(hit: Hit) -> str:
    dense = "–" if hit.dense_score is None else f"{hit.dense_score:.3f} (#{(hit.dense_rank or 0) + 1})"
    sparse = "–" if hit.sparse_score is None else f"{hit.sparse_score:.2f} (#{(hit.sparse_rank or 0) + 1})"
    answers = "" if hit.relevance is None else f"answers {hit.relevance:.2f} · "
    return f"{answers}fused {hit.score:.4f} · meaning {dense} · words {sparse}"
