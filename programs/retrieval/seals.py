"""Seals of stored records: a hash of what a record says, so that a flipped bit is an error and never an answer.

A seal covers every value that is shown, not the vectors: those decide what is found, not what it says.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import orjson

from programs.errors import IndexCorrupt
from programs.retrieval.store import Payload

_SEAL = "seal"
_NOT_SEALED = frozenset({_SEAL, "state", "body", "origin", "reader"})
"""What is not shown or changes later, and a document's body, which has a seal of its own."""

_BYTES = 12


def sealed(payload: Payload) -> Payload:
    """The record's values with their seal, as an engine gives them back."""
    try:
        return {**payload, _SEAL: _seal(payload)}
    except TypeError:  # a number beyond 64 bits, which JSON's libraries and engines keep as a float
        kept: Payload = _in_64_bits(payload)
        return {**kept, _SEAL: _seal(kept)}


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
    kept = dict(payload)
    seal = kept.pop(_SEAL, None)
    fits = seal == _seal(kept) or (seal is not None and seal == _former_seal(kept))
    if not fits and (seal is not None or always):
        raise IndexCorrupt(
            f"the index at {place} is damaged: what it holds of {paper!r} is not what was stored. Take that paper out, "
            f"`python -m programs remove {paper} --index {place}`, and index its file again; `python -m programs check "
            f"--index {place}` looks at all papers. Disk or memory may be failing"
        )
    return kept


def _seal(payload: Payload) -> str:
    return _hash(orjson.dumps(_shown(payload), option=orjson.OPT_SORT_KEYS))


def _former_seal(payload: Payload) -> str:
    """The seal that the first indexes with seals have, of the same values written in another way."""
    return _hash(json.dumps(_shown(payload), sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _shown(payload: Payload) -> dict[str, Any]:
    shown = dict(payload)  # for every passage that a search reads: three times as fast as a comprehension
    for name in _NOT_SEALED:
        shown.pop(name, None)
    return shown


def _hash(written: bytes) -> str:
    return hashlib.blake2b(written, digest_size=_BYTES).hexdigest()


def _in_64_bits(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        return {name: _in_64_bits(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_in_64_bits(each) for each in value]
    return float(value) if isinstance(value, int) and not -(2**63) <= value < 2**64 else value
