"""What kind of sentence a question asks for, beyond its words: data, from the way papers are written.

"How many mice were used?"           →  sentences with numbers
"What side effects did zinc have?"   →  sentences that name some, and no other
"How was the cold measured?"         →  sentences on the plan of a study, which are no findings
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from metrics.printed_citations import cites_authors


@dataclass(frozen=True, slots=True)
class Cue:
    """A kind of question."""

    asked: re.Pattern[str]  # found in such a question
    answers: re.Pattern[str]  # found in the sentences that can answer it, in no other
    is_plan: bool = False  # whether it asks how the study was done, so that what answers is not a finding
    is_named: bool = False  # whether no other sentence can be an answer, as where harms or funders are asked for


def _cue(asked: str, answers: str, **kinds: bool) -> Cue:
    flags = re.IGNORECASE | re.VERBOSE
    return Cue(re.compile(asked, flags), re.compile(answers, flags), **kinds)


_NUMERALS = "one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|half|third|quarter"
_COUNTED = re.compile(
    r"\bhow many (?:[\w-]+ ){0,3}?(?P<thing>[\w-]{3,}) "
    r"(?:of|in|on|were|was|are|is|did|do|does|have|has|had|can|could)\b",
    re.IGNORECASE,
)

_WORD_END = re.compile(r"^\w*")
_PEOPLE = (
    r"participants|patients|subjects|people|persons|individuals|volunteers|women|men|children|adults|infants|mice|rats"
)

CUES = (
    # How many: numbers.
    _cue(
        r"""\bhow\ (?:many|often|long|old|large|big|high|far)\b | proportion
        | \bwhat\ (?:dose|age|number|size|rate|score|fraction|concentration|temperature|yield)\b
        | ^what\ (?:is|was|are|were)\ the\ [^,]*?(?:ratio|concentration|dose|value|[IL]C50|yield|rate|number|incidence
            |prevalence|efficiency|accuracy|sensitivity|specificity)\b""",
        rf"(?<![\w-])\d | \b(?:{_NUMERALS})\b",
    ),
    # What share: percentages, or how many of how many.
    _cue(
        r"\bwhat\ (?:share|percentage|proportion|percent)\b | \bhow\ many\ percent\b",
        r"""\d\s?% | \d\ per\ ?cent | \b\d+\ (?:out\ )?of\ (?:the\ )?\d+ | \d/\d
            | \b(?:half|third|quarter|majority|most)\b""",
    ),
    # How much: numbers with a unit, in per cent, or a range.
    _cue(
        r"\bhow\ much\b",
        r"\d\s?(?:%|±|[-–]\s?\d|to\ \d|-?fold\b|times\b|percent|[µμmkcn]?[gLlMm]\b|[a-zµμ]+/)",
    ),
    # What harm: adverse events.
    _cue(
        r"""\bside[\ -]effects?\b | \badverse\b | \b(?:any\ harm|harms)\b | \bsaf(?:e|ely|ety)\b
        | \btolera(?:ted|ble|bility)\b | \btoxic""",
        r"""\badverse | \bside[\ -]effects? | \bharm | \bsaf(?:e|ely|ety)\b | \btolera | \btoxic
        | \bcomplication""",
        is_named=True,
    ),
    # Who left: drop-outs.
    _cue(
        r"""\bdrop(?:ped|s)?[\ -]?outs?\b | \bdropped\ out\b | \blost\ to\ follow | \battrition\b
        | \b(?:withdr[ae]w|withdrawn|discontinued|quit|finished|completed|left)\b(?=[^?]*\b(?:trial|study)\b)""",
        r"""\bdrop(?:ped)?[\ -]?outs? | \bwithdr[ae]w | \blost\ to\ follow | \battrition | \bdiscontinu | \bcompleted\b
        | \bdid\ not\ complete | \bleft\ the""",
        is_named=True,
        is_plan=True,
    ),
    # Who paid: funders.
    _cue(
        r"\bfund(?:ed|ing|ers?)\b | \bsponsor | \bpaid\ for\b | \bfinanced\b",
        r"\bfund | \bsponsor | \bgrants?\b | \bsupported\ (?:by|in) | \bfinanc",
        is_named=True,
        is_plan=True,
    ),
    # What is weak: limitations.
    _cue(
        r"\blimitations?\b | \bshortcoming | \bweak(?:ness(?:es)?|\ points?)\b | \bcaveat",
        r"\blimit(?:ation|ed|ing|s\b) | \bshortcoming | \bweakness | \bcaveat | \bgenerali[sz]ab | \bunderpowered",
        is_named=True,
        is_plan=True,
    ),
    # How old: ages.
    _cue(
        r"\bhow\ old\b | \b(?:mean|average|median)\ age\b | \bwhat\ ages?\b",
        r"\bage[ds]?\b | \byears?[\ -]old\b",
        is_plan=True,
    ),
    # How long: lengths of time.
    _cue(
        r"\bhow\ long\b | \b(?:duration|length)\ of\b",
        rf"\b(?:\d[\d.]*|{_NUMERALS})[\ -]?(?:s|min(?:ute)?s?|h|hours?|days?|weeks?|months?|years?)\b",
    ),
    # Which dose: masses and volumes.
    _cue(
        r"\b(?:which|what)\b[^?]{0,40}?\bdos(?:e|es|age)\b",
        r"\d[\d.,]*\s?(?:mg|g|kg|[µμ]g|mcg|ng|IU|U|units?|ml|mL|mmol|[µμ]mol|%|capsules?|tablets?|drops)\b",
        is_plan=True,
    ),
    # How many there were.
    _cue(
        rf"""\bhow\ many\ (?:{_PEOPLE})\ (?:were\ there|took\ part|(?:had\ |were\ )?(?:participated|enrol+ed|included
            |studied|recruited|randomi[sz]ed))\b""",
        rf"""\d\ (?!(?:hours?|days?|weeks?|months?|years?|minutes?)\b)(?:[\w-]+\ ){{0,3}}(?:{_PEOPLE})\b
            | \b(?:{_PEOPLE})\ \(n\ ?=\ ?\d""",
        is_named=True,
        is_plan=True,
    ),
    # How many took part, and how long they were treated: planned, whatever the sentence holds.
    _cue(
        r"""\b(?:how\ long|duration|length|how\ many\ (?:days|weeks|months|years))\b
        .*\b(?:follow|take|taken|took|g[ia]ve|treat|trial|study)
        | \bhow\ many\b.*\b(?:took\ part|participat|enrol|entered|joined|recruit|randomi[sz]ed|includ)
        | \bsample\ size\b | \bhow\ (?:big|large)\ was\ the\ (?:trial|study|sample)""",
        "",
        is_plan=True,
    ),
    # How it was measured.
    _cue(
        r"^how\ (?:was|were)\b.*\b(?:measured|assessed|evaluated|determined|defined|diagnosed|recorded|rated)\b",
        r"\b(?:measured|assessed|evaluated|determined|defined|diagnosed|recorded|rated|scored|scales?|questionnaires?|using)\b",
        is_plan=True,
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
_CELL = re.compile(r"\|\s*[<>~≤≥]?\s?\d[\d.,]*\s*%?\s*(?:[|(±–-]|$)")
LOSS = 0.15
"""What is left of the score of a sentence that is not a finding."""
LACKS = 0.1
"""What is left of the score of a sentence without the number that is asked for."""


def cues_of(question: str) -> tuple[Cue, ...]:
    """The kinds that a question is of; several, or none."""
    return (*_counting(question), *(cue for cue in CUES if cue.asked.search(question.strip())))


def _counting(question: str) -> Iterator[Cue]:
    """That "how many COPD cases were" asks for a number of cases: "524 incident cases"."""
    if counted := _COUNTED.search(question):
        thing = re.escape(counted["thing"].rstrip("s"))
        yield _cue("", rf"(?<![\w-])(?:\d[\d,.]*|{_NUMERALS})[\ -](?:[\w.-]+\ ){{0,3}}{thing}")


def without_kinds(question: str, cues: tuple[Cue, ...]) -> str:
    """A question without the words by which it asks for harms, funders and the like: "What … did zinc have?"."""
    for cue in (each for each in cues if each.is_named):
        for found in reversed(list(cue.asked.finditer(question))):
            rest = _WORD_END.sub("", question[found.end() :], count=1)
            question = f"{question[: found.start()]}…{rest}"
    return question


def is_of_kind(text: str, cues: tuple[Cue, ...]) -> bool:
    """Whether a question asks for harms, funders and the like, and a sentence names them."""
    return any(cue.is_named for cue in cues) and names_what_is_asked(text, cues)


def names_what_is_asked(text: str, cues: tuple[Cue, ...]) -> bool:
    """Whether a sentence names the harm, funder and the like that a question asks for."""
    return all(cue.answers.search(text) for cue in cues if cue.is_named)


def finding_factor(text: str, cues: tuple[Cue, ...], section: str = "") -> float:
    """Factor for what cannot answer: no finding of the paper's own, or without the number that is asked for."""
    is_row, has_verb = "|" in text, VERB.search(text) is not None
    if any(cue.is_plan for cue in cues):
        is_finding = is_row or has_verb
    elif is_row:
        is_finding = _CELL.search(text) is not None
    else:
        is_told_of_others = NO_FINDING.search(text) or cites_authors(text)
        is_finding = has_verb and not is_told_of_others and not SHORT_FORMS.search(text)
    kept = 1.0 if is_finding and section != "introduction" else LOSS
    return kept * (1.0 if all(cue.answers.search(text) for cue in cues) else LACKS)
