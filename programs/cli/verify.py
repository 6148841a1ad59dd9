"""``python -m programs verify`` and ``highlight``: a saved answer, draft or table is proved again; its quotes, marked.

    ask … --output answer.json
    verify answer.json --index papers.idx      All 5 citations replay: 3 quoted, 1 supported, 1 unverifiable; …
    highlight answer.json --paper paper.pdf    marked.pdf: 4 quotes marked on page 2, 7

The exit code of ``verify`` is that of the replay: 0 when the papers support what the file says, also where it says
that a sentence is not proved, or that a model alone judged it; the first line counts these. 1 when something differs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli import console
from programs.cli.console import say
from programs.errors import IndexNotFound, UsageError
from programs.results.finds import is_search, verdict_of

if TYPE_CHECKING:
    from programs.ingest.document import Document
    from programs.retrieval.index import Index

AnswerArgument = Annotated[
    Path, typer.Argument(help="What `ask --output` wrote, the draft.json of `write`, or the table.json of `table`.")
]
_LABEL = "label "
"""In ``said_only``: "PMC1, blinded: label 'yes'"; all else there are names of one word."""
_OF_A_PASSAGE = re.compile(r"^(?P<part>.*?)(?:passage |citation \d+ \()(?P<passage>[^()]+)\)?$")
_MEASURES = "metrics"
_TELLING = ("its text", "its sentence", "its quote", "its verdict")
"""Of several differences the one that is named: what was changed, before what that changes."""
_NAMED = 3
"""Passages or figures of one fault that are named; the rest are counted."""


def verify(
    answer: AnswerArgument,
    index: console.AnyIndexOption = None,
    paper: Annotated[
        list[Path] | None, typer.Option(help="The paper's file, when the answer came from a file; repeat for more.")
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="A line for each fault, also where many passages have the same one.")
    ] = False,
    output_format: console.FormatOption = console.Format.text,
) -> None:
    """Replay every citation of an answer, a draft or a table: texts, quotes, guards, verdicts, read from the papers.

    Exit code 1 when something does not hold, with its name. Exit code 0 when all that the file says holds, even if it
    says that a sentence is unverifiable, contradicted or judged by a model alone: no replay can ask the model again, so
    the first line counts such sentences, and they are listed below it.
    """
    from programs.replay import replay_report

    saved = read_saved(answer)
    with ExitStack() as stack:
        papers = _Papers(index, paper or [], stack)
        found = replay_report(saved, papers.document)
        older = papers.read_by_older() if found["faults"] else []
    if output_format is console.Format.json:
        console.print_json({"answer": str(answer), **found})
    elif found["faults"]:
        each = (f"FAILED {fault['what']}: {fault['problem']}" for fault in found["faults"])
        for line in each if details else _grouped(saved, found["faults"], papers):
            console.stdout().print(line)
        if older:
            say(
                f"An older version read {', '.join(older)}, which may be why: index again, and ask or verify anew with "
                "what is read now."
            )
    else:
        for line in _proved(saved, found):
            console.stdout().print(line)
        if papers.missing:
            say(f"Read and not cited, and not looked at, for it is not here: {', '.join(papers.missing)}.")
    if found["faults"]:
        raise typer.Exit(1)


def _grouped(saved: Mapping[str, Any], faults: Sequence[Mapping[str, str]], papers: _Papers) -> Iterator[str]:
    """One line for all passages of papers that are not there, and one for each problem that several things have.

    A passage and its citations, which differ where it does, have one; counts that follow from these have none.
    """
    missing = [fault["what"] for fault in faults if fault["problem"] in papers.missing.values()]
    lines = [_of_no_paper(saved, missing, papers)] if missing else []
    having: dict[str, list[str]] = {}
    for fault in faults:
        if fault["problem"] not in papers.missing.values():
            having.setdefault(fault["problem"], []).append(fault["what"])
    lines += [f"FAILED {_first(named)}: {problem}" for problem, named in having.items() if len(named) > 1]
    alone: dict[str, list[tuple[str, str]]] = {}
    for problem, named in having.items():
        if len(named) == 1:
            alone.setdefault(_OF_A_PASSAGE.sub(r"\g<part>\g<passage>", named[0]), []).append((named[0], problem))
    for place, found in alone.items():
        if not place.endswith(_MEASURES) or not lines:
            what, problem = next((each for start in _TELLING for each in found if each[1].startswith(start)), found[0])
            more = f"; {console.counted(len(found) - 1, 'more difference')} with it" if len(found) > 1 else ""
            lines.append(f"FAILED {what}: {problem}{more}")
    yield from lines
    if len(faults) > len(lines):
        yield f"{len(faults)} faults in all; --details or --format json lists each."


def _of_no_paper(saved: Mapping[str, Any], named: Sequence[str], papers: _Papers) -> str:
    from programs.replay import parts

    results = parts(saved).values()
    passages, figures = (
        [each.get("document_id") in papers.missing for result in results for each in result.get(name, [])]
        for name in ("passages", "figures")
    )
    more = f", with {console.counted(sum(figures), 'figure')}" if any(figures) else ""
    place = "none of the given papers"
    action = "give the papers that the answer was written from with --paper, or their index with --index"
    if papers.index:
        place = f"no paper of the index at {papers.index.place}"
        action = (
            "give the index that the answer was written from with --index, or the papers with --paper; "
            f"`python -m programs list --index {papers.index.place}` lists what this one has"
        )
    return (
        f"FAILED passages: {sum(passages)} of {len(passages)} are in {place}{more} ({_first(named)}): "
        f"{_first(list(papers.missing))} {'are' if len(papers.missing) > 1 else 'is'} missing; {action}"
    )


def _first(named: Sequence[str]) -> str:
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return ", ".join(named[:_NAMED]) + more


def _proved(saved: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """A summary, then each sentence that the replay does not prove, and what is beside the proof."""
    from programs.replay import parts

    results = list(parts(saved).values())
    is_empty = len(results) == 1 and not (results[0]["answer"] or results[0]["citations"])
    yield _no_answer(saved, results[0]) if is_empty else _summary(results, found)
    cited = [each for each, is_beside in _citations(results) if each["verdict"] != "supported" and not is_beside]
    unproved = ((each["sentence"], each["verdict"], each["reason"]) for each in cited)
    for sentence, verdict, reason in dict.fromkeys(unproved):
        yield f"Cited, but {verdict}: {sentence!r} ({reason})"
    for sentence in found["only_models_say"]:
        yield f"Quotes and guards hold; that they prove it only a model says: {sentence!r}"
    for sentence in found.get("translated", ()):
        yield f"Proved in English; that this says the same only a model says, which translated it: {sentence!r}"
    for sentence in found["uncited"]:
        yield f"Not cited, so not proved: {sentence!r}"
    labels = [each for each in found["said_only"] if _LABEL in each]
    if labels:
        yield f"Read from the sentences, and checked by nothing: {'; '.join(labels)}"
    if others := [each for each in found["said_only"] if each not in labels]:
        yield f"Beside the proof, and checked by nothing: {', '.join(others)}"


BESIDE = "beside a proof that is elsewhere"
"""What is said of a citation that has no part in the proof of its sentence, which others prove."""


def _summary(results: Sequence[Mapping[str, Any]], found: Mapping[str, Any]) -> str:
    verdicts = Counter(BESIDE if is_beside else verdict_of(each) for each, is_beside in _citations(results))
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    if not (total := verdicts.total()):
        said = "An answer without citations: there is nothing to replay"
    else:
        said = f"{'The citation replays' if total == 1 else f'All {total} citations replay'}: {counts}"
    if alone := len(found["only_models_say"]):
        said += f"; {console.counted(alone, 'sentence')} proved by a model's word alone, which no replay can check"
    if translated := len(found.get("translated", ())):
        said += f"; {console.counted(translated, 'sentence')} proved in English and translated by a model"
    if uncited := len(found["uncited"]):
        said += f"; {console.counted(uncited, 'sentence')} without a citation"
    return said


def _no_answer(saved: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """What there is to say of a file without an answer: its evidence holds, or there is none."""
    from programs.results.result import is_withheld

    why = "No sentence was picked" if is_search(result) else "The papers gave no answer"
    why = "The answer was withheld" if is_withheld(result.get("notes", [])) else why
    passages, figures = len(result["passages"]), len(saved.get("figures", []))
    shown = [console.counted(passages, "passage"), *([console.counted(figures, "figure")] if figures else [])]
    if not passages:
        return f"{why}, and no passage is shown: there is nothing to verify."
    held = "is in its paper" if passages + figures == 1 else "are in their papers"
    return f"{why}, so there is nothing to verify but the evidence shown: {' and '.join(shown)} {held}."


def _citations(results: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Every citation, and whether another one of the same answer proves its sentence while it does not."""
    for result in results:
        proved = {each["sentence"] for each in result["citations"] if each["verdict"] == "supported"}
        for each in result["citations"]:
            yield each, each["verdict"] != "supported" and each["sentence"] in proved


def read_saved(path: Path) -> dict[str, Any]:
    """The JSON of a saved answer, draft or table; a ``UsageError`` where it is not there, or is something else."""
    give = "give the file that `ask --output` wrote"
    try:
        result = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_without_doubles)
    except FileNotFoundError as error:
        raise UsageError(
            f"no file at {path}; give what `ask --output` wrote, the draft.json of `write` or the table.json of `table`"
        ) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); {give}") from error
    except RecursionError as error:
        raise UsageError(f"{path} nests too deep for an answer; {give}") from error
    except ValueError as error:  # no UTF-8, no JSON, or a number of more digits than Python reads
        raise UsageError(f"{path} is not a JSON document ({error}); {give}") from error
    if not isinstance(result, dict):
        raise UsageError(f"{path} does not hold a saved answer; {give}")
    return result


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without repeated names: of two values one reader would see the first, another the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        double = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
        raise ValueError(f"it has the name {double!r} twice in one object")
    return found


class _Papers:
    """The papers that an answer names, from the given files or else from an index.

    ``missing`` holds what was said of each paper that is in neither, by its id.
    """

    def __init__(self, index: str | None, files: Sequence[Path], stack: ExitStack) -> None:
        from programs.ingest.formats import read
        from programs.retrieval.index import Index

        self._files = {document.id: document for document in map(read, files)}
        self.index: Index | None = None
        if index is not None or not files:
            try:
                self.index = stack.enter_context(Index.open(index or console.DEFAULT_INDEX))
            except IndexNotFound as error:
                raise IndexNotFound(f"{error}; or give the papers of the answer with --paper FILE") from error
        self._asked: set[str] = set()
        self.missing: dict[str, str] = {}

    def document(self, document_id: str) -> Document:
        """A paper's text; raises ``UsageError`` if it is neither in the files nor in an index."""
        if document_id in self._files:
            return self._files[document_id]
        try:
            if self.index is None:
                said = f"none of the given papers is {document_id}; name its file with --paper, or an --index"
                raise UsageError(said)  # noqa: TRY301 - noted as an index's own
            self._asked.add(document_id)
            return self.index.document(document_id)
        except UsageError as error:
            self.missing[document_id] = str(error)
            raise

    def read_by_older(self) -> list[str]:
        """Those of the asked papers that were read by an older reader."""
        return sorted(self._asked.intersection(self.index.outdated())) if self.index else []


def highlight(
    answer: AnswerArgument,
    paper: Annotated[Path, typer.Option(help="The PDF that was indexed or asked.")],
    output: Annotated[Path, typer.Option(help="Where the marked copy goes.")] = Path("marked.pdf"),
) -> None:
    """Mark in a copy of a paper's PDF the quotes that prove an answer."""
    from programs.ingest.formats import read
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
    console.stdout().print(
        f"{output}: {console.counted(len(marked), 'quote')} marked on page {', '.join(map(str, pages))}"
    )
