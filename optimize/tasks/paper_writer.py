"""`paper_writer` before a data set: does it tell evidence from what is only near, and cite it rightly?

A whole draft takes about a thousand calls for a concept, and there are no labelled drafts. There are labelled
questions, with the quotes that answer them. So a question stands for a hypothesis, and one section is prepared for it,
with the steps, prompts and parameters of the pipeline itself:

    question → the nearest passages → a summary and a score of each → the section → its citations verified

The passages that hold a gold quote are to come first and be scored high, the others low; that is the objective. Beside
it the section is measured: whether its sentences are proved by what they cite, and what it tells of the gold facts. The
title is not written and the agent not asked: the agent gets demos, which nothing here measures.

Only the share of the similarity in the combined score is searched. The other numbers mean something else where eight
queries and their passages go into a section.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import dspy

from metrics.sentences import sentences
from optimize.dataset import Example, GoldEvidence
from optimize.dataset.splits import Dataset, corpus_index, in_view
from optimize.tasks import CallCount, Demo, ShownPassages, Space, Task, TaskInput, common, real
from optimize.tasks.evidence_demos import evidence_demos
from programs.errors import LMError
from programs.ingest.chunking import SENTENCES, TOKENS, chunk
from programs.ingest.document import Chunk, Document
from programs.paper_writer import Evidence, PaperConcept, PaperSection, PaperWritingPipeline
from programs.paper_writer.concept import concept_shown, experiments_shown
from programs.paper_writer.evidence import CitedPaper, Search, guidelines, passage_of, shown
from programs.paper_writer.evidence_gatherer import searches_shown
from programs.paper_writer.run_resources import Calls, Library, Resources, logged
from programs.paper_writer.section_writer import SectionTask
from programs.passages.numbered_sentences import NumberedSentences
from programs.program import Program
from programs.results.citation_keys import Named, citation_keys
from programs.retrieval.embedder import Embedder
from signatures.passages import as_data

# Demos of preparing a section for a gold question, step by step:
#
#     select      a passage, question                → the numbers of the gold quote; none of a passage without it
#     score       its sentences                      → 0.9 or 0.1, with the reason
#     plan        evidence with or without the quote → done, or queries for the gold facts
#     write       gold quotes of a paper             → the gold facts of all its questions, each with its citation
#
# and of the sentence that was made false, the true one. Papers of the training split alone are shown. A passage
# without the quote is taken from another paper: in its own, an abstract may say the same in other words.

SECTION = PaperSection.RELATED_WORK
"""The section that rests on what others found and on nothing else: every sentence of it has to cite."""

RELEVANT, IRRELEVANT = 0.9, 0.1

_MOST_FACTS = 8
MOST_SENTENCES = 10
"""Cited sentences that a section is taken to have, when calls are counted."""
_OTHERS = 2
_MOST_QUERIES = 3
_QUERY_WORDS = 15
_TURNS_LEFT = 4


def concept_of(question: str) -> PaperConcept:
    """A paper of which nothing is known but what it asks."""
    return PaperConcept(hypothesis=question)


@dataclass(frozen=True, slots=True)
class _Fact:
    """A gold fact as a sentence with its citation, and the evidence for it."""

    text: str
    evidence: Evidence


class _WriterPapers:
    """The papers of a question and of the training split, as the writer sees them."""

    def __init__(self, example: Example, dataset: Dataset) -> None:
        self._example, self._asked = example, example.question
        self._train = dataset.split("train")
        self._documents = dataset.documents
        self._keys = citation_keys(map(Named.of, dataset.documents.values()))

    def evidence(self, quote: GoldEvidence) -> Evidence:
        """A gold quote as evidence; its passage is the one that holds it, or its beginning."""
        document = self._documents[quote.document_id]
        chunks = chunk(document, SENTENCES)
        start = document.text.find(quote.quote)
        place = max((at for at, each in enumerate(chunks) if each.start <= start), default=0)
        return self._piece(document, chunks, place, quote.quote)

    def others(self) -> list[Evidence]:
        """The passages nearest to the question that do not answer it, each by its nearest sentence.

        To a question without an answer its own papers have none.
        """
        own = set(self._example.document_ids)
        papers = {each for other in self._train for each in other.document_ids} - own
        chosen = sorted(papers) if self._example.answerable else sorted(own)
        found = [near for each in chosen for near in self._nearest(self._documents[each])]
        return sorted(found, key=lambda each: -common(each.summary, self._asked))[:_OTHERS]

    def facts(self) -> Iterator[_Fact]:
        """The gold facts of the training questions on the same paper, the own ones first."""
        same_paper = [each for each in self._train if each.cluster == self._example.cluster and each != self._example]
        for example in (self._example, *same_paper):
            if example.answerable and example.evidence:
                piece = self.evidence(example.evidence[0])
                for fact in example.nuggets:
                    text = fact.strip().rstrip(".")
                    yield _Fact(f"{text[:1].upper()}{text[1:]} ({piece.key}).", piece)

    def _nearest(self, document: Document) -> list[Evidence]:
        """The nearest passage of a paper; none of an empty one."""
        chunks = chunk(document, SENTENCES)
        if not chunks:
            return []
        place = max(range(len(chunks)), key=lambda at: common(chunks[at].text, self._asked))
        text = chunks[place].text
        parts = [text[span.start : span.end] for span in sentences(text)] or [text]
        return [self._piece(document, chunks, place, max(parts, key=lambda each: common(each, self._asked)))]

    def _piece(self, document: Document, chunks: Sequence[Chunk], place: int, said: str) -> Evidence:
        key = self._keys[document.id]
        return Evidence(
            paper=CitedPaper.of(document, key),
            chunk=passage_of(document, chunks[place], key),
            summary=f"“{' '.join(said.split())}”",
            source_query=self._asked,
            vector_score=0.0,
            llm_score=0.0,
            combined_score=0.0,
        )


def _select(example: Example, one: Evidence, *, is_relevant: bool) -> Mapping[str, Any]:
    evidence, quote = NumberedSentences.of([one.passage]), one.summary.strip("“”")
    said = [each.number for each in evidence.sentences if (text := each.text) in quote or quote in text]
    return {
        "evidence": evidence.shown(),
        "question": as_data(example.question),
        "numbers": said if is_relevant else [],
    }


def _score(example: Example, one: Evidence, *, is_relevant: bool) -> Mapping[str, Any]:
    reason = (
        "It is a direct finding on what the query asks."
        if is_relevant
        else "It is on a related subject and says nothing of what the query asks."
    )
    return {
        "summary": as_data(one.summary),
        "source_section": one.chunk.section,
        "target_section": SECTION.value,
        "query": as_data(example.question),
        "result": {"score": RELEVANT if is_relevant else IRRELEVANT, "reason": reason},
    }


def _plan(
    example: Example, gold: Sequence[Evidence], others: Sequence[Evidence], rng: random.Random
) -> Mapping[str, Any]:
    """With the gold quotes there is nothing left to search; without them the gold facts are what is missing."""
    missing = [] if gold else [" ".join(fact.split()[:_QUERY_WORDS]) for fact in example.nuggets[:_MOST_QUERIES]]
    found = rng.sample([*gold, *others], len(gold) + len(others))
    concept = concept_of(example.question)
    searched = Search(
        query=example.question, target_section=SECTION.value, outcome=f"looked at 20 passages, kept {len(found)}"
    )
    return {
        "concept": concept_shown(concept),
        "experiments": experiments_shown(concept),
        "hypothesis": as_data(example.question),
        "section": SECTION.value,
        "objective": guidelines()[SECTION].objective,
        "evidence": shown(found),
        "past_searches": as_data(searches_shown([searched])),
        "iterations_left": _TURNS_LEFT,
        "queries": [{"query": each, "target_section": SECTION.value} for each in missing],
        "done": not missing,
    }


def _write(
    example: Example, facts: Sequence[_Fact], others: Sequence[Evidence], rng: random.Random
) -> Mapping[str, Any]:
    concept = concept_of(example.question)
    given = [*_pieces(facts), *others]
    return {
        "concept": concept_shown(concept),
        "experiments": experiments_shown(concept),
        "evidence": shown(rng.sample(given, len(given))),
        "earlier_sections": "",
        "figures": "",
        "hypothesis": as_data(example.question),
        "section": SECTION.value,
        "guidelines": guidelines()[SECTION].write,
        "corrections": "",
        "section_text": " ".join(each.text for each in facts),
    }


def _cited(example: Example, facts: Sequence[_Fact]) -> ShownPassages:
    """The passages that the question's own facts cite."""
    own = facts[: len(example.nuggets)]
    passages = tuple({each.chunk.id: each.passage for each in _pieces(own)}.values())
    return ShownPassages(passages, tuple(range(len(passages))))


def _pieces(facts: Sequence[_Fact]) -> list[Evidence]:
    """The evidence for facts, each once."""
    return list({(each.evidence.chunk.id, each.evidence.summary): each.evidence for each in facts}.values())


PASSAGES = 12
"""Passages that are scored, of the twenty that a query brings by default, at two calls each. Of the bundled training
questions 8 hold the gold quote for 44 of 59, 12 for 51, and so do 20."""


@dataclass(frozen=True, slots=True)
class PaperWriterTask(Task):
    """The task: a question stands for the evidence of one section."""

    name: str = "paper_writer"
    metrics: tuple[str, ...] = (
        "evidence_utility",
        "evidence_ndcg",
        "evidence_scoring",
        "evidence_recall",
        "citation_f1",
        "citation_recall",
        "citation_precision",
        "citation_coverage",
        "citation_validity",
        "claim_groundedness",
        "nugget_recall",
    )
    space: Space = field(default_factory=lambda: {"vector_weight": real(0.0, 1.0)})

    def program(self, dataset: Dataset, embedder: Embedder | None) -> Program[Any]:
        """The pipeline over an index of all papers, which prepares one section for a question."""
        return _OneSection(corpus_index(dataset, embedder, chunking=TOKENS))

    def pose(self, example: Example, dataset: Dataset) -> TaskInput:
        """Write from the papers that the question may see; see ``optimize.dataset.splits``."""
        filters = in_view(example, dataset)
        hidden = list(filters["document"]["not"]) if filters else []
        return TaskInput(example, {"question": example.question, "hidden": hidden})

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Demos of every step but the title.

        Those that show evidence need gold quotes or a question without an answer, and writing needs gold facts; else
        they are missing.
        """
        desk = _WriterPapers(example, dataset)
        gold = [desk.evidence(quote) for quote in example.evidence]
        others = desk.others()
        demos: dict[str, Mapping[str, Any]] = {}
        if gold or (others and not example.answerable):
            one = rng.choice(gold) if gold and (not others or rng.random() < 0.5) else others[0]
            demos["gatherer.search_evidence.select"] = _select(example, one, is_relevant=one in gold)
            demos["gatherer.search_evidence.score"] = _score(example, one, is_relevant=one in gold)
            demos["gatherer.plan"] = _plan(example, [] if rng.random() < 0.5 else gold, others, rng)
        facts = list(desk.facts())[:_MOST_FACTS] if example.answerable else []
        if facts:
            demos["writer.write"] = _write(example, facts, others, rng)
            corrected = evidence_demos(example, _cited(example, facts), rng).get("answer.correct")
            demos |= {"writer.checking.correct": corrected} if corrected else {}
        return demos

    def calls(self, program: Program[Any], dataset: Dataset) -> CallCount:
        """Two for each passage, the section, which may be asked for twice, and each sentence in each round of repair.

        Where nothing is found, it is asked for twice in vain.
        """
        parameters = program.settings
        repairing = MOST_SENTENCES * parameters.max_repairs if parameters.verify else 0
        return CallCount(2, (2 * PASSAGES + 2 + repairing) * parameters.num_tries)


class _OneSection(PaperWritingPipeline):
    """The pipeline's own predictors and steps, for one query and one section."""

    def run(self, question: str, hidden: Sequence[str] = ()) -> dspy.Prediction:  # type: ignore[override]
        """Prepare a section with ``answer`` and the scored ``evidence`` beside what ``SectionDraft.as_dict`` has.

        Raises:
            LMError: The model failed at a passage, which the pipeline would do without; its score would be missing.
        """
        library = Library(self.index)
        parameters = replace(self.settings, top_k_initial=PASSAGES, top_k_final=PASSAGES)
        with logged() as log:
            resources = Resources(library, Calls(parameters.threads), parameters)
            unseen = {chunk.id for paper in hidden for chunk in self.index.chunks(paper)}
            found = self.gatherer.search_evidence(question, SECTION, unseen, resources)
            task = SectionTask(SECTION, concept_of(question), found.evidence, {})
            section = self.writer(task, resources, log)
        if found.failed:  # only now: if the model is gone for good, the section has said so and ended the run
            raise LMError("; ".join(found.notes))
        return dspy.Prediction(question=question, **section.as_dict())
