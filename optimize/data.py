"""Data sets: questions in four splits, and the papers that they are about.

    FOLDER/papers/…                     files of any format that can be ingested
    FOLDER/questions/train.jsonl …      one question a line; see ``optimize.example``
    FOLDER/metadata.csv                 optional: what else is known of the papers

A folder is checked as a whole before anything runs, and everything that is wrong is named with file and line. Splits
are by paper: a question of the test split about a paper of the train split would measure memory.

Public benchmarks, from the hub or from a folder with its columns, come in the same form: see ``optimize.benchmarks``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from optimize.benchmarks import BENCHMARKS, Line, Material, is_benchmark, read_benchmark
from optimize.example import SPLITS, Example, digest, spread
from optimize.near_duplicates import near_duplicates
from programs.errors import IngestError, UsageError
from programs.ingest.document import Document
from programs.ingest.metadata import read_metadata
from programs.ingest.reader import discover, read_all

BUNDLED = Path(__file__).resolve().parents[1] / "datasets"
DEFAULT_DATASET = "space_biology"

_MOST_PROBLEMS = 20
_EXAMPLE = TypeAdapter(Example)


@dataclass(frozen=True, slots=True)
class Dataset:
    """A data set that was checked.

    Attributes:
        name: The folder's name.
        splits: Examples by split, in file order.
        documents: Papers by id.
        notes: What a benchmark's reader left out, and how much.
    """

    name: str
    splits: Mapping[str, tuple[Example, ...]]
    documents: Mapping[str, Document]
    notes: tuple[str, ...] = ()

    def split(self, name: str, limit: int | None = None) -> tuple[Example, ...]:
        """Examples of a split, at most ``limit``, spread over it.

        Raises:
            UsageError: There is no such split, or the limit is no number above 0.
        """
        if name not in self.splits:
            raise UsageError(f"{self.name} has no split {name!r}; it has {', '.join(self.splits)}")
        if limit is not None and limit < 1:
            raise UsageError(f"a limit of {limit} leaves no question; give 1 or more")
        return spread(self.splits[name], limit)


def load_dataset(dataset: str | Path) -> Dataset:
    """Read and check a data set.

    Args:
        dataset: A folder, the name of a bundled set, or a benchmark: its name, or NAME=FOLDER.

    Raises:
        UsageError: There is no such data set, or something in it is wrong; the message names every problem.
    """
    if is_benchmark(str(dataset)):
        material = read_benchmark(str(dataset))
        return _checked(str(dataset), material, [])
    folder = find_folder(dataset)
    lines, problems = _questions(folder)
    documents, unreadable = _papers(folder)
    return _checked(str(folder), Material(tuple(lines), documents), [*problems, *unreadable])


def _checked(place: str, material: Material, problems: list[str]) -> Dataset:
    """The data set, unless there is something wrong with it."""
    lines, documents = material.lines, material.documents
    problems += [*_repeated_ids(lines), *_shared_papers(lines), *_similar_questions(lines)]
    problems += _unknown_papers(lines, documents)
    if problems:
        shown = "\n  ".join(problems[:_MOST_PROBLEMS])
        more = f"\n  and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise UsageError(f"{place} cannot be used as a data set; correct this and try again:\n  {shown}{more}")
    found = {split: tuple(line.example for line in lines if line.split == split) for split in SPLITS}
    splits = {split: examples for split, examples in found.items() if examples}
    name = place.partition("=")[0] if is_benchmark(place) else Path(place).name
    return Dataset(name, splits, documents, material.notes)


def find_folder(dataset: str | Path) -> Path:
    """The folder that a name or path stands for.

    Raises:
        UsageError: There is none.
    """
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
    raise UsageError(
        f"there is no data set {str(dataset)!r}; give a folder, a bundled set ({known}) or a benchmark ({benchmarks})"
    )


def split_hashes(splits: Mapping[str, tuple[Example, ...]]) -> dict[str, str]:
    """SHA-256 of each split's examples, by which a run knows its data again."""
    return {split: digest(examples) for split, examples in splits.items()}


def _questions(folder: Path) -> tuple[list[Line], list[str]]:
    lines, problems = [], []
    files = {split: folder / "questions" / f"{split}.jsonl" for split in SPLITS}
    strange = sorted(path.name for path in (folder / "questions").glob("*.jsonl") if path not in files.values())
    problems += [f"questions/{name}: no split has this name; there are {', '.join(SPLITS)}" for name in strange]
    for split, file in files.items():
        texts = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        for number, text in enumerate(texts, start=1):
            if text.strip():
                place = f"{file.name}:{number}"
                try:
                    lines.append(Line(place, split, _example(text)))
                except ValueError as error:
                    problems.append(f"{place}: {error}")
    return lines, problems


def _example(text: str) -> Example:
    """Read one line; a ValueError says what is wrong with it."""
    try:
        example = _EXAMPLE.validate_json(text, strict=True)
    except ValidationError as error:
        wrong = (f"{'.'.join(map(str, each['loc'])) or 'line'}: {each['msg']}" for each in error.errors())
        raise ValueError("; ".join(wrong)) from error
    if not (example.id.strip() and example.question.strip() and example.document_ids):
        raise ValueError("id, question and document_ids must not be empty")
    has_gold = bool(example.answer or example.answers or example.nuggets or example.label)
    if example.answerable and not has_gold:
        raise ValueError("answerable, but without answer, answers, nuggets or label")
    if not example.answerable and (has_gold or example.evidence):
        raise ValueError("not answerable, but with an answer or evidence")
    return example


def _repeated_ids(lines: Sequence[Line]) -> Iterator[str]:
    first: dict[str, str] = {}
    for line in lines:
        if (place := first.setdefault(line.example.id, line.place)) != line.place:
            yield f"{line.place}: the id {line.example.id} is already that of {place}"


def _shared_papers(lines: Sequence[Line]) -> Iterator[str]:
    split_of: dict[str, tuple[str, str]] = {}
    for line in lines:
        for paper in line.example.document_ids:
            split, place = split_of.setdefault(paper, (line.split, line.place))
            if split != line.split:
                yield f"{line.place}: {paper} is in {line.split}, and at {place} in {split}; split by paper"


def _similar_questions(lines: Sequence[Line]) -> Iterator[str]:
    for first, second in near_duplicates([(line.split, line.example.question) for line in lines]):
        yield f"{lines[second].place}: almost the same question as {lines[first].place}, in another split"


def _papers(folder: Path) -> tuple[dict[str, Document], list[str]]:
    if not (folder / "papers").is_dir():
        return {}, ["papers: there is no such folder"]
    tables = [path for path in (folder / "metadata.csv", folder / "metadata.jsonl") if path.is_file()]
    found = list(read_all(discover([folder / "papers"]), read_metadata(tables[0]) if tables else None))
    documents = {each.id: each for each in found if isinstance(each, Document)}
    return documents, [str(each) for each in found if isinstance(each, IngestError)]


def _unknown_papers(lines: Sequence[Line], documents: Mapping[str, Document]) -> Iterator[str]:
    for line in lines:
        example = line.example
        for paper in example.document_ids:
            if paper not in documents:
                yield f"{line.place}: there is no paper {paper} in papers/"
        for evidence in example.evidence:
            document = documents.get(evidence.document_id)
            if document and evidence.quote not in document.text:
                yield f"{line.place}: {evidence.document_id} does not hold the quote {evidence.quote[:60]!r}"
