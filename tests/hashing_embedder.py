"""A small real embedder for tests: feature hashing, so texts that share words are near one another."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class HashingEmbedder:
    """Words hashed into ``dimension`` signed buckets, rows of unit length (Weinberger et al., 2009)."""

    def __init__(self, dimension: int = 64, name: str = "tests/hashing") -> None:
        self.name = name
        self.dimension = dimension
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += len(texts)
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                digest = zlib.crc32(word.strip(".,;:()").encode())
                row[digest % self.dimension] += 1.0 if digest & 0x10000 else -1.0
            row[0] += 1e-3  # an empty text still has a direction
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed(texts)
