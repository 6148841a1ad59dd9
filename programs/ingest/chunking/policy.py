"""How long chunks are and where they may be cut, as one small value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from programs.errors import UsageError

Policy: TypeAlias = Literal["passages", "sentences", "words", "tokens"]


@dataclass(frozen=True, slots=True)
class Chunking:
    """A chunking policy with its sizes; ``str()`` gives the form that an index manifest holds.

    ``passages``
        Whole sentences of one section, up to ``size`` words, short paragraphs together; a table is one passage with its
        caption, rows and notes. Lists of abbreviations, thanks and the like are left out.
    ``sentences``
        Whole sentences of one paragraph, up to ``size`` words.
    ``words``
        Windows of exactly ``size`` words, each starting ``overlap`` words before the end of the one before.
    ``tokens``
        From three fifths of ``size`` up to ``size`` tokens, ending with a sentence where one ends there, with code
        blocks and equations whole, ``overlap`` tokens shared with the chunk before. A token is 3/4 of a word.

    Attributes:
        policy: One of the four above.
        size: In words, for ``tokens`` in tokens; at least 1.
        overlap: In the same unit; 0 for ``passages`` and ``sentences``, at most half the size otherwise.

    Raises:
        UsageError: The policy is unknown or the numbers do not fit together.
    """

    policy: Policy
    size: int
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.policy not in get_args(Policy):
            raise UsageError(f"Unknown chunking policy {self.policy!r}; choose one of {', '.join(get_args(Policy))}")
        if self.size < 1:
            raise UsageError(f"A chunk must hold at least 1 word, got {self.size}; the default is {PASSAGES}")
        if self.policy in ("passages", "sentences") and self.overlap:
            raise UsageError(
                f"Chunks of whole sentences do not overlap, got {self.overlap}; use {self.policy}:{self.size}:0"
            )
        if not 0 <= 2 * self.overlap <= self.size:
            raise UsageError(f"The overlap must be between 0 and half of {self.size}, got {self.overlap}")

    def __str__(self) -> str:
        return f"{self.policy}:{self.size}:{self.overlap}"

    @classmethod
    def parse(cls, text: str) -> Chunking:
        """Read what ``str()`` wrote, such as ``passages:200:0``.

        Raises:
            UsageError: The text is not of the form policy:size:overlap.
        """
        policy, _, sizes = text.partition(":")
        size, _, overlap = sizes.partition(":")
        if not (size.isdecimal() and overlap.isdecimal()):
            raise UsageError(f"Cannot read the chunking {text!r}; write policy:size:overlap, such as {PASSAGES}")
        return cls(policy, int(size), int(overlap))  # type: ignore[arg-type]  # checked by the class itself


PASSAGES = Chunking("passages", 200)
"""The default of a new index."""
SENTENCES = Chunking("sentences", 100)
WORDS = Chunking("words", 220, 40)
TOKENS = Chunking("tokens", 500, 100)
