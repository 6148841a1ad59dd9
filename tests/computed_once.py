"""What the small models compute for a text is kept while tests run: the same bits come out however often it is asked.

A model is loaded once a process too, though each command makes its own. Tests of the models themselves, which are
marked ``inference``, do without.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Encoding

from programs.models import session
from programs.models.session import TextModel

_KEPT: WeakKeyDictionary[TextModel, dict[bytes, NDArray[np.float32]]] = WeakKeyDictionary()
"""By model what came out, by the hash of what went in."""

_computed = TextModel._output  # the real one, before ``_kept`` takes its place


def _kept(model: TextModel, text: str | tuple[str, str]) -> NDArray[np.float32]:
    known = _KEPT.setdefault(model, {})
    key = hashlib.blake2b(repr(text).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    if (found := known.get(key)) is None:
        found = known[key] = _computed(model, text)
        found.flags.writeable = False
    return found


@cache
def _loaded(
    model: bytes, tokenizer: bytes, tokens: int, kinds: Callable[[Encoding], list[int]] | None = None
) -> TextModel:
    return TextModel(model, tokenizer, tokens, kinds)


@contextmanager
def computed_once() -> Iterator[None]:
    """Load each model once, and compute each text once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "TextModel", _loaded)
        patch.setattr(TextModel, "_output", _kept)
        yield
