"""Questions with one passage that answers and several that do not, from papers that are not reported on.

A list: "Does simvastatin reduce vascular mortality?", [the passage with the experts' evidence, five others of the same
paper that share words with the question, one of another paper that does, any one].
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import yaml

from metrics.sentences import sentences
from optimize.dataset import WordSearch
from optimize.dataset.splits import fraction
from optimize.training.generated_pairs import finding_of
from optimize.training.handwritten_claims import WrittenItem, WrittenSet, written
from optimize.training.invented_papers import invented_papers
from optimize.training.labelled_claims import reported_documents, rows, scifact_reported
from optimize.training.wording import EFFECTS, TrialFinding, any_statement, phrase
from programs.models.order import passage_read, question_read

PLAIN = "What was the effect of {i} compared with {c} on {o}?"
_FORMS: dict[str, list[str]] = yaml.safe_load(
    (files("optimize.training") / "questions.yaml").read_text(encoding="utf-8")
)
SHARES = {"plain": 15, "with": 35, "one": 25, "keywords": 8, "statement": 17}
"""How often each kind is asked, of 100; a statement may be true or not, its passage is the same."""
LONGEST_ARM = 14
"""Words of an arm that a question still repeats; a longer description of a regimen is cut, as a person would."""


def asked(finding: TrialFinding, generator: random.Random) -> str:
    """One of many wordings."""
    kind = generator.choices(list(SHARES), list(SHARES.values()))[0]
    if kind == "statement":
        return any_statement(finding, generator)
    return worded(PLAIN if kind == "plain" else generator.choice(_FORMS[kind]), finding, generator)


def plainly(finding: TrialFinding) -> str:
    """The wording that the trials' prompts are reported in."""
    return worded(PLAIN, finding)


def worded(form: str, finding: TrialFinding, generator: random.Random | None = None) -> str:
    """A form with the finding's words in it; with a generator, long arms may be cut."""
    arms = [phrase(each) for each in (finding.intervention, finding.comparator)]
    if generator is not None and generator.random() < 0.5:
        arms = [" ".join(each.split()[:LONGEST_ARM]) for each in arms]
    text = form.format(i=arms[0], c=arms[1], o=phrase(finding.outcome))
    return text[0].upper() + text[1:]


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


def handwritten(data: Path) -> JudgedCollection:
    """Claims written by hand that their passage proves or contradicts, others of the same paper beside it."""
    apart = reported_documents(data) | {f"scifact:{each}" for each in scifact_reported(data)}
    shelf, needs = _ListBuilder(), []
    for row in rows(data / "claims" / "handwritten.jsonl"):
        document = row["document"]
        is_known = row["split"] == "train" and row["origin"] in ("trials_train", "scifact", "pubmed_qa")
        if is_known and not {document, f"scifact:{document}"} & apart and not is_dev(document):
            place = shelf.put((document, row["premise"]), document, row["premise"], row["title"])
            if row["label"] in ("supported", "contradicted"):
                needs.append(Need(row["claim"], (place,), document))
    return JudgedCollection(shelf, needs)


def handwritten_sentences(data: Path) -> JudgedCollection:
    """The same claims against the sentences that they were written on, beside the others of their paper's passages."""
    whole, shelf = handwritten(data), _ListBuilder()
    for passage in whole.passages:
        for span in sentences(passage.text):
            text = passage.text[span.start : span.end].strip()
            shelf.put((passage.document, text), passage.document, text, passage.about)
    evidence = {row["claim"]: row["evidence"] for row in rows(data / "claims" / "handwritten.jsonl")}
    needs = [
        replace(need, relevant=own)
        for need in whole.needs
        if (own := shelf.quoted(need.document, evidence[str(need.said)]))
    ]
    return JudgedCollection(shelf, needs)


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
        if item.is_on_abstract
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
        if not each.is_on_abstract
    ]
    return JudgedCollection(shelf, needs)


def _written(data: Path) -> WrittenSet:
    found = written(data)
    return WrittenSet(
        [each for each in found.items if not is_dev(each.document)],
        [each for each in found.passages if not is_dev(each.document)],
    )


def invented_sentences(_: Path, *, apart: bool = False) -> JudgedCollection:
    """Questions on invented papers of all subjects, against sentences and rows; those of the papers kept apart."""
    shelf, needs = _ListBuilder(), []
    for paper in invented_papers():
        if paper.is_apart == apart:
            places = [
                shelf.put((paper.title, at), paper.title, text, f"{paper.title}. {heading}")
                for at, (heading, text) in enumerate(paper.numbered)
            ]
            needs += [
                Need(said, tuple(places[at - 1] for at in answers), paper.title) for said, answers in paper.questions
            ]
    return JudgedCollection(shelf, needs)


def invented_passages(_: Path) -> JudgedCollection:
    """The same questions against whole sections."""
    shelf, needs = _ListBuilder(), []
    for paper in invented_papers():
        if not paper.is_apart:
            places = [
                shelf.put((paper.title, heading), paper.title, " ".join(lines), f"{paper.title}. {heading}")
                for heading, lines in paper.sections
                for _ in lines
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
        if is_pubmed_trained(row["pubid"]):
            document, labels = f"pubmed_qa:{row['pubid']}", row["context"]["labels"]
            for at, (label, text) in enumerate(zip(labels, row["context"]["contexts"], strict=True)):
                shelf.put((document, at), document, text, label.capitalize())
            answers = shelf.at((document, at) for at, label in enumerate(labels) if "RESULT" in label.upper())
            if answers:
                needs.append(Need(row["question"], answers, document))
    return JudgedCollection(shelf, needs)


def is_pubmed_trained(pubid: int) -> bool:
    """Whether a question of PubMedQA is one of the half that is trained on."""
    return fraction(f"pubmed_qa {pubid}") < 0.5


def is_dev(document: str) -> bool:
    """Whether a paper is kept apart from training."""
    return fraction(DEV + document) < DEV_SHARE


_ALL = (
    trials, evidence, handwritten, handwritten_sentences, scifact_sentences, written_sentences, written_passages,
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
