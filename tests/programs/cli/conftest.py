"""Two papers and an index of them, which the tests of commands share."""

import pytest

from tests.command_line import run

QUESTION = "By how much did femur density fall in flight mice?"
FELL = "Femur density fell by 12 % in flight mice"
BONE = f"# Bone loss in orbit\n\n## Results\n\n{FELL}. Osteoclast counts doubled.\n"
ROOTS = "# Roots in orbit\n\n## Results\n\nRoots of thale cress grew without direction.\n"


@pytest.fixture(scope="package")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers")
    (folder / "bone.md").write_text(BONE, "utf-8")
    (folder / "roots.md").write_text(ROOTS, "utf-8")
    ran = run("index", folder / "bone.md", folder / "roots.md", "--index", folder / "papers.idx")
    assert ran.code == 0, ran.stderr
    return folder
