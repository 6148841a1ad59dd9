"""An NLI cross-encoder as judge."""

from types import SimpleNamespace

import pytest

from optimize.judging import NLIJudge, verdict_labels
from programs.errors import UsageError

NAMES = {0: "contradiction", 1: "entailment", 2: "neutral"}
PASSAGES = ["Mice flew. Density fell. Nobody knows why.", "Lettuce grew tall."]


class Pairs:
    """Gives each premise the probabilities that are written down for it; neutral for others."""

    def __init__(self, probabilities, names=NAMES):
        self.probabilities = probabilities
        self.config = SimpleNamespace(id2label=names)
        self.asked = []

    def predict(self, pairs, apply_softmax, show_progress_bar):
        assert apply_softmax
        self.asked += pairs
        return [self.probabilities.get(premise, (0.1, 0.1, 0.8)) for premise, _ in pairs]


def judged(probabilities, passages=PASSAGES):
    pairs = Pairs(probabilities)
    return NLIJudge("invented", lambda _: pairs).check("The claim.", passages), pairs


def test_one_sentence_that_entails_is_enough():
    found, pairs = judged({"Lettuce grew tall.": (0.1, 0.8, 0.1), "Density fell.": (0.9, 0.05, 0.05)})
    assert (found.verdict, found.score, found.quote) == ("supported", 0.8, "Lettuce grew tall.")
    assert PASSAGES[found.passage][found.start : found.end] == found.quote
    assert pairs.asked[0] == ("Mice flew.", "The claim.")


def test_a_contradiction_counts_where_nothing_entails():
    found, _ = judged({"Density fell.": (0.9, 0.05, 0.05)})
    assert (found.verdict, found.quote) == ("contradicted", "Density fell.")


def test_neutral_to_all_is_unverifiable_and_shows_the_nearest():
    found, _ = judged({"Mice flew.": (0.1, 0.3, 0.6)})
    assert (found.verdict, found.quote) == ("unverifiable", "Mice flew.")


def test_three_sentences_are_read_together():
    found, _ = judged({PASSAGES[0]: (0.0, 0.9, 0.1)})
    assert (found.verdict, found.quote) == ("supported", PASSAGES[0])


def test_without_passages_no_model_is_loaded():
    assert NLIJudge("nowhere/nothing").check("The claim.", []).verdict == "unverifiable"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (NAMES, ("contradicted", "supported", "unverifiable")),
        ({2: "CONTRADICTION", 0: "ENTAILMENT", 1: "NEUTRAL"}, ("supported", "unverifiable", "contradicted")),
    ],
)
def test_labels_are_read_from_the_models_configuration(names, expected):
    assert verdict_labels(names, "m") == expected


@pytest.mark.parametrize("names", [{0: "LABEL_0"}, {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, {0: "entailment"}])
def test_a_model_with_other_outputs_is_no_judge(names):
    with pytest.raises(UsageError, match="an NLI judge has entailment, neutral and contradiction"):
        NLIJudge("m", lambda _: Pairs({}, names)).check("The claim.", PASSAGES)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A BERT with one layer and random weights, saved with the labels of NLI."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("nli")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "density", "fell", "mice", "flew", "the", "claim"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    size = {"hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 4}
    labels = {"id2label": NAMES, "label2id": {name: number for number, name in NAMES.items()}}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=64, **size, **labels)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.mark.needs("models")
def test_a_real_model_gives_a_verdict_with_its_quote(model):
    judge = NLIJudge(str(model))
    found = judge.check("The density fell.", PASSAGES)
    assert found.verdict in ("supported", "contradicted", "unverifiable")
    assert 0 < found.score < 1
    assert PASSAGES[found.passage][found.start : found.end] == found.quote != ""
    assert judge.name == f"nli/1:{model.name}"


@pytest.mark.needs("models")
def test_a_model_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match="cannot be loaded"):
        NLIJudge(str(tmp_path / "none")).check("The claim.", PASSAGES)
