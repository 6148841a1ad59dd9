"""``python -m programs verify`` and ``highlight``: prove a saved answer again, and mark its quotes in a PDF."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import DEFAULT_INDEX, Format, FormatOption, print_json, say, stdout
from programs.errors import UsageError

if TYPE_CHECKING:
    from programs.ingest.document import Document
    from programs.retrieval.index import Index


def verify(
    answer: Annotated[
        Path, typer.Argument(help="What `ask --output` wrote, the draft.json of `write`, or the table.json of `table`.")
    ],
    index: Annotated[
        str | None, typer.Option("--index", help=f"Folder or address of the index. [default: {DEFAULT_INDEX}]")
    ] = None,
    paper: Annotated[
        list[Path] | None, typer.Option(help="The paper's file, when the answer came from a file; repeat for more.")
    ] = None,
    output_format: FormatOption = Format.text,
) -> None:
    """Replay every citation of an answer, a draft or a table: texts, quotes, guards, verdicts, read from the papers.

    Exit code 1 when something does not hold, with its name.
    """
    from programs.replay import told

    saved = read_saved(answer)
    with ExitStack() as stack:
        papers = _Papers(index, paper or [], stack)
        found = told(saved, papers.document)
        older = papers.read_by_older() if found["faults"] else []
    if output_format is Format.json:
        print_json({"answer": str(answer), **found})
    elif found["faults"]:
        for fault in found["faults"]:
            stdout().print(f"FAILED {fault['what']}: {fault['problem']}")
        if older:
            say(
                f"An older version read {', '.join(older)}, which may be why: index again, and ask or verify anew with "
                "what is read now."
            )
    else:
        _print_proved(saved, found)
    if found["faults"]:
        raise typer.Exit(1)


def _print_proved(saved: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    from programs.replay import parts

    verdicts = Counter(citation["verdict"] for result in parts(saved).values() for citation in result["citations"])
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    stdout().print(f"All {verdicts.total()} citations replay: {counts or 'an answer without citations'}")
    for sentence in found["only_models_say"]:
        stdout().print(f"Quotes and guards hold; that they prove it only a model says: {sentence!r}")
    for sentence in found["uncited"]:
        stdout().print(f"Not cited, so not proved: {sentence!r}")
    if found["said_only"]:
        stdout().print(f"Beside the proof, and checked by nothing: {', '.join(found['said_only'])}")


def read_saved(path: Path) -> dict[str, Any]:
    """The JSON of a saved answer, draft or table.

    Raises:
        UsageError: The file does not exist, or is not a file of certificates.
    """
    try:
        result = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_without_doubles)
    except FileNotFoundError as error:
        raise UsageError(f"no file at {path}; make one with `ask --output {path}`") from error
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read ({error.strerror}); give the file that `ask --output` wrote"
        ) from error
    except RecursionError as error:
        raise UsageError(f"{path} nests too deep for an answer; give the file that `ask --output` wrote") from error
    except ValueError as error:  # no UTF-8, no JSON, or a number of more digits than Python reads
        raise UsageError(f"{path} is not a JSON document ({error}); give the file that `ask --output` wrote") from error
    if not isinstance(result, dict):
        raise UsageError(f"{path} does not hold a saved answer; give the file that `ask --output` wrote")
    return result


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without repeated names: of two values one reader would see the first, another the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        double = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
        raise ValueError(f"it has the name {double!r} twice in one object")
    return found


class _Papers:
    """The papers that an answer names, from the given files or else from an index."""

    def __init__(self, index: str | None, files: Sequence[Path], stack: ExitStack) -> None:
        from programs.ingest.reader import read
        from programs.retrieval.index import Index

        self._files = {document.id: document for document in map(read, files)}
        self._index: Index | None = None
        if index is not None or not files:
            self._index = stack.enter_context(Index.open(index or DEFAULT_INDEX))
        self._asked: set[str] = set()

    def document(self, document_id: str) -> Document:
        """A paper's text.

        Raises:
            UsageError: It is neither in the files nor in an index.
        """
        if document_id in self._files:
            return self._files[document_id]
        if self._index is None:
            raise UsageError(f"none of the given papers is {document_id}; name its file with --paper, or an --index")
        self._asked.add(document_id)
        return self._index.document(document_id)

    def read_by_older(self) -> list[str]:
        """Those of the asked papers that were read by an older reader."""
        return sorted(self._asked.intersection(self._index.outdated())) if self._index else []


def highlight(
    answer: Annotated[
        Path, typer.Argument(help="What `ask --output` wrote, the draft.json of `write`, or the table.json of `table`.")
    ],
    paper: Annotated[Path, typer.Option(help="The PDF that was indexed or asked.")],
    output: Annotated[Path, typer.Option(help="Where the marked copy goes.")] = Path("marked.pdf"),
) -> None:
    """Mark in a copy of a paper's PDF the quotes that prove an answer."""
    from programs.ingest.reader import read
    from programs.replay import parts
    from programs.results.highlighting import highlight as mark

    if paper.suffix.lower() != ".pdf":
        raise UsageError(f"{paper} is not a PDF; give the paper's PDF with --paper")
    if not paper.is_file():
        raise UsageError(f"no file at {paper}; check the path of --paper")
    if not output.parent.is_dir() or (output.exists() and output.samefile(paper)):
        raise UsageError(f"{output} cannot be written; name another file, in a folder that is there, with --output")
    results = parts(read_saved(answer)).values()
    marked = mark(results, read(paper), paper, output)
    pages = sorted({page for each in marked for page in each.boxes})
    count = f"{len(marked)} quote{'s' if len(marked) > 1 else ''}"
    stdout().print(f"{output}: {count} marked on page {', '.join(map(str, pages))}")
