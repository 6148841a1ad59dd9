"""Sentences that a model wrote from numbered evidence, and the answer that they make.

    Piece("Relapses were halved.", (1,))   →   "Relapses were halved [PMC1]."

What a model writes names sentences by their numbers; what a reader sees cites passages. Brackets of the model's own are
taken out, and so is what repeats the question or the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from metrics.printed_citations import LEFT_OUT, quotation_of
from metrics.sentences import sentence_texts, sentences
from metrics.support.sentence_features import normalised
from metrics.visible_text import visible
from programs.passages.numbered_sentences import NumberedSentence, NumberedSentences
from signatures import citation_markers
from signatures.evidence import WrittenConflict, WrittenSentence

_FULL_STOPS = ".!?…。！？"
_MARKS = re.compile(rf"^(?:[-–—•*]\s+|\(\d+\)\s*)+|\s*\(\d+(?:[,;]\s*\d+)*\)(?=[{_FULL_STOPS}]*$)")
"""Of a list, and numbers of sentences as a prompt shows them."""
_NUMBER = re.compile(r"\d+")
_LABEL = re.compile(
    r"^(?:suppl\w*\.?\s+)?(?:fig(?:ure)?|table)s?\W{0,2}S?\d+[A-Za-z]?\s*[.:|]+\s+(?=\S)", re.IGNORECASE
)
COPIED = 10
"""Words in one run that make a sentence without quotation marks a copy."""
QUOTED_WHOLE = 100
"""Words of a sentence that is quoted whole at most, as in ``metrics.grounded_utility`` of an answer."""
_QUOTATION = re.compile(rf"“(?P<words>[^“”]+)”(?P<stop>[{_FULL_STOPS}]*)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence of an answer.

    Attributes:
        text: Its words, without citations.
        numbers: Of the sentences that it rests on.
        unknown: Numbers that its writer gave and no sentence has.
        is_quotation: Whether it is the paper's own sentence, in quotation marks.
        is_bullet: Whether it has a separate line behind the others.
        cited: The sentence with its citations, once it is in an answer.
        labels: What it cites.
        start: Where the answer has it.
        end: Offset after it.
    """

    text: str
    numbers: tuple[int, ...]
    unknown: tuple[int, ...] = ()
    is_quotation: bool = False
    is_bullet: bool = False
    cited: str = ""
    labels: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    @classmethod
    def quoting(cls, sentence: NumberedSentence) -> Piece:
        """The paper's own sentence; of a caption what follows its label, which would be a sentence by itself."""
        text = _LABEL.sub("", sentence.text, count=1).rstrip(_FULL_STOPS)
        return cls(f"“{quotation_of(text, sentence.quoted.text) or text}”.", (sentence.number,), is_quotation=True)


def pieces_of(
    written: Iterable[WrittenSentence | WrittenConflict], evidence: NumberedSentences, *asked: str
) -> list[Piece]:
    """What was written, each sentence once, without what repeats one that was ``asked``: a question, an instruction."""
    seen = {_letters(sentence) for text in asked for sentence in {text, *sentence_texts(text)}}
    labels = {each.label for each in evidence.sentences}
    pieces: list[Piece] = []
    for each in written:
        text = citation_markers.strip(visible(each.text), labels)
        numbers = tuple(given.number for given in evidence.given(each.evidence))
        unknown = tuple(dict.fromkeys(number for number in each.evidence if number not in evidence.by_number))
        for span in sentences(text):
            sentence = _without_marks(text[span.start : span.end], each.evidence)
            if (same := _letters(sentence)) and same not in seen:
                piece = _printed(sentence, numbers, evidence)
                if (printed := _letters(piece.text)) not in seen:
                    pieces.append(replace(piece, unknown=unknown if piece.numbers == numbers else ()))
                seen.update((same, printed))
    return pieces


def _printed(sentence: str, numbers: tuple[int, ...], evidence: NumberedSentences) -> Piece:
    """A sentence; where its words are a source's, in quotation marks, as the source prints them.

    Marked words may leave some out. Without marks it is a copy where it takes so many words in one run: then all of the
    sentence is quoted, since what a copy leaves out may turn it round, and it rests on that, whatever was given.
    """
    if match := _QUOTATION.fullmatch(sentence):
        for each in evidence.given(numbers):
            words = match["words"].rstrip(_FULL_STOPS)
            if printed := quotation_of(words, each.quoted.text):
                return Piece(f"“{printed}”{match['stop'] or match['words'][len(words) :]}", numbers)
    elif len(words := sentence.rstrip(_FULL_STOPS).split()) >= COPIED:
        for each in (*evidence.given(numbers), *evidence.sentences):
            printed = None if each.head else quotation_of(" ".join(words), each.quoted.text)
            if printed and LEFT_OUT not in printed:
                is_short = len(each.text.split()) <= QUOTED_WHOLE
                whole = replace(Piece.quoting(each), is_quotation=False)
                return whole if is_short else Piece(f"“{printed}”.", (each.number,))
    return Piece(sentence, numbers)


def _without_marks(sentence: str, numbers: Collection[int]) -> str:
    """A sentence without a mark of a list before it, and without numbers around it that were also given for it."""
    return _MARKS.sub(lambda mark: "" if {*map(int, _NUMBER.findall(mark[0]))} <= {*numbers} else mark[0], sentence)


def _letters(sentence: str) -> str:
    """What two sentences have in common that differ in case or full stop only."""
    return normalised(sentence).casefold().rstrip(_FULL_STOPS)


def unquoted(sentence: str) -> str:
    """A sentence without the quotation marks around all of it."""
    return f"{match['words']}{match['stop']}" if (match := _QUOTATION.fullmatch(sentence)) else sentence


def joined(pieces: Sequence[Piece], evidence: NumberedSentences) -> tuple[str, list[Piece]]:
    """An answer with its citations before each full stop, and its pieces with their places in it."""
    text = ""
    placed: list[Piece] = []
    for piece in pieces:
        bare = piece.text.rstrip(_FULL_STOPS)
        labels = dict.fromkeys(each.label for each in evidence.given(piece.numbers))
        stop = piece.text[len(bare) :] or "."
        cited = f"{bare} {citation_markers.render(labels)}{stop}" if labels else f"{bare}{stop}"
        is_first_bullet = piece.is_bullet and not any(each.is_bullet for each in placed)
        text += ("\n\n" if is_first_bullet else "\n" if piece.is_bullet else " ") if text else ""
        cited = f"- {cited}" if piece.is_bullet else cited
        placed.append(replace(piece, cited=cited, labels=tuple(labels), start=len(text), end=len(text) + len(cited)))
        text += cited
    return text, placed
