"""``python -m programs fetch``, ``index``, ``remove``, ``pull``: papers from Europe PMC, into an index and out of it.

``pull`` fetches models by Ollama.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli import console
from programs.cli.console import say
from programs.errors import UsageError
from programs.ingest.paper_formats import NAMES
from programs.lm import with_options

if TYPE_CHECKING:
    import ollama

    from programs.retrieval.index import Index
    from programs.summaries import Summarized


def fetch(
    pmcids: Annotated[list[str] | None, typer.Argument(help="PMC2654319, 2654319, or a link that holds it.")] = None,
    lists: Annotated[
        list[Path] | None,
        typer.Option("--from", help="CSV or TSV with PMCIDs or links, or text with one a line; repeat for more."),
    ] = None,
    output: Annotated[Path, typer.Option(help="Folder for the papers.")] = Path("papers"),
    base: Annotated[str | None, typer.Option(help="Address of the server. [default: Europe PMC]")] = None,
    delay: Annotated[float, typer.Option(help="Seconds from one request to the next.", min=0, max=3600)] = 0.34,
    timeout: Annotated[float, typer.Option(help="Longest silence in seconds.", min=0.1, max=3600)] = 30.0,
    output_format: console.FormatOption = console.Format.text,
) -> None:
    """Fetch papers as JATS XML; those that are there are not fetched again, so the same command continues.

    A paper that cannot be fetched is reported with its reason, the others are fetched, and the exit code is 1.
    """
    from programs.fetch import fetch_articles, parse_pmcid, read_list
    from programs.fetch.server import EUROPE_PMC, ArticleServer

    read = [(path, read_list(path)) for path in lists or ()]
    wanted = dict.fromkeys((*map(parse_pmcid, pmcids or ()), *(each for _, found in read for each in found.pmcids)))
    without = [f"{path}, {row}" for path, found in read for row in found.without]
    if not wanted:
        raise UsageError("no paper named; write PMCIDs such as PMC2654319, or a list with --from FILE")
    with (
        ArticleServer(base or EUROPE_PMC, delay, timeout) as server,
        console.steps(len(wanted), "Fetching") as advance,
    ):
        result = fetch_articles(tuple(wanted), output, server, on_progress=advance)
    for row in without:
        say(f"Not fetched: {row}; add its PMCID")
    for failure in result.failures:
        say(f"Not fetched: {failure}")
    if result.not_tried:
        first = f"{result.not_tried[0]}{' …' if len(result.not_tried) > 1 else ''}"
        say(f"Not tried: {len(result.not_tried)} more ({first}), since the server is unavailable; try again later")
    if output_format is console.Format.json:
        failed = [{"pmcid": one.pmcid, "reason": one.reason, "action": one.action} for one in result.failures]
        found = {"fetched": result.fetched, "present": result.present, "failed": failed, "not_tried": result.not_tried}
        console.print_json({"output": str(output), **found, "without_pmcid": without})
    else:
        typer.echo(
            f"{output}: {len(result.fetched)} fetched, {len(result.present)} already there, "
            f"{len(result.failures) + len(without)} failed, {len(result.not_tried)} not tried"
        )
    if result.failures or result.not_tried or without:
        raise typer.Exit(1)


_PERCENT = 100


def pull(model: Annotated[str, typer.Argument(help="Name as Ollama knows it, such as gpt-oss or qwen3:8b.")]) -> None:
    """Have the Ollama server download a model; what an interrupted download fetched is kept."""
    from programs.lm.ollama import pull as download

    with console.steps(_PERCENT, f"Pulling {model}") as advance:

        def show(progress: ollama.ProgressResponse) -> None:
            if progress.total:
                advance(_PERCENT * (progress.completed or 0) // progress.total, progress.status or "")

        download(model, progress=show)
    say(f"{model} is ready: use it with --lm ollama/{model.removeprefix('ollama/')}")


def _summarize(index: Index, lm: str, threads: int) -> dict[str, Any]:
    """Bring an index's summaries up to date under a bar that shows what they cost; failures are said by name."""
    from programs.summaries import summarize_index

    with console.steps(index.stats().documents, "Summarizing") as advance:

        def show(done: Summarized, name: str) -> None:
            advance(done.done, f"{name} · {done.cost}".lstrip(" ·"))

        with console.language_model(lm):
            done = summarize_index(index, threads=threads, on_progress=show)
    for failure in done.failures:
        say(f"Not summarized: {failure}")
    return done.as_dict() | {"lm": lm}


def index(
    papers: Annotated[list[Path], typer.Argument(help=f"Files or folders: {NAMES}.")],
    index: console.IndexOption = console.DEFAULT_INDEX,
    metadata: Annotated[
        Path | None,
        typer.Option(
            help="What else is known, by file name, doi or pmcid: CSV, JSONL, or Zotero's .bib, .ris, .json, .csv."
        ),
    ] = None,
    chunking: Annotated[
        str | None,
        typer.Option(
            help="How a new index cuts papers: passages:200:0, words:220:40, sentences:100:0 or tokens:500:100."
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            help="Of a new index: a sentence-transformers model, or http://HOST:PORT/api/embed?model=NAME (Ollama), "
            "http://HOST:PORT/v1/embeddings?model=NAME (others)."
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let a file replace a paper of the same id from another file.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove papers whose files were in these folders and are gone.")
    ] = False,
    shards: Annotated[
        int | None, typer.Option(help="Of a new index on a Qdrant server: pieces, a few for each node.", min=1)
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(help="Copies of each piece; with 2 a node of a cluster may be lost.", min=1)
    ] = None,
    quantization: Annotated[
        str | None, typer.Option(help="int8: search by vectors of a quarter of the size, order by the whole ones.")
    ] = None,
    on_disk: Annotated[bool, typer.Option("--on-disk", help="Leave whole vectors on the server's disk.")] = False,
    summaries: Annotated[
        bool, typer.Option("--summaries", help="Have a summary of each paper written by --lm, for paper_retriever.")
    ] = False,
    lm: Annotated[
        str,
        typer.Option(
            "--lm", help="Writes summaries: ollama/MODEL, any LiteLLM name, or extractive, which uses no model."
        ),
    ] = console.EXTRACTIVE,
    lm_option: console.LMOptionsOption = None,
    threads: Annotated[int, typer.Option(help="Papers summarized at a time.", min=1)] = 8,
    output_format: console.FormatOption = console.Format.text,
) -> None:
    """Index papers, or bring an index up to date: only new and changed papers are read and embedded.

    Papers that an older version read are read again. A file that cannot be indexed, or whose text is gibberish, is
    reported with its reason, the others are indexed, and the exit code is 1. Papers that are hard to read are named.
    """
    from programs.ingest.chunking import Chunking
    from programs.ingest.formats import discover, passed_over
    from programs.ingest.metadata import read_metadata
    from programs.retrieval.collection import IN_MEMORY
    from programs.retrieval.embedder import load_embedder
    from programs.retrieval.file_indexing import gone_papers, index_files
    from programs.retrieval.file_indexing import prune as remove_gone
    from programs.retrieval.index import Index
    from programs.retrieval.store import CollectionOptions

    files = discover(papers)
    if not files:
        action = "with --prune that would empty the index" if prune else f"check the path; papers are {NAMES}"
        raise UsageError(f"no papers in {', '.join(map(str, papers))}; {action}")
    if str(index) == IN_MEMORY:
        raise UsageError(f"an index at {IN_MEMORY} would end with this command; name a folder, such as papers.idx")
    table = read_metadata(metadata) if metadata else None
    with Index.open(
        index,
        create=True,
        embedder=load_embedder(embedder) if embedder else None,
        chunking=Chunking.parse(chunking) if chunking else None,
        options=CollectionOptions(shards, replicas, quantization=quantization, on_disk=on_disk or None),
    ) as opened:
        if before := len(opened.outdated()):
            say(f"{console.papers_of(before)} read by an older reader; those of the given files are read again.")
        with console.steps(len(files), "Indexing") as advance:
            result = index_files(
                opened, files, metadata=table, metadata_file=metadata, replace=replace, on_progress=advance
            )
        removed = remove_gone(opened, papers) if prune else []
        gone = gone_papers(opened, papers)
        stats = opened.stats()
        outdated = len(opened.outdated())
        summarized = _summarize(opened, with_options(lm, lm_option), threads) if summaries else None
    others = {file: why for file, why in passed_over(papers).items() if metadata is None or not file.samefile(metadata)}
    for failure in result.failures:
        say(f"Not indexed: {failure}")
    for why in dict.fromkeys(others.values()):
        say(f"Passed over: {', '.join(file.name for file, reason in others.items() if reason == why)}: {why}")
    for paper, reasons in result.doubtful.items():
        say(f"Hard to read: {paper}: {reasons}")
    for paper, other in result.same.items():
        say(f"Same paper: {paper} has the DOI or the text of {other}; both are indexed, `remove` takes one out")
    for paper in result.withdrawn:
        say(f"Removed: {paper}, which an older reader had read from a file that is not readable")
    for paper in removed:
        say(f"Removed: {paper}, whose file is gone")
    if gone:
        whose = "1 paper's file is" if len(gone) == 1 else f"The files of {len(gone)} papers are"
        say(f"{whose} gone ({', '.join(gone)}); --prune removes {'it' if len(gone) == 1 else 'them'}.")
    if outdated:
        say(f"{console.papers_of(outdated)} not read again: not among the given files; `check` tells which.")
    report: dict[str, Any] = {
        "index": index,
        **asdict(result.indexed),
        "renewed": len(result.renewed),
        "outdated": outdated,
        "withdrawn": list(result.withdrawn),
        "doubtful": dict(result.doubtful),
        "same": dict(result.same),
        "removed": removed,
        "gone": gone,
        "documents": stats.documents,
        "total_chunks": stats.chunks,
        "passed_over": [{"file": str(file), "reason": why} for file, why in others.items()],
        "failed": [{"file": one.path, "reason": one.reason, "action": one.action} for one in result.failures],
        # Rows of files that were not read again count as unmatched, so only a full reading can tell.
        "metadata_problems": list(table.problems) if table else [],
        "unmatched_metadata": table.unmatched() if table and not result.skipped else [],
        "summaries": summarized,
    }
    _print(report, output_format)
    if result.failures or (summarized and summarized["failures"]):
        raise typer.Exit(1)


def _print(report: dict[str, Any], output_format: console.Format) -> None:
    if output_format is console.Format.json:
        console.print_json(report)
        return
    for problem in report["metadata_problems"]:
        say(f"Metadata, {problem}")
    for key in report["unmatched_metadata"]:
        say(f"Metadata of no indexed paper: {key}")
    removed = f"{len(report['removed'])} removed, " if report["removed"] else ""
    renewed = f"{report['renewed']} read again by a newer reader, " if report["renewed"] else ""
    typer.echo(
        f"{report['index']}: {report['added']} added, {report['replaced']} replaced, {report['unchanged']} unchanged, "
        f"{renewed}{removed}{len(report['failed'])} failed; {report['documents']} papers, "
        f"{report['total_chunks']} passages"
    )
    if summaries := report["summaries"]:
        typer.echo(
            f"summaries by {summaries['lm']}: {summaries['made']} made, {summaries['current']} unchanged, "
            f"{len(summaries['failures'])} failed; {summaries['lm_calls']:,} calls, "
            f"{summaries['prompt_tokens'] + summaries['completion_tokens']:,} tokens"
        )


def remove(
    papers: Annotated[list[str], typer.Argument(help="Ids of papers, as `list --index` shows them: PMC2654319.")],
    index: console.IndexOption = console.DEFAULT_INDEX,
    output_format: console.FormatOption = console.Format.text,
) -> None:
    """Take papers with their passages out of an index; their files stay where they are.

    An id that the index does not have is reported, the others are removed, and the exit code is 1.
    """
    from programs.retrieval.index import Index

    wanted = tuple(dict.fromkeys(papers))
    removed, unknown = [], []
    with Index.open(index) as opened:
        with console.steps(len(wanted), "Removing") as advance:
            for done, paper in enumerate(wanted, start=1):
                try:
                    opened.remove(paper)
                    removed.append(paper)
                except UsageError:
                    unknown.append(paper)
                advance(done, paper)
        if removed:
            opened.add(())  # which brings the engine into its best state after the removals
        documents = opened.stats().documents
    for paper in unknown:
        say(f"Not removed: the index at {index} has no paper {paper!r}; `list --index {index}` lists what it has")
    if output_format is console.Format.json:
        console.print_json({"index": index, "removed": removed, "unknown": unknown, "documents": documents})
    else:
        typer.echo(f"{index}: {len(removed)} removed, {len(unknown)} unknown; {documents} papers")
    if unknown:
        raise typer.Exit(1)
