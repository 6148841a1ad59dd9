"""Proving an answer: a model proposes quotes, the program trusts none of them.

    quotes     is a quote in its passage, and where is the whole sentence that holds it?
    proving    quotes → places → guards → checker → a verdict, with who judged

Nothing here asks a language model: what one said comes in as a ``ModelProof``, and the same proof always gets the same
verdict, so that a saved answer can be replayed. Verification, certificates, replay and measures all take an answer as
it is read here, once: its sentences, what each of them cites, and the passages that were given for it.

    answer = CitedAnswer("Femur density fell [1]. Muscle shrank [PMC7].", passages)
    [each.text for each in answer.statements]      # what the sentences say
    answer.cited_by(answer.statements[0])          # [("1", [passages[0]])]
    answer.rewritten("Femur density fell [1].")    # another text of the same passages
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from metrics.passages import Citable, citable_ids, passages_of, resolve
from metrics.statements import Statement, statements
from programs.passages import Passage
from signatures import citation_markers
from signatures.citation_markers import Marker
from signatures.values import UnsupportedClaim

_MARKS = frozenset(" \t-*_=#>|`~•‣–—+.,;:()[]\"'“”„‘’«»…。、「」")  # between sentences these say nothing


class GivenPassages:
    """What an answer is written from, in the order of their numbers, and what a citation can call each of it."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self.citable: tuple[Citable, ...] = passages_of({"passages": self.passages})

    def texts_of(self, papers: Collection[str]) -> tuple[str, ...]:
        """All that can be read of papers, by their ids: passages and titles."""
        known = [each for each in self.passages if each.document_id in papers]
        return (*(each.whole for each in known), *dict.fromkeys(each.title for each in known))

    def titles_of(self, passages: Collection[str]) -> tuple[str, ...]:
        """Titles of the papers of passages, by their ids, with the year that the list of papers gives."""
        known = [each for each in self.passages if each.id in passages and each.title]
        return tuple(dict.fromkeys(each.title + (f" ({each.year})" if each.year else "") for each in known))

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that a citation can name; empty where nothing was given."""
        return citable_ids(self.citable)

    def named(self, name: str) -> list[Passage]:
        """The passages that a citation names: one for a number, all of a paper's for its key; none if not given."""
        return [self.passages[each.number - 1] for each in resolve(name, self.citable)]

    def marker(self, passage_id: str) -> str:
        """What cites a passage of this id, as the model was shown it: ``[2]``."""
        return citation_markers.render([next(each.marker for each in self.citable if each.id == passage_id)])


class CitedAnswer:
    """A text with its citations, empty where there is no answer, and the passages that it cites."""

    def __init__(self, text: str, passages: Sequence[Passage] | GivenPassages) -> None:
        self.text = text
        self.given = passages if isinstance(passages, GivenPassages) else GivenPassages(passages)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What it was written from, in the order of their numbers."""
        return self.given.passages

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Its sentences in order."""
        return statements(self.text, self.given.citable)

    def written(self, statement: Statement) -> str:
        """A sentence as it is in the answer, with its citations."""
        return self.text[statement.start : statement.end]

    def cited_by(self, statement: Statement) -> list[tuple[str, list[Passage]]]:
        """The citations of a sentence that name something given, each with what it names."""
        named = ((marker, self.given.named(marker)) for marker in statement.cites)
        return [(marker, found) for marker, found in named if found]

    @property
    def unresolved(self) -> list[UnsupportedClaim]:
        """Sentences that cite something that was not given, each citation apart."""
        return [
            UnsupportedClaim(claim=statement.text, reason=f"it cites [{marker}], which was not given")
            for statement in self.statements
            for marker in statement.cites
            if not self.given.named(marker)
        ]

    @property
    def uncited(self) -> list[str]:
        """Sentences that cite nothing, as they are in the answer, and behind them signs that no sentence holds.

        All of them, also headings and questions, which need no proof: so each sentence of an answer is either certified
        or listed here, and none can be slipped in as a heading.
        """
        return [*(self.written(each) for each in self.statements if not each.cites), *self._signs_between()]

    def rewritten(self, text: str) -> CitedAnswer:
        """Another answer from the same passages."""
        return self if text == self.text else CitedAnswer(text, self.given)

    def with_citations(self, cite: Callable[[Marker], str | None]) -> CitedAnswer:
        """The answer with other brackets: what ``cite`` gives for one is in its place.

        None leaves it, "" takes it out with the space before it.
        """
        kept, position = [], 0
        for marker in citation_markers.find(self.text, self.given.names):
            if (instead := cite(marker)) is not None:
                before = self.text[position : marker.start]
                kept += [before if instead else before.rstrip(), instead]
                position = marker.end
        return self.rewritten("".join([*kept, self.text[position:]]))

    def without_invented(self) -> CitedAnswer:
        """The answer without citations of what was not given."""

        def cite(marker: Marker) -> str | None:
            given = [name for name in marker.ids if self.given.named(name)]
            return None if len(given) == len(marker.ids) else citation_markers.render(given)

        return self.with_citations(cite)

    def _signs_between(self) -> list[str]:
        """What is between sentences and is neither a citation nor a mark of lists, rules and quotations."""
        covered: list[citation_markers.SentenceSpan] = [
            *self.statements,
            *citation_markers.find(self.text, self.given.names or None),
        ]
        bare = list(self.text)
        for each in covered:
            bare[each.start : each.end] = "\n" * (each.end - each.start)
        return [line.strip() for line in "".join(bare).split("\n") if not _MARKS.issuperset(line)]
