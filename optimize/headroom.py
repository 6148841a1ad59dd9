"""Where answers are lost, before anything is compiled: what prompts could win at most.

    not found       no passage that was shown holds a sentence of the gold evidence
    not selected    none of the sentences that were chosen to write from does
    silent          the model calls these no answer, or writes nothing
    unproved        all that it wrote was refused; a quotation may stand for it
    misworded       what is proved holds too few of the gold facts
    right           the answer holds them, or the question has none and there is silence
    not silent      the question has no answer, and there is one

Prompts write, and where the model reads they choose; so what they could win is the share of silent, unproved and
misworded, with not selected where the model reads, and not silent. What search loses no prompt brings back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import dspy
from dspy.utils.callback import BaseCallback

from metrics.grounding import nugget_recall
from optimize.dataset import Example
from optimize.job import JobSetup
from optimize.statistics import wilson
from programs.answering import FromEvidence
from programs.errors import UsageError

Loss: TypeAlias = Literal["not found", "not selected", "silent", "unproved", "misworded", "right", "not silent"]
LEAST_FACTS = 0.5
"""Share of the gold facts that a right answer holds."""


@dataclass
class _Answers(BaseCallback):
    """What the step that answers from numbered evidence gave, the last one of a question."""

    last: FromEvidence | None = None

    def on_module_end(
        self,
        call_id: str,
        outputs: Any,  # noqa: ANN401 - any module's
        exception: Exception | None = None,
    ) -> None:
        if isinstance(outputs, FromEvidence):
            self.last = outputs


@dataclass(frozen=True, slots=True)
class Headroom:
    """How many questions were lost where.

    Attributes:
        counts: Questions by what became of them.
        reads: Whether the model chooses the sentences, so that prompts can lose them.
        questions: Each question's id with what became of it.
    """

    counts: Counter[Loss]
    reads: bool
    questions: dict[str, Loss] = field(default_factory=dict)

    @property
    def asked(self) -> int:
        """How many questions."""
        return self.counts.total()

    @property
    def by_prompts(self) -> int:
        """Questions that other prompts could win."""
        within: tuple[Loss, ...] = ("silent", "unproved", "misworded", "not silent")
        return sum(self.counts[each] for each in (*within, *(("not selected",) if self.reads else ())))

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values; the interval is Wilson's of 95 %."""
        low, high = wilson(self.by_prompts, self.asked)
        return {
            "questions": self.asked,
            **{name: self.counts[name] for name in get_args(Loss)},
            "right_share": round(self.counts["right"] / self.asked, 3),
            "prompts_could_win": round(self.by_prompts / self.asked, 3),
            "interval": [round(low, 3), round(high, 3)],
            "by_question": self.questions,
        }


def headroom(setup: JobSetup, on_done: Callable[[int], None] = lambda _: None) -> Headroom:
    """Ask the questions of the job's split, and see where each is lost.

    Raises:
        UsageError: The program does not answer from numbered evidence, or the split has no question.
    """
    program, posed = setup.new_program(), setup.posed(setup.job.split)
    if "answer.write" not in dict(program.named_predictors()):
        raise UsageError(
            f"{setup.job.program} does not write answers from numbered sentences, which headroom looks at; name a "
            "program that does, such as multi_signal"
        )
    if not posed:
        raise UsageError(f"{setup.dataset.name} has no question in {setup.job.split}; name another --split")
    seen = _Answers()
    found: dict[str, Loss] = {}
    with dspy.context(lm=setup.lm, callbacks=[*(dspy.settings.callbacks or []), seen]):
        for number, each in enumerate(posed, 1):
            seen.last = None
            prediction = program(**each.inputs)
            found[each.example.id] = lost_at(each.example, prediction, seen.last)
            on_done(number)
    return Headroom(Counter(found.values()), program.settings.for_model().reader != "order", found)


def lost_at(example: Example, prediction: dspy.Prediction, answered: FromEvidence | None) -> Loss:
    """What became of a question."""
    if not example.answerable:
        return "not silent" if prediction.answer else "right"
    if prediction.answer and _is_right(example, prediction):
        return "right"
    quotes = [_plain(each.quote) for each in example.evidence]
    if not _holds((each.whole for each in prediction.passages), quotes):
        return "not found"
    if answered is None or not _holds((each.quoted.text for each in answered.selected), quotes):
        return "not selected"
    if answered.verified.unsupported_claims:
        return "unproved"
    return "misworded" if prediction.answer else "silent"


def _is_right(example: Example, prediction: dspy.Prediction) -> bool:
    """By the gold facts; without any, a certificate has to quote the gold evidence."""
    if example.nuggets:
        return float(nugget_recall(example, prediction)) >= LEAST_FACTS
    quotes = [_plain(each.quote) for each in example.evidence]
    proved = (quote.quote for each in prediction.citations if each.verdict == "supported" for quote in each.quotes)
    return _holds(proved, quotes)


def _holds(texts: Iterable[str], quotes: Sequence[str]) -> bool:
    plain = [_plain(each) for each in texts]
    return any(quote in text or (text and text in quote) for text in plain for quote in quotes)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()
