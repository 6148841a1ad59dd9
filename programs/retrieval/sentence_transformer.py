"""A sentence-transformers model in the number format that suits the device.

On a card that multiplies in bfloat16 the transformer runs in it, which leaves vectors within cosine 0.9999 of float32;
what follows it, such as the mean over all tokens, is in float32.

Importing this module takes seconds, because sentence-transformers brings its training code along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Transformer
from transformers.utils import logging as transformers_logging

from programs.errors import EmbedderUnavailable

Vectors: TypeAlias = NDArray[np.float32]
Task: TypeAlias = Literal["document", "query"]
Features: TypeAlias = Mapping[str, Any]
"""What a model's tokeniser gives: tensors [texts, columns] by name, and a few settings."""

BATCH_ON_CPU, BATCH_ON_ACCELERATOR = 32, 256
"""Texts computed at once, those of like length together."""

PROMPTS: Mapping[Task, tuple[str, ...]] = {"document": ("document", "passage", "corpus"), "query": ("query",)}
"""Names under which models keep their prompts; the first that is not empty counts."""


def load(name: str, folder: Path, device: str | None = None) -> SentenceTransformer:
    """Load a model as sentence-transformers saves it.

    No code of the folder is run; an ``EmbedderUnavailable`` with the name where it holds no model.
    """
    try:
        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # weights load in no time
        model = SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
        raise EmbedderUnavailable(
            f"the embedding model {name!r} in {folder} cannot be loaded: {error}; choose another model, or get its "
            "files again"
        ) from error
    is_fast = model.device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    if is_fast and isinstance(model[0], Transformer):
        model[0].to(torch.bfloat16)
        model[0].register_forward_hook(_in_float32)
    return model.eval()


def encode(model: SentenceTransformer, texts: Sequence[str], task: Task) -> Vectors:
    """Vectors of the texts, float32 [len(texts), dimension], rows of unit length."""
    found = model.encode(
        list(texts),
        prompt=next((text for name in PROMPTS[task] if (text := model.prompts.get(name))), None),
        batch_size=BATCH_ON_CPU if model.device.type == "cpu" else BATCH_ON_ACCELERATOR,
        show_progress_bar=False,
        normalize_embeddings=True,
        task=task,
    )
    vectors: Vectors = np.asarray(found, np.float32).reshape(len(texts), model.get_embedding_dimension())
    return vectors


def _in_float32(_module: object, _inputs: object, features: Features) -> Features:
    return {
        key: value.float() if torch.is_tensor(value) and value.is_floating_point() else value
        for key, value in features.items()
    }
