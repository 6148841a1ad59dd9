"""Sentences of passages under numbers, which is all that a language model says of them.

    Paper: Trial of zinc in children (2014)
    [results] Relapses
    (1) Relapses were halved (p = 0.01).
    (2) Nobody died.
    [results] Table 2. Relapses in a year. | | Zinc | Placebo |
    (3) | Men | 14 | 28 |

A row of a table is shown under its caption and columns, and quoted with them. A number names a place in the paper, so
what a model gives as evidence is the paper's own sentence by construction: nothing is copied, and nothing is placed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from metrics.sentences import Span, sentences
from programs.passages import Passage
from programs.passages.passage_selection import tokens
from programs.proof.table_quotes import table_lines
from signatures import citation_markers
from signatures.passages import as_data

MOST_WORDS = 150
"""Words of a sentence that a prompt shows; some lists and tables have thousands before a full stop."""


@dataclass(frozen=True, slots=True)
class QuotedText:
    """Words of a paper, at ``start`` of its text."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class NumberedSentence:
    """A sentence of a passage, or a row of a table in it.

    Attributes:
        number: From 1, through all passages.
        label: What answers cite its passage by: "2", "PMC12345".
        passage: The passage.
        quoted: The sentence as the paper has it.
        head: Of a row, caption and columns of its table, which prove nothing without it.
    """

    number: int
    label: str
    passage: Passage
    quoted: QuotedText
    head: tuple[QuotedText, ...] = ()

    @property
    def text(self) -> str:
        """The sentence on one line, without the paper's own citation marks, which would pass for numbers."""
        return " ".join(citation_markers.strip(self.quoted.text).split())

    @property
    def span(self) -> Span:
        """Where it is in the whole sentences of its passage."""
        start = self.quoted.start - self.passage.whole_start
        return Span(start, start + len(self.quoted.text))

    @property
    def about(self) -> str:
        """Title and heading, for a model that orders sentences."""
        return f"{self.passage.title}. {self.passage.heading}"

    @property
    def place(self) -> str:
        """Where in its paper it is: the kind of its section, and its heading, or caption and columns of its table."""
        named = " ".join(each.text for each in self.head) or self.passage.heading
        return f"[{self.passage.section}] {' '.join(named.split())}".rstrip()

    @property
    def read(self) -> str:
        """The sentence with what names its columns."""
        return " ".join([*(" ".join(each.text.split()) for each in self.head), self.text])


class NumberedSentences:
    """The numbered sentences of passages, all or some of them; numbers stay those of all."""

    def __init__(self, sentences: Sequence[NumberedSentence]) -> None:
        self.sentences = tuple(sentences)

    @classmethod
    def of(cls, passages: Sequence[Passage]) -> NumberedSentences:
        """Number the sentences of passages, in the order in which an answer numbers these."""
        found = (
            (passage.label(at), passage, each) for at, passage in enumerate(passages, 1) for each in _parts(passage)
        )
        return cls(
            [NumberedSentence(number, label, passage, *part) for number, (label, passage, part) in enumerate(found, 1)]
        )

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def by_number(self) -> dict[int, NumberedSentence]:
        """The sentences by their numbers."""
        return {each.number: each for each in self.sentences}

    def only(self, numbers: Iterable[int]) -> NumberedSentences:
        """These sentences alone, in the order of the passages; numbers that were not given say nothing."""
        wanted = set(numbers)
        return NumberedSentences([each for each in self.sentences if each.number in wanted])

    def given(self, numbers: Iterable[int]) -> list[NumberedSentence]:
        """The sentences of numbers, in their order, each once; those of other numbers are left out."""
        return [self.by_number[number] for number in dict.fromkeys(numbers) if number in self.by_number]

    def within(self, numbers: Iterable[int], room: int | None) -> list[int]:
        """Those of the numbers, in their order, whose sentences a prompt shows in so many tokens; the first always.

        One that does not fit is passed over. With None for the tokens all of them.
        """
        if room is None:
            return list(numbers)
        taken: list[int] = []
        for number in numbers:
            if not taken or tokens(self.only([*taken, number]).shown()) <= room:
                taken.append(number)
        return taken

    def before(self, number: int) -> int | None:
        """The number of the sentence before one, in the same passage; None for the first, and in a table."""
        one, other = self.by_number.get(number), self.by_number.get(number - 1)
        if one is None or other is None or other.passage is not one.passage or one.head or other.head:
            return None
        return other.number

    def shown(self) -> str:
        """The sentences as a prompt shows them: under their paper and section, each on a line behind its number.

        Only a number or a heading of ours opens a line, so that no sentence of a paper can pose as another.
        """
        lines, paper = [], ""
        for (document, place), group in groupby(
            self.sentences, key=lambda each: (each.passage.document_id, each.place)
        ):
            within = list(group)
            if document != paper:
                lines.append(as_data(_paper(within[0].passage)))
                paper = document
            lines.append(as_data(place))
            lines += [as_data(f"({each.number}) {_shortened(each.text)}") for each in within]
        return "\n".join(lines)

    def quotes(self, numbers: Iterable[int]) -> tuple[list[tuple[str, str]], list[int]]:
        """Label and words of each quote that numbers stand for, and where in its paper it begins."""
        parts = [(each.label, part) for each in self.given(numbers) for part in (*each.head, each.quoted)]
        once = dict.fromkeys(parts)
        return [(label, part.text) for label, part in once], [part.start for _, part in once]


def _shortened(text: str) -> str:
    words = text.split()
    return text if len(words) <= MOST_WORDS else " ".join([*words[:MOST_WORDS], "…"])


def _paper(passage: Passage) -> str:
    year = f" ({passage.year})" if passage.year else ""
    return f"Paper: {' '.join(passage.title.split()) or passage.document_id}{year}"


def _parts(passage: Passage) -> Iterator[tuple[QuotedText, tuple[QuotedText, ...]]]:
    """The sentences of a passage; of its tables the rows, each with the lines that name it."""
    lines = {line.start: line for line in table_lines(passage)}
    repeated = {each.start: each for each in passage.repeated}
    head: list[QuotedText] = [QuotedText(each.text, each.start) for each in repeated.values()]
    was_row = False
    for span in sentences(passage.whole):
        start = passage.whole_start + span.start
        part, line = QuotedText(passage.whole[span.start : span.end], start), lines.get(start)
        if line is None:
            was_row = False
            yield part, ()
        elif line.kind == "row":
            was_row = True
            yield part, tuple(head)
        else:  # a head that comes again names the rows below it
            head = [part] if was_row or line.kind == "caption" else [*head, part]
            was_row = False
