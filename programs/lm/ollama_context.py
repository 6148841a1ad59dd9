"""How large a context to ask Ollama for, and whether the prompt was read whole.

Left alone, Ollama opens a window of about 4,096 tokens and silently drops the beginning of a longer prompt: the
instructions and the first passages. So every call states ``num_ctx``, large enough by an estimate that errs on the high
side, and every reply is checked for signs that the server cut the prompt all the same.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from programs.lm.ollama_errors import TooLong

SMALLEST_WINDOW = 4096
# Role markers and line ends that a chat template puts around one message; Llama's, Qwen's and Gemma's put 4 to 8.
TOKENS_PER_MESSAGE = 12
# What templates add once: gpt-oss opens with about 90 tokens on date, channels and effort, Qwen's thinking with 10.
TOKENS_PER_PROMPT = 192
# Letters that one token of a word covers at the least. Long names of chemicals and species set the figure; everyday
# English has 4 to 5 letters a token.
LETTERS_PER_TOKEN = 3

# The lower-case part of a word; not of gene names (sod-3, sirt1) and sequences (acgtac…), with 1 to 2 letters a token.
_WORD = re.compile(r"(?<![a-z0-9])[a-z]{2,24}(?![a-z0-9]|-[0-9])")
_SPACE_BEFORE_WORD = re.compile(r" (?=[A-Za-z])")


def estimated_tokens(text: str) -> int:
    """How many tokens a text has at most, in any tokenizer of today's open models.

    Those tokenizers fall back to bytes, so the number of UTF-8 bytes is a ceiling for every script. Two things are
    cheaper everywhere and are discounted: letters within a lower-case word, and the space before a word, which belongs
    to the word's first token. Digits, capitals, symbols, line ends and other scripts stay at one token a byte.

    Args:
        text: Any text; lone surrogates count as three bytes.

    Returns:
        1.6 to 2.1 times the true number for papers (two byte-pair tokenizers, 80 papers), 1.4 times for tables and for
        lists of genes or chemicals, 2 to 4 times for other scripts.
    """
    ceiling = len(text.encode("utf-8", "surrogatepass"))
    in_words = sum(len(word) - math.ceil(len(word) / LETTERS_PER_TOKEN) for word in _WORD.findall(text))
    return ceiling - in_words - len(_SPACE_BEFORE_WORD.findall(text))


def estimated_prompt_tokens(texts: list[str]) -> int:
    """How many tokens a chat has at most, its template included; ``texts`` holds one text a message."""
    return sum(estimated_tokens(text) + TOKENS_PER_MESSAGE for text in texts) + TOKENS_PER_PROMPT


def fewest_tokens(texts: list[str]) -> int:
    """How many tokens a chat has at least: no tokenizer in use joins words across white space."""
    return sum(len(text.split()) for text in texts)


@dataclass(slots=True)
class Windows:
    """The context windows of a server's models, as far as they were asked for.

    Ollama loads a model anew for every other ``num_ctx``, a smaller one included. So windows come in powers of two, and
    one that was opened stays: short prompts that follow a long one share its window.

    Attributes:
        lengths: Model name to the longest context it was trained for, in tokens.
        opened: Model name to the largest window asked for so far.
    """

    lengths: dict[str, int] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)

    def fit(self, model: str, prompt_tokens: int, num_predict: int) -> int:
        """The ``num_ctx`` to ask for; ``lengths`` must know the model.

        Raises:
            TooLong: Prompt and answer need more than the model's context.
        """
        needed, length = prompt_tokens + num_predict, self.lengths[model]
        if needed > length:
            raise TooLong(
                f"The prompt for {model} may take {prompt_tokens:,} tokens and the answer {num_predict:,} "
                f"(num_predict), {needed:,} in all; the model's context holds {length:,}. Give fewer or shorter "
                "passages, lower num_predict, or use a model with a longer context"
            )
        power_of_two = 1 << (needed - 1).bit_length()
        window = min(max(power_of_two, SMALLEST_WINDOW, self.opened.get(model, 0)), length)
        self.opened[model] = window
        return window


def was_cut(evaluated: int | None, generated: int | None, num_ctx: int, fewest: int) -> bool:
    """Whether a reply's counts show that the server did not read the whole prompt.

    Ollama reports how many tokens it read, not how many it was sent. A prompt that is too long fills the whole window
    in older versions; newer ones keep half a window and two to four tokens (2,050 of 4,096, 32,770 of 65,536). A window
    can be smaller than asked for when a server in between ignores ``num_ctx``. A small count alone proves nothing: some
    versions leave out tokens that they had in their cache.

    Args:
        evaluated: ``prompt_eval_count``; None when the server does not say.
        generated: ``eval_count``.
        num_ctx: The window asked for.
        fewest: Tokens that the prompt has at least.
    """
    if evaluated is None:
        return False
    # Beyond its window the server drops the oldest tokens while it goes on writing.
    if evaluated >= num_ctx or evaluated + (generated or 0) > num_ctx:
        return True
    windows = {num_ctx, *(1 << bits for bits in range(11, num_ctx.bit_length()))}
    return evaluated < fewest and any(0 <= evaluated - window // 2 <= 16 for window in windows)
