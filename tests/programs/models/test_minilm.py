import os
import subprocess
import sys
from pathlib import Path

import pytest

from programs.errors import EmbedderUnavailable
from programs.models.minilm import SmallEmbedder

pytestmark = [pytest.mark.slow, pytest.mark.inference]

ROOT = Path(__file__).resolve().parents[3]
EMBEDS = """
import sys
from programs.models.minilm import SmallEmbedder
vector = SmallEmbedder().embed(["Low pH shortens yeast lifespan."])[0]
heavy = {"torch", "transformers", "sentence_transformers", "sklearn", "scipy"} & set(sys.modules)
print(vector[:8].tobytes().hex(), sorted(heavy), "onnx" in sys.modules)
"""


def start(cache):
    environment = {**os.environ, "CORROBORATE_CACHE": str(cache)}
    command = [sys.executable, "-c", EMBEDS]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=True)


def test_it_is_made_once_and_without_heavy_libraries(tmp_path):
    first, then = (start(tmp_path) for _ in range(2))
    assert "Making a model, once" in first.stderr
    assert then.stderr == ""
    vectors, heavy, built = zip(*(each.stdout.split() for each in (first, then)), strict=True)
    assert len(set(vectors)) == 1
    assert (heavy, built) == (("[]", "[]"), ("True", "False"))


def test_a_damaged_package_is_named(tmp_path, embedder):
    from programs.retrieval.model_files import find_weights

    original = find_weights(embedder.name)
    (tmp_path / "model.safetensors").write_bytes((original / "model.safetensors").read_bytes())
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(EmbedderUnavailable, match="damaged"):
        SmallEmbedder(tmp_path, tmp_path / "cache").embed(["anything"])
