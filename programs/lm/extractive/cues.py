"""What kind of sentence a question asks for, where no other can answer: data, from the way papers are written.

"What side effects did zinc have?"   →  sentences that name some, and no other
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from metrics.printed_citations import cites_authors


@dataclass(frozen=True, slots=True)
class Cue:
    """A kind of question."""

    asked: re.Pattern[str]  # found in such a question
    answers: re.Pattern[str]  # found in the sentences that can answer it, in no other


def _cue(asked: str, answers: str) -> Cue:
    flags = re.IGNORECASE | re.VERBOSE
    return Cue(re.compile(asked, flags), re.compile(answers, flags))


_WORD_END = re.compile(r"^\w*")
_PEOPLE = (
    r"participants|patients|subjects|people|persons|individuals|volunteers|women|men|children|adults|infants|mice|rats"
)

CUES = (
    # What harm: adverse events.
    _cue(
        r"""\bside[\ -]effects?\b | \badverse\b | \b(?:any\ harm|harms)\b | \bsaf(?:e|ely|ety)\b
        | \btolera(?:ted|ble|bility)\b | \btoxic""",
        r"""\badverse | \bside[\ -]effects? | \bharm | \bsaf(?:e|ely|ety)\b | \btolera | \btoxic
        | \bcomplication""",
    ),
    # Who left: drop-outs.
    _cue(
        r"""\bdrop(?:ped|s)?[\ -]?outs?\b | \bdropped\ out\b | \blost\ to\ follow | \battrition\b
        | \b(?:withdr[ae]w|withdrawn|discontinued|quit|finished|completed|left)\b(?=[^?]*\b(?:trial|study)\b)""",
        r"""\bdrop(?:ped)?[\ -]?outs? | \bwithdr[ae]w | \blost\ to\ follow | \battrition | \bdiscontinu | \bcompleted\b
        | \bdid\ not\ complete | \bleft\ the""",
    ),
    # Who paid: funders.
    _cue(
        r"\bfund(?:ed|ing|ers?)\b | \bsponsor | \bpaid\ for\b | \bfinanced\b",
        r"\bfund | \bsponsor | \bgrants?\b | \bsupported\ (?:by|in) | \bfinanc",
    ),
    # What is weak: limitations.
    _cue(
        r"\blimitations?\b | \bshortcoming | \bweak(?:ness(?:es)?|\ points?)\b | \bcaveat",
        r"\blimit(?:ation|ed|ing|s\b) | \bshortcoming | \bweakness | \bcaveat | \bgenerali[sz]ab | \bunderpowered",
    ),
    # How many there were.
    _cue(
        rf"""\bhow\ many\ (?:{_PEOPLE})\ (?:were\ there|took\ part|(?:had\ |were\ )?(?:participated|enrol+ed|included
            |studied|recruited|randomi[sz]ed))\b""",
        rf"""\d\ (?!(?:hours?|days?|weeks?|months?|years?|minutes?)\b)(?:[\w-]+\ ){{0,3}}(?:{_PEOPLE})\b
            | \b(?:{_PEOPLE})\ \(n\ ?=\ ?\d""",
    ),
)
_AIMS = r"""\b(?:aims?|aimed|objectives?|goals?|purpose|hypothesi[sz]ed?)\b
    | \bto\ (?:investigate|determine|assess|evaluate|examine|explore|identify|clarify|establish|analy[sz]e|compare)\b"""
_STUDIED = r"(?:investigat|examin|stud[iy]|elucidat|explor|assess|evaluat|establish|clarif|determin|test|confirm)\w*"
# What is not known yet, and what is only supposed.
_OPEN = rf"""\bfar\ from\ (?:clear|understood)\b
    | \b(?:is|are|was|were|remains?|remained)\ (?:\w+\ )?(?:unclear|unknown|uncertain|to\ be\ {_STUDIED})
    | \b(?:has|have|had)\ (?:not|never)\ (?:yet\ )?been\ (?:\w+ly\ )?{_STUDIED}
    | \bneed(?:s|ed)?\ to\ (?:be\ )?(?:\w+\ )?{_STUDIED} | \bfurther\ (?:stud|research|investigation|work|trial)\w*
    | ^\W*(?:whether|if\ indeed)\b | \beffects?\ (?:of|on)\b[^,;]*\b(?:was|were)\ {_STUDIED}\b"""
# What is not a finding of the paper: aims, plans, open questions, captions, results of others.
NO_FINDING = re.compile(
    rf"""{_AIMS} | {_OPEN}
    | \b(?:we|study)\ (?:\w+\ ){{0,2}}(?:investigat|examin|assess|evaluat|explor|analy[sz])\w+
    | \brandomly\b | \b(?:divided|allocated|assigned|distributed)\ (?:in)?to\b
    | ^\W*(?:Suppl\w*\.?\ )?(?:Fig(?:ure)?|Table)\.?[\ -]?S?\d
    | \b(?:shown|presented|depicted|given|listed|summari[sz]ed)\ in\ (?:the\ )?(?:Fig|Table)[^,;]*$
    | \bet\ al\b | \b(?:previous|earlier|other|prior)\ (?:stud|report|work|research|author|investigat)\w*
    | \bhas\ been\ (?:reported|shown|demonstrated|used)\b
    | \b(?:trial|study|studies|experiments?)\ (?:was|were)\ (?:conducted|performed|carried\ out)\b
    | \b(?:outcome|end\ ?point)(?:\ measure)?s?\ (?:was|were)\ (?:the|an?|defined|measured)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# "BMI, body mass index; Hrs, hours; SD = standard deviation; ", "BMI=body mass index, SD=standard deviation, "
SHORT_FORMS = re.compile(
    r"(?:[A-Z0-9][\w-]{0,9}(?:,|:| ?=) [^;.]{3,80}; ?){3}|(?:[^\s,;=]{1,10} ?= ?[A-Za-z][^,;=]{2,60}[,;] ?){2}"
    r"|^(?:[A-Z][\w-]{0,9}, [^;.]{3,60}; ?){2}|(?:\b[a-z]?[A-Z]{1,6}[a-z]? (?=[a-z])[\w -]{4,60}, ){3}"
)
# A sentence without a verb is a caption or a heading.
VERB = re.compile(
    r"""\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|may|might|will|would|should|must
        |rose|fell|grew|led|gave|kept|made|took|held|lost|saw|shows?|found|became|remains?|seems?|causes?|leads?|gives?
        |increases?|decreases?|reduces?|improves?|suggests?|indicates?|inhibits?|\w{2,}ed)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def cues_of(question: str) -> tuple[Cue, ...]:
    """The kinds that a question is of; several, or none."""
    return tuple(cue for cue in CUES if cue.asked.search(question.strip()))


def without_kinds(question: str, cues: tuple[Cue, ...]) -> str:
    """A question without the words by which it asks for harms, funders and the like: "What … did zinc have?"."""
    for cue in cues:
        for found in reversed(list(cue.asked.finditer(question))):
            rest = _WORD_END.sub("", question[found.end() :], count=1)
            question = f"{question[: found.start()]}…{rest}"
    return question


def is_of_kind(text: str, cues: tuple[Cue, ...]) -> bool:
    """Whether a question asks for harms, funders and the like, and a sentence names them."""
    return bool(cues) and names_what_is_asked(text, cues)


def names_what_is_asked(text: str, cues: tuple[Cue, ...]) -> bool:
    """Whether a sentence names the harm, funder and the like that a question asks for."""
    return all(cue.answers.search(text) for cue in cues)


def is_finding(text: str) -> bool:
    """Whether a sentence may be a finding of the paper's own: no aim, caption, heading or result of others."""
    is_told_of_others = NO_FINDING.search(text) or cites_authors(text)
    return VERB.search(text) is not None and not is_told_of_others and not SHORT_FORMS.search(text)
