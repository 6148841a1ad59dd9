"""Word lists of the guards: data, no code beyond turning lists into look-up tables.

Words are written as a reader would; tables that are asked for by stem are stemmed once, here. The lists hold what
biomedical abstracts and trial reports really use; a word with a common second meaning ("growth", "fall ill") is left
out rather than guessed at.
"""

from __future__ import annotations

from functools import lru_cache

from Stemmer import Stemmer


def words(text: str) -> tuple[str, ...]:
    """The words of a text, parted by white space."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The distinct words of a text, parted by white space."""
    return frozenset(text.split())


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
STOP_WORDS = word_set(
    "a an the of in on at by to for from with within into onto upon via per as is are was were be been being am has "
    "have had having do does did done doing it its itself he she his her him they them their theirs yes we us our "
    "ours you your i me my this that these those there here which who whom whose what when where why how and or but "
    "if then than so such both either also however although though while whereas because since until unless whether "
    "thus hence therefore moreover furthermore additionally further may might can could should would will shall "
    "must about over under between among against during through across along around out off up down again very too "
    "just only even still yet own same other others another each every any some all most many much several few more "
    "less et al ie eg vs versus respectively conclusion conclusions background objective objectives aim aims "
    "methods results introduction purpose importance setting design findings context interpretation"
)

# Words of method and emphasis: present or missing, the statement is nearly the same.
GENERIC = stem_set(
    "study trial patient participant subject people person individual result finding show demonstrate suggest "
    "indicate report found observe data analysis analyses significantly statistically markedly substantially strongly "
    "clearly effect compare comparison use group level case number evidence associate related lead led cause due role "
    "play important essential necessary well known novel new previously recent human overall total approximately "
    "roughly nearly involve occur present respond response here conclude provide certain different various type "
    "common potential possible likely considerable following based treatment treated therapy receive allocate "
    "assigned randomised randomized change affect influence rate average mean median score value measure"
)

# What rises (+1) and what falls (-1), for verbs, nouns and comparatives alike.
INCREASES = words(
    "increase rise rose risen raise elevate enhance augment higher greater greatest more upregulate overexpress "
    "promote stimulate accelerate improve better boost amplify amplification longer longest prolong superior exceed "
    "potentiate strengthen heighten facilitate outperform exacerbate aggravate activate induce excess larger largest "
    "faster fastest stronger strongest hyperactivation expand upward maximize encourage favor favour surge soar climb"
)
DECREASES = words(
    "decrease reduce reduction decline drop fell fallen falling lower fewer fewest less diminish attenuate inhibit "
    "suppress downregulate underexpressed impair worsen worse worst shorten shorter shortest lessen weaken weaker "
    "block prevent alleviate ameliorate mitigate abolish abrogate inferior repress hamper hinder impede antagonize "
    "deteriorate slower slowest slowed smaller smallest restrict lesser minimize disrupt delay deprive curtail dampen "
    "shrink shrank shrunk halved plummeted plunged dwindled collapsed limits protect discourage diminution"
)

# How much of a rise or fall there is: "less decline", "decreased more".
DEGREES = word_set("less more smaller greater lower higher fewer larger stronger weaker lesser")

# A degree of what follows ("more aggressive"), a direction only beside another one or in a comparison.
ADVERBS_OF_DEGREE = frozenset({"more", "less"})

# Sentences that ask or plan, and so state nothing.
QUESTIONS = (
    "to determine", "to assess", "to evaluate", "to investigate", "to examine", "to compare", "to test", "to study",
    "to explore", "to identify", "to estimate", "whether", "hypothesi", "aimed", "we sought", "objective", "aim of",
    "purpose of", "it is unclear", "is unknown", "remains unclear", "remain unclear", "remains unknown",
)  # fmt: skip

# Words that share a stem with a word of direction and say something else.
OTHER_SENSES = word_set(
    "active actively activity activities fall falls limited limitation limitations inducible restriction restrictive "
    "improver promoter promoters enhancer enhancers inhibition suppression activation activator activators "
    "stimulation activated potential potentially suppressive protective activating"
)


# An effect without a direction.
EFFECT = word_set(
    "effect effects affect affects affected affecting difference differences different differ differs differed "
    "change changes changed association associations associated associate correlate correlated correlates "
    "correlation influence influenced influences impact impacts link linked links relationship relation related "
    "role benefit benefits beneficial efficacy effective involved involve involves contribute contributes "
    "contributed contribution depend depends alter alters altered regulate regulates regulated regulation require "
    "requires required necessary essential important"
)
# Negated, these say that nothing was shown.
PROVEN = word_set("significant significantly significance evident apparent")
# Words that by themselves say that nothing happened.
SAME = word_set("same alike constant stable steady stabilised stabilized plateaued null zero")
NO_EFFECT = word_set(
    "unaffected unchanged unaltered similar similarly comparable equivalent equal identical nonsignificant "
    "insignificant ineffective unrelated uncorrelated independent independently irrespective regardless noninferior "
    "useless"
)

NEGATIONS = word_set(
    "no not never neither nor none cannot without nothing nobody n't non unable incapable unlikely hardly barely "
    "scarcely rarely failed fail fails failing failure refute refutes refuted disprove unaware little false untrue"
)
# Negation words that negate nothing in their place.
FALSE_NEGATIONS = tuple(
    each.replace("_", " ")
    for each in words(
        "not_only no_less_than no_more_than no_later_than no_fewer_than whether_or_not with_or_without not_least "
        "heart_failure renal_failure kidney_failure liver_failure hepatic_failure respiratory_failure organ_failure "
        "treatment_failure virologic_failure failure_rate time_to_failure no."
    )
)
# A negation that reaches only the words right after it.
SHORT_NEGATIONS = frozenset({"without", "non"})
# A negation does not reach past these.
SCOPE_ENDS = word_set("but however although though whereas while because which who except despite yet therefore")

OPPOSITES = words(
    "positive/negative positively/negatively early/late earlier/later before/after male/female men/women man/woman "
    "boys/girls young/old younger/older acute/chronic lengthened/shortened lengthening/shortening "
    "sensitive/resistant sensitivity/resistance agonist/antagonist high/low highly/poorly highest/lowest "
    "activator/inhibitor activation/inhibition activation/suppression induction/suppression stimulation/inhibition "
    "gain/loss lack/presence lacking/having activator/repressor upstream/downstream dependent/independent "
    "dependently/independently present/absent presence/absence include/exclude benign/malignant primary/secondary "
    "left/right systolic/diastolic dominant/recessive anterior/posterior intracellular/extracellular "
    "homozygous/heterozygous vivo/vitro first/last maximum/minimum maximal/minimal always/never similar/different "
    "similar/distinct common/rare with/without above/below success/failure successful/unsuccessful succeed/fail "
    "majority/minority strong/weak strongly/weakly fast/slow rapid/slow short/long large/small tall/short "
    "deep/shallow upper/lower acidic/alkaline excitatory/inhibitory beneficial/harmful beneficial/detrimental "
    "safe/unsafe risk/protective best/worst better/worse superior/inferior overestimate/underestimate "
    "overweight/underweight inpatient/outpatient proximal/distal distinguishable/indistinguishable "
    "directly/indirectly direct/indirect simultaneously/separately gram-positive/gram-negative"
)
OPPOSITE_PREFIXES = tuple(
    each.split("/") for each in words("hyper/hypo pro/anti up/down over/under pre/post /un /in /im /ir /non /dis /anti")
)

# Doubt: a claim without it goes further than a passage with it.
HEDGES = word_set(
    "may might could possibly perhaps putative putatively hypothesize hypothesized hypothesise hypothesised "
    "speculate speculated postulate postulated unclear unknown"
)


DIRECTIONS = {**dict.fromkeys(map(stem, INCREASES), 1), **dict.fromkeys(map(stem, DECREASES), -1)}
_PAIRS = {(stem(one), stem(other)) for one, _, other in (each.partition("/") for each in OPPOSITES)}
PEOPLE = {**dict.fromkeys(("women", "femal"), "woman"), **dict.fromkeys(("men", "male"), "man")}
"""Stems of one meaning, which no rule of endings joins."""
OPPOSITE = frozenset(pair for one, other in _PAIRS for pair in ((one, other), (other, one)))


def direction(word: str, root: str) -> int:
    """+1 for a word of increase, in lower case and with its stem, -1 for one of decrease, else 0."""
    return 0 if word in OTHER_SENSES else DIRECTIONS.get(root, 0)
