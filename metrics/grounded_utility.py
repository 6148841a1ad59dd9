"""The objective that optimizers maximise: how useful an answer is, as far as it is proved.

    answerable, answered       G · sqrt(R · C) · P
    answerable, abstained      0.2
    unanswerable, abstained    1
    anything else              0      empty, unreadable, abstaining with claims, answering what has no answer

    G  claim groundedness
    R  nugget recall; accuracy where the example has a label instead; else token F1 with its references
    C  citation F1
    P  min(1, (1 − copy ratio) / (1 − κ)) · min(1, L / length)

G multiplies, and is not part of the mean, so that a fluent answer that proves nothing does not tie with an abstention.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from metrics.answers import accuracy, token_f1
from metrics.grounding import citation_f1, claim_groundedness, nugget_recall
from metrics.judgements import Ledger
from metrics.passages import passages_of, read, read_texts
from metrics.score import Score, for_optimizers
from metrics.statements import bare_answer, is_answerable, outcome
from metrics.words import words
from signatures import citation_markers

# Between an answer that is wrong (0) and one that is right: declining is safer than inventing, and no way to win.
ABSTAINED_FROM_ANSWERABLE = 0.2

# κ, the share of an answer that may be copied without quotation marks. Authors who write conclusions over their own
# abstracts (PubMedQA, 500 of them) copy nothing at the 99th percentile. A fifth leaves room for one run of twelve
# words, such as the names of two trial arms, in an answer of sixty.
KAPPA = 0.2

# L, the longest answer in words that costs nothing. The conclusions above have 39 words in the median and 96 at the
# 99th percentile. At 100, six passages of 100 words given back in quotation marks are worth less than an abstention.
LONGEST_ANSWER = 100
WORTHLESS = 0.01
"""Form below which an answer gets 0 unread: it is a hundred times too long, or 99 % of what may not be is copied."""

# A character of Chinese or Japanese carries about half of an English word.
WORDS_A_CHARACTER = 0.5


@dataclass(frozen=True, slots=True)
class Utility:
    """The parts of the objective for one answered question, each in [0, 1]."""

    groundedness: float
    completeness: float
    citations: float
    form: float

    @property
    def value(self) -> float:
        """G · sqrt(R · C) · P."""
        return self.groundedness * math.sqrt(self.completeness * self.citations) * self.form

    def __str__(self) -> str:
        return (
            f"groundedness {self.groundedness:.2f}, completeness {self.completeness:.2f}, "
            f"citations {self.citations:.2f}, form {self.form:.2f}"
        )


@for_optimizers
def grounded_utility(example: object, prediction: object, *, ledger: Ledger | None = None) -> Score:
    """The objective: groundedness × √(completeness × citation F1) × form; abstaining gets 1 if right, else 0.2.

    An answer whose form is below ``WORTHLESS`` gets 0, and its claims are not judged.

    Args:
        example: With ``nuggets``, a ``label``, or ``answer`` / ``answers``; and ``answerable``, True when missing.
        prediction: With ``answer``, ``passages`` and ``answerable``.
        ledger: Keeps judgements over calls and names the judge; by default the checker under guards.

    Returns:
        A value unless the example is answerable and says nothing of its answer. The evidence of an answer is its
        Utility and the judgements of its claims.
    """
    found, answerable = outcome(prediction), is_answerable(example)
    if found == "failed":
        return Score.failed()
    if found == "abstained":
        expected = "; ".join(read_texts(example, "nuggets", "label", "answers", "answer"))
        missed = f"the program abstained, but the question has an answer{expected and f': {expected}'}"
        if not answerable:
            return Score.abstained("rightly abstained", 1.0)
        return Score.abstained(missed, ABSTAINED_FROM_ANSWERABLE)
    if found == "empty":
        return Score(0.0, "the answer is empty; abstain by answerable = False, or answer")
    if found == "abstained_with_claims":
        return Score(0.0, "the prediction says that the question is not answerable, and makes claims all the same")
    if not answerable:
        return Score(0.0, "the passages do not hold the answer, yet the question was answered; abstain")
    return _answered(example, prediction, Ledger() if ledger is None else ledger)


def form(example: object, prediction: object) -> Score:
    """P: 1 unless more than κ of the answer is copied without quotation marks, or it is longer than L words."""
    copied = copy_ratio(example, prediction)
    if copied.value is None:
        return copied
    length = answer_length(prediction)
    feedback = f"the answer has {length:.0f} words, more than {LONGEST_ANSWER}" if length > LONGEST_ANSWER else ""
    if copied.value > KAPPA:
        feedback = "; ".join(filter(None, [copied.feedback, feedback]))
    return Score(min(1.0, (1 - copied.value) / (1 - KAPPA)) * min(1.0, LONGEST_ANSWER / max(length, 1)), feedback)


def answer_length(prediction: object) -> float:
    """Words of the answer without its citations; a character of a script without spaces counts half."""
    found = words(bare_answer(prediction))
    return sum(WORDS_A_CHARACTER if len(word) == 1 and word > "\u3000" else 1 for word in found)


def _answered(example: object, prediction: object, ledger: Ledger) -> Score:
    completeness = _completeness(example, prediction, ledger)
    if completeness.value is None:
        return completeness
    shape = form(example, prediction)
    if shape.value is not None and shape.value < WORTHLESS:
        return Score(0.0, f"its claims were not judged: {shape.feedback}")
    groundedness = claim_groundedness(example, prediction, ledger=ledger)
    if groundedness.value is None:
        return Score(0.0, groundedness.feedback)
    cited = citation_f1(example, prediction, ledger=ledger)
    utility = Utility(groundedness.value, float(completeness), float(cited), float(shape))
    remarks = [part.feedback for part in (groundedness, cited, completeness, shape) if part.feedback]
    return Score(utility.value, "; ".join([str(utility), *remarks]), (utility, *groundedness.evidence))


def _completeness(example: object, prediction: object, ledger: Ledger) -> Score:
    if read_texts(example, "nuggets"):
        return nugget_recall(example, prediction, ledger=ledger)
    if read(example, "label"):
        return accuracy(example, prediction)
    return token_f1(example, prediction)


# Twelve words in a row are not chance: of 500 conclusions that authors wrote over their own abstracts (PubMedQA), 99 %
# share no such run with the abstract.
RUN = 12

_QUOTED = re.compile(r'"[^"\n]+"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|»[^«\n]+«|「[^」\n]+」|『[^』\n]+』')


@for_optimizers
def copy_ratio(example: object, prediction: object) -> Score:
    """Words of the answer that are in runs of at least 12 words of a passage, outside quotation marks / its words.

    Lower is better. Undefined for an answer without words. A citation is not a word and breaks no run.
    """
    if outcome(prediction) == "failed":
        return Score.failed(worst=1.0)
    answer = bare_answer(prediction)
    sources = [
        citation_markers.strip(passage.text) for passage in passages_of(prediction)
    ]  # a paper's own "[12]" breaks no run
    total = len(words(answer))
    if not total:
        return Score.not_applicable("the answer holds no words")
    runs = {run for source in sources for run in _runs(words(source))}
    stretches = [words(stretch) for stretch in _QUOTED.split(answer)]
    copied = [run for stretch in stretches for run in _copied(stretch, runs)]
    feedback = f'copied without quotation marks: "{" ".join(copied[0])} …"' if copied else ""
    return Score(sum(map(len, copied)) / total, feedback)


def _runs(text: list[str]) -> list[tuple[str, ...]]:
    return [tuple(text[index : index + RUN]) for index in range(len(text) - RUN + 1)]


def _copied(stretch: list[str], runs: set[tuple[str, ...]]) -> list[list[str]]:
    """The longest copied stretches of words, in order."""
    marked = [False] * len(stretch)
    for index, run in enumerate(_runs(stretch)):
        if run in runs:
            marked[index : index + RUN] = [True] * RUN
    copied: list[list[str]] = []
    for index, is_copied in enumerate(marked):
        if is_copied and index and marked[index - 1]:
            copied[-1].append(stretch[index])
        elif is_copied:
            copied.append([stretch[index]])
    return copied
