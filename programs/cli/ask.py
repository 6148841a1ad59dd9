"""``python -m programs ask``: a question, an answer, and the proof of every sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import Format, print_json, say, stdout
from programs.cli.options import DEFAULT_INDEX, FormatOption
from programs.errors import UsageError

if TYPE_CHECKING:
    import dspy

    from programs.ingest.document import Document
    from programs.retrieval.index import Index

_VERDICT_STYLES = {"supported": "green", "contradicted": "red", "unverifiable": "yellow"}


def ask(
    question: Annotated[str, typer.Argument(help="What to ask, in any language.")],
    paper: Annotated[
        str | None, typer.Option(help="A file, or the id of a paper in the index; without it, the best match.")
    ] = None,
    index: Annotated[
        str | None, typer.Option("--index", help=f"Folder or address of an index. [default: {DEFAULT_INDEX}]")
    ] = None,
    program: Annotated[str, typer.Option(help="See `list`.")] = "main_points",
    lm: Annotated[
        str, typer.Option(help="ollama/MODEL, any LiteLLM name, or extractive, which uses no model.")
    ] = "extractive",
    verify: Annotated[bool, typer.Option(help="Verify and repair the answer.")] = True,
    verbose: Annotated[bool, typer.Option("--verbose", help="Tell each step on stderr.")] = False,
    output: Annotated[Path | None, typer.Option(help="Write the JSON result to a file, for `verify`.")] = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Answer a question from papers; every sentence of the answer is cited and checked."""
    from programs.result import as_json

    if output and not output.parent.is_dir():
        raise UsageError(f"no folder at {output.parent} for --output {output}; make it first")
    prediction = _answer(question, paper, index, program, lm, verify=verify, verbose=verbose)
    document = {"program": program, "lm": lm, **as_json(prediction)}
    if lm == "extractive":
        say("No language model was used: the answer is extracted from the paper. Name a model with --lm.")
    if output:
        output.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    if output_format is Format.json:
        print_json(document)
    else:
        _print(document)


def _answer(
    question: str, paper: str | None, place: str | None, program: str, lm: str, *, verify: bool, verbose: bool
) -> dspy.Prediction:
    import dspy

    from programs.lm import LM
    from programs.lm.provider_errors import translated
    from programs.narration import Narrator
    from programs.registry import load

    with translated(lm), dspy.context(lm=LM(lm), callbacks=[Narrator()] if verbose else []):
        qa = load(program, verify=verify)
        document = _paper(question, paper, place)
        prediction: dspy.Prediction = qa(question=question, paper=document)
    return prediction


def _paper(question: str, paper: str | None, place: str | None) -> Document:
    """The paper to ask: a file, a paper of the index by its id, or the one whose passage fits best."""
    from programs.ingest.reader import read
    from programs.retrieval.index import Index

    if paper and (place is None or Path(paper).is_file()):
        if not Path(paper).is_file():
            raise UsageError(f"no file at {paper}; check the path, or name an index with --index to ask a paper of it")
        return read(paper)
    with Index.open(place or DEFAULT_INDEX) as index:
        return index.document(paper or _best_match(index, question))


def _best_match(index: Index, question: str) -> str:
    hits = index.search(question, k=1)
    if not hits:
        raise UsageError(f"the index at {index.place} holds no paper; add some with `python -m programs index PAPERS`")
    chosen = hits[0].chunk.document_id
    say(f"Asking {chosen}, the paper that fits the question best; choose another with --paper ID.")
    return chosen


def _print(result: dict[str, Any]) -> None:
    console = stdout()
    if not result["answer"]:
        console.print("The paper does not hold an answer to this question.", style="bold")
    else:
        console.print(f"{result['answer']}\n")
    for number, passage in enumerate(result["passages"], start=1):
        year = f" ({passage['year']})" if passage["year"] else ""
        console.print(
            f"[{number}] {passage['title'] or passage['document_id']}{year} · {passage['section']}", style="dim"
        )
    for citation in result["citations"]:
        console.print(
            f"\n{citation['verdict']} ({citation['score']:.2f}) [{citation['marker']}] {citation['sentence']}",
            style=_VERDICT_STYLES[citation["verdict"]],
        )
        console.print(f"  {citation['document_id']} [{citation['start']}:{citation['end']}] “{citation['quote']}”")
    for claim in result["unsupported_claims"]:
        console.print(f"\nNot supported, and not repaired: {claim['claim']}\n  {claim['reason']}", style="red")
    metrics = result["metrics"]
    console.print(f"\n{metrics['lm_calls']} calls, {metrics['latency_ms'] / 1000:.1f} s", style="dim")
