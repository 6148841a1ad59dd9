"""What a question asks for, read once where it comes in and handed on.

Asked.of("Do the trials agree with Figure 2 of PMC1234567?")
# Asked(several=True, ids=("PMC1234567",), figures=("2",), language="en", …)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from programs.errors import UsageError
from programs.ingest.document import Document
from programs.languages import Language, language_of
from programs.passages.figure_numbers import figure_numbers
from programs.passages.framing import alternatives, asks_for_several, ids_in, sought
from programs.retrieval.retriever import KnowsItsPapers
from signatures.identifiers import PMCID

if TYPE_CHECKING:
    from programs.retrieval.filters import Filters
    from programs.retrieval.retriever import Retriever

MOST = 5
"""Papers of one question that are searched apart; each takes a search."""

# What may be between an author's name and the year: "et al. (", "and colleagues, ".
_TO_THE_YEAR = r"[^?!\d]{0,40}?\(?"
_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f\u0370-\u03ff]")
"""A letter that is neither Latin nor Greek, as Chinese, Japanese, Cyrillic and Arabic ones."""
_LETTER = re.compile(r"[^\W\d_]")
_SEVERAL, _OF_LETTERS = 3, 0.2
"""Such letters that a question in another script has at least, and their share of all."""
_LITTLE = """
    le les des du une est et sur dans quel quelle quels quelles pourquoi combien avec chez ont il gli della delle dei
    nel nella sono che quale quali quanti perche di con os um uma da dos das na nos nas em que qual quais quantos
    porque sobre para por
"""
_FRENCH_ITALIAN_PORTUGUESE = frozenset(_LITTLE.split())
_LITTLE_WORDS = 0.25
"""Share of a question's words that are little words of another language, where it is one of that language."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what it says of papers.

    Attributes:
        question: As it was asked.
        ids: What may be the id of a paper, PMCIDs in capitals.
        figures: Numbers of the figures that it names.
        several: Whether it asks which papers, or what papers say of one another.
        language: Which of the languages that have a glossary; English when nothing speaks against it.
        is_english: Whether nothing speaks against it: another script, or the little words of another language.
        choices: Labels of which one is to be chosen.
        english: The question in English, where it is in another language and was translated.
    """

    question: str
    ids: tuple[str, ...]
    figures: tuple[str, ...]
    several: bool
    language: Language
    is_english: bool
    choices: tuple[str, ...] = ()
    english: str = ""

    @classmethod
    def of(cls, question: str, choices: Iterable[str] = (), *, source: str = "papers") -> Asked:
        """Read a question; a ``UsageError`` for an empty one, which names the source that can be asked."""
        if not question.strip():
            raise UsageError(f"the question is empty; ask something of the {source}")
        language = language_of(question)
        is_english = language == "en" and _is_english(question)
        return cls(
            question,
            ids=tuple(ids_in(question)),
            several=asks_for_several(question),
            figures=tuple(figure_numbers(question)),
            language=language,
            is_english=is_english,
            choices=tuple(choices),
        )

    def translated(self, english: str) -> Asked:
        """The question with its English form, which says as well what is asked of papers; without one as it is."""
        if not english.strip():
            return self
        read = Asked.of(english)
        return replace(self, several=read.several, figures=read.figures, english=english)

    @property
    def without_a_model(self) -> str:
        """What is answered by words alone: what is sought, but the whole where it says that papers are asked for."""
        return self.question if self.several else sought(self.question)

    @property
    def searched(self) -> str:
        """What papers are searched by: the question in English where it was translated, else as it was asked."""
        return self.english or self.question

    @property
    def reads_english(self) -> bool:
        """Whether it is there in English, which models of relevance were trained on."""
        return self.is_english or bool(self.english)

    @property
    def as_english(self) -> Asked:
        """The question that its English form asks by itself; as it is without one, or where that is not in English."""
        english = Asked.of(self.english, self.choices) if self.english else self
        return english if english.is_english else self

    def named_in(self, retriever: Retriever, filters: Filters | None) -> list[str]:
        """Ids of the papers that it names, in its order; only an index is asked for what it has.

        None where the filters choose papers already: a question does not widen them. A search goes by meaning and by
        words and knows nothing of names, so these papers are searched apart.
        """
        if not isinstance(retriever, KnowsItsPapers) or "document" in (filters or {}):
            return []
        known = retriever.content_hashes(self.ids) if self.ids else {}
        return [each for each in self.ids if each in known][:MOST]

    @property
    def searches(self) -> tuple[str, ...]:
        """What papers are searched by: the question, and where it says "A or B" the same with A and with B alone."""
        return (self.searched, *alternatives(self.searched))

    def absent_from(self, retriever: Retriever) -> list[str]:
        """A note of each paper that it names by PMCID and an index lacks."""
        named = [each for each in self.ids if PMCID.fullmatch(each)]
        known = retriever.content_hashes(named) if named and isinstance(retriever, KnowsItsPapers) else named
        return [f"No paper here has the id {each}." for each in named if each not in known]

    def meant_among(self, documents: Mapping[str, Document]) -> list[Document]:
        """Those of the given papers that it names, by id or by first author and year."""
        return [
            document
            for document in documents.values()
            if set(self.ids) & {document.id, document.pmcid.upper()} - {""} or _is_cited(document, self.question)
        ]


def _is_english(question: str) -> bool:
    others, letters = len(_OTHER_SCRIPT.findall(question)), len(_LETTER.findall(question))
    if others >= _SEVERAL and others >= _OF_LETTERS * letters:
        return False
    words = _WORD.findall(question.lower())
    return sum(word in _FRENCH_ITALIAN_PORTUGUESE for word in words) < max(2, _LITTLE_WORDS * len(words))


def _is_cited(document: Document, question: str) -> bool:
    """Whether a question has the first author's family name with the year behind it."""
    family = document.authors[0].partition(",")[0].strip() if document.authors else ""
    if not family or not document.year:
        return False
    named = rf"(?<!\w){re.escape(family)}(?!\w){_TO_THE_YEAR}{document.year}(?!\d)"
    return re.search(named, question, re.IGNORECASE) is not None
