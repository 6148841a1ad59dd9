"""Sentences that decline to answer.

    The passages do not say how muscle changed.

The subject is the source, the question or the writer. "The mice did not show a loss" and "No evidence of bone loss was
seen" are findings, and need a citation as any other.
"""

from __future__ import annotations

import re

_SOURCE = (
    r"(?:the\s+)?(?:(?:provided|given|retrieved|available|supplied|above|numbered|cited)\s+)*"
    r"(?:passages?|contexts?|texts?|excerpts?|sources?|documents?|papers?|articles?|information)"
    r"(?:\s+(?:provided|given|retrieved|available|above))?"
)
_VERB = r"(?:say|state|mention|report|contain|provide|hold|include|address|describe|specify|discuss|answer|cover)"
_NOT = r"(?:do(?:es)?\s+not|don't|doesn't|did\s+not|cannot|can't|never)"
_ENGLISH = (
    rf"{_SOURCE}\s+{_NOT}\s+(?:\w+ly\s+)?{_VERB}s?\b",
    rf"{_SOURCE}\s+(?:is|are)\s+(?:not\s+(?:sufficient|enough)|insufficient|silent)\b",
    rf"none\s+of\s+{_SOURCE}\b",
    r"(?:there\s+is\s+)?(?:no|not\s+enough|insufficient)\s+(?:\w+\s+)?(?:evidence|information|passages?|answer|support)\b"
    r"[^.;]{0,60}\b(?:passages?|contexts?|sources?|texts?|retrieved|provided|to\s+answer)\b",
    r"(?:there\s+is\s+)?no\s+(?:\w+\s+)?(?:information|answer)\s+(?:(?:is|was|could\s+be)\s+)?(?:available|found|given)\b",
    r"(?:i|we)\s+(?:could\s+not|cannot|can\s+not|can't|couldn't|am\s+unable\s+to|do\s+not|don't)\s+"
    r"(?:know|find|answer|retrieve|determine|tell)\b",
    r"could\s+not\s+retrieve\b",
    r"(?:this|the|that)\s+(?:question|answer)\s+(?:cannot|can't|could\s+not)\s+be\s+"
    r"(?:answered|found|determined|given)\b",
    r"(?:this|it)\s+cannot\s+be\s+(?:answered|determined)\b",
    r"unanswerable|not\s+answerable|no\s+answer\b",
)
_SPANISH = (
    r"(?:los|las)\s+(?:pasajes|fuentes|textos|fragmentos)\s+(?:\w+\s+)?no\s+\w+",
    r"no\s+(?:hay|se\s+encontr\w+|se\s+pud\w+\s+\w+)\s+(?:\w+\s+)?(?:información|evidencia|pruebas|respuesta)\b",
    r"no\s+(?:se\s+puede|es\s+posible)\s+(?:responder|determinar)\b",
)
_GERMAN = (
    r"(?:die|in\s+den)\s+(?:\w+\s+)?(?:passagen|textstellen|quellen|textpassagen|texten?|auszügen?|abschnitten?)\s+"
    r"[^.;]{0,60}\b(?:nicht|nichts|keine?)\b",
    r"(?:die|diese)\s+frage\s+(?:kann|lässt\s+sich)\s+[^.;]{0,60}\bnicht\b",
    r"es\s+gibt\s+keine\s+(?:\w+\s+)?(?:angaben|informationen|belege)\b",
)
_JAPANESE = (
    r"[^。]{0,40}(?:文献|本文|抜粋|資料|パッセージ|情報)[^。]{0,60}(?:ありません|ない|いません|できません)[。.]?$",
    r"[^。]{0,40}(?:答えられません|回答できません|わかりません)[。.]?$",
)
_DECLINES = re.compile(
    rf"(?:(?:unfortunately|sorry|based\s+on\s+{_SOURCE})\b[,\s]*)?(?:{'|'.join(_ENGLISH + _SPANISH + _GERMAN)})"
    rf"|{'|'.join(_JAPANESE)}",
    re.IGNORECASE,
)
# "The passages do not say, but it fell by half" declines and then claims.
_TURNS = re.compile(
    r"\b(?:but|however|although|though|yet|nevertheless|nonetheless|still|instead|while|whereas|pero|sino|aunque|aber|"
    r"jedoch|sondern|obwohl)\b|[;；—]|しかし|ただし",
    re.IGNORECASE,
)
LONGEST = 300


def is_abstention(text: str) -> bool:
    """Whether a sentence says only that the sources do not hold the answer.

    Args:
        text: One sentence without citations, in English, Spanish, German or Japanese.
    """
    bare = text.strip().lstrip("*_ ")
    return len(bare) <= LONGEST and _DECLINES.match(bare) is not None and not _TURNS.search(bare)


_EVIDENCE = re.compile(
    r"\b(?:passages?|contexts?|excerpts?|sources?|papers?|articles?|stud(?:y|ies)|authors?|evidence|pasajes?|fuentes?|"
    r"artículos?|estudios?|autores|evidencias?|passagen?|textstellen?|quellen?|studien?|autoren|belege?|sources|études?|"
    r"auteurs|extraits?|passagens?|fontes?|estudos?|artigos?|brani|fonti|studi|articoli|autori)\b|文献|論文|研究|本文|段落|资料|文章",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:no|not|none|neither|nor|never|cannot|nothing|without|\w+n't|ning\w+|ni|nada|sin|nicht|nichts|keine?[nrms]?|"
    r"aucune?|pas|ne|rien|sans|não|nenhum\w*|nada|sem|non|nessun\w*|senza)\b|ない|ありません|せん|没有|不|未",
    re.IGNORECASE,
)


def speaks_of_evidence(text: str) -> bool:
    """Whether a sentence may be about the evidence itself: it names passages or studies, and denies something of them.

    Wider than ``is_abstention``; it decides nothing alone, but whether a reader who says so can be believed.
    """
    return _EVIDENCE.search(text) is not None and _DENIAL.search(text) is not None
