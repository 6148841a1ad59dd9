"""Disagreements between papers, as a model reported them: checked against the passages, and named in the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metrics.sentences import sentences
from programs.passages.passage import Passage
from signatures import citation_markers
from signatures.multi_signal import Conflict


def conflicts_of(reported: Iterable[Conflict], passages: Sequence[Passage]) -> list[Conflict]:
    """The conflicts that can be one: between passages that were given, of different papers.

    Args:
        reported: As the model wrote them; numbers of passages that were not given are left out.
        passages: In the order of their numbers.
    """
    known = [
        Conflict(statement=each.statement.strip(), passages=_given(each.passages, len(passages))) for each in reported
    ]
    return [each for each in known if each.statement and _sources(each, passages) > 1]


def naming(conflicts: Iterable[Conflict], answer: str) -> str:
    """An answer in which every conflict is named by the numbers of its sides.

    What a conflict states is added where the answer does not cite all of its passages, without the sentences that it
    has already.
    """
    for conflict in conflicts:
        if not {str(number) for number in conflict.passages} <= _cited(answer):
            added = [each for each in _sentences(_with_numbers(conflict)) if each not in answer]
            answer = " ".join([answer, *added])
    return answer


def _given(numbers: Iterable[int], count: int) -> list[int]:
    return sorted({number for number in numbers if 1 <= number <= count})


def _sources(conflict: Conflict, passages: Sequence[Passage]) -> int:
    return len({passages[number - 1].document_id for number in conflict.passages})


def _with_numbers(conflict: Conflict) -> str:
    """What it states; the numbers are put before the full stop where it cites nothing."""
    if _cited(conflict.statement):
        return conflict.statement
    return f"{conflict.statement.rstrip('. ')} {citation_markers.render(map(str, conflict.passages))}."


def _cited(text: str) -> set[str]:
    return {each for marker in citation_markers.find(text) for each in marker.ids}


def _sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]
