"""How a question is put: whether it names papers or asks for several; and what of it is sought without a model.

    "What does Figure 2 of PMC1234567 show?"                       names the paper PMC1234567
    "Did smith-2014 weigh bones?"                                  names smith-2014: its id, as it is in the index
    "Which trials tested herbal medicines?"                        asks for each trial that did
    "Do the studies agree on exercise before a meal?"              asks for each study

What is sought is the question without the words by which it is put:

    "My supervisor asked whether tulsi lowers sperm counts."       tulsi lowers sperm counts.
    "What do the authors acknowledge as a limitation?"             a limitation?
    "Which papers deal with the sperm of rats?"                    the sperm of rats?
    "Do the papers disagree on the role of zinc in colds?"         the role of zinc in colds?

Who asks, what the answer is to look like, and that papers are to say it is in no sentence of a paper. In English alone.
"""

from __future__ import annotations

import re

from metrics.support.lexicon import STOP_WORDS
from metrics.words import words
from signatures.identifiers import PMCID

# An id differs from a word or a number by having both: "bone.pdf" must not turn every question on bone to itself.
_ID = re.compile(r"(?=[^\s,;?!()\[\]\"“”]*[^\W\d_])(?=[^\s,;?!()\[\]\"“”]*\d)[^\s,;?!()\[\]\"“”]+")
PAPERS = (
    r"(?:trials|studies|papers|articles|publications|experiments|investigations"
    r"|ensayos|estudios|artículos|studien|études|essais)"
)
"""What papers are called: an alternative of regular expressions."""
_ASKED = re.compile(
    r"\b(?:which|what|list|name|find|all|how many|qué|cuáles|cuántos|welche|wie viele|quelles|quels|combien)\b"
    rf"(?:\s+[\w’'-]+){{0,4}}?\s+{PAPERS}\b"
    rf"|\b(?:do|did|are|the|across|between|among)\s+(?:the\s+|these\s+|all\s+)?{PAPERS}\b[^.?!]*"
    r"\b(?:agree|disagree|differ|conflict|contradict|consistent|compare)",
    re.IGNORECASE,
)

_THESE = r"(?:(?:the|these|this|those|my|our|your|all|both|any|some|most|other)\s+(?:of\s+)?)*"
_SAYING = rf"{_THESE}(?:{PAPERS}|paper|study|trial|article|review|authors?|researchers|literature|library|collection)\b"
_PERSON = (
    r"(?:supervisor|boss|professor|advis[eo]r|mentor|teacher|colleague|co-?author|reviewer|editor|student|client)s?"
)
_LINK = r"(?:[\s,:]+(?:about|on|of|for|as|that|whether|if|with|regarding|concerning|to be|at)\b){0,2}[\s,:]*"
_TO_KNOW = r"(?:\s+(?:me|us))?(?:\s+to\s+(?:know|learn|find out|check|understand|see|hear|look up)\b)?(?:\s+more\b)?"
_SAY = (
    r"(?:say|tell|report|find|found|show|state|write|mention|acknowledge|admit|conclude|suggest|claim|think|discuss"
    r"|argue|recommend|describe|note|agree|disagree|differ|conflict|contradict)"
)
_OPENINGS = (
    r"(?:please|kindly|hello|hi|hey|ok(?:ay)?)\b[\s,!]*",
    r"(?:can|could|would|will)\s+you\s+(?=please|tell|show|give|find|teach|explain|summari|outline|describe|discuss)",
    rf"(?:tell|show|give|find|teach|explain to)\s+(?:me|us)\b(?:\s+(?:more|something|everything|an? [a-z]+))?{_LINK}",
    rf"(?:summari[sz]e|outline|describe|explain|discuss)\s+{_LINK}",
    rf"(?:i|we)(?:['’]?(?:d|m|re)|\s+(?:would|am|are))?\s+"
    rf"(?:like|want|need|wish|wonder|wondering|curious|interested|looking)\b{_TO_KNOW}(?:\s+in)?{_LINK}",
    rf"(?:my|our|an?|the)\s+{_PERSON}\s+(?:has |have |just )?"
    rf"(?:ask|want|wonder|claim|say|said|think|need)(?:s|ed)?\b{_TO_KNOW}{_LINK}",
    rf"(?:according to|based on|judging by)\s+(?:{_SAYING}[\s,]*|(?:the|this|my|our)\s+)",
    rf"(?:what\s+)?(?:do|does|did)\s+{_SAYING}\s+{_SAY}\b(?:\s+with (?:each other|one another)|\s+us)?{_LINK}",
    rf"(?:is|are)\s+there\s+(?:any\s+|some\s+)?(?:evidence|proof|data|information|agreement|consensus|anything){_LINK}",
    rf"is it\s+(?:true|known|clear|correct)\b{_LINK}",
    rf"(?:which|what)\s+(?:of\s+)?{_THESE}{PAPERS}\s+(?:(?:is|are|do|does|did|have|has)\s+)?"
    rf"(?!(?:in|of|by|from)\b)\w+\b{_LINK}",
)
_OPENING = re.compile("|".join(_OPENINGS), re.IGNORECASE)
_CLOSING = re.compile(rf"(?<![\s,])[\s,]+(?:according to|in|across|among)\s+{_SAYING}(?=\W*$)", re.IGNORECASE)

_OR = re.compile(r"(?P<one>[\w'’-]+),?\s+or\s+(?=(?P<other>[\w'’-]+))", re.IGNORECASE)


def ids_in(question: str) -> list[str]:
    """Everything in a question that may be the id of a paper, each once, PMCIDs in capitals."""
    printed = [match.group().strip(".:'’") for match in _ID.finditer(question)]
    # "PMC123's", "PMC123–PMC125" and "図PMC123の" hold PMCIDs too.
    found = [match.group().upper() for match in PMCID.finditer(question)]
    return list(dict.fromkeys([*found, *(each for each in printed if each and each.upper() not in found)]))


def asks_for_several(question: str) -> bool:
    """Whether a question asks which papers, or what papers say of one another."""
    return _ASKED.search(question) is not None


def alternatives(question: str) -> tuple[str, ...]:
    """A question of "A or B" with A alone, and with B alone; nothing where it has no "or" or several.

    Of each only the word beside the "or" is left out: papers are searched by the words together, in whatever order.
    """
    found = [each for each in _OR.finditer(question) if not {each["one"].lower(), each["other"].lower()} & STOP_WORDS]
    if len(found) != 1:
        return ()
    one, other = found[0].span("one"), found[0].span("other")
    return question[: one[1]] + question[other[1] :], question[: one[0]] + question[other[0] :]


def sought(question: str) -> str:
    """A question without the words by which it is put; as it is where nothing else would be left."""
    rest = question.strip()
    while opening := _OPENING.match(rest):
        rest = rest[opening.end() :]
    rest = _CLOSING.sub("", rest)
    return rest if any(word not in STOP_WORDS for word in words(rest)) else question
