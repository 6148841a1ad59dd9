"""A question of another language in English: papers are searched by it, and answers from English ones proved in it."""

from __future__ import annotations

import dspy

from metrics.visible_text import visible
from programs.passages.asked import Asked
from programs.program import attempt, reader_name
from programs.progress import report_step
from signatures.evidence import TranslateQuestion
from signatures.passages import as_data


class InEnglish(dspy.Module):
    """The translation as a module, so that its prompt is compiled with the program."""

    def __init__(self) -> None:
        super().__init__()
        self.translate = dspy.Predict(TranslateQuestion)

    def forward(self, asked: Asked, num_tries: int) -> Asked:
        """The question with its English form; as it is where it is in English, or no model can translate it."""
        if asked.is_english or not reader_name():
            return asked
        report_step("translate", "Putting the question in English")
        step = attempt(self.translate, num_tries, question=as_data(asked.question))
        return asked.translated(" ".join(visible(step.english or "").split()))
