"""``python -m programs verify``: prove a saved answer again, without a language model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import Format, print_json, stdout
from programs.cli.options import DEFAULT_INDEX, FormatOption
from programs.errors import UsageError

if TYPE_CHECKING:
    from programs.ingest.document import Document


def verify(
    answer: Annotated[Path, typer.Argument(help="What `ask --output` or `ask --format json` wrote.")],
    index: Annotated[
        str | None, typer.Option("--index", help=f"Folder or address of the index. [default: {DEFAULT_INDEX}]")
    ] = None,
    paper: Annotated[
        list[Path] | None, typer.Option(help="The paper's file, when the answer came from a file; repeat for more.")
    ] = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Replay every citation of an answer: text, span, quote and verdict, each read again from the papers.

    Exit code 1 when something does not hold, with its name.
    """
    from programs.replay import replay

    result = _read(answer)
    with ExitStack() as stack:
        faults = replay(result, _documents(index, paper or [], stack))
    if output_format is Format.json:
        failed = [{"what": fault.what, "problem": fault.problem} for fault in faults]
        counted = {"citations": len(result["citations"]), "uncited": result.get("uncited", [])}
        print_json({"answer": str(answer), **counted, "verified": not faults, "faults": failed})
    elif faults:
        for fault in faults:
            stdout().print(f"FAILED {fault}")
    else:
        _print_proved(result)
    if faults:
        raise typer.Exit(1)


def _print_proved(result: Mapping[str, Any]) -> None:
    verdicts = Counter(citation["verdict"] for citation in result["citations"])
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    stdout().print(f"All {verdicts.total()} citations replay: {counts or 'an answer without citations'}")
    for sentence in result.get("uncited", []):
        stdout().print(f"Not cited, so not proved: {sentence!r}")


def _read(path: Path) -> dict[str, Any]:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(f"no file at {path}; make one with `ask --output {path}`") from error
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read ({error.strerror}); give the file that `ask --output` wrote"
        ) from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UsageError(f"{path} is no JSON document ({error}); give the file that `ask --output` wrote") from error
    if not isinstance(result, dict):
        raise UsageError(f"{path} holds no saved answer; give the file that `ask --output` wrote")
    return result


def _documents(index: str | None, papers: list[Path], stack: ExitStack) -> Callable[[str], Document]:
    from programs.ingest.reader import read
    from programs.retrieval.index import Index

    files = {document.id: document for document in map(read, papers)}
    opened = None if papers and index is None else stack.enter_context(Index.open(index or DEFAULT_INDEX))

    def document(document_id: str) -> Document:
        if document_id in files:
            return files[document_id]
        if opened is None:
            raise UsageError(f"none of the given papers is {document_id}; name its file with --paper, or an --index")
        return opened.document(document_id)

    return document
