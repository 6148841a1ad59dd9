import json
import pickle

import dspy
import pytest

import programs
from programs.answering import Answering
from programs.compiled_state import LARGEST_STATE, Provenance, apply_state, fingerprint, read_state, save_state
from programs.errors import StateMismatch, UsageError
from programs.main_points import MainPoints, MainPointsParameters
from programs.multi_signal import MultiSignal
from programs.retrieval.index import Index
from tests.hashing_embedder import HashingEmbedder

PROVENANCE = Provenance(lm="extractive/1", optimizers=("few_shot",), scores={"val": 0.5}, splits={"train": "ab"})
DEMO = {
    "evidence": "[results]\n(1) Density fell.",
    "question": "Did it fall?",
    "answerable": True,
    "answer": [{"text": "It fell.", "evidence": [1]}],
}


def program(**parameters):
    return MainPoints(HashingEmbedder(), MainPointsParameters(**parameters))


def compiled():
    made = program(threshold=0.7, window_size=5)
    made.answer.write.demos = [dspy.Example(**DEMO)]
    made.answer.write.signature = made.answer.write.signature.with_instructions("Answer in one sentence.")
    return made


def test_demos_instructions_and_parameters_come_back(tmp_path):
    path = save_state(compiled(), tmp_path / "made" / "state.json", PROVENANCE)
    loaded = program()
    apply_state(loaded, read_state(path))
    assert [dict(demo) for demo in loaded.answer.write.demos] == [DEMO]
    assert loaded.answer.write.signature.instructions == "Answer in one sentence."
    assert loaded.settings == MainPointsParameters(threshold=0.7, window_size=5)
    assert loaded.dump_state() == compiled().dump_state()
    assert read_state(path).provenance == PROVENANCE


def test_submodules_that_are_marked_as_compiled_do_not_vanish(tmp_path):
    made = compiled()
    made.answer._compiled = made.labelling._compiled = True
    state = read_state(save_state(made, tmp_path / "state.json", PROVENANCE))
    assert {name for name, _ in program().named_predictors()} <= state.content.keys()
    assert {"extract.predict", "answer.write", "answer.correct", "labelling.choose"} <= state.content.keys()
    frozen = program()
    frozen.answer._compiled = True
    apply_state(frozen, state)
    assert frozen.answer.write.demos


def test_the_language_model_stays_out(tmp_path):
    made = compiled()
    made.set_lm(dspy.LM("openai/gpt-x", api_key="secret-key"))
    path = save_state(made, tmp_path / "state.json", PROVENANCE)
    assert "gpt-x" not in path.read_text()
    assert made.answer.write.lm.model == "openai/gpt-x"


class Reworded(dspy.Signature):
    """Answer."""

    question: str = dspy.InputField()
    evidence: str = dspy.InputField()
    answerable: bool = dspy.OutputField()
    answer: list[str] = dspy.OutputField()


def test_a_state_for_a_changed_signature_is_refused_and_changes_nothing(tmp_path):
    state = read_state(save_state(compiled(), tmp_path / "state.json", PROVENANCE))
    changed = program()
    changed.answer = Answering(Reworded)
    before = changed.dump_state()
    with pytest.raises(
        StateMismatch, match=r"inputs of answer\.write were evidence: str, question: str, now they are question: str, "
    ):
        apply_state(changed, state)
    assert changed.dump_state() == before


def test_a_renamed_predictor_is_named(tmp_path):
    state = read_state(save_state(compiled(), tmp_path / "state.json", PROVENANCE))
    changed = program()
    changed.reply = changed.__dict__.pop("answer")
    with pytest.raises(StateMismatch, match=r"answer\.write.*the program has.*reply\.write"):
        apply_state(changed, state)


def test_the_fingerprint_sees_the_fields_of_structured_values():
    kinds = dict(fingerprint(program())["answer.write"]["outputs"])
    assert kinds["answer"] == "list[WrittenSentence(text: str, evidence: tuple[int, Ellipsis])]"


def test_unknown_parameters_are_refused(tmp_path):
    path = save_state(compiled(), tmp_path / "state.json", PROVENANCE)
    content = json.loads(path.read_text())
    content["parameters"]["warp"] = 9
    path.write_text(json.dumps(content))
    with pytest.raises(StateMismatch, match="no parameter warp"):
        apply_state(program(), read_state(path))


@pytest.mark.parametrize("name", ["state.pkl", "state.pickle"])
def test_a_pickle_is_neither_written_nor_read(tmp_path, name):
    with pytest.raises(UsageError, match="pickles are neither written nor read"):
        save_state(compiled(), tmp_path / name, PROVENANCE)
    with pytest.raises(UsageError, match="pickles are neither written nor read"):
        read_state(tmp_path / name)


def described(fingerprint="{}", scores="{}", more=""):
    provenance = f'{{"lm": "a", "scores": {scores}{more}}}'
    return f'{{"metadata": {{"program": "p", "format": 1, "fingerprint": {fingerprint}, "provenance": {provenance}}}}}'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"metadata": {"format": 1}}',
        "no json",
        '{"metadata": 3}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"metadata": ' + "9" * 5_000 + "}",
        described(fingerprint="[]"),
        described(fingerprint='{"answer": 3}'),
        described(scores='{"val": "good"}'),
        described(scores='{"val": NaN}'),
        described(scores='{"val": 1' + "0" * 400 + "}"),
        described(scores="[]"),
        described(more=', "dataset": ["d"]'),
        described(more=', "dataset": {"d": 1}'),
        described(more=', "lm": ["a"]'),
        described(more=', "candidate": null'),
        described(more=', "optimizers": [1]'),
    ],
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "state.json"
    path.write_text(content)
    with pytest.raises(UsageError, match="is not a compiled state"):
        read_state(path)


def tampered(tmp_path, change):
    """A good state's file with its content changed."""
    path = save_state(compiled(), tmp_path / "state.json", PROVENANCE)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("config", {"api_base": "http://listener.example"}),
        ("lm", {"model": "openai/gpt-x", "api_base": "http://listener.example"}),
        ("fields", {"answer": {"desc": "anything"}}),
        ("callbacks", ["a"]),
        ("stage", "x"),
        ("traces", [{"question": "q"}]),
        ("demos", {"question": "q"}),
        ("demos", [{"question": "q"}] * 65),
        ("demos", ["q"]),
        ("signature", {"instructions": 3, "fields": []}),
        ("signature", {"instructions": "x" * 50_001, "fields": []}),
        ("signature", {"instructions": "x", "fields": [], "module": "os"}),
    ],
)
def test_a_predictor_holds_instructions_and_demos_and_nothing_else(tmp_path, key, value):
    path = tampered(tmp_path, lambda content: content["answer.write"].update({key: value}))
    with pytest.raises(UsageError, match="is not a compiled state"):
        read_state(path)


def test_a_predictor_that_the_fingerprint_does_not_name_is_refused(tmp_path):
    path = tampered(tmp_path, lambda content: content.update(lm=content["answer.write"]))
    with pytest.raises(UsageError, match="is not a compiled state"):
        read_state(path)


def test_a_file_that_is_far_too_large_is_not_read(tmp_path):
    path = tampered(tmp_path, lambda content: None)
    with path.open("ab") as file:
        file.truncate(LARGEST_STATE + 1)
    with pytest.raises(UsageError, match="is larger than"):
        read_state(path)


def test_a_state_does_not_choose_a_model(tmp_path):
    index = Index.open(tmp_path / "papers.idx", create=True, embedder=HashingEmbedder())
    with index:
        made = MultiSignal(index)
        made.set_parameters(cross_encoder="someone/model")
        path = save_state(made, tmp_path / "state.json", PROVENANCE)
        with pytest.raises(StateMismatch, match="give cross_encoder='someone/model' yourself"):
            programs.load("multi_signal", index=index, state=path)
        chosen = programs.load("multi_signal", index=index, state=path, cross_encoder="someone/model")
        assert chosen.settings.cross_encoder == "someone/model"


def test_what_an_optimizer_left_in_a_predictor_is_not_written(tmp_path):
    made = compiled()
    made.answer.write.traces = [{"question": "q"}]
    state = read_state(save_state(made, tmp_path / "state.json", PROVENANCE))
    assert state.content["answer.write"]["traces"] == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "python -m optimize"),
        (lambda path: path.mkdir(), "cannot be read"),
        (lambda path: path.write_bytes(pickle.dumps({"metadata": {}})), "is not a compiled state"),
    ],
)
def test_what_is_no_file_of_ours_is_told(tmp_path, make, message):
    make(tmp_path / "state.json")
    with pytest.raises(UsageError, match=message):
        read_state(tmp_path / "state.json")
