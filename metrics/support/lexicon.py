"""Word lists of the guards: data, no code beyond turning lists into look-up tables.

Words are written as a reader would; tables that are asked for by stem are stemmed once, here. The lists hold what
biomedical abstracts and trial reports really use; a word with a common second meaning ("growth", "fall ill") is left
out rather than guessed at.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from Stemmer import Stemmer


def words(text: str) -> tuple[str, ...]:
    """The words of a text, parted by white space."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The distinct words of a text, parted by white space."""
    return frozenset(text.split())


WORDS = dict(line.split("\t") for line in (files(__package__) / "words.tsv").read_text(encoding="utf-8").splitlines())
"""Lists of words by what they are."""


def listed(name: str) -> frozenset[str]:
    """The words of a list of ``words.tsv``."""
    return word_set(WORDS[name])


_FORMS = words(
    "give:gave,given,giving take:took,taken,taking begin:began,begun become:became choose:chose,chosen "
    "eat:ate,eaten keep:kept know:knew,known make:made,making say:said send:sent show:showed,shown sleep:slept "
    "spend:spent tell:told think:thought undergo:underwent,undergone write:wrote,written"
)
_BASE = {form: base for base, _, forms in (each.partition(":") for each in _FORMS) for form in forms.split(",")}
"""Forms of irregular verbs, which no rule of endings joins; none of those that tell a direction."""

# Without its own cache a call is one step under the interpreter's lock, so threads may share the stemmer.
_english = Stemmer("english", 0)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case English word, by the Snowball project: "inhibited", "inhibits" → "inhibit"."""
    return str(_english.stemWord(_BASE.get(word, word)))


def stem_set(text: str) -> frozenset[str]:
    """The stems of the words of a text."""
    return frozenset(map(stem, text.split()))


# Grammar: says nothing about the topic, so it neither counts for nor against a match.
STOP_WORDS = listed("stop words")

# Words of method and emphasis: present or missing, the statement is nearly the same.
GENERIC = stem_set(WORDS["generic"])

# A degree of what follows ("more aggressive"), a direction only beside another one or in a comparison.
ADVERBS_OF_DEGREE = frozenset({"more", "less"})

# Sentences that ask or plan, and so state nothing.
QUESTIONS = (
    "to determine", "to assess", "to evaluate", "to investigate", "to examine", "to compare", "to test", "to study",
    "to explore", "to identify", "to estimate", "whether", "hypothesi", "aimed", "we sought", "objective", "aim of",
    "purpose of", "it is unclear", "is unknown", "remains unclear", "remain unclear", "remains unknown",
)  # fmt: skip

# Words that share a stem with a word of direction and say something else.
OTHER_SENSES = listed("other senses")


# An effect without a direction.
EFFECT = listed("effect")
# Negated, these say that nothing was shown.
PROVEN = word_set("significant significantly significance evident apparent")
# Words that by themselves say that nothing happened.
SAME = listed("same")
NO_EFFECT = listed("no effect")

NEGATIONS = listed("negations")
# Negation words that negate nothing in their place.
FALSE_NEGATIONS = tuple(
    each.replace("_", " ")
    for each in words(
        "not_only a_little no_less_than no_more_than no_later_than no_fewer_than whether_or_not with_or_without "
        "not_least heart_failure renal_failure kidney_failure liver_failure hepatic_failure respiratory_failure "
        "organ_failure treatment_failure virologic_failure failure_rate time_to_failure no."
    )
)
# A negation does not reach past these.
SCOPE_ENDS = word_set("but however although though whereas while because which who except despite yet therefore")

OPPOSITE_PREFIXES = tuple(
    each.split("/") for each in words("hyper/hypo pro/anti up/down over/under pre/post /un /in /im /ir /non /dis /anti")
)

# Doubt: a claim without it goes further than a passage with it.
HEDGES = listed("hedges")


DIRECTIONS = {stem(word): sign for name, sign in (("increases", 1), ("decreases", -1)) for word in words(WORDS[name])}
"""What rises (+1) and what falls (-1), by stems, for verbs, nouns and comparatives alike."""
_PAIRS = {(stem(one), stem(other)) for one, _, other in (each.partition("/") for each in words(WORDS["opposites"]))}
PEOPLE = {**dict.fromkeys(("women", "femal"), "woman"), **dict.fromkeys(("men", "male"), "man")}
"""Stems of one meaning, which no rule of endings joins."""
OPPOSITE = frozenset(pair for one, other in _PAIRS for pair in ((one, other), (other, one)))
