"""Questions that a trial's finding answers, in many wordings.

intervention "simvastatin", comparator "placebo", outcome "vascular mortality"
    "Did vascular mortality differ between simvastatin and placebo?"
    "Does simvastatin reduce vascular mortality?"
"""

from __future__ import annotations

import random
from importlib.resources import files

import yaml

from optimize.training.wording import Finding, any_statement, phrase

PLAIN = "What was the effect of {i} compared with {c} on {o}?"
_FORMS: dict[str, list[str]] = yaml.safe_load(
    (files("optimize.training.order") / "questions.yaml").read_text(encoding="utf-8")
)
SHARES = {"plain": 15, "with": 35, "one": 25, "keywords": 8, "statement": 17}
"""How often each kind is asked, of 100; a statement may be true or not, its passage is the same."""
LONGEST_ARM = 14
"""Words of an arm that a question still repeats; a longer description of a regimen is cut, as a person would."""


def asked(finding: Finding, generator: random.Random) -> str:
    """One of many wordings."""
    kind = generator.choices(list(SHARES), list(SHARES.values()))[0]
    if kind == "statement":
        return any_statement(finding, generator)
    return worded(PLAIN if kind == "plain" else generator.choice(_FORMS[kind]), finding, generator)


def plainly(finding: Finding) -> str:
    """The wording that the trials' prompts are reported in."""
    return worded(PLAIN, finding)


def worded(form: str, finding: Finding, generator: random.Random | None = None) -> str:
    """A form with the finding's words in it; with a generator, long arms may be cut."""
    arms = [phrase(each) for each in (finding.intervention, finding.comparator)]
    if generator is not None and generator.random() < 0.5:
        arms = [" ".join(each.split()[:LONGEST_ARM]) for each in arms]
    text = form.format(i=arms[0], c=arms[1], o=phrase(finding.outcome))
    return text[0].upper() + text[1:]
