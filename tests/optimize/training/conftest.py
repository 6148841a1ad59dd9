"""A small folder of training data and a BERT model of 20,000 parameters, both real in form."""

import json
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from optimize.training.checker import TrainingSettings, export, summed_loss, train
from optimize.training.loop import Trainer, TrainingRun, load_model
from optimize.training.stages import Sources, Stage, calibration_pairs, epoch_pairs

LABELS = ("supported", "contradicted", "unverifiable")
DRUGS = ("alphamab", "betamab", "gammamab", "deltamab")


VERBS = {"supported": ("rose", "fell"), "contradicted": ("fell", "rose"), "unverifiable": ("cost", "cost")}
FINDING = {
    "intervention": "alphamab", "comparator": "placebo", "outcome": "relapses", "effect": "significantly decreased",
}  # fmt: skip


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def premise(number):
    fell = "fell" if number % 2 else "rose"
    return f"Relapses {fell} with {DRUGS[number % 4]} in trial {number}, which nobody had expected at all."


def claims(source, count=24):
    for number in range(count):
        label = LABELS[number % 3]
        yield {
            "id": f"{source}-{number}", "source": source, "split": "dev" if number // 2 % 4 == 3 else "train",
            "document": f"{source}-paper-{number // 2}", "origin": "trials_train",
            "title": "A trial", "premise": premise(number), "evidence": [premise(number)],
            "claim": f"Relapses {VERBS[label][number % 2]} with {DRUGS[number % 4]}.", "label": label,
        }  # fmt: skip


def passages(paper):
    texts = ("Nobody had expected trial with placebo.", f"Relapses fell with alphamab. {premise(1)}", premise(2), "x .")
    for at, text in enumerate(texts):
        yield {"id": f"{paper}-{at}", "kind": "text", "section": "results", "heading": "Results", "text": text}


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name in ("handwritten", "check_covid", "citation_integrity", "scitab", "factcg_doc", "summedits_scitldr"):
        write(folder / "claims" / f"{name}.jsonl", claims(name))
    write(folder / "claims" / "evidence_inference_v2.jsonl", [
        {**FINDING, "pmcid": f"PMC{number}", "premise": premise(1), "outcome": outcome}
        for number in range(12) for outcome in ("Relapses", "days in hospital")
    ])  # fmt: skip
    corpus = [
        {"doc_id": n, "title": "", "abstract": [premise(n), premise(n + 1), "A third sentence on relapses."]}
        for n in range(30)
    ]
    write(folder / "scifact" / "corpus.jsonl", corpus)
    rows = [
        {
            "claim": f"Relapses fell with {DRUGS[n % 4]}.",
            "cited_doc_ids": [n],
            "evidence_doc_id": str(n) if n % 3 else "",
            "evidence_label": ("", "SUPPORT", "CONTRADICT")[n % 3],
            "evidence_sentences": [1] if n % 3 else [],
        }
        for n in range(24)
    ]
    write(folder / "scifact" / "claims_train.jsonl", rows)
    write(folder / "scifact" / "claims_validation.jsonl", rows[:2])
    write(
        folder / "evidence_inference" / "prompts.jsonl",
        [{**FINDING, "pmcid": "PMC11", "label": FINDING["effect"], "evidence": [{"text": premise(1)}]}],
    )
    papers = [{"pmcid": f"PMC{n}", "title": f"Trial {n}", "passages": list(passages(f"PMC{n}"))} for n in range(40)]
    write(folder / "trials_train" / "papers.jsonl", papers)
    prompts = [{**FINDING, "pmcid": f"PMC{n}", "gold": [f"PMC{n}-1"]} for n in range(40)]
    write(folder / "trials_train" / "prompts.jsonl", prompts)
    write(folder / "pubmed_qa" / "pqa_labeled_dev.jsonl", [
        {
            "pubid": n, "question": "Do relapses fall?",
            "context": {"labels": ["METHODS", "RESULTS"], "contexts": ["They cost.", premise(n)]},
        }
        for n in range(12)
    ])  # fmt: skip
    return folder


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    """A folder as the embedder's: config.json, model.safetensors, tokenizer.json."""
    import torch
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("weights")
    words = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "relapses", "fell", "rose", "cost", "with", "in", "trial", "which",
        "nobody", "had", "expected", "at", "all", ".", ",",
    ]  # fmt: skip
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate([*words, *DRUGS])}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = Lowercase(), Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words) + len(DRUGS), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=96, initializer_range=0.2,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    return folder


STAGE = Stage("claims", {"handwritten": 30, "check_covid": 30}, 8, 3e-3, 1e-4, words=40, batch=6)
SETTINGS = TrainingSettings(seed=1, length=48, stages=(replace(STAGE, name="relations", epochs=2), STAGE))


@dataclass
class Trained:
    """A training of ``SETTINGS``: the trainer at its end, each step's loss, the checkers before and after it."""

    folder: Path
    losses: list[float] = field(default_factory=list)
    trainer: Any = None

    @property
    def start(self):
        return self.folder / "start"

    @property
    def checker(self):
        return self.folder / "checker"


@pytest.fixture(scope="session")
def trained(weights, data, tmp_path_factory):
    import torch

    made, sources = Trained(tmp_path_factory.mktemp("trained")), Sources(data)
    pairs, apart = epoch_pairs(STAGE, sources, 0), calibration_pairs(sources)
    torch.manual_seed(SETTINGS.seed)
    untrained = Trainer(load_model(weights, len(LABELS)), partial(summed_loss, smoothing=0.0)).weights()
    export(untrained, weights, made.start, pairs, apart)
    run = TrainingRun(on_step=lambda part, step, steps, loss: made.losses.append(loss))
    made.trainer = train(weights, sources, run, SETTINGS, made.start)
    export(made.trainer.weights(), weights, made.checker, pairs, apart)
    return made
