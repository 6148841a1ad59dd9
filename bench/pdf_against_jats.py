"""Whether papers read from PDF are found as well as the same papers read from JATS.

    python -m bench.pdf_against_jats              # the figures
    python -m bench.pdf_against_jats --answers    # and what both indexes answer to twenty questions

The 36 papers make two indexes with the default embedder and chunking. Of the paragraphs of the JATS under Results, 300
sentences are drawn, and each is searched for unchanged. It counts as found when it *is in* its own passage
paper: at least seven tenths of its three-word sequences do. A citation mark inside a sentence, a hyphen at the end of a
line or a number set in another way costs two or three of them; one that is cut in two at a passage's end does not
count. Words are compared in lower case, without accents, punctuation, hyphens, citation marks such as "[12, 13]" and
mentions of figures and tables, which PubMed Central writes out ("Figures 2–4" in print is "Figure 2, Figure 3 and
Figure 4" there); ligatures are taken apart.

Twenty questions on these papers are then asked of both indexes by `rag_fusion` without a model. The findings are the
same when what one answer says first is in the other answer, by the same measure, and both cite the same paper for
it.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import dspy

from bench.corpora import Prepared, needs_benchmarks, passages
from bench.gates import Gate, report
from bench.gates import load as machine_load
from metrics.sentences import sentences
from programs.errors import IngestError
from programs.ingest.chunking import WORDS
from programs.ingest.document import PARAGRAPH_BREAK, Document
from programs.ingest.formats import read_all
from programs.lm import LM
from programs.registry import load
from programs.retrieval.embedder import Embedder, load_embedder
from programs.retrieval.index import Index
from programs.retrieval.store import Vector
from signatures.citation_markers import strip
from tests.benchmarks import BENCHMARKS

PAPERS = BENCHMARKS / "pdfs"
DRAWN, SEED = 300, 11
FEWEST_WORDS = 8
CONTAINED = 0.7
DEPTHS = (1, 3)
WITHIN = 0.02

SAME = 18

QUESTIONS = (
    "Is household income associated with the risk of chronic obstructive pulmonary disease in China?",
    "Did wildlife roadkill in the Ngorongoro Conservation Area differ between the wet and the dry season?",
    "How many sites did the wildlife camera trap survey of Rhode Island monitor?",
    "Were male respondents more aware of park conservation than female respondents?",
    "Does Curcuma longa reduce apoptosis of the myocardium after ischemia and reperfusion in rats?",
    "At what concentration does essential oil of Ocimum sanctum decrease the migration of cancer cells?",
    "What are the major components of Thymus vulgaris essential oil?",
    "Does Ocimum sanctum essential oil reduce zearalenone production by Fusarium graminearum?",
    "Which concentration of Ocimum sanctum leaf extract is most active against microorganisms of dental caries?",
    "How does benzene extract of Ocimum sanctum leaves change sperm count and motility in rats?",
    "Do herbal irrigants reduce intracanal Enterococcus faecalis as much as sodium hypochlorite?",
    "Which Candida species was inhibited most by Ocimum sanctum seed oil?",
    "Do garlic powder and holy basil leaf powder increase the expression of toll-like receptors in broilers?",
    "Which citrus seed oil is the most toxic to larvae of Aedes aegypti?",
    "Does aqueous extract of Ocimum micranthum have an antiproliferative effect on human fibroblasts?",
    "Do lipid carriers with Ocimum sanctum extract lessen induced arthritis more than the marketed formulation?",
    "Which Ocimum accessions are resistant to downy mildew?",
    "Does pheophytin-a from Ocimum labiatum inhibit HIV-1 protease?",
    "Does the biosurfactant of Bacillus pumilus stimulate seed germination in soil contaminated with diesel oil?",
    "When does a district heating system with a booster have a higher exergy efficiency than one without?",
)

_MARK = re.compile(
    r"\[\s*\d+(?:\s*[-–,;]\s*\d+)*\s*\]"
    r"|\b(?:fig(?:ure)?|table)s?\.?\s*\d+[a-z]?(?:(?:\s*(?:,|and|&|to|[-–]))+\s*(?:(?:fig(?:ure)?|table)s?\.?\s*)?\d+[a-z]?)*",
    re.IGNORECASE,
)
_HYPHEN = re.compile(r"(?<=\w)[-\u2010\u2011\u2013]\s*(?=\w)")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a paper's results."""

    paper: str
    text: str


@dataclass(frozen=True)
class Found:
    """The passages that were found for a sentence, and in which it is: 0 for the first, None for none of them."""

    sentence: Sentence
    rank: int | None
    passages: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", action="store_true")
    options = parser.parse_args()
    needs_benchmarks(PAPERS)
    print(machine_load(), flush=True)
    jats, pdf = papers("nxml"), papers("pdf")
    drawn = draw(jats)
    with indexed(jats) as by_jats, indexed(pdf) as by_pdf:
        of_jats, of_pdf = ([found(index, sentence) for sentence in drawn] for index in (by_jats, by_pdf))
        pairs = [Pair(question, ask(by_jats, question), ask(by_pdf, question)) for question in QUESTIONS]
    for pair in pairs:
        if options.answers or not pair.is_same:
            print(pair)
    sys.exit(not report([*gates(of_jats, of_pdf), same(pairs)]))


def papers(ending: str) -> list[Document]:
    """All that can be read; what cannot is named."""
    results = list(read_all(sorted(PAPERS.glob(f"*.{ending}"))))
    for result in results:
        if isinstance(result, IngestError):
            print(f"Not read: {result}")
    return [result for result in results if isinstance(result, Document)]


def draw(documents: Sequence[Document]) -> list[Sentence]:
    """Sentences of running text under Results, the same ones every time."""
    return random.Random(SEED).sample([each for document in documents for each in of_results(document)], DRAWN)


def of_results(document: Document) -> Iterator[Sentence]:
    captions = {document.text[figure.start : figure.end] for figure in document.figures}
    for section in document.sections:
        if section.kind != "results":
            continue
        for paragraph in document.text[section.start : section.end].split(PARAGRAPH_BREAK):
            if paragraph in captions or paragraph.startswith("|"):
                continue
            for span in sentences(paragraph):
                text = paragraph[span.start : span.end]
                if len(words(text)) >= FEWEST_WORDS:
                    yield Sentence(document.id, text)


def words(text: str) -> list[str]:
    """The words of a text, whatever way it was set in."""
    plain = unicodedata.normalize("NFKD", _MARK.sub(" ", text).replace("\u00ad", ""))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return _WORD.findall(_HYPHEN.sub("", plain).lower())


def contained_share(sentence: str, text: str) -> float:
    """Share of the sentence's three-word sequences that are in the text, in [0, 1]."""
    wanted = triples(sentence)
    return len(wanted & triples(text)) / len(wanted)


def triples(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return set(zip(found, found[1:], found[2:], strict=False))


def found(index: Index, sentence: Sentence) -> Found:
    chunks = [hit.chunk for hit in index.search(sentence.text, k=max(DEPTHS))]
    held = (
        chunk.document_id == sentence.paper and contained_share(sentence.text, chunk.text) >= CONTAINED
        for chunk in chunks
    )
    rank = next((place for place, holds in enumerate(held) if holds), None)
    return Found(sentence, rank, tuple(f"{chunk.id} ({chunk.section})" for chunk in chunks))


@dataclass(frozen=True)
class Answer:
    """What an index answers: sentences with the papers they cite."""

    sentences: tuple[tuple[str, frozenset[str]], ...]

    def says(self, sentence: str, papers: frozenset[str]) -> bool:
        """Whether one of its sentences says the same of a paper that both cite."""
        return any(
            papers & cited and max(contained_share(sentence, own), contained_share(own, sentence)) >= CONTAINED
            for own, cited in self.sentences
        )

    def __str__(self) -> str:
        return "\n".join(f"      {text} {sorted(papers)}" for text, papers in self.sentences) or "      (none)"


@dataclass(frozen=True)
class Pair:
    """A question with both answers."""

    question: str
    jats: Answer
    pdf: Answer

    @property
    def is_same(self) -> bool:
        """Whether what one says first is in the other."""
        firsts = ((self.jats, self.pdf), (self.pdf, self.jats))
        return any(other.says(*one.sentences[0]) for one, other in firsts if one.sentences)

    def __str__(self) -> str:
        verdict = "same" if self.is_same else "OTHER"
        return f"\n{verdict}: {self.question}\n    JATS\n{self.jats}\n    PDF\n{self.pdf}"


def ask(index: Index, question: str) -> Answer:
    with dspy.context(lm=LM("extractive")):
        prediction = load("rag_fusion", index=index)(question=question)
    papers: dict[str, set[str]] = {}
    for citation in prediction.citations:
        papers.setdefault(citation.sentence, set()).add(citation.document_id)
    return Answer(tuple((strip(sentence), frozenset(cited)) for sentence, cited in papers.items()))


def same(pairs: Sequence[Pair]) -> Gate:
    return Gate(f"same finding, of {len(pairs)} questions", sum(pair.is_same for pair in pairs), at_least=SAME)


class WithPassages(Prepared):
    """Has the vectors of the passages at hand, and embeds questions as they come."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        super().__init__(embedder, texts)
        self._embedder = embedder

    def embed_query(self, texts: Sequence[str]) -> Vector:
        return self._embedder.embed_query(texts)


@contextmanager
def indexed(documents: Sequence[Document]) -> Iterator[Index]:
    prepared = WithPassages(load_embedder(), passages(documents, WORDS))
    with (
        tempfile.TemporaryDirectory() as folder,
        Index.open(Path(folder, "bench.idx"), create=True, embedder=prepared, chunking=WORDS) as index,
    ):
        index.add(documents)
        yield index


def share(found: Sequence[Found], depth: int) -> float:
    return statistics.fmean(one.rank is not None and one.rank < depth for one in found)


def gates(jats: Sequence[Found], pdf: Sequence[Found]) -> Iterator[Gate]:
    yield Gate("sentences drawn", len(jats))
    for depth in DEPTHS:
        reference = share(jats, depth)
        yield Gate(f"in the first {depth}, JATS", reference)
        yield Gate(f"in the first {depth}, PDF", share(pdf, depth), at_least=reference - WITHIN)


if __name__ == "__main__":
    main()
