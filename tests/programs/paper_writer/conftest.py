"""An index of three papers, and a concept with plots."""

import pytest

from programs.paper_writer import PaperConcept
from tests.programs.paper_writer.writing import CONCEPT, index_at


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with index_at(tmp_path_factory.mktemp("index") / "papers.idx") as opened:
        yield opened


@pytest.fixture
def with_plots(tmp_path):
    for name in ("bone.png", "root.png"):
        (tmp_path / name).write_bytes(b"\x89PNG")
    plots = [{"file": tmp_path / f"{name}.png", "caption": f"The {name}."} for name in ("bone", "root")]
    return PaperConcept(hypothesis=CONCEPT.hypothesis, experiments=[{"name": "Jumps", "plots": plots}])
