"""The default embedder without torch: all-MiniLM-L6-v2 in ONNX Runtime, in 8-bit integers.

    embedder = SmallEmbedder()
    embedder.embed(["Low pH shortens yeast lifespan."])     # float32 [1, 384], rows of unit length

Beside this file: `model.onnx` (int8), `tokenizer.json`, `manifest.json` (hashes) and `README.md`, the model card.
`python -m bench.embedding` measures its speed and its quality.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from programs.config import DEFAULT_EMBEDDER
from programs.errors import EmbedderUnavailable, ModelUnusable
from programs.models import SmallModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSION = 384


class SmallEmbedder(SmallModel):
    """all-MiniLM-L6-v2, loaded at first use; safe to share between threads.

    A text's vector does not depend on what it is embedded with: the same bits on the same machine.
    """

    shipped = Path(__file__).parent
    name = DEFAULT_EMBEDDER
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of passages: float32 [len(texts), 384], in the order of the texts, rows of unit length.

        A text longer than 256 tokens is cut, as the model does.

        Raises:
            EmbedderUnavailable: The model cannot be loaded: a file is missing or damaged.
        """
        import numpy as np

        if isinstance(texts, str):
            raise TypeError(f"texts must be a sequence of strings, not the one string {texts[:60]!r}; put it in a list")
        if not len(texts):
            return np.empty((0, DIMENSION), dtype=np.float32)
        try:
            model = self.loaded
        except ModelUnusable as error:
            raise EmbedderUnavailable(f"the embedding model {self.name} cannot be loaded: {error}") from error
        return np.stack(model.outputs(texts))

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of questions or claims, of the same shape and with the same errors; the model has no query prompt."""
        return self.embed(texts)
