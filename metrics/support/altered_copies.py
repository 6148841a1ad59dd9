"""What the changes of a copy make wrong: what it adds, negates, turns, renames, promises, moves, and leaves out.

    quote   "Femur density did not fall by more than 12 % in flight mice."
    claim   "Femur density did fall by more than 12 % in flight mice."                       negation
    claim   "Femur density did not fall by more than 12 % in diabetic mice."                 exchange: diabetic
    claim   "Femur density did not fall by more than 12 % in flight mice, which proves it."  addition: proves
    quote   "The hypothesis that zinc works was rejected."     claim   "Zinc works."         clipped: hypothesis

Grammar, words of reporting and other names of one thing add nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from metrics.sentences import sentence_texts
from metrics.support import lexicon
from metrics.support.alignment import CLAUSE_END, FEWEST_WORDS, Alignment, Change, alignments, nearest, words_of
from metrics.support.directions import follows_from_probability
from metrics.support.lexicon import listed, stem, word_set
from metrics.support.quantities import MULTIPLES, same
from metrics.support.sentence_features import Token, content, forms, read
from metrics.support.verdict import Veto

_ASKS = re.compile(r"[?？][.!?\s\"'”’»*_)]*$")
_HARMLESS = listed("harmless")  # words by which a copy reports, links or spells, and which add nothing
_POPULATION = listed("population")
_PEOPLE = _POPULATION | word_set("man men woman women boy boys girl girls male males female females")
_ABSOLUTE = listed("absolute")  # words of grammar and method that change what is said where a copy adds them
_KINDS = (
    word_set("may might can could would should must will shall possibly perhaps likely potentially"),
    word_set("because since therefore thus hence due owing so consequently"),
    word_set("if unless until whether"),
    word_set("lead leads led cause causes caused resulted"),
    word_set("few hardly little"),
    word_set("too"),
)
"""Small words that a copy may have only where the sentence has one of the same kind."""
_PARTS = word_set("half halves third thirds quarter quarters fifth tenth halved halving double triple") | {*MULTIPLES}
_MORE = lexicon.ADVERBS_OF_DEGREE | {"fewer"}
_BOUNDS = listed("bounds")
_SIGNS = frozenset("<>≤≥~≈%×±&=°+-→®™·")  # signs that may stand for a word, or for each other
_JOINS = frozenset({"by", "from", "to", "±"})  # what a number has before it, each of another meaning
_PERIODS = word_set("second minute hour day night week month year dose")
_APART = word_set("rather instead")
_NAME = re.compile(r"[A-Z]|\d")
_QUALIFIES = re.compile(
    r"(?:but|and)?\s*(?:not(?! shown)|no\b|non|neither|except|without|only|n\.?s\b)|.*significan", re.I
)
"""What in brackets turns the sentence around them: "(but not in women)", "(the difference was not significant)"."""


def altered(claim: str, quotes: Sequence[str], titles: Sequence[str] = ()) -> Iterator[Veto]:
    """What is certainly wrong with a copy; of a claim in other words, only numbers and names in another order.

    Args:
        claim: A statement.
        quotes: Which it may copy.
        titles: Of their papers; what they say is not added.
    """
    copied = nearest(claim, quotes)
    yield from (each for each in additions(claim, quotes, titles) if each.certain)
    yield from _clipped(claim, quotes)
    if copied and (copied.is_near or copied.is_whole):  # around a whole sentence: "it is false that"
        for change in copied.changes:
            is_own_clause = not copied.is_near and bool(_HAS_VERB.search(change.claimed)) and change.first > 0
            if not is_own_clause and not follows_from_probability(change.claimed, quotes):
                yield from _negated(change)
            yield from _turned(change, copied)
            yield from _renamed(change)
            yield from _assured(change)
        yield from _moved(copied)
        yield from _spliced(copied)
        if copied.is_near:
            yield from _strange(copied, [quote for quote in quotes if copied.text not in quote])
        return
    for each in alignments(claim, quotes):
        if set(each.ours).issubset(each.theirs):
            yield from _moved(each)
            yield from _spliced(each)


def permuted(claim: str, texts: Sequence[str]) -> bool:
    """Whether a claim has the words of a sentence in another order, but for a part put first and for adverbs.

    "A than B" as "B than A"; where both sides may be exchanged, as in "as good as", it may be true all the same.
    """
    ours, *others = (
        [word for word in words_of(text) if not word.endswith("ly")] for text in (claim, *sentence_texts(*texts))
    )
    return any(
        sorted(ours) == sorted(theirs) and not any(theirs[at:] + theirs[:at] == ours for at in range(len(ours)))
        for theirs in others
    )


# What is added.


def own_words(claim: str, quotes: Sequence[str], titles: Sequence[str] = ()) -> str:
    """The first thing that a copy adds, certainly or not, which a judge that knows only words cannot judge.

    Empty if the claim is not a copy or adds nothing.
    """
    return next((each.reason for each in additions(claim, quotes, titles)), "")


def additions(claim: str, quotes: Sequence[str], titles: Sequence[str] = ()) -> Iterator[Veto]:
    """What a copy adds to the sentence that it copies, and the titles of the papers do not say.

    Words in the place of others may be true ones for the same thing: of these only few are certain.
    """
    copied = nearest(claim, quotes)
    if copied is None:
        return
    known = _Known([*quotes, *titles])
    for change in copied.changes:
        if change.ours and not follows_from_probability(" ".join(change.ours), quotes):
            yield from _added_words(change, copied, known)
            yield from _added_to_numbers(change, copied, known)
    if not lexicon.PROVEN.intersection(copied.ours):
        for one, word in pairwise(copied.theirs):
            if one in ("no", "not") and word in lexicon.PROVEN and one in copied.ours:
                yield Veto("doubt", f'the quotes only say "{one} {word}"')
    if copied.is_whole and _ASKS.search(claim) and not any("?" in quote for quote in quotes):
        yield Veto("addition", "it asks what the quotes say")


class _Known:
    """The words of quotes and titles, as printed and by their other forms."""

    def __init__(self, texts: Sequence[str]) -> None:
        text = "\n".join(texts)
        self.words = frozenset(words_of(text))
        self._forms = frozenset(form for token in read(text).tokens for form in forms(token))

    def hold(self, word: str) -> bool:
        """Whether they say a word in any form."""
        found = (form for token in read(word).tokens for form in forms(token))
        return word in self.words or stem(word) in self._forms or not self._forms.isdisjoint(found)


def _added_words(change: Change, copied: Alignment, known: _Known) -> Iterator[Veto]:
    theirs = change.theirs
    is_certain = copied.is_whole or not (_POPULATION | _ABSOLUTE).isdisjoint(change.ours)
    for place, word in enumerate(change.ours, start=change.first):
        is_rate = word == "only" and _has_number(copied.ours[place + 1 : place + 3])  # truly or not: none judges it
        if word.count(".") > 1 and word not in known.words:  # as the day "12.05.2014"
            yield Veto("numbers", f"the quotes do not hold {word}")
        if not word[0].isalpha() or word in theirs or stem(word) in copied.left or is_rate:
            continue
        is_small = any(word in kind and kind.isdisjoint(theirs) for kind in _KINDS)
        is_small |= word in _MORE and not any(each.direction for each in read(" ".join(theirs)).tokens)
        is_small |= word in _PARTS and _PARTS.isdisjoint(theirs) and not _has_number(theirs)
        if is_small and word not in copied.theirs:
            yield Veto("addition", f'it says "{word}", which the quotes do not say there', certain=False)
        is_once_more = copied.ours.count(word) > copied.theirs.count(word) > 0 and bool(theirs)
        is_other = word in _PEOPLE and _PEOPLE.isdisjoint(theirs)  # men, where the quotes tell of males, of mice
        is_held = known.hold(word) and (word in known.words or (bool(theirs) and not is_other)) and not is_once_more
        if is_held or not _says_something(word, theirs):
            continue
        instead = next((each for each in theirs if each[0].isalpha() and each not in lexicon.STOP_WORDS), "")
        if instead:
            yield Veto("exchange", f'the quotes say "{instead}" there, it says "{word}"', certain=is_certain)
        else:
            yield Veto("addition", f'it adds "{word}", which the quotes do not say there', certain=is_certain)


def _says_something(word: str, theirs: Sequence[str]) -> bool:
    """Whether a word that the quotes do not hold changes what is said; of negations and units others judge."""
    if word in _ABSOLUTE:
        return True
    if word in _POPULATION:
        return _POPULATION.isdisjoint(theirs)
    is_small = word in lexicon.STOP_WORDS or word in _HARMLESS or word in lexicon.NEGATIONS
    if is_small or stem(word) in lexicon.GENERIC or (len(word) > 1 and read(f"x {word}").quantities):
        return False
    measured = read(f"2 {word}").tokens
    return not (len(measured) == 1 and measured[0].quantity and measured[0].quantity.dimension)


def _added_to_numbers(change: Change, copied: Alignment, known: _Known) -> Iterator[Veto]:
    """Signs and bounds that a copy adds; and "to" a number, where the sentence says by how much, or a spread."""
    ours, theirs = _JOINS.intersection(change.ours), _JOINS.intersection(change.theirs)
    behind = change.first + len(change.ours)
    if len(ours) == len(theirs) == 1 and ours != theirs and _has_number(copied.ours[behind : behind + 1]):
        yield Veto("numbers", f'it says "{min(ours)}" before a number, the sentence that it copies "{min(theirs)}"')
    numbers = {each for each in change.ours if each[0].isdigit()}
    if len(change.ours) >= FEWEST_WORDS and numbers <= known.words:  # a separate clause
        return
    for sign in change.ours:
        is_spelled = sign in _SIGNS and any(each.isalpha() or each in _SIGNS for each in change.theirs)
        is_there = sign in known.words and (sign != "±" or bool(change.theirs))  # one more makes a value a spread
        if not (sign[0].isalpha() or sign[0].isdecimal() or is_spelled or is_there or sign in "=®™"):
            yield Veto("addition", f'it adds "{sign}"')
    for place, word in enumerate(change.ours if _BOUNDS.isdisjoint(change.theirs) else (), start=change.first):
        beside = copied.ours[place + 1 : place + (2 if word == "than" else 3)]
        beside += copied.ours[max(0, place - 3) : place - 1] if copied.ours[place - 1] == "or" else ()
        there = copied.theirs.count(word)  # "two or more" elsewhere does not excuse "58 or more"
        is_added = not there or (copied.ours[place - 1] == "or" and copied.ours.count(word) > there)
        if word in _BOUNDS and is_added and _has_number(beside):
            yield Veto("addition", f'it adds "{word}" to a number')
    for place, word in enumerate(change.ours, start=change.first):
        is_rate = word in ("a", "an", "each", "every", "per") and not _PERIODS.isdisjoint(
            copied.ours[place + 1 : place + 2]
        )
        if is_rate and word not in change.theirs and _has_number(copied.ours[max(0, place - 2) : place]):
            yield Veto("addition", f'it adds "{word}" to a number')


def _has_number(words: Sequence[str]) -> bool:
    return any(each[0].isdigit() for each in words)


# What is exchanged, or has gone.


def _strange(copied: Alignment, others: Sequence[str]) -> Iterator[Veto]:
    """A number of the copy that its sentence has in another unit or not at all, be it reckoned from two others."""
    given = read(copied.text).quantities
    for token in read(copied.claim).tokens:
        quantity = token.quantity
        if quantity is None or not any(map(str.isdigit, token.text)) or any(same(quantity, each) for each in given):
            continue
        rivals = [each for each in given if math.isclose(abs(each.printed), abs(quantity.printed))]
        if quantity.dimension and any(each.dimension for each in rivals):
            yield Veto("units", f"the quotes do not hold {token.text}", opposed=True)
        elif not rivals:
            following = re.match(r"\s?[^\W\d_]{3,}", copied.claim[token.end :])
            counted = re.escape(token.text + following[0]) if following else "(?!)"  # "32 participants"
            if not any(re.search(rf"(?<![\w.]){counted}\b", quote) for quote in others):
                yield Veto("numbers", f"the sentence that it copies does not hold {token.text}")


def _negated(change: Change) -> Iterator[Veto]:
    if change.is_aside and not change.claimed and (change.given == "NO" or not _QUALIFIES.match(change.given)):
        return
    ours, theirs = ([token.text for token in side if token.denies] for side in change.tokens)
    if not _APART.isdisjoint(change.theirs) and _APART.isdisjoint(change.ours) and "and" in change.ours:
        yield Veto("negation", 'it says "and" where the sentence that it copies says "rather than" or "instead"')
    if len(ours) % 2 == len(theirs) % 2:
        return
    if len(ours) > len(theirs):
        yield Veto("negation", f'it says "{ours[-1]}", the quotes do not', opposed=True)
    elif not CLAUSE_END.search(change.given, change.given.rfind(theirs[-1]) + 1):
        yield Veto("negation", f'the quotes say "{theirs[-1]}", it does not', opposed=True)


def _turned(change: Change, copied: Alignment) -> Iterator[Veto]:
    """Opposite directions, opposite words and other numbers in each other's place."""
    units = [read(f"2 {text}").quantities for text in (change.claimed, change.given)]
    if all(len(each) == 1 and each[0].dimension for each in units) and not same(units[0][0], units[1][0]):
        yield Veto("units", f"the quotes say {change.given} there, it says {change.claimed}", opposed=True)
    ours, theirs = change.tokens
    numbers = [[token for token in side if token.quantity is not None] for side in (ours, theirs)]
    for one in ours:
        for other in theirs:
            if one.direction and other.direction and one.direction != other.direction:
                yield Veto("direction", f'the quotes say "{other.text}", it says "{one.text}"', opposed=True)
            elif _are_opposite(one, other) and one.negated == other.negated:
                yield Veto("opposite", f'the quotes say "{other.text}", it says "{one.text}"', opposed=True)
            elif numbers == [[one], [other]] and one.quantity and other.quantity and not _all_in_order(copied):
                alike = one.quantity.dimension == other.quantity.dimension
                if alike and not same(one.quantity, other.quantity):
                    yield Veto("numbers", f"the quotes say {other.text} there, it says {one.text}", opposed=True)


def _are_opposite(one: Token, other: Token) -> bool:
    """Whether two words are opposites: "early" and "late", "hyperactive" and "hypoactive"."""
    pairs = [(one.key, other.key), (other.key, one.key)]
    is_word = one.kind == other.kind == "word"
    return pairs[0] in lexicon.OPPOSITE or any(
        is_word and this == first + that.removeprefix(second) and len(this) > len(first) + 3
        for first, second in lexicon.OPPOSITE_PREFIXES
        for this, that in pairs
        if that.startswith(second)
    )


def _renamed(change: Change) -> Iterator[Veto]:
    """One name in the place of another: "IL-10" for "IL-6"; a short form of the same thing is none."""
    ours, theirs = change.claimed.strip(), change.given.strip()
    one, other = (re.sub(r"\W", "", each).lower() for each in (ours, theirs))
    if _is_name(ours) and _is_name(theirs) and one not in other and other not in one:
        yield Veto("name", f"the quotes say {theirs}, it says {ours}")


def _is_name(text: str) -> bool:
    tokens = read(f"x {text}").tokens
    return " " not in text and any(token.kind == "name" for token in tokens) and bool(_NAME.search(text[1:]))


def _assured(change: Change) -> Iterator[Veto]:
    """A doubt of the original in whose place the copy has none."""
    ours, theirs = change.tokens
    doubts = [token.text for token in theirs if _is_doubtful(token)]
    if doubts and not any(token.word in lexicon.HEDGES for token in ours):
        yield Veto("doubt", f'the quotes only say "{doubts[0]}"')


def _spliced(copied: Alignment) -> Iterator[Veto]:
    """A verb of one clause given to the subject of another: "Zinc was taken, but copper was stopped", zinc stopped."""
    for change in copied.changes:
        *clauses, subject = CLAUSE_END.split(change.given)
        counted = [read(f"the {each}").tokens[-1:] for each in (subject, change.before)]
        are_counts = all(each and each[0].quantity for each in counted)
        is_other = not content(f"the {subject}", numbers=False) <= content(copied.claim)
        is_exchanged = are_counts or (_HAS_VERB.fullmatch(change.after) and is_other)
        if not change.claimed and is_exchanged and any(map(_HAS_VERB.search, clauses)):
            yield Veto("exchange", f'the quotes say "{change.after}" of something else')


def _moved(copied: Alignment) -> Iterator[Veto]:
    """Numbers or names of the original in another order."""
    for kind in ("quantity", "name"):
        own, given = ([each for each in read(text).tokens if each.kind == kind] for text in (copied.claim, copied.text))
        runs = _runs(given, copied.text)
        ours, theirs = (
            [key for key, _ in groupby(runs.get(_name_or_number(each), _name_or_number(each)) for each in side)]
            for side in (own, given)
        )
        if len(set(ours)) > 1 and set(ours) <= set(theirs) and not _in_order(ours, theirs):
            yield Veto("exchange", "the quotes have its numbers or names in another order")


def _runs(names: Sequence[Token], text: str) -> dict[str, str]:
    """By name the first one of those it is side by side with: "Lunar Prodigy DXA" is one, in whatever order."""
    first: dict[str, str] = {}
    for before, each in pairwise(names):
        if before.kind == "name" and not text[before.end : each.start].strip(" -"):
            first[_name_or_number(each)] = first.setdefault(_name_or_number(before), _name_or_number(before))
    return first


def _name_or_number(token: Token) -> str:
    """A name, or a number whatever its unit: of "25 through 64 years" only the last one has one."""
    return token.key if token.quantity is None else f"{abs(token.quantity.printed):g}"


def _all_in_order(copied: Alignment) -> bool:
    """Whether three and more numbers of a copy are in the sentence in their order, with others left out."""
    ours, theirs = (
        [_name_or_number(each) for each in read(text).tokens if each.quantity] for text in (copied.claim, copied.text)
    )
    of_names = sum(word[0].isdigit() for word in copied.ours) > len(ours)  # "IL-10"
    return len(ours) > 2 and not of_names and _in_order(ours, theirs)


def _in_order(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether one list is the other with some left out."""
    rest = iter(theirs)
    return all(each in rest for each in ours)


# What is left out: a negation, a doubt, a condition, somebody's word, the verb.

_CONDITIONS = re.compile(
    r"\b(?:if|unless|only|except|whether|according to|hypothes[ei]\w+|myth|claim(?:ed|s)?|alleg\w+|thought|believed?|"
    r"assum\w+|expect\w+|suppos\w+|would|theor\w+|false|wrong(?:ly)?|untrue)\b",
    re.IGNORECASE,
)
"""Words in front of a statement that make it a condition, a supposition, or somebody's word."""
_OWN_CLAUSE = re.compile(
    r"[;:]|,?\s(?:but|however|whereas|while|although)\b,?|,\s(?:and|yet|so)\b"
    r"|^(?:[Aa]lthough|[Tt]hough|[Ww]hile|[Bb]ecause|[Ss]ince|[Ww]hereas|[Dd]espite)\b[^,]*,"
)
"""What a statement follows that the words in front of do not reach: "only two died, and …"."""
_TAKEN_BACK = re.compile(
    r"\W*(?:(?:is|was|were|has been)\s(?:what|rejected|refuted|wrong|false|untrue|a myth|not (?:true|confirmed))\b"
    r"|in theory\b|which (?!\w+ not the case for)(?:\w+ ){1,4}?(?:not|never|rejected|refuted|wrong|false)\b)"
    r"|\s(?:who|whose)\b",
    re.IGNORECASE,
)
"""Words behind a statement that take it back, or say for whom alone it is."""
_FINITE = (
    r"(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|may|might|will|would|shall|should|must|shows|showed|"
    r"suggests|suggested|indicates|indicated|found|appears|appeared|remained|became|led|resulted|increased|decreased|"
    r"reduced|improved|rose|fell|declined|differed|occurred|received)"
)
"""Verbs that make a statement of what is before them."""
_HAS_VERB = re.compile(rf"\b{_FINITE}\b", re.IGNORECASE)
_CONTINUES = re.compile(rf"[\s,)\]}}%\"'”’]*(?:\w+ly\s+)?(?P<verb>{_FINITE}\b(?:\s\S+){{0,2}})", re.IGNORECASE)


def _clipped(claim: str, quotes: Sequence[str]) -> Iterator[Veto]:
    """Part of a sentence without what makes it less; where another sentence holds the claim as well nothing is said."""
    copied = nearest(claim, quotes)
    left_out: list[str] = []
    if not (claim.rstrip().endswith("?") or _turns(claim)):
        is_open = not _CONDITIONS.search(claim)
        left_out = [_condition(each) for each in alignments(claim, quotes) if each.is_within and is_open]
        if not any(left_out):
            left_out = [_turning_words(copied)] if copied and copied.is_near else []
    if any(left_out):
        yield Veto("clipped", f'it leaves out "{left_out[0]}"')
    elif copied and copied.is_near and copied.ends:
        follows = _CONTINUES.match(copied.text, copied.end)
        if follows and not any(_HAS_VERB.search(change.claimed) for change in copied.changes):
            yield Veto("clipped", f'it stops where the paper continues "{follows["verb"]}"')


def _condition(cut: Alignment) -> str:
    """What around a part of a sentence makes it less than said: empty if nothing does."""
    if cut.text.rstrip(" \"'”’)").endswith("?"):
        return "?"
    opening = max((each.end() for each in _OWN_CLAUSE.finditer(cut.text, 0, cut.start)), default=0)
    if said := _CONDITIONS.search(cut.text, opening, cut.start) or _TAKEN_BACK.match(cut.text, cut.end):
        return said[0].strip(" ,")
    return _turning_words(cut)


def _turning_words(cut: Alignment) -> str:
    """What the clause of a part of a sentence has beside it that turns it; empty if nothing does."""
    before, after = CLAUSE_END.split(cut.text[: cut.start])[-1], CLAUSE_END.split(cut.text[cut.end :], maxsplit=1)[0]
    return before.strip() if _turns(before) else after.strip() if _denies_or_doubts(after) else ""


def _turns(text: str) -> bool:
    """Whether a text denies, doubts or asks."""
    lower = text.lower()
    return _denies_or_doubts(text) or any(question in lower for question in lexicon.QUESTIONS)


def _denies_or_doubts(text: str) -> bool:
    return any(token.cue or _is_doubtful(token) for token in read(text).tokens)


def _is_doubtful(token: Token) -> bool:
    """Whether a word makes a statement doubtful; "May" is a month."""
    return token.word in lexicon.HEDGES and token.text != "May"
