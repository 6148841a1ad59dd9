"""How large a context window to ask Ollama for.

Left alone, Ollama opens a window of about 4,096 tokens and silently drops the beginning of a longer prompt: the
instructions and the first passages. So every call states ``num_ctx``, by an estimate that is close, and forbids to cut
(``truncate`` and ``shift`` false). A server that finds the window too small refuses at once, and is asked again with a
larger one: being exact costs nothing here, and memory for context that is not used costs a lot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from programs.lm.ollama_errors import TooLong

SMALLEST_WINDOW = 4096
SHORTEST_ANSWER = 512
"""Tokens that are kept for an answer, however long the prompt is."""
_STEPS_A_DOUBLING = 4
# Role markers and line ends that a chat template puts around one message; Llama's, Qwen's and Gemma's put 4 to 8.
TOKENS_PER_MESSAGE = 12
# What templates add once: gpt-oss opens with about 90 tokens on date, channels and effort, Qwen's thinking with 10.
TOKENS_PER_PROMPT = 96

# Fitted to 40 papers, by the larger count of two byte-pair tokenizers, and a tenth on top for smaller vocabularies.
_LETTERS_OF_ONE_TOKEN = 6
_PER_WORD, _PER_FURTHER_LETTER, _PER_DIGIT, _PER_SIGN, _PER_LINE, _PER_OTHER_SCRIPT = 0.76, 0.4, 0.94, 0.88, 0.58, 2.45

_WORD = re.compile(r"[A-Za-z][a-z]*")
_DIGIT = re.compile(r"[0-9]")
_SIGN = re.compile(r"[!-/:-@\[-`{-~]")
_OTHER_SCRIPT = re.compile(r"[^\x00-\x7f]")


def estimated_tokens(text: str) -> float:
    """About how many tokens a text has in the tokenizers of today's open models.

    Returns:
        1.01 to 1.18 times the true number for papers (two byte-pair tokenizers, 40 papers that nothing was fitted to).
    """
    words = [len(word) for word in _WORD.findall(text)]
    return (
        _PER_WORD * len(words)
        + _PER_FURTHER_LETTER * sum(max(letters - _LETTERS_OF_ONE_TOKEN, 0) for letters in words)
        + _PER_DIGIT * len(_DIGIT.findall(text))
        + _PER_SIGN * len(_SIGN.findall(text))
        + _PER_LINE * text.count("\n")
        + _PER_OTHER_SCRIPT * len(_OTHER_SCRIPT.findall(text))
    )


def estimated_prompt_tokens(texts: list[str]) -> int:
    """About how many tokens a chat has, its template included; ``texts`` holds one text a message."""
    tokens = max(sum(estimated_tokens(text) for text in texts), fewest_tokens(texts))
    return round(tokens) + TOKENS_PER_MESSAGE * len(texts) + TOKENS_PER_PROMPT


def fewest_tokens(texts: list[str]) -> int:
    """How many tokens a chat has at least: no tokenizer in use joins words across white space."""
    return sum(len(text.split()) for text in texts)


@dataclass(frozen=True, slots=True)
class Room:
    """What one call may take: the window, and the answer's part of it, in tokens."""

    num_ctx: int
    num_predict: int


@dataclass(slots=True)
class Windows:
    """The context windows of a server's models, as far as they were asked for.

    Ollama loads a model anew for every other ``num_ctx``, a smaller one included. So windows come in steps of about a
    fifth, and one that was opened stays: short prompts that follow a long one share its window.

    Attributes:
        lengths: Model name to the longest context it was trained for, in tokens.
        opened: Model name to the largest window asked for so far.
    """

    lengths: dict[str, int] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)

    def fit(self, model: str, prompt_tokens: int, num_predict: int) -> Room:
        """What to ask for; ``lengths`` must know the model.

        A model whose context does not hold the whole of it is given as long an answer as fits: the estimate errs on the
        high side, and whether a prompt is too long is for the server to say.
        """
        length = self.lengths[model]
        window = min(max(_step(prompt_tokens + num_predict), SMALLEST_WINDOW, self.opened.get(model, 0)), length)
        self.opened[model] = window
        return Room(window, min(num_predict, max(window - prompt_tokens, SHORTEST_ANSWER)))

    def grow(self, model: str, refused: int) -> bool:
        """Open twice the window that was too small; False where the model's context holds no more."""
        length = self.lengths[model]
        if refused >= length:
            return False
        self.opened[model] = min(max(2 * refused, self.opened.get(model, 0)), length)
        return True


def _step(tokens: int) -> int:
    """The next number of the form 4, 5, 6 or 7 times a power of two."""
    step = max(1 << max((tokens - 1).bit_length() - 1, 0), _STEPS_A_DOUBLING) // _STEPS_A_DOUBLING
    return -(-tokens // step) * step


def too_long(model: str, length: int, said: str) -> TooLong:
    """The error for a prompt that even the model's whole context does not hold."""
    return TooLong(
        f"The prompt is too long for {model}, whose context holds {length:,} tokens ({said}). Give fewer or shorter "
        "passages, or use a model with a longer context"
    )


def was_cut(read: int | None, fewest: int) -> bool:
    """Whether a server read less than it was sent, going by the tokens that it reports and the words that were sent.

    Servers that know ``truncate`` and ``shift`` refuse instead; what stands between, or is older, may cut in silence.
    """
    return bool(read) and (read or 0) < fewest
