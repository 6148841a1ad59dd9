"""Data sets: questions in four splits, and the papers that they are about.

    FOLDER/papers/…                     files of any format that can be ingested
    FOLDER/questions/train.jsonl …      one question a line; see ``optimize.dataset``
    FOLDER/metadata.csv                 optional: what else is known of the papers

A folder is checked as a whole before anything runs, and everything that is wrong is named with file and line. Splits
are by paper: a question of the test split about a paper of the train split would measure memory.

Public benchmarks, from the hub or from a folder with its columns, come in the same form: see ``benchmarks``.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from optimize.dataset import SPLITS, Example, GoldEvidence, near_duplicates, same_papers, spread
from optimize.dataset.benchmark_material import Material, QuestionRecord, Quotable
from optimize.dataset.benchmarks import BENCHMARKS, is_benchmark, read_benchmark
from programs.config import settings
from programs.errors import IndexCorrupt, IndexLocked, IndexMismatch, IngestError, UsageError
from programs.ingest.chunking import Chunking
from programs.ingest.decoding import MAX_BYTES, decode
from programs.ingest.document import Document
from programs.ingest.formats import discover, read_all
from programs.ingest.metadata import read_metadata
from programs.ingest.paper_formats import READERS
from programs.progress import report_step
from programs.retrieval.collection import IN_MEMORY
from programs.retrieval.embedder import Embedder
from programs.retrieval.filters import Filters
from programs.retrieval.index import Index, UnconnectedIndex
from programs.retrieval.passage_collection import Indexed

BUNDLED = Path(__file__).resolve().parents[2] / "datasets"
DEFAULT_DATASET = "space_biology"

_MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set that was checked: examples by split in file order, and papers by id.

    ``notes`` say what was left out, and how much; ``revisions`` are the commits of the hub's data sets that a benchmark
    was read from, by their ids.
    """

    name: str
    splits: Mapping[str, tuple[Example, ...]]
    documents: Mapping[str, Document]
    notes: tuple[str, ...] = ()
    revisions: Mapping[str, str] = field(default_factory=dict)

    @property
    def about(self) -> dict[str, list[str]]:
        """What a report has to say of it: what was left out, and which commits of the hub were read."""
        hub = [f"{name} at {commit}" for name, commit in self.revisions.items()]
        left_out = [note.removeprefix("left out").lstrip(" ,") for note in self.notes]
        return {name: said for name, said in (("left out", left_out), ("hub", hub)) if said}

    def split(self, name: str, limit: int | None = None) -> tuple[Example, ...]:
        """The examples of a split, at most ``limit`` spread over all; raises UsageError for an unknown split."""
        if name not in self.splits:
            raise UsageError(
                f"{self.name} has no split {name!r}; it has {', '.join(self.splits)}: add its questions, or name "
                "another split with --split"
            )
        if limit is not None and limit < 1:
            raise UsageError(f"a limit of {limit} leaves no question; give 1 or more")
        return spread(self.splits[name], limit)


def load_dataset(dataset: str | Path) -> Dataset:
    """Read and check a data set by folder, bundled name, benchmark or NAME=FOLDER; the error names every problem."""
    if is_benchmark(str(dataset)):
        material = read_benchmark(str(dataset))
        return _checked(str(dataset), material, [])
    folder = find_folder(dataset)
    lines, problems = read_questions(folder / "questions")
    papers, unreadable = _papers(folder)
    similar = near_duplicates([(line.split, line.example.question) for line in lines])
    problems += unreadable
    problems += [
        f"{lines[second].place}: almost the same question as {lines[first].place}, in another split"
        for first, second in similar
    ]
    problems += _copied_papers(lines, papers.documents)
    return _checked(str(folder), replace(papers, lines=tuple(lines)), problems)


def _checked(place: str, material: Material, problems: list[str]) -> Dataset:
    """The data set, unless there is something wrong with it."""
    lines, documents = material.lines, material.documents
    problems += _faults_between(lines, documents)
    if not lines and not problems:
        problems.append("it holds no questions")
    if problems:
        shown = "\n  ".join(problems[:_MOST_PROBLEMS])
        more = f"\n  and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise UsageError(f"{place} cannot be used as a data set; correct this and try again:\n  {shown}{more}")
    found = {split: tuple(line.example for line in lines if line.split == split) for split in SPLITS}
    splits = {split: examples for split, examples in found.items() if examples}
    name = place.partition("=")[0] if is_benchmark(place) else Path(place).name
    return Dataset(name, splits, documents, material.notes, material.revisions)


def find_folder(dataset: str | Path) -> Path:
    """The folder of a name or path; a UsageError if there is none."""
    for folder in (Path(dataset), BUNDLED / dataset):
        if (folder / "questions").is_dir():
            return folder.resolve()
    if Path(dataset).is_dir():
        named = f"; a benchmark's folder is named like {Path(dataset).name}={dataset}"
        raise UsageError(
            f"{dataset} has no folder 'questions'; it should hold papers/ and questions/train.jsonl …"
            f"{named if Path(dataset).name in BENCHMARKS else ''}"
        )
    bundled = sorted(path.parent.name for path in BUNDLED.glob("*/questions"))
    known = f"bundled are {', '.join(bundled)}" if bundled else "the bundled sets come with a checkout, not a wheel"
    benchmarks = ", ".join(BENCHMARKS)
    near = difflib.get_close_matches(str(dataset).partition("=")[0], [*BENCHMARKS, *bundled], n=1)
    meant = f"did you mean {near[0]}? Or " if near else ""
    raise UsageError(
        f"there is no data set {str(dataset)!r}; {meant}give a folder, a bundled set ({known}) or a benchmark "
        f"({benchmarks})"
    )


def _faults_between(lines: Sequence[QuestionRecord], documents: Mapping[str, Document]) -> Iterator[str]:
    """Ids that two questions have, papers that two splits have, papers and quotes that are not there."""
    first: dict[str, str] = {}
    split_of: dict[str, tuple[str, str]] = {}
    stems = {Path(name).stem.casefold(): name for name in documents}
    for line in lines:
        if (other := first.setdefault(line.example.id, line.place)) != line.place:
            yield f"{line.place}: the id {line.example.id} is already that of {other}"
        for paper in line.example.document_ids:
            split, place = split_of.setdefault(paper, (line.split, line.place))
            if split != line.split:
                yield f"{line.place}: {paper} is in {line.split}, and at {place} in {split}; split by paper"
            if documents and paper not in documents:
                meant = stems.get(Path(paper).stem.casefold())
                hint = f"did you mean {meant}?" if meant else "its name is its PMCID, else its file's without ending"
                yield f"{line.place}: there is no paper {paper} in papers/; {hint}"
        for evidence in line.example.evidence:
            document = documents.get(evidence.document_id)
            if document and evidence.quote not in document.text:
                similar = Quotable(document).find(evidence.quote)
                hint = f"it has {similar!r}" if similar else "quote a piece of what `reader.read(path).text` gives"
                yield f"{line.place}: {document.id} does not hold the quote {evidence.quote[:60]!r}; {hint}"


def _papers(folder: Path) -> tuple[Material, list[str]]:
    """The papers of a folder, with notes on what of their table was of no use; and what is wrong with them."""
    if not (folder / "papers").is_dir():
        return Material((), {}), ["papers: the folder does not exist; put the papers there"]
    tables = [path for path in (folder / "metadata.csv", folder / "metadata.jsonl") if path.is_file()]
    if len(tables) > 1:
        return Material((), {}), ["metadata.csv and metadata.jsonl are both there; keep one of them"]
    table = read_metadata(tables[0]) if tables else None
    files = discover([folder / "papers"])
    if table:
        table.expect(files)
    found = list(read_all(files, table))
    documents = {each.id: each for each in found if isinstance(each, Document)}
    problems = [str(each) for each in found if isinstance(each, IngestError)]
    if not found:
        problems.append(f"papers: there is no paper in it; papers are files that end in {', '.join(sorted(READERS))}")
    lost = table.unmatched() if table else ()
    notes = [f"{tables[0].name}: {each}" for each in table.problems] if table else []
    notes += [f"left out of {tables[0].name}, because no paper is meant: {each}" for each in lost]
    return Material((), documents, tuple(notes)), problems


def _copied_papers(lines: Sequence[QuestionRecord], documents: Mapping[str, Document]) -> Iterator[str]:
    """Papers that are in another split under another name."""
    first: dict[str, QuestionRecord] = {}
    for line in lines:
        for paper in line.example.document_ids:
            first.setdefault(paper, line)
    for one, other in same_papers({paper: documents[paper].text for paper in first if paper in documents}):
        if first[one].split != first[other].split:
            yield (
                f"{first[other].place}: {other} is almost the same text as {one}, at {first[one].place} in "
                f"{first[one].split}; put their questions in one split"
            )


LONGEST_LINE = 1_000_000
"""Characters. A question with all its gold data takes a few thousand; more is a paper in the wrong place."""

_EXAMPLE = TypeAdapter(Example)
_FIELDS = tuple(each.name for each in (*fields(Example), *fields(GoldEvidence)))
_FILES = tuple(f"{split}.jsonl" for split in SPLITS)
_SHOWN = 60


def read_questions(folder: Path) -> tuple[list[QuestionRecord], list[str]]:
    """Read the questions of all splits, and collect all errors, so that they can be corrected at once.

    "train.jsonl:2: documents_ids: there is no such field; did you mean document_ids?"
    """
    lines: list[QuestionRecord] = []
    problems = list(_strange_files(folder))
    for split in SPLITS:
        file = folder / f"{split}.jsonl"
        if not file.is_symlink() and not file.exists():
            continue
        try:
            texts = _text(file).split("\n")
        except IngestError as error:
            problems.append(f"questions/{file.name}: {error.reason}; {error.action}")
            continue
        for number, text in enumerate(texts, start=1):
            if text.strip():
                place = f"{file.name}:{number}"
                try:
                    lines.append(QuestionRecord(place, split, _example(text)))
                except ValueError as error:
                    problems.append(f"{place}: {error}")
    if not lines and not problems:
        problems.append(f"questions: it holds none; write them to {', '.join(_FILES)}, one a line")
    return lines, problems


def _strange_files(folder: Path) -> Iterator[str]:
    """Files that look like questions and would not be read."""
    for path in sorted(folder.iterdir()):
        split = path.name.partition(".")[0].lower()
        if path.name in _FILES or path.name.startswith("."):
            continue
        if split in SPLITS:
            yield f"questions/{path.name}: questions are read from {split}.jsonl, which has a JSON object a line"
        elif path.suffix == ".jsonl":
            yield f"questions/{path.name}: no split has this name; there are {', '.join(SPLITS)}"


def _text(file: Path) -> str:
    if file.is_file() and file.stat().st_size > MAX_BYTES:
        size = f"{file.stat().st_size / 2**20:.0f} MiB is larger than the limit of {MAX_BYTES // 2**20} MiB"
        raise IngestError(file, size, "papers belong in papers/, and questions hold short quotes of them")
    return decode(file)


def _example(text: str) -> Example:
    """Read one line; a ValueError says what is wrong with it."""
    if len(text) > LONGEST_LINE:
        raise ValueError(f"{len(text):,} characters; a question has {LONGEST_LINE:,} at most, and papers go to papers/")
    try:
        example = _EXAMPLE.validate_json(_with_id(text), strict=True)
    except ValidationError as error:
        raise ValueError("; ".join(map(_fault, error.errors()))) from error
    if faults := list(_faults(example)):
        raise ValueError("; ".join(faults))
    return example


def _with_id(text: str) -> str:
    """A question that has no id is named by what it asks of which papers, wherever it is."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):  # what is wrong with it is said where it is validated
        return text
    if not isinstance(values, dict) or "id" in values:
        return text
    asked = json.dumps([values.get("question"), values.get("document_ids")], ensure_ascii=False)
    return json.dumps({"id": f"q-{hashlib.sha256(asked.encode('utf-8', 'replace')).hexdigest()[:12]}", **values})


def _fault(error: Any) -> str:  # noqa: ANN401 - a dictionary of pydantic
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "missing":
        return f"{name}: this field is missing"
    if error["type"] == "unexpected_keyword_argument":
        close = difflib.get_close_matches(str(error["loc"][-1]), _FIELDS, n=1)
        return f"{name}: there is no such field{f'; did you mean {close[0]}?' if close else ''}"
    if not name:
        return f"no JSON object on one line ({error['msg']})"
    return f"{name}: {error['msg']}, got {repr(error['input'])[:_SHOWN]}"


def _faults(example: Example) -> Iterator[str]:
    """What is wrong with a question whose fields have the right types."""
    if not (example.id.strip() and example.question.strip() and example.document_ids):
        yield "id, question and document_ids must not be empty"
    if not example.id.isprintable():
        yield f"the id {example.id!r} holds control characters"
    lists = {name: getattr(example, name) for name in ("document_ids", "answers", "nuggets", "choices")}
    for name, values in (*lists.items(), ("evidence", tuple(each.quote for each in example.evidence))):
        if not all(value.strip() for value in values):
            yield f"{name}: an empty text is among them; remove it"
        if name in {"document_ids", "choices"} and len(set(values)) < len(values):
            yield f"{name}: one of them is there twice"
    has_gold = bool(example.answer.strip() or example.answers or example.nuggets or example.label)
    if example.answerable and not has_gold:
        yield "answerable, but without answer, answers, nuggets or label"
    if not example.answerable and (has_gold or example.evidence):
        yield "not answerable, but with an answer or evidence; remove these, or say answerable: true"
    if example.label and example.label not in example.choices:
        yield f"the label {example.label!r} is none of the choices {list(example.choices)}"
    if example.choices and example.answerable and not example.label:
        yield "choices without a label; give the right one as label"
    for paper in dict.fromkeys(each.document_id for each in example.evidence):
        if paper not in example.document_ids:
            yield f"evidence is quoted from {paper}, which document_ids does not name; add it there"


logger = logging.getLogger(__name__)

_NAME_LENGTH = 16
_TOLD_EVERY = 50


def corpus_index(dataset: Dataset, embedder: Embedder | None = None, chunking: Chunking | None = None) -> Index:
    """Open the index of a data set's papers, or make it.

    It is in the cache under a name made of everything it depends on, so that a second run finds it; while another
    process holds it, a run makes one in memory. A data set without papers has one that is not there, for programs that
    are only looked at.
    """
    if not dataset.documents:
        return UnconnectedIndex()
    made = hashlib.sha256((embedder.name if embedder else settings().embedder).encode())
    made.update(str(chunking or "").encode())
    for document in sorted(dataset.documents.values(), key=lambda each: each.id):
        made.update(document.content_hash.encode())
    kept = settings().cache / "corpora" / f"{dataset.name}-{made.hexdigest()[:_NAME_LENGTH]}.idx"
    kept.parent.mkdir(parents=True, exist_ok=True)
    try:
        index = Index.open(kept, create=True, embedder=embedder, chunking=chunking)
    except (IndexLocked, IndexMismatch, IndexCorrupt) as error:
        logger.info("Making an index for this run alone: %s", error)
        index = Index.open(IN_MEMORY, create=True, embedder=embedder, chunking=chunking)
    if (missing := len(dataset.documents) - index.stats().documents) > 0:
        message = f"Indexing {missing:,} papers of {dataset.name}, which are kept for other runs"
        report_step("index", message, papers=missing)
    index.add(dataset.documents.values(), on_progress=_progress(len(dataset.documents)))
    return index


def _progress(total: int) -> Callable[[Indexed], None]:
    """Tell every so many papers how far indexing has come."""
    step, last = max(_TOLD_EVERY, total // 10), 0

    def report_progress(done: Indexed) -> None:
        nonlocal last
        behind = done.added + done.replaced + done.unchanged
        if done.added and behind - last >= step and behind < total:
            last = behind
            report_step("index", f"Indexed {behind:,} of {total:,} papers", papers=behind)

    return report_progress


def in_view(example: Example, dataset: Dataset) -> Filters | None:
    """What a question may search: everything for a question of the test split, all but the test papers for others.

    A passage of a test paper that was found for a training question could end up in a demo.
    """
    hidden = {paper for each in dataset.splits.get("test", ()) for paper in each.document_ids}
    if not hidden or hidden.intersection(example.document_ids):
        return None
    return {"document": {"not": sorted(hidden)}}
