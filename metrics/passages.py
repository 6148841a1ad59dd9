"""The passages of a prediction, and what a citation resolves to among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics.fields import read


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage that an answer was written from.

    Attributes:
        number: Its place in the prompt, from 1; ``[1]`` cites it unless it has a key.
        text: As shown to the model.
        id: ``PMC12345::sec0::chunk1``; empty when the passage came as bare text.
        document_id: ``PMC12345``; ``[PMC12345]`` cites all passages of it.
        section: Kind of its section, or empty.
        key: What it is cited by instead of a number (``smith2024quantum``, ``PMC12345``), or empty.
    """

    number: int
    text: str
    id: str = ""
    document_id: str = ""
    section: str = ""
    key: str = ""

    @property
    def label(self) -> str:
        """What names the passage in a report: its id, else its number."""
        return self.id or str(self.number)

    @property
    def marker(self) -> str:
        """What it was shown under: its key, else its number.

        A passage with a key was shown without a number, so a number in the answer is not meant for it: it is mostly one
        that was copied out of a paper.
        """
        return self.key or str(self.number)


def passages_of(prediction: object) -> tuple[Passage, ...]:
    """The passages of a prediction, in the order in which they were numbered.

    Each may be bare text, or an object or mapping with ``text`` and, as far as known, ``id``, ``document_id``,
    ``section`` and ``key``. The document is read off an id like ``PMC12345::sec0::chunk1`` when it is not given.
    """
    return tuple(_passage(number, item) for number, item in enumerate(read(prediction, "passages", ()), start=1))


def citable_ids(passages: Sequence[Passage]) -> tuple[str, ...]:
    """Everything that a citation can name: keys or numbers, passage ids, document ids."""
    ids = (each for passage in passages for each in (passage.marker, passage.id, passage.document_id))
    return tuple(dict.fromkeys(each for each in ids if each))


def resolve(cited: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages that a citation names: one for a number or passage id, all of a document's for its id or key.

    A number counts as a number first: a document may be called "2".
    """
    numbered = tuple(passage for passage in passages if not passage.key and cited == str(passage.number))
    if numbered:
        return numbered
    name = cited.casefold()
    return tuple(
        passage
        for passage in passages
        if name in (passage.id.casefold(), passage.document_id.casefold(), passage.key.casefold())
    )


def _passage(number: int, item: object) -> Passage:
    if isinstance(item, str):
        return Passage(number, item)
    passage_id = str(read(item, "id", ""))
    return Passage(
        number,
        text=str(read(item, "text", "")),
        id=passage_id,
        document_id=str(read(item, "document_id", passage_id.partition("::")[0])),
        section=str(read(item, "section", "")),
        key=str(read(item, "key", "")),
    )
