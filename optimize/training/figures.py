"""Pairs whose premise reports a finding in numbers alone, made from trials' arms and outcomes.

premise "Mortality was 26.1% with statins versus 45.0% with placebo (P = 0.02)."
claims  "Statins reduced mortality compared with placebo."     supported
        "Mortality was higher with statins than with placebo." contradicted
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files

import yaml

from optimize.training.pairs import Label, Pair
from optimize.training.wording import Effect, TrialFinding, false_statement, phrase, true_statement

_FORMS = yaml.safe_load((files("optimize.training") / "figures.yaml").read_text(encoding="utf-8"))
SOURCE = "figures"
LONGEST_PHRASE = 9
"""Words of an arm or an outcome; a longer description of a regimen would crowd the numbers out."""
SHARES = {"reported": 60, "ratio": 15, "tested": 10, "sized": 15}
"""How often each kind is made, of 100."""


def figures(findings: Sequence[TrialFinding], documents: Sequence[str], generator: random.Random) -> Iterator[Pair]:
    """A true and a false claim on made-up numbers for each finding.

    Args:
        findings: Whose arms and outcomes are used; their effects are not.
        documents: The paper of each.
        generator: Of numbers and wordings.
    """
    for finding, document in zip(findings, documents, strict=True):
        fields = (finding.intervention, finding.comparator, finding.outcome)
        if any(len(each.split()) > LONGEST_PHRASE for each in fields):
            continue
        kind = generator.choices(list(SHARES), list(SHARES.values()))[0]
        claims = _sized(finding, generator) if kind == "sized" else _compared(kind, finding, generator)
        for claim, premise, label in claims:
            yield Pair(claim, premise, label, SOURCE, document)


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
    form = generator.choice(_FORMS[kind])
    return _opened(form.format(o=phrase(finding.outcome), a=a, b=b, x=x, y=y, p=_test(finding.effect, generator)))


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
    form = generator.choice(_FORMS["ratio"])
    arms = {"a": phrase(finding.intervention), "b": phrase(finding.comparator)}
    middle = (low * high) ** 0.5
    return _opened(form.format(o=phrase(finding.outcome), **arms, r=f"{middle:.2f}", l=f"{low:.2f}", h=f"{high:.2f}"))


def _sized(finding: TrialFinding, generator: random.Random) -> Iterator[tuple[str, str, Label]]:
    """A change by a half is one by 50 %, and a fall; it is not one by a quarter, nor a rise."""
    at = generator.randrange(len(_FORMS["sizes"]))
    up = _FORMS["course"][at] > 0
    own, others = _FORMS["sizes"][at], [each for number, each in enumerate(_FORMS["sizes"]) if number != at]

    def said(size: str) -> str:
        form = generator.choice(_FORMS["sized"])
        return _opened(form.format(o=phrase(finding.outcome), i=phrase(finding.intervention), s=size))

    premise_size, same_size = generator.sample(own, 2)
    premise = said(premise_size)
    kept, turned = ("rise", "fall") if up else ("fall", "rise")
    yield said(same_size if generator.random() < 0.6 else generator.choice(_FORMS[kept])), premise, "supported"
    wrong = generator.choice(others) if generator.random() < 0.5 else _FORMS[turned]
    yield said(generator.choice(wrong)), premise, "contradicted"


def _opened(text: str) -> str:
    return text[0].upper() + text[1:]
