"""What kind of sentence a question asks for, beyond its words: data, from the way papers are written.

"How many mice were used?"           →  sentences with numbers
"What was the effect of X on Y?"     →  sentences that report a comparison
"Why did growth stop?"               →  sentences that give a reason
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cue:
    """A kind of question.

    Attributes:
        asked: Found in such a question.
        answers: Found in the sentences that may answer it.
        weight: What such a sentence gains, as a share of its coverage.
    """

    asked: re.Pattern[str]
    answers: re.Pattern[str]
    weight: float


def _cue(asked: str, answers: str, weight: float) -> Cue:
    flags = re.IGNORECASE | re.VERBOSE
    return Cue(re.compile(asked, flags), re.compile(answers, flags), weight)


CUES = (
    # How many: numbers.
    _cue(
        r"""\bhow\ (?:many|much|often|long|old|large|big|high|far)\b | percent | proportion
        | \bwhat\ (?:dose|age|number|size|rate|score|fraction)\b
        | cu[aá]nt | wie\ ?viele? | いくつ | 何人 | 割合 | どのくらい""",
        r"\d | \b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|half|third|quarter)\b",
        0.35,
    ),
    # What effect: comparisons.
    _cue(
        r"""\beffects?\b | \bimpact | compared | \bversus\b | \bvs\b | differ
        | \b(?:increase|decrease|reduce|improve|affect|influence|change|shorten|prolong)
        | efecto | afecta | aumenta | reduce | auswirk | einfluss | beeinfluss | erhöh | senk | verkürz
        | 影響 | 効果""",
        r"""\b(?:increas|decreas|reduc|higher|lower|greater|fewer|less\b|more\b|longer|shorter|improv|worse|better|superior
            |inferior|similar|equal|differ|chang|rose|fell|declin|elevat|prevent|attenuat|enhanc|promot|inhibit
            |no\ effect)
        | \bp\ ?[<>=≤≥] | significan | \b95\ ?%\ ?CI\b | \bvs\b""",
        0.35,
    ),
    # Why: reasons.
    _cue(
        r"""\bwhy\b | \bhow\ (?:does|do|did|is|are|can)\b | mechanism | reason | caus
        | por\ qu[eé] | warum | wieso | なぜ | 機構 | メカニズム""",
        r"""\b(?:because|due\ to|since|therefore|thus|by\ (?:\w+ly\ )?\w+ing|through|via|mediat|leads?\ to|caus
            |result(?:s|ed)\ (?:in|from)|depend|responsible|mechanism|explain)""",
        0.25,
    ),
    # When: years and durations.
    _cue(
        r"\bwhen\b | \bwhat\ year\b | cu[aá]ndo | \bwann\b | いつ",
        r"\b(?:1[89]|20)\d\d\b | \b\d+\ ?(?:s|min|h|hours?|days?|weeks?|months?|years?)\b",
        0.25,
    ),
    # Which figure: callouts.
    _cue(r"\bfig(?:ure)?s?\b | \btables?\b", r"\b(?:fig(?:ure)?s?\.?|tables?)\ ?S?\d", 0.25),
    # Is it so: statements of what was found.
    _cue(
        r"""^(?:is|are|was|were|does|do|did|can|could|has|have|should|will)\b | ^¿
        | ^(?:ist|sind|hat|kann)\b | か[?？]$""",
        r"\b(?:we|our|these|this|conclu|suggest|demonstrat|show|found|indicat|confirm|no\ evidence|significan)",
        0.12,
    ),
)

# Sentences about how a study was planned rather than what it found, and about other studies.
ASIDE = re.compile(
    r"""\b(?:was|were)\ (?:calculated|analy[sz]ed|assessed|defined|compared\ using|performed|evaluated|recorded
        |randomi[sz]ed)\b
    | \b(?:aim|objective|purpose|hypothesi[sz]ed?|primary\ (?:outcome|end\ ?point)s?\ (?:was|were))\b
    | \bto\ (?:investigate|determine|assess|evaluate|examine)\b
    | \bsample\ size\b | \bfunded\ by\b | \bconflicts?\ of\ interest\b | \bet\ al\b.{0,40}\breported\b""",
    re.IGNORECASE | re.VERBOSE,
)
ASIDE_LOSS = 0.25


def cues_of(question: str) -> tuple[Cue, ...]:
    """The kinds that a question is of; several, or none."""
    return tuple(cue for cue in CUES if cue.asked.search(question.strip()))
