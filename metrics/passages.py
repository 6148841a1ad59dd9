"""Fields of examples and predictions; the passages of a prediction, and what a citation resolves to among them.

While a program runs these are objects with attributes; read back from ``predictions.jsonl`` they are dicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from signatures.identifiers import PMCID


def read(item: object, name: str, default: Any = None) -> Any:  # noqa: ANN401 - the caller knows the field's type
    """Read a field of an object or a mapping.

    Args:
        item: A mapping, an object with attributes, or a ``dspy.Example`` or ``dspy.Prediction``, which are asked as
            mappings: as attributes, their own methods would hide fields such as ``labels``.
        name: The field.
        default: Returned when the field is missing or None, which is how JSON writes a missing value.
    """
    if hasattr(item, "keys") and hasattr(item, "__getitem__"):
        value = item[name] if name in item.keys() else None  # noqa: SIM118 - dspy's objects are not full mappings
    else:
        value = getattr(item, name, None)
    return default if value is None else value


def read_texts(item: object, *names: str) -> tuple[str, ...]:
    """Read texts from the first of several fields that has any; a single text counts as one, an empty one as none."""
    for name in names:
        value = read(item, name, ())
        texts: Sequence[Any] = (value,) if isinstance(value, str) else value
        found = tuple(text for text in map(str, texts) if text.strip())
        if found:
            return found
    return ()


def label(key: str, number: int) -> str:
    """What a passage is shown under and cited by: its key, which its paper's other passages share, else its number."""
    return key or str(number)


@dataclass(frozen=True, slots=True)
class Citable:
    """One passage that an answer was written from.

    Attributes:
        number: Its place in the prompt, from 1; ``[1]`` cites it unless it has a key.
        text: As shown to the model.
        id: ``PMC12345::sec0::chunk1``; empty when the passage came as bare text.
        document_id: Its paper; ``[PMC12345]`` cites all passages of it.
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
        return label(self.key, self.number)

    @property
    def names(self) -> tuple[str, ...]:
        """What a citation can call it: its key or number, its id, and the id of its paper if that is a PMCID.

        The id of a paper may be the name of a file, and so an ordinary word: "(control)" in a sentence is not a
        citation of ``control.pdf``.
        """
        paper = self.document_id if PMCID.fullmatch(self.document_id) else ""
        return tuple(each for each in (self.marker, self.id, paper) if each)


def passages_of(prediction: object) -> tuple[Citable, ...]:
    """The passages of a prediction, in the order in which they were numbered.

    Each may be bare text, or an object or mapping with ``text`` and, as far as known, ``id``, ``document_id``,
    ``section`` and ``key``. The document is read off an id like ``PMC12345::sec0::chunk1`` when it is not given.
    """
    return tuple(_passage(number, item) for number, item in enumerate(read(prediction, "passages", ()), start=1))


def citable_ids(passages: Sequence[Citable]) -> tuple[str, ...]:
    """Everything that a citation can name: keys or numbers, passage ids, document ids."""
    return tuple(dict.fromkeys(name for passage in passages for name in passage.names))


def resolve(cited: str, passages: Sequence[Citable]) -> tuple[Citable, ...]:
    """The passages that a citation names: one for a number or passage id, all of a paper's for its PMCID or key.

    A number counts as a number first: a document may be called "2".
    """
    numbered = tuple(passage for passage in passages if not passage.key and cited == passage.marker)
    if numbered:
        return numbered
    name = cited.casefold()
    return tuple(passage for passage in passages if name in (each.casefold() for each in passage.names))


def _passage(number: int, item: object) -> Citable:
    if isinstance(item, str):
        return Citable(number, item)
    passage_id = str(read(item, "id", ""))
    return Citable(
        number,
        text=str(read(item, "text", "")),
        id=passage_id,
        document_id=str(read(item, "document_id", passage_id.partition("::")[0])),
        section=str(read(item, "section", "")),
        key=str(read(item, "key", "")),
    )
