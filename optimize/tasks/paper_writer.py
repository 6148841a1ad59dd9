"""`paper_writer` before a data set: does it tell evidence from what is only near, and cite it rightly?

A whole draft takes about a thousand calls for a concept, and there are no labelled drafts. There are labelled
questions, with the quotes that answer them. So a question stands for a hypothesis, and one section is prepared for it,
with the steps, prompts and parameters of the pipeline itself:

    question → the nearest passages → a summary and a score of each → the section → its citations verified

The passages that hold a gold quote are to come first and be scored high, the others low; that is the objective. Beside
it the section is measured: whether its sentences are proved by what they cite, and what it tells of the gold facts. The
title is not written and the agent not asked.

Only the share of the similarity in the combined score is searched. The other numbers mean something else where eight
queries and their passages go into a section.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import dspy

from metrics.sentences import sentence_texts
from optimize.dataset import Example, GoldEvidence
from optimize.dataset.loading import Dataset, corpus_index, in_view
from optimize.tasks import CallCount, Demo, Space, Task, TaskInput, common, real
from programs.errors import LMError
from programs.ingest.chunking import SENTENCES, TOKENS, chunk
from programs.ingest.document import Chunk, Document
from programs.paper_writer import PaperConcept, PaperSection, PaperWritingPipeline
from programs.paper_writer.evidence import passage_of
from programs.paper_writer.run_resources import Calls, Library, Resources, logged
from programs.paper_writer.section_writer import SectionTask
from programs.passages import Passage
from programs.passages.numbered_sentences import NumberedSentences
from programs.program import Program
from programs.results.citation_keys import Named, citation_keys
from programs.retrieval.embedder import Embedder
from signatures.passages import as_data

SECTION = PaperSection.RELATED_WORK
"""The section that rests on what others found and on nothing else: every sentence of it has to cite."""
RELEVANT, IRRELEVANT = 0.9, 0.1
MOST_SENTENCES = 10
"""Cited sentences that a section is taken to have, when calls are counted."""


@dataclass(frozen=True, slots=True)
class _LookedAt:
    """A passage, and what it is summarized by: a gold quote, or its sentence nearest to the question."""

    passage: Passage
    said: str
    is_relevant: bool


def _gold(quote: GoldEvidence, dataset: Dataset) -> _LookedAt:
    """A gold quote in the passage that holds it, or its beginning."""
    document = dataset.documents[quote.document_id]
    chunks, start = chunk(document, SENTENCES), document.text.find(quote.quote)
    place = max((at for at, each in enumerate(chunks) if each.start <= start), default=0)
    return _LookedAt(_passage(document, chunks[place], dataset), quote.quote, is_relevant=True)


def _nearest(example: Example, dataset: Dataset) -> _LookedAt | None:
    """The passage of the training papers that is nearest to the question and does not answer it.

    To a question without an answer its own papers have none; else it is taken from another paper: in its own, an
    abstract may say the same in other words.
    """
    own = set(example.document_ids)
    papers = {each for other in dataset.split("train") for each in other.document_ids} - own
    documents = [dataset.documents[each] for each in sorted(papers if example.answerable else own)]
    pieces = [(document, each) for document in documents for each in chunk(document, SENTENCES)]
    if not pieces:
        return None
    document, piece = max(pieces, key=lambda pair: common(pair[1].text, example.question))
    said = max(sentence_texts(piece.text) or [piece.text], key=lambda each: common(each, example.question))
    return _LookedAt(_passage(document, piece, dataset), said, is_relevant=False)


def _passage(document: Document, piece: Chunk, dataset: Dataset) -> Passage:
    keys = citation_keys(map(Named.of, dataset.documents.values()))
    return passage_of(document, piece, keys[document.id])


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
        """Write from the papers that the question may see; see ``optimize.dataset.loading``."""
        filters = in_view(example, dataset)
        hidden = list(filters["document"]["not"]) if filters else []
        return TaskInput(example, {"question": example.question, "hidden": hidden})

    def demos(self, example: Example, dataset: Dataset, rng: random.Random) -> Mapping[str, Demo]:
        """Demos of looking at a passage, which is what the objective measures; none where there is nothing to show."""
        one = _nearest(example, dataset)
        if example.evidence and (one is None or rng.random() < 0.5):
            one = _gold(rng.choice(example.evidence), dataset)
        if one is None:
            return {}
        evidence, said = NumberedSentences.of([one.passage]), " ".join(one.said.split())
        numbers = [each.number for each in evidence.sentences if (text := each.text) in said or said in text]
        reason = (
            "It is a direct finding on what the query asks."
            if one.is_relevant
            else "It is on a related subject and says nothing of what the query asks."
        )
        return {
            "gatherer.search_evidence.select": {
                "evidence": evidence.shown(),
                "question": as_data(example.question),
                "numbers": numbers if one.is_relevant else [],
            },
            "gatherer.search_evidence.score": {
                "summary": as_data(f"“{said}”"),
                "source_section": one.passage.section,
                "target_section": SECTION.value,
                "query": as_data(example.question),
                "result": {"score": RELEVANT if one.is_relevant else IRRELEVANT, "reason": reason},
            },
        }

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
            task = SectionTask(SECTION, PaperConcept(hypothesis=question), found.evidence, {})
            section = self.writer(task, resources, log)
        if found.failed:  # only now: if the model is gone for good, the section has said so and ended the run
            raise LMError("; ".join(found.notes))
        return dspy.Prediction(question=question, **section.as_dict())
