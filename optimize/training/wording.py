"""Trials' findings in words: the true effect, another effect, the arms the other way round, hedged and denied.

intervention "simvastatin", comparator "placebo", outcome "vascular mortality", effect "significantly decreased"
→ "Vascular mortality was lower with simvastatin than with placebo."            supported
→ "Simvastatin raised vascular mortality compared with placebo."                contradicted
→ "Placebo led to less vascular mortality than simvastatin."                    contradicted
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal

import yaml

from optimize.training.labelled_claims import Label, Pair

Effect = Literal["more", "less", "same"]
EFFECTS: dict[str, Effect] = {
    "significantly increased": "more",
    "significantly decreased": "less",
    "no significant difference": "same",
}

_FORMS: dict[str, list[str]] = yaml.safe_load((files("optimize.training") / "wording.yaml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class TrialFinding:
    """What a trial found on one outcome: ``effect`` of the intervention against the comparator."""

    intervention: str
    comparator: str
    outcome: str
    effect: Effect


def true_statement(finding: TrialFinding, generator: random.Random) -> str:
    """The finding in one of many wordings."""
    if finding.effect == "same":
        forms = generator.choices((_FORMS["same"], _FORMS["not_more"], _FORMS["not_less"]), (8, 1, 1))[0]
        return _filled(generator.choice(forms), finding, generator)
    kind = generator.random()
    if kind < 0.12:
        return _filled(generator.choice(_FORMS["differs"]), finding, generator)
    if kind < 0.30:
        return _filled(generator.choice(_FORMS["different"]), swapped(finding), generator)
    return _filled(generator.choice(_FORMS["different"]), finding, generator)


def false_statement(finding: TrialFinding, generator: random.Random) -> str:
    """The finding made false: another effect, the arms exchanged, a difference denied or invented."""
    if finding.effect == "same":
        if generator.random() < 0.2:
            return _filled(generator.choice(_FORMS["differs"]), finding, generator)
        other = replace(finding, effect=generator.choice(("more", "less")))
        return _filled(generator.choice(_FORMS["different"]), other, generator)
    kind = generator.random()
    if kind < 0.35:
        unchanged = "not_more" if finding.effect == "more" else "not_less"
        forms = _FORMS["same" if generator.random() < 0.7 else unchanged]
        return _filled(generator.choice(forms), finding, generator)
    turned = replace(finding, effect="less" if finding.effect == "more" else "more")
    if kind < 0.55:
        turned = swapped(turned)
    return _filled(generator.choice(_FORMS["different"]), turned, generator)


def any_statement(finding: TrialFinding, generator: random.Random) -> str:
    """The finding with an effect drawn at random, for premises that say nothing of its outcome."""
    drawn = replace(finding, effect=generator.choices(("more", "less", "same"), (3, 3, 2))[0])
    return true_statement(drawn, generator)


def swapped(finding: TrialFinding) -> TrialFinding:
    """The same finding distinguished from the other arm."""
    other: dict[Effect, Effect] = {"more": "less", "less": "more", "same": "same"}
    return TrialFinding(finding.comparator, finding.intervention, finding.outcome, other[finding.effect])


def _filled(form: str, finding: TrialFinding, generator: random.Random) -> str:
    more = finding.effect == "more"
    text = form.format(
        i=phrase(finding.intervention),
        c=phrase(finding.comparator),
        o=phrase(finding.outcome),
        v=generator.choice(_FORMS["more_verbs"] if more else _FORMS["less_verbs"]),
        d=generator.choice(_FORMS["more"] if more else _FORMS["less"]),
        g=generator.choice(_FORMS["gain"] if more else _FORMS["loss"]),
    )
    return opened(text.replace("significantly significantly", "significantly"))


def phrase(text: str) -> str:
    """A field inside a sentence: a capital that only opened the field goes ("Mortality", not "HbA1c" or "IL-6")."""
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first[:1].isupper() and first[1:].islower() else text


# Pairs whose premise reports a finding in numbers alone, made from trials' arms and outcomes.
#
# premise "Mortality was 26.1% with statins versus 45.0% with placebo (P = 0.02)."
# claims  "Statins reduced mortality compared with placebo."     supported
#         "Mortality was higher with statins than with placebo." contradicted

_NUMBER_FORMS = yaml.safe_load((files("optimize.training") / "figures.yaml").read_text(encoding="utf-8"))
LONGEST_PHRASE = 9
"""Words of an arm or an outcome; a longer description of a regimen would crowd the numbers out."""
SHARES = {"reported": 60, "ratio": 15, "tested": 10, "sized": 15}
"""How often each kind is made, of 100."""


def figures(findings: Iterable[tuple[TrialFinding, str]], generator: random.Random) -> Iterator[Pair]:
    """A true and a false claim on made-up numbers for each finding's arms and outcome; its effect is not used."""
    for finding, document in findings:
        fields = (finding.intervention, finding.comparator, finding.outcome)
        if any(len(each.split()) > LONGEST_PHRASE for each in fields):
            continue
        kind = generator.choices(list(SHARES), list(SHARES.values()))[0]
        claims = _sized(finding, generator) if kind == "sized" else _compared(kind, finding, generator)
        for claim, premise, label in claims:
            yield Pair(claim, premise, label, "figures", document)


def _compared(kind: str, finding: TrialFinding, generator: random.Random) -> Iterator[tuple[str, str, Label]]:
    effect: Effect = generator.choice(("more", "less", "same"))
    if kind == "tested":
        effect = "same"
    drawn = replace(finding, effect=effect)
    premise = _ratio(drawn, generator) if kind == "ratio" else _reported(kind, drawn, generator)
    yield true_statement(drawn, generator), premise, "supported"
    yield false_statement(drawn, generator), premise, "contradicted"


def _reported(kind: str, finding: TrialFinding, generator: random.Random) -> str:
    high, low = _two_values(generator)
    arms = [(phrase(finding.intervention), high), (phrase(finding.comparator), low)]
    if finding.effect == "less" or (finding.effect == "same" and generator.random() < 0.5):
        arms = [(arms[0][0], low), (arms[1][0], high)]
    generator.shuffle(arms)
    (a, x), (b, y) = arms
    form = generator.choice(_NUMBER_FORMS[kind])
    return opened(form.format(o=phrase(finding.outcome), a=a, b=b, x=x, y=y, p=_test(finding.effect, generator)))


def _two_values(generator: random.Random) -> tuple[str, str]:
    """The higher and the lower one, written alike."""
    size, decimals = generator.choice((1, 10, 10, 100)), generator.choice((0, 1, 1, 2))
    low = generator.uniform(0.5, 9) * size
    high = low * generator.uniform(1.08, 2.5) + 10**-decimals
    if generator.random() < 0.5 and high < 100:
        return f"{high:.{decimals}f}%", f"{low:.{decimals}f}%"
    if generator.random() < 0.4:
        return f"{high:.{decimals}f} ± {high / 5:.{decimals}f}", f"{low:.{decimals}f} ± {low / 5:.{decimals}f}"
    unit = generator.choice(("", "", " points", " mg/dL", " mmol/L", " kg", " cm", " days", " mm Hg"))
    return f"{high:.{decimals}f}{unit}", f"{low:.{decimals}f}{unit}"


def _test(effect: Effect, generator: random.Random) -> str:
    name = generator.choice(("p", "P", "P", "P value"))
    if effect == "same":
        return generator.choice((f"{name} = {generator.uniform(0.06, 0.98):.2f}", f"{name} > 0.05", "NS"))
    return generator.choice((f"{name} = {generator.uniform(0.001, 0.049):.3f}", f"{name} < 0.05", f"{name} < 0.001"))


def _ratio(finding: TrialFinding, generator: random.Random) -> str:
    low = {"more": generator.uniform(1.05, 1.6), "less": generator.uniform(0.2, 0.6)}.get(
        finding.effect, generator.uniform(0.5, 0.9)
    )
    high = {"less": generator.uniform(0.7, 0.96)}.get(finding.effect, generator.uniform(1.1, 1.3) * max(1.0, low * 1.2))
    form = generator.choice(_NUMBER_FORMS["ratio"])
    arms = {"a": phrase(finding.intervention), "b": phrase(finding.comparator)}
    middle = (low * high) ** 0.5
    return opened(form.format(o=phrase(finding.outcome), **arms, r=f"{middle:.2f}", l=f"{low:.2f}", h=f"{high:.2f}"))


def _sized(finding: TrialFinding, generator: random.Random) -> Iterator[tuple[str, str, Label]]:
    """A change by a half is one by 50 %, and a fall; it is not one by a quarter, nor a rise."""
    sizes: list[list[str]] = _NUMBER_FORMS["sizes"]
    at = generator.randrange(len(sizes))
    own, others, up = sizes[at], sizes[:at] + sizes[at + 1 :], _NUMBER_FORMS["course"][at] > 0

    def said(size: str) -> str:
        form = generator.choice(_NUMBER_FORMS["sized"])
        return opened(form.format(o=phrase(finding.outcome), i=phrase(finding.intervention), s=size))

    premise_size, same_size = generator.sample(own, 2)
    premise = said(premise_size)
    kept, turned = ("rise", "fall") if up else ("fall", "rise")
    yield said(same_size if generator.random() < 0.6 else generator.choice(_NUMBER_FORMS[kept])), premise, "supported"
    wrong = generator.choice(others) if generator.random() < 0.5 else _NUMBER_FORMS[turned]
    yield said(generator.choice(wrong)), premise, "contradicted"


def opened(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[0].upper() + text[1:]


# What somebody asks about a finding.

PLAIN = "What was the effect of {i} compared with {c} on {o}?"
_QUESTIONS: dict[str, list[str]] = yaml.safe_load(
    (files("optimize.training") / "questions.yaml").read_text(encoding="utf-8")
)
KINDS = {"plain": 15, "with": 35, "one": 25, "keywords": 8, "statement": 17}
"""How often each kind is asked, of 100; a statement may be true or not, its passage is the same."""
LONGEST_ARM = 14
"""Words of an arm that a question still repeats; a longer description of a regimen is cut, as a person would."""


def asked(finding: TrialFinding, generator: random.Random) -> str:
    """One of many wordings of a question; long arms may be cut."""
    kind = generator.choices(list(KINDS), list(KINDS.values()))[0]
    if kind == "statement":
        return any_statement(finding, generator)
    form = PLAIN if kind == "plain" else generator.choice(_QUESTIONS[kind])
    return plainly(finding, form, LONGEST_ARM if generator.random() < 0.5 else None)


def plainly(finding: TrialFinding, form: str = PLAIN, longest: int | None = None) -> str:
    """The wording that the trials' prompts are reported in, or another; arms have so many words at most."""
    arms = (phrase(each) for each in (finding.intervention, finding.comparator))
    first, second = (each if longest is None else " ".join(each.split()[:longest]) for each in arms)
    return opened(form.format(i=first, c=second, o=phrase(finding.outcome)))
