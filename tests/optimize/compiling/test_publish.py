import json

import pytest

from optimize.compiling.compile import publish
from programs.errors import CorroborateError
from programs.registry import SHIPPED


@pytest.fixture
def state(tmp_path):
    shipped = sorted(SHIPPED.glob("main_points.*.json"))[0]
    copy = tmp_path / "run" / "compiled.json"
    copy.parent.mkdir()
    copy.write_bytes(shipped.read_bytes())
    return copy


def test_a_state_is_copied_under_a_name_made_of_program_model_and_content(state, tmp_path):
    published = publish(state, tmp_path / "compiled")
    assert published.name.startswith("main_points.extractive.")
    assert json.loads(published.read_text()) == json.loads(state.read_text())
    assert list(published.parent.iterdir()) == [published]


def test_a_place_that_cannot_be_written_is_named_with_the_place_where_the_state_is(state, tmp_path):
    (tmp_path / "compiled").write_text("a file, not a folder")
    with pytest.raises(CorroborateError) as caught:
        publish(state, tmp_path / "compiled")
    assert str(caught.value).startswith(f"the compiled state is in {state}, but cannot be copied to ")
    assert "set CORROBORATE_COMPILED to a folder that can be written" in str(caught.value)
