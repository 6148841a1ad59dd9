"""Notes on an answer: that it was withheld, or that it quotes the papers in another language than the question's.

An answer can be proved sentence by sentence and still be beside the point. ``least_coverage`` of a program is how
much of the question it has to hold, by ``metrics.question_coverage``; 0, the default, withholds nothing.
"""

from __future__ import annotations

import re

import dspy

from metrics.question_coverage import question_coverage
from programs.errors import UsageError
from programs.lm.extractive.glossary import language_of
from programs.lm.factory import EXTRACTIVE
from programs.verification import Verified
from signatures import citation_markers


def check_least_coverage(value: float) -> None:
    """Refuse a value that is not a share.

    Raises:
        UsageError: It is not in [0, 1].
    """
    if not 0 <= value <= 1:
        raise UsageError(f"least_coverage must be in [0, 1], got {value}")


def proved(verified: Verified) -> tuple[Verified, list[str]]:
    """An answer of which a sentence at least is proved, or nothing in its place, and a note that says why.

    Args:
        verified: The answer as it was verified; an empty one stays as it is.
    """
    if not verified.answer or any(each.verdict == "supported" for each in verified.citations):
        return verified, []
    reason = next((each.reason for each in verified.citations if each.reason), "no sentence cites a passage")
    note = (
        f"An answer was withheld: none of its sentences is proved ({reason}). The passages are what was found instead."
    )
    return verified.withheld(), [note]


def relevant(verified: Verified, question: str, least_coverage: float) -> tuple[Verified, list[str]]:
    """An answer, or nothing in its place, and a note that says why.

    Args:
        verified: The answer as it was verified.
        question: What was asked; in another language than English it is not judged, since papers are quoted in their
            own.
        least_coverage: Share of the question's content words that answer and quotations have to hold.
    """
    if not least_coverage or not verified.answer:
        return verified, []
    found = question_coverage(question, [verified.answer, *(citation.quote for citation in verified.citations)])
    if found >= least_coverage:
        return verified, []
    note = f"An answer was withheld: it holds {found:.2f} of the question's words; least_coverage={least_coverage:g}."
    return verified.withheld(), [note]


QUOTED_AS_PRINTED = "The answer quotes the papers in their own language; it is not translated."
ENGLISH_ONLY = (
    "The extractive model reads English and a few hundred terms of Spanish, German and Japanese; ask in English, or "
    "name a language model."
)

_QUOTATION = re.compile(r"“[^”]*”")
_MOSTLY = 0.5
_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f\u0370-\u03ff]")
"""A letter that is neither Latin nor Greek, as Chinese, Japanese, Cyrillic and Arabic ones."""
_SEVERAL = 3
_LITTLE = """
    le les des du une est et sur dans quel quelle quels quelles pourquoi combien avec chez ont il gli della delle dei
    nel nella sono che quale quali quanti perche di con os um uma da dos das na nos nas em que qual quais quantos
    porque sobre para por
"""
_FRENCH_ITALIAN_PORTUGUESE = frozenset(_LITTLE.split())
_LITTLE_WORDS = 0.25
"""Share of a question's words that are little words of another language, where it is one of that language."""
_WORD = re.compile(r"[^\W\d_]+")


def language_notes(question: str, answer: str) -> list[str]:
    """A note for an answer that mostly quotes, in English, after a question in Spanish, German or Japanese.

    Where the extractive model has no answer to a question that is not in English, that it reads English.
    """
    if not answer:
        return [ENGLISH_ONLY] if _is_extractive() and not is_english(question) else []
    said = citation_markers.strip(answer)
    quoted = sum(len(match.group()) for match in _QUOTATION.finditer(said))
    if not quoted or quoted < _MOSTLY * len(said):
        return []
    return [QUOTED_AS_PRINTED] if language_of(question) != "en" and language_of(said) == "en" else []


def is_english(question: str) -> bool:
    """Whether nothing speaks against it: another script, or the little words of another language."""
    if language_of(question) != "en" or len(_OTHER_SCRIPT.findall(question)) >= _SEVERAL:
        return False
    words = _WORD.findall(question.lower())
    return sum(word in _FRENCH_ITALIAN_PORTUGUESE for word in words) < max(2, _LITTLE_WORDS * len(words))


def _is_extractive() -> bool:
    model = getattr(dspy.settings.lm, "model", "")
    return isinstance(model, str) and model.partition("/")[0] == EXTRACTIVE
