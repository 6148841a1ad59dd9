"""Questions with one passage that answers and several that do not, from papers that are not reported on.

A list: "Does simvastatin reduce vascular mortality?", [the passage with the experts' evidence, five others of the same
paper that share words with the question, one of another paper that does, any one].
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from metrics.sentences import sentences
from optimize.dataset import WordSearch, fraction
from optimize.training.generated_pairs import finding_of
from optimize.training.labelled_claims import (
    ABSTRACT,
    WrittenItem,
    WrittenSet,
    reported_documents,
    rows,
    scifact_reported,
    written,
)
from optimize.training.wording import EFFECTS, TrialFinding, asked, plainly
from programs.models.order import passage_read, question_read

DEV, DEV_SHARE = "order dev", 0.12
"""Papers of trials that are kept apart, for choosing and for calibration."""
NEAR, FAR = 24, 30
"""How many of the nearest passages of the same paper, and of others, negatives are drawn from."""
WITHOUT_ABOUT = 0.25
"""Share of lists that are read without title and heading."""


@dataclass(frozen=True, slots=True)
class ListedPassage:
    """A text of a paper that may answer, with title and heading, where known."""

    document: str
    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Need:
    """Something that is asked of a paper, and the positions of the passages that answer.

    ``said`` is a finding, asked for in many wordings, or a question or claim as it is.
    """

    said: TrialFinding | str
    relevant: tuple[int, ...]
    document: str

    def question(self, generator: random.Random) -> str:
        """It in words; a finding in other words each time."""
        return self.said if isinstance(self.said, str) else asked(self.said, generator)

    @property
    def plain(self) -> str:
        """It in the plainest words."""
        return self.said if isinstance(self.said, str) else plainly(self.said)


@dataclass
class JudgedCollection:
    """Passages and what is asked of them."""

    passages: Sequence[ListedPassage]
    needs: Sequence[Need]
    _ranked: dict[int, tuple[list[int], list[int]]] = field(default_factory=dict)

    @cached_property
    def index(self) -> WordSearch:
        """Of the passages by their words."""
        return WordSearch([f"{each.about} {each.text}" for each in self.passages])

    @cached_property
    def by_document(self) -> dict[str, list[int]]:
        """Positions of each paper's passages."""
        found: dict[str, list[int]] = {}
        for at, passage in enumerate(self.passages):
            found.setdefault(passage.document, []).append(at)
        return found

    def near_and_far(self, number: int) -> tuple[list[int], list[int]]:
        """Passages that share most words with a need: of its own paper those that do not answer it, and of others."""
        if number not in self._ranked:
            need = self.needs[number]
            scores, own = self.index.scores(need.plain), set(self.by_document.get(need.document, []))
            near = sorted(own - set(need.relevant), key=lambda at: -scores[at])[:NEAR]
            apart = own | set(need.relevant)
            best = scores.argsort(kind="stable")[::-1][: FAR + len(own) + len(need.relevant)]
            self._ranked[number] = near, [int(at) for at in best if int(at) not in apart][:FAR]
        return self._ranked[number]


class _ListBuilder(list[ListedPassage]):
    """The passages of a collection while it is put together, with their positions by what names them."""

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[Hashable, int] = {}

    def put(self, key: Hashable, document: str, text: str, about: str = "") -> int:
        """The position of a passage, which is added if its key is not there."""
        at = self._places.setdefault(key, len(self))
        if at == len(self):
            self.append(ListedPassage(document, text, about))
        return at

    def at(self, keys: Iterable[Hashable]) -> tuple[int, ...]:
        """The positions of the passages that are there."""
        return tuple(self._places[each] for each in keys if each in self._places)

    def quoted(self, document: str, quotes: Sequence[str]) -> tuple[int, ...]:
        """The positions of a paper's passages that hold one of the quotes, or are in one."""
        return tuple(
            at
            for at, each in enumerate(self)
            if each.document == document and any(each.text in quote or quote in each.text for quote in quotes)
        )


@dataclass(frozen=True, slots=True)
class Ask:
    """A question with texts as the model reads them; the first one answers, the others do not."""

    question: str
    texts: tuple[str, ...]


def drawn(collection: JudgedCollection, number: int, size: int, generator: random.Random) -> Ask:
    """A list of so many texts for a need."""
    need = collection.needs[number]
    chosen = [generator.choice(need.relevant)]
    near, far = collection.near_and_far(number)
    chosen += _early(near, min(len(near), size - 3), generator)
    chosen += _early(far, size - len(chosen) - 1, generator)
    apart = {*chosen, *need.relevant}
    while len(chosen) < size:
        other = generator.randrange(len(collection.passages))
        if other not in apart:
            apart.add(other)
            chosen.append(other)
    question, placed = need.question(generator), generator.random() >= WITHOUT_ABOUT
    passages = [collection.passages[at] for at in chosen]
    texts = [passage_read(question, each.text, each.about if placed else "") for each in passages]
    return Ask(question_read(question), tuple(texts))


def _early(ranked: Sequence[int], count: int, generator: random.Random) -> list[int]:
    """So many of a ranking at random, without repetition, the early ones more often."""
    keys = {at: generator.random() ** (rank + 4) for rank, at in enumerate(ranked)}
    return sorted(ranked, key=lambda at: -keys[at])[: max(0, count)]


def trials(data: Path, *, dev: bool = False) -> JudgedCollection:
    """Prompts on trials: those that are trained on, or those that are kept apart."""
    reported, shelf = reported_documents(data), _ListBuilder()
    for paper in rows(data / "trials_train" / "papers.jsonl"):
        if paper["pmcid"] not in reported and is_dev(paper["pmcid"]) == dev:
            for each in paper["passages"]:
                shelf.put(each["id"], paper["pmcid"], each["text"], f"{paper['title']}. {each['heading']}")
    needs = [
        Need(finding_of(row), relevant, row["pmcid"])
        for row in rows(data / "trials_train" / "prompts.jsonl")
        if row["effect"] in EFFECTS and (relevant := shelf.at(row["gold"]))
    ]
    return JudgedCollection(shelf, needs)


def evidence(data: Path) -> JudgedCollection:
    """Trials' findings against the sentences that experts marked, others of the same paper beside them."""
    reported, shelf = reported_documents(data), _ListBuilder()
    titles = {paper["pmcid"]: paper["title"] for paper in rows(data / "trials_train" / "papers.jsonl")}
    marked: dict[tuple[str, ...], list[str]] = {}
    said: dict[tuple[str, ...], TrialFinding] = {}
    for row in rows(data / "claims" / "evidence_inference_v2.jsonl"):
        document = row["pmcid"]
        if document not in reported and not is_dev(document) and row["effect"] in EFFECTS:
            key = (document, row["intervention"], row["comparator"], row["outcome"])
            shelf.put((document, row["premise"]), document, row["premise"], titles.get(document, ""))
            marked.setdefault(key, []).append(row["premise"])
            said[key] = finding_of(row)
    needs = [Need(said[key], shelf.quoted(key[0], texts), key[0]) for key, texts in marked.items()]
    return JudgedCollection(shelf, needs)


def handwritten_sentences(data: Path) -> JudgedCollection:
    """Claims written by hand with the sentences that prove or contradict them, beside others of their passages."""
    apart = reported_documents(data) | {f"scifact:{each}" for each in scifact_reported(data)}
    shelf, judged = _ListBuilder(), []
    for row in rows(data / "claims" / "handwritten.jsonl"):
        document = row["document"]
        is_known = row["split"] == "train" and row["origin"] in ("trials_train", "scifact", "pubmed_qa")
        if is_known and not {document, f"scifact:{document}"} & apart and not is_dev(document):
            for span in sentences(row["premise"]):
                text = row["premise"][span.start : span.end].strip()
                shelf.put((document, text), document, text, row["title"])
            judged += [row] if row["label"] in ("supported", "contradicted") else []
    found = ((row, shelf.quoted(row["document"], row["evidence"])) for row in judged)
    return JudgedCollection(shelf, [Need(row["claim"], own, row["document"]) for row, own in found if own])


def scifact_sentences(data: Path) -> JudgedCollection:
    """SciFact's training claims and the sentences of the abstracts that experts marked."""
    apart, shelf, needs = scifact_reported(data), _ListBuilder(), []
    papers = {str(row["doc_id"]): row for row in rows(data / "scifact" / "corpus.jsonl")}
    for row in rows(data / "scifact" / "claims_train.jsonl"):
        name = str(row["evidence_doc_id"])
        if name and name not in apart:
            document, paper = f"scifact:{name}", papers[name]
            places = [
                shelf.put((name, at), document, text.strip(), paper["title"])
                for at, text in enumerate(paper["abstract"])
            ]
            needs.append(Need(row["claim"], tuple(places[at] for at in row["evidence_sentences"]), document))
    return JudgedCollection(shelf, needs)


def written_sentences(data: Path) -> JudgedCollection:
    """Questions in natural words against the sentences that answer them, beside others of the same paper."""
    return _in_sentences(_written(data), lambda item: [item.question])


def written_claims(data: Path) -> JudgedCollection:
    """True and false claims on what was asked for, against the same sentences."""
    return _in_sentences(_written(data), WrittenItem.judged_claims)


def _in_sentences(found: WrittenSet, said: Callable[[WrittenItem], Sequence[str]]) -> JudgedCollection:
    shelf, needs = _ListBuilder(), []
    for passage in found.passages:
        for start, end in passage.sentences:
            shelf.put((passage.id, start, end), passage.document, passage.text[start:end], passage.about)
    for item in found.items:
        relevant = shelf.at(
            (own.id, start, end)
            for own, spans in item.answers
            for start, end in own.sentences
            if any(first < end and start < last for first, last in spans)
        )
        needs += [Need(text, relevant, item.document) for text in said(item)]
    return JudgedCollection(shelf, needs)


def written_abstracts(data: Path) -> JudgedCollection:
    """Questions and claims that were written on abstracts, of all abstracts that are not reported on."""
    whole = scifact(data)
    places = {passage.document: at for at, passage in enumerate(whole.passages)}
    needs = [
        Need(text, (places[item.document],), item.document)
        for item in _written(data).items
        if item.document.startswith(ABSTRACT)
        for text in (item.question, *item.judged_claims())
    ]
    return JudgedCollection(whole.passages, needs)


def written_passages(data: Path) -> JudgedCollection:
    """The same questions against whole passages of trials."""
    found, shelf = _written(data), _ListBuilder()
    for each in found.passages:
        shelf.put(each.id, each.document, each.text, each.about)
    needs = [
        Need(each.question, shelf.at(passage.id for passage, _ in each.answers), each.document)
        for each in found.items
        if not each.document.startswith(ABSTRACT)
    ]
    return JudgedCollection(shelf, needs)


def _written(data: Path) -> WrittenSet:
    found = written(data)
    return WrittenSet(
        [each for each in found.items if not is_dev(each.document)],
        [each for each in found.passages if not is_dev(each.document)],
    )


@dataclass(frozen=True)
class InventedPaper:
    """A short paper, invented for training, with questions in readers' own words and the numbers of what answers them.

    {"title": "…", "sections": [["Results", ["Survival rose.", "…"]], ["Table 2. Fish", ["Diet: T3; FCR: 1.73"]]],
     "questions": [["Did more fish live?", [3, 17]]]}

    ``invented_papers.jsonl`` beside this file holds our own words (CC0); no figure in it was ever measured. Sentences
    have numbers from 1 through the paper; the plainest of those that answer comes first. Others hold the questions'
    words and do not answer: aims, cited results, other species, controls, captions. A line under a table's heading is a
    row with the names of its columns.
    """

    title: str
    sections: Sequence[tuple[str, Sequence[str]]]
    questions: Sequence[tuple[str, Sequence[int]]]

    @cached_property
    def numbered(self) -> list[tuple[str, str]]:
        """Heading and text of each sentence; a table's row is under the caption and the columns' names."""
        found: list[tuple[str, str]] = []
        for heading, lines in self.sections:
            cells = [[cell.partition(": ") for cell in line.split("; ")] for line in lines]
            if heading.startswith("Table ") and all(colon for row in cells for _, colon, _ in row):
                head = f"{heading} | {' | '.join(name for name, _, _ in cells[0])} |"
                found += [("Results", f"{head} | {' | '.join(value for _, _, value in row)} |") for row in cells]
            else:
                found += [(heading, line) for line in lines]
        return found

    @property
    def is_apart(self) -> bool:
        """Whether it is kept apart from training, to look at."""
        return fraction(f"invented dev{self.title}") < INVENTED_DEV


INVENTED_DEV = 0.08
"""Share of the invented papers that are kept apart."""


def invented_papers() -> list[InventedPaper]:
    """All of them, those that are kept apart too."""
    lines = (files("optimize.training") / "invented_papers.jsonl").read_text(encoding="utf-8").splitlines()
    return [InventedPaper(**json.loads(line)) for line in lines]


def invented_sentences(_: Path, *, apart: bool = False) -> JudgedCollection:
    """Questions on invented papers of all subjects, against sentences and rows; those of the papers kept apart."""
    return _on_invented(lambda paper: paper.numbered, apart=apart)


def invented_passages(_: Path) -> JudgedCollection:
    """The same questions against whole sections."""
    return _on_invented(lambda paper: [(head, " ".join(lines)) for head, lines in paper.sections for _ in lines])


def _on_invented(
    texts: Callable[[InventedPaper], Iterable[tuple[str, str]]], *, apart: bool = False
) -> JudgedCollection:
    """``texts`` are heading and text of what holds each sentence."""
    shelf, needs = _ListBuilder(), []
    for paper in invented_papers():
        if paper.is_apart == apart:
            places = [
                shelf.put((paper.title, heading, text), paper.title, text, f"{paper.title}. {heading}")
                for heading, text in texts(paper)
            ]
            needs += [
                Need(said, tuple(dict.fromkeys(places[at - 1] for at in answers)), paper.title)
                for said, answers in paper.questions
            ]
    return JudgedCollection(shelf, needs)


def scifact(data: Path) -> JudgedCollection:
    """SciFact's training claims and the abstracts cited for them; abstracts that are reported on are left out."""
    apart, shelf = scifact_reported(data), _ListBuilder()
    for row in rows(data / "scifact" / "corpus.jsonl"):
        name = str(row["doc_id"])
        if name not in apart:
            shelf.put(name, f"scifact:{name}", " ".join(row["abstract"]), row["title"])
    cited: dict[str, set[int]] = {}
    for row in rows(data / "scifact" / "claims_train.jsonl"):
        cited.setdefault(row["claim"], set()).update(shelf.at(map(str, row["cited_doc_ids"])))
    return JudgedCollection(shelf, [Need(claim, tuple(sorted(at)), "") for claim, at in cited.items() if at])


def pubmed_qa(data: Path) -> JudgedCollection:
    """Half of PubMedQA's questions: their results answer, the rest of the abstract does not."""
    shelf, needs = _ListBuilder(), []
    for row in rows(data / "pubmed_qa" / "pqa_labeled_dev.jsonl"):
        if fraction(f"pubmed_qa {row['pubid']}") < 0.5:
            document, labels = f"pubmed_qa:{row['pubid']}", row["context"]["labels"]
            for at, (label, text) in enumerate(zip(labels, row["context"]["contexts"], strict=True)):
                shelf.put((document, at), document, text, label.capitalize())
            answers = shelf.at((document, at) for at, label in enumerate(labels) if "RESULT" in label.upper())
            if answers:
                needs.append(Need(row["question"], answers, document))
    return JudgedCollection(shelf, needs)


def is_dev(document: str) -> bool:
    """Whether a paper is kept apart from training."""
    return fraction(DEV + document) < DEV_SHARE


_ALL = (
    trials, evidence, handwritten_sentences, scifact_sentences, written_sentences, written_passages,
    written_claims, written_abstracts, invented_sentences, invented_passages, scifact, pubmed_qa,
)  # fmt: skip
COLLECTIONS: dict[str, Callable[[Path], JudgedCollection]] = {each.__name__: each for each in _ALL}


def epoch(
    collections: dict[str, JudgedCollection], passes: dict[str, float], size: int, generator: random.Random
) -> Iterator[Ask]:
    """The lists of one pass in random order: each source's needs so many times, each time in other words."""
    numbers: list[tuple[str, int]] = []
    for name, collection in collections.items():
        count = round(passes[name] * len(collection.needs))
        whole, rest = divmod(count, max(1, len(collection.needs)))
        numbers += [(name, at) for at in range(len(collection.needs))] * whole
        numbers += [(name, at) for at in generator.sample(range(len(collection.needs)), rest)]
    generator.shuffle(numbers)
    for name, at in numbers:
        yield drawn(collections[name], at, size, generator)
