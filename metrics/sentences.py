"""Sentences of scientific text, as spans of it.

    Growth slowed in S. cerevisiae (Fig. 2A; p < 0.05).12 Smith et al. [3] disagree.
    └──────────────────── one ───────────────────────┘    └───────── two ─────────┘

The splitting is done by sentencex (Wikimedia, MIT, Rust, rules for some 300 languages). What papers need beyond
encyclopaedia prose is here as data: abbreviations that it takes for the end of a sentence, words that are
capitalised only where one starts, and citations printed behind the full stop, which belong to the sentence before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from sentencex import get_sentence_boundaries  # type: ignore[import-untyped]

# sentencex takes time quadratic in the quotes and sentences of one call; in windows of this many characters the whole
# stays linear. No sentence is cut: a window's unfinished last sentence is read again with the next window.
WINDOW = 4_000

# All tables are alternatives of a regular expression. Abbreviations match as written or with a capital first letter:
# "vs" and "Vs"; "ca", but not "CA.", which is California.
#
# Never at the end of a sentence, whatever follows.
_NEVER_LAST = (
    "approx|ca|cf|cfr|e\\.g|eg|eq|eqs|esp|fig|figs|FIG|FIGS|i\\.e|ie|incl|nos|sect|subsp|suppl|supp|var|viz|vs|"
    "Dr|Mr|Mrs|Ms|Prof|d\\.h|z\\.B|u\\.a|ej|p\\.ej"
)
# Not at the end of a sentence when a number or a citation follows: "no. 5", "Vol. 4".
_BEFORE_NUMBER = "al|app|ch|chap|ed|no|NO|nr|p|pp|ref|refs|resp|sec|tab|tabs|ver|vol|vols"
# Capitalised in running text only as the first word of a sentence.
_OPENERS = (
    "A|Additionally|After|All|Also|Although|Among|An|And|As|At|Based|Because|Before|Besides|Both|But|By|Compared|"
    "Consequently|Conversely|Despite|Due|During|Each|Finally|First|For|From|Furthermore|Given|Hence|Here|How|However|If|"
    "In|Indeed|Interestingly|Is|It|Its|Last|Lastly|Like|Many|Moreover|Most|Neither|Nevertheless|Next|None|Not|Notably|"
    "Of|On|Once|Only|Or|Other|Others|Our|Overall|Participants|Patients|Previous|Second|Several|Similar|Similarly|Since|So|"
    "Some|Subsequently|Such|Taken|Than|That|The|Their|Then|There|Therefore|These|They|This|Those|Three|Through|Thus|To|"
    "Together|Two|Under|Until|Using|Values|We|What|When|Whereas|Whether|Which|While|Who|With|Within|Without|Yet|You"
)
# A citation holds a digit: "[12, 14–16]", "[PMC2654319]", "(smith2024quantum)".
_CITED = r"(?:\[[^\[\]\n]{0,80}\d[^\[\]\n]{0,80}\]|\([a-z]+\d{4}[a-z]*\))"
_SUPERSCRIPT = r"[¹²³⁰⁴-⁹⁻]+(?:,[¹²³⁰⁴-⁹⁻]+)*"
_RAISED = rf"(?:\d{{1,3}}(?:[,–-]\d{{1,3}})*|{_SUPERSCRIPT})"  # as printed, or flattened to digits
_CLOSED = r"[.!?…。！？｡][\"'”’»)\]」』]*"
_GAP = r"[ \t\u00a0]"


def _cased(alternatives: str) -> str:
    return alternatives + "|" + "|".join(word[0].upper() + word[1:] for word in alternatives.split("|"))


_LIST_ITEM = re.compile(r"[ \t]*(?:[-*•‣–+]|\d{1,3}[.)]|#{1,6}|\|)[ \t]")
_NUMBERED = r"\((?:\d{1,2}|[A-Za-z]|[ivx]{2,4})\)"
_OWN_LINE = re.compile(r"[ \t]*(?:#{1,6}[ \t]|\|)")
_MISSED = re.compile(
    rf"{_CLOSED}\s+(?=(?:{_OPENERS})\b(?!\.))"  # "for 2 h. They"
    rf"|(?<=[^\W\d_][^\W\d_][^\W\d_])[)\]]?\.{_RAISED}\s+(?=[A-Z])"  # "in cells.12,13 The"
    rf"|{_CITED}\.\s+(?=[A-Z])"  # "(Figure 2) [1]. Sleep"
    r"|\d\s?(?:[a-zµμ°%]{1,4})?\.\s+(?=[A-Z][a-z]+\s)"  # "p < 0.01. Higher", "10 sec. Dried"
    rf"|{_CLOSED}\s+(?={_NUMBERED}\s)"  # "by arm. (B) Survival"
)
_LATE_CITATION = re.compile(rf"(?:(?:{_GAP}*{_CITED}){{1,9}}|{_SUPERSCRIPT}){_GAP}+(?=[^\W\d_a-z])")
_ENDED = re.compile(rf"{_CLOSED}(?:\s?{_CITED}|{_RAISED})*$")
_ABBREVIATED = re.compile(rf"(?<![^\W_])(?<![^\W_]\.)(?:{_cased(_NEVER_LAST)})\.$")
_ABBREVIATED_BEFORE_NUMBER = re.compile(rf"(?<![^\W_])(?<![^\W_]\.)(?:{_cased(_BEFORE_NUMBER)})\.$")
_CITED_AFTER_ABBREVIATION = re.compile(rf"\b(?:al|refs?|e\.g|i\.e|cf)\.\s?{_CITED}$", re.IGNORECASE)
_ORDINAL = re.compile(r"(?<![\w.,])\d{1,2}\.$")
_AFTER_ORDINAL = re.compile(
    r"[aeiouwyz]\s\d|(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Tag|Woche|Monat"
    r"|Quartal|Lebensjahr|Lebenswoche|Schwangerschaftswoche|Jahrhundert|Zyklus)(?:es|s|e|en)?\b"
)
"""What follows a number that other languages write with a full stop: "24. a 48. godziną", "am 24. Mai"."""
_NUMBER = re.compile(r"[(\[]?(?:[A-Z]?\d|[IVX]{2,}\b)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ENUMERATOR = re.compile(
    r"[(\[]?(?:\d{1,3}|[ivxIVX]{1,5}|[A-Za-z])[.)\]]+"
    r"|(?:suppl\w*\.? )?(?:fig(?:ure)?|tab(?:le)?)s?\.?[\s-]?S?\d+[a-z]?\.",
    re.IGNORECASE,
)
_LONGEST_ENUMERATOR = 40
_NO_END = ",;:)]([=<>≤≥±×/"  # signs that no sentence ends with, unless a citation follows its full stop


@dataclass(frozen=True, slots=True)
class Span:
    """Offsets into a text: ``text[start:end]``."""

    start: int
    end: int


def sentences(text: str) -> list[Span]:
    """Split a text into sentences.

    Paragraphs, list items, Markdown headings and table rows end a sentence even without a full stop; a single line
    break inside a paragraph does not. Takes time linear in the text's length.

    Args:
        text: Any text, of any language and length.

    Returns:
        Spans in order, without overlap, none empty. ``text[start:end]`` is a sentence without outer white space, and
        every character outside the spans is white space.
    """
    return [span for block in _blocks(text) for span in _sentences_of_block(text, block)]


def sentence_texts(*texts: str) -> list[str]:
    """The sentences of texts, each as it is there."""
    return [text[span.start : span.end] for text in texts for span in sentences(text)]


def _blocks(text: str) -> Iterator[Span]:
    """Stretches of text that no sentence leaves: paragraphs, list items, headings, table rows."""
    start = end = 0
    previous = ""
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        if not line.strip() or _LIST_ITEM.match(line) or _OWN_LINE.match(previous):
            if text[start:end].strip():
                yield _stripped(text, start, end)
            start = end
        end += len(line)
        previous = line
    if text[start:end].strip():
        yield _stripped(text, start, end)


def _sentences_of_block(text: str, block: Span) -> Iterator[Span]:
    missed = (match.end() for match in _MISSED.finditer(text, block.start, block.end))
    starts = sorted({*_found_starts(text, block), *missed})
    first = block.start
    for found, following in pairwise([*starts, block.end]):
        cited = _LATE_CITATION.match(text, found, block.end)  # "…in the gut. [60, 61] An in vitro study"
        start = cited.end() if cited else found
        if start > first and not _continues(text, first, start, following):
            yield _stripped(text, first, start)
            first = start
    yield _stripped(text, first, block.end)


def _found_starts(text: str, block: Span) -> Iterator[int]:
    """Offsets at which sentencex starts a sentence, but for the block's first."""
    position = block.start
    while position < block.end:
        stop = min(position + WINDOW, block.end)
        window = _with_plain_brackets(text[position:stop])
        found = [position + int(each["start_index"]) for each in get_sentence_boundaries("en", window)]
        starts = [_skip_space(text, start, stop) for start in found if start > position]
        yield from (start for start in starts if start < stop)
        unfinished = stop < block.end and starts and starts[-1] < stop
        position = starts[-1] if unfinished else stop


def _with_plain_brackets(text: str) -> str:
    """The text, as long, without the round brackets that sentencex misreads.

    Up to "A)" and "B)", whose brackets close none, it would see one sentence; "(1)" and "(2)" it would take for a list,
    whose items it does not split, and for items "0.73 (2) | 1.05 (6)" of a table as well.
    """
    if ")" not in text:
        return text
    depth, signs = 0, list(text)
    for at, sign in enumerate(signs):
        if sign == "(":
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        elif sign == ")":
            signs[at] = " "
    return re.sub(_NUMBERED, lambda match: f"[{match[0][1:-1]}]", "".join(signs))


def _continues(text: str, first: int, start: int, following: int) -> bool:
    """Whether the sentence that starts at ``first`` continues at ``start``, the end found before it being none."""
    before = text[max(first, start - 200) : start].rstrip()
    after = text[start : min(following, start + 80)]
    word = _WORD.match(after)  # ordinary ones in lower case; "mRNA", "p53", "β-actin" and "a" of a footnote are none
    return (
        ((before[-1:].isalnum() or before[-1:] in _NO_END) and not _ENDED.search(before))
        or not any(character.isalnum() for character in after)
        or (word is not None and word.group().islower())
        or _ends_in_abbreviation(before, after)
        or (start - first < _LONGEST_ENUMERATOR and _ENUMERATOR.fullmatch(before) is not None)
    )


def _ends_in_abbreviation(before: str, after: str) -> bool:
    return bool(
        _ABBREVIATED.search(before)
        or _CITED_AFTER_ABBREVIATION.search(before)
        or (_NUMBER.match(after) and _ABBREVIATED_BEFORE_NUMBER.search(before))
        or (_AFTER_ORDINAL.match(after) and _ORDINAL.search(before))
    )


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _stripped(text: str, start: int, end: int) -> Span:
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(_skip_space(text, start, end), end)
