import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from programs.errors import ModelUnusable
from programs.models import MANIFEST, MODEL, TOKENIZER, ModelFiles
from programs.models import write_files as write
from programs.models.minilm import kept_model, read_model

ORIGIN = {"weights": "53aa", "number_format": "int8", "builder": 1}


def stored(origin=ORIGIN, model=b"a graph"):
    return ModelFiles({"made_from": origin, "tokens": 256}, model, b"{}")


STORED = stored()


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "models" / "small", STORED)
    return tmp_path / "models" / "small"


def never():
    raise AssertionError("made again without need")


def test_what_is_written_is_read(folder):
    assert read_model(folder, ORIGIN) == STORED
    assert sorted(path.name for path in folder.iterdir()) == sorted([MANIFEST, MODEL, TOKENIZER])
    assert kept_model(folder, ORIGIN, never) == STORED


def cut(folder, name):
    (folder / name).write_bytes((folder / name).read_bytes()[:-1])


DAMAGES = {
    "cut model": (lambda folder: cut(folder, MODEL), r"model\.onnx is damaged: its SHA-256 is \w+, not \w+"),
    "cut tokenizer": (lambda folder: cut(folder, TOKENIZER), r"tokenizer\.json is damaged"),
    "cut manifest": (lambda folder: (folder / MANIFEST).write_text('{"made_'), r"manifest\.json is damaged"),
    "other JSON": (lambda folder: (folder / MANIFEST).write_text("[]"), r"manifest\.json is damaged"),
    "not text": (lambda folder: (folder / MANIFEST).write_bytes(b"\xff\xfe"), r"manifest\.json is damaged"),
    "no model": (lambda folder: (folder / MODEL).unlink(), r"model\.onnx is not there"),
    "no manifest": (lambda folder: (folder / MANIFEST).unlink(), r"manifest\.json is not there"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_named_and_made_again(folder, damage, caplog):
    harm, reason = DAMAGES[damage]
    harm(folder)
    with pytest.raises(ModelUnusable, match=reason):
        read_model(folder, ORIGIN)
    assert kept_model(folder, ORIGIN, lambda: STORED) == STORED
    assert "Making a model, once" in caplog.text
    assert kept_model(folder, ORIGIN, never) == STORED


def test_a_model_of_another_origin_is_named_and_made_again(folder):
    wanted = {**ORIGIN, "builder": 2}
    with pytest.raises(ModelUnusable, match=r"made from .*, not .*'builder': 2"):
        read_model(folder, wanted)
    made = kept_model(folder, wanted, lambda: stored(wanted))
    assert made.manifest["made_from"] == wanted
    assert kept_model(folder, wanted, never) == made


def test_where_nothing_can_be_written_it_is_made_and_said(tmp_path, caplog):
    (tmp_path / "models").write_text("a file where the folder should be")
    assert kept_model(tmp_path / "models" / "small", ORIGIN, lambda: STORED) == STORED
    assert [record.levelno for record in caplog.records].count(logging.WARNING) >= 1
    assert "cannot be kept" in caplog.text


def test_several_that_need_it_at_once_all_get_it(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: kept_model(tmp_path / "small", ORIGIN, lambda: STORED), range(8)))
    assert found == [STORED] * 8
    assert kept_model(tmp_path / "small", ORIGIN, never) == STORED
