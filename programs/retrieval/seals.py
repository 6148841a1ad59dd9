"""Seals of stored records: a hash of what a record says, so that a flipped bit is an error and never an answer.

A seal covers every value that is shown, not the vectors: those decide what is found, not what it says.
"""

from __future__ import annotations

import hashlib
import json

from programs.errors import IndexCorrupt
from programs.retrieval.store import Payload

_SEAL = "seal"
_NOT_SEALED = frozenset({_SEAL, "state", "body", "origin", "reader"})
"""What is not shown or changes later, and a document's body, which has a seal of its own."""

_BYTES = 12


def sealed(payload: Payload) -> Payload:
    """The record's values with their seal."""
    return {**payload, _SEAL: _seal(payload)}


def require_seal(payload: Payload, paper: object, place: str, *, always: bool) -> Payload:
    """The record's values, without the seal that they still fit.

    Args:
        payload: All values of the record that are sealed, and its seal.
        paper: Id of the document that it belongs to, for the message.
        place: The index, for the message.
        always: Whether the index seals all records; one that an earlier version began has some without a seal.

    Raises:
        IndexCorrupt: They are not, or the seal is missing.
    """
    seal = payload.get(_SEAL)
    if seal != _seal(payload) and (seal is not None or always):
        raise IndexCorrupt(
            f"the index at {place} is damaged: what it holds of {paper!r} is not what was stored. Take that paper out, "
            f"`python -m programs remove {paper} --index {place}`, and index its file again; `python -m programs check "
            f"--index {place}` looks at all papers. Disk or memory may be failing"
        )
    return {name: value for name, value in payload.items() if name != _SEAL}


def _seal(payload: Payload) -> str:
    shown = {name: value for name, value in payload.items() if name not in _NOT_SEALED}
    written = json.dumps(shown, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(written.encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()
