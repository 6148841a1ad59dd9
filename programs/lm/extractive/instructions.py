"""``proposed_instruction``: the instruction as it is.

Optimizers that have a model write new instructions can so run without one: their candidates differ in demos only.
"""

from __future__ import annotations

from programs.lm.extractive.errors import UnknownTask
from programs.lm.extractive.prompt import Field, ReadPrompt
from programs.lm.extractive.roles import as_text

_GIVEN = ("basic_instruction", "current_instruction", "current_instruction_doc", "instruction", "instructions")


def unchanged_instruction(prompt: ReadPrompt, field: Field) -> str:
    """The instruction that the prompt gives to be improved."""
    for name in _GIVEN:
        if name in prompt.values:
            return as_text(prompt.values[name])
    raise UnknownTask(f"The extractive LM writes no instruction for {field.name!r}; give a model as prompt LM")
