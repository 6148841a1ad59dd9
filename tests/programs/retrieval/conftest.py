import pytest

from programs.retrieval.model_files import find_weights


@pytest.fixture
def copied(embedder, tmp_path):
    """The default model's files, which a test may change."""
    original = find_weights(embedder.name)
    for path in original.rglob("*"):
        target = tmp_path / path.relative_to(original)
        if path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return tmp_path
