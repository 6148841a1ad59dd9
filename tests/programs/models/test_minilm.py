import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from programs.config import settings
from programs.errors import EmbedderUnavailable
from programs.models import MANIFEST, MODEL
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
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", EMBEDS], cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True
    )


def test_four_processes_share_its_making_and_the_next_has_it(tmp_path):
    first = [process.communicate(timeout=300) for process in [start(tmp_path) for _ in range(4)]]
    then = start(tmp_path).communicate(timeout=300)
    assert sum("Making a model, once" in said for _, said in first) == 1
    assert then[1] == ""
    vectors, heavy, built = zip(*(out.strip().replace("[]", "none").split() for out, _ in [*first, then]), strict=True)
    assert len(set(vectors)) == 1
    assert set(heavy) == {"none"}
    assert built.count("True") == 1
    assert built[-1] == "False"


def test_a_cut_file_is_made_again(tmp_path, embedder, caplog):
    embedder.embed(["anything"])
    shutil.copytree(settings().cache / "models", tmp_path / "models")
    (model,) = tmp_path.rglob(MODEL)
    whole = model.read_bytes()
    model.write_bytes(whole[: len(whole) // 2])
    caplog.clear()
    np.testing.assert_array_equal(SmallEmbedder(cache=tmp_path).embed(["again"]), embedder.embed(["again"]))
    assert "model.onnx is damaged" in caplog.text
    assert model.read_bytes() == whole


def test_without_a_place_to_keep_it_it_still_embeds(tmp_path, embedder, caplog):
    (tmp_path / "models").write_text("no folder")
    found = SmallEmbedder(cache=tmp_path).embed(["anything"])
    np.testing.assert_array_equal(found, embedder.embed(["anything"]))
    assert "cannot be kept" in caplog.text


def test_a_damaged_package_is_named(tmp_path, embedder):
    from programs.retrieval.model_files import find_weights

    original = find_weights(embedder.name)
    (tmp_path / "model.safetensors").write_bytes((original / "model.safetensors").read_bytes())
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(EmbedderUnavailable, match="damaged"):
        SmallEmbedder(tmp_path, tmp_path / "cache").embed(["anything"])


def test_the_kept_model_names_its_weights(embedder):
    embedder.embed(["anything"])
    (manifest,) = (settings().cache / "models").glob(f"*/{MANIFEST}")
    assert SmallEmbedder().fingerprint.rpartition(":")[2] in manifest.read_text()
