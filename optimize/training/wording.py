"""Trials' findings in words: the true effect, another effect, the arms the other way round, hedged and denied.

intervention "simvastatin", comparator "placebo", outcome "vascular mortality", effect "significantly decreased"
→ "Vascular mortality was lower with simvastatin than with placebo."            supported
→ "Simvastatin raised vascular mortality compared with placebo."                contradicted
→ "Placebo led to less vascular mortality than simvastatin."                    contradicted
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal

import yaml

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


@dataclass(frozen=True, slots=True)
class Worded:
    """A statement and whether the finding bears it out."""

    text: str
    true: bool


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
    """The same finding told from the other arm."""
    other: dict[Effect, Effect] = {"more": "less", "less": "more", "same": "same"}
    return TrialFinding(finding.comparator, finding.intervention, finding.outcome, other[finding.effect])


def statements(finding: TrialFinding, count: int, generator: random.Random) -> Iterator[Worded]:
    """True and false statements by turns."""
    for number in range(count):
        true = number % 2 == 0
        yield Worded((true_statement if true else false_statement)(finding, generator), true)


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
    text = text.replace("significantly significantly", "significantly")
    return text[0].upper() + text[1:]


def phrase(text: str) -> str:
    """A field inside a sentence: a capital that only opened the field goes ("Mortality", not "HbA1c" or "IL-6")."""
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first[:1].isupper() and first[1:].islower() else text
