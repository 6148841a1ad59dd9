"""A judge whose verdicts can be worked out on paper."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from metrics.support import Support
from metrics.words import words


@dataclass
class WordJudge:
    """A claim is supported if the passages together hold all its words, contradicted if only its "not" is missing."""

    name: str = "words/1"
    asked: list[str] = field(default_factory=list)

    def check(self, claim: str, passages: Sequence[str], question: str = "") -> Support:
        self.asked.append(claim)
        known = {word for text in passages for word in words(text)}
        missing = [word for word in words(claim) if word not in known]
        if not passages:
            return Support("unverifiable", 0.0, None, "", 0, 0, "no passage was given")
        if not missing:
            return Support("supported", 1.0, 0, passages[0], 0, len(passages[0]), "the passage says it")
        if missing == ["not"]:
            return Support("contradicted", 0.0, 0, passages[0], 0, len(passages[0]), "the claim negates the passage")
        return Support("unverifiable", 0.0, None, "", 0, 0, f"the passage does not say {missing[0]}")
