"""The bundled papers, indexed as a user indexes them."""

from __future__ import annotations

from pathlib import Path

from tests.command_line import run

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "datasets" / "space_biology"
PAPERS = FOLDER / "papers"


def make_index(place: Path) -> Path:
    """Index them with what their metadata file says, and give the index's place."""
    ran = run("index", PAPERS, "--metadata", FOLDER / "metadata.csv", "--index", place)
    assert ran.code == 0, ran.stderr
    return place
