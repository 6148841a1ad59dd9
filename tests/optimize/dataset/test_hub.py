"""The benchmarks as they come from a hub: the real `datasets` library against a server on the loopback interface."""

import io

import pyarrow
import pyarrow.parquet
import pytest

from optimize.dataset.loading import load_dataset
from programs.errors import UsageError
from tests.command_line import run
from tests.loopback import LoopbackHub, Repository, asked_by_datasets
from tests.optimize.dataset.test_benchmarks import (
    JATS,
    PROMPT,
    PUBMED,
    QASPER,
    SCIFACT,
    write,
)

CARD = """---
configs:
- config_name: {config}
  data_files:
  - split: train
    path: {config}/train-*
---
"""


def parquet(rows):
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), content)
    return content.getvalue()


def kept_as_parquet(config, rows):
    """A repository that holds Parquet and says so in its card."""
    files = {"README.md": CARD.format(config=config).encode(), f"{config}/train-00000-of-00001.parquet": parquet(rows)}
    return Repository({"main": files})


def loaded_by_script(name, tables):
    """A repository with a loading script, and the copy that the hub keeps of its data on a branch of its own."""
    main = {"README.md": b"# A card\n", f"{name}.py": b"raise RuntimeError('never run')\n"}
    copies = {f"{table}/0000.parquet": parquet(rows) for table, rows in tables.items()}
    return Repository({"main": main, "refs/convert/parquet": {".gitattributes": b"", **copies}})


SCIFACT_TABLES = {
    "corpus/train": SCIFACT["corpus"],
    "claims/train": SCIFACT["claims_train"],
    "claims/validation": SCIFACT["claims_validation"],
}
PAPERS = [
    {**QASPER, "id": f"1909.0000{number}", "qas": {**QASPER["qas"], "question_id": [f"a{number}", f"b{number}"]}}
    for number in range(3)
]
for number, paper in enumerate(PAPERS):
    topic = ("letters by hand", "tweets of sailors", "recipes for soup")[number]
    paper["full_text"] = {"section_name": ["Data"], "paragraphs": [[f"We use 700 {topic} BIBREF3 ."]]}
    paper["qas"]["question"] = [f"How many {topic} do they use?", f"Which graphics card counted {topic}?"]
QASPER_TABLES = {
    f"qasper/{split}": [paper] for split, paper in zip(("train", "validation", "test"), PAPERS, strict=True)
}


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Read a benchmark from a hub of these repositories."""
    monkeypatch.chdir(tmp_path)

    def asked(dataset, repositories):
        with LoopbackHub(repositories) as hub, asked_by_datasets(hub.url, tmp_path / "cache"):
            return load_dataset(dataset)

    return asked


@pytest.mark.parametrize(
    ("name", "hub_id", "repository", "tables"),
    [
        ("scifact", "allenai/scifact", loaded_by_script("scifact", SCIFACT_TABLES), SCIFACT),
        ("pubmed_qa", "qiaojin/PubMedQA", kept_as_parquet("pqa_labeled", [PUBMED]), {"pqa_labeled": [PUBMED]}),
        (
            "qasper",
            "allenai/qasper",
            loaded_by_script("qasper", QASPER_TABLES),
            dict(zip(("train", "validation", "test"), ([paper] for paper in PAPERS), strict=True)),
        ),
    ],
)
def test_a_benchmark_from_the_hub_is_that_of_a_folder(ask, tmp_path, name, hub_id, repository, tables):
    dataset = ask(name, {hub_id: repository})
    same = load_dataset(f"{name}={write(tmp_path / 'folder', tables)}")
    assert (dataset.splits, dataset.documents) == (same.splits, same.documents)
    read = "refs/convert/parquet" if "refs/convert/parquet" in repository.files else "main"
    assert dataset.revisions == {hub_id: repository.commit(read)}
    assert same.revisions == {}


def test_a_folder_as_the_hub_lays_it_out_is_read(tmp_path):
    for table, rows in SCIFACT_TABLES.items():
        (tmp_path / "scifact" / table).mkdir(parents=True)
        (tmp_path / "scifact" / table / "0000.parquet").write_bytes(parquet(rows))
    (tmp_path / "pubmed" / "pqa_labeled").mkdir(parents=True)
    for number, row in enumerate((PUBMED, {**PUBMED, "pubid": 8, "question": "Do cats swim?"})):
        (tmp_path / "pubmed" / "pqa_labeled" / f"train-{number}-of-2.parquet").write_bytes(parquet([row]))
    folder = write(tmp_path / "plain", SCIFACT)
    assert load_dataset(f"scifact={tmp_path / 'scifact'}").splits == load_dataset(f"scifact={folder}").splits
    assert sorted(load_dataset(f"pubmed_qa={tmp_path / 'pubmed'}").documents) == ["7", "8"]


def prompt(number, pmcid, label):
    parts = {part: f"{part} {number}" for part in ("intervention", "comparator", "outcome")}
    return {"id": number, "prompt_id": number, "pmcid": pmcid, "label": label, "evidence": "of another prompt", **parts}


def test_trials_take_their_prompts_from_the_hub_and_leave_its_evidence(ask, tmp_path):
    tables = {
        "train": [prompt(1, 100, "significantly increased"), prompt(2, 100, "invalid prompt")],
        "validation": [prompt(3, 999, "significantly increased")],
        "test": [prompt(4, 200, "no significant difference")],
    }
    copies = {f"evidence-inference_source/{split}": rows for split, rows in tables.items()}
    (tmp_path / "nxml").mkdir()
    for pmc in ("100", "200"):
        (tmp_path / "nxml" / f"PMC{pmc}.nxml").write_text(JATS.format(pmc=pmc), encoding="utf-8")
    repository = loaded_by_script("evidence_inference", copies)
    dataset = ask(f"evidence_inference={tmp_path}", {"bigbio/evidence_inference": repository})
    found = {each.id: each for examples in dataset.splits.values() for each in examples}
    assert {name: (each.document_ids, each.label, each.evidence) for name, each in found.items()} == {
        "evidence_inference-1": (("PMC100",), "significantly increased", ()),
        "evidence_inference-4": (("PMC200",), "no significant difference", ()),
    }
    assert dataset.notes == (
        "left out, because the hub has it for a paper's first prompt only: all evidence",
        "left out, because nxml/ lacks their papers: 1 prompts",
        "left out, because readers found no answer to them: 1 prompts",
    )


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Repository({"main": {}}, status=401, code="GatedRepo"), "is a gated dataset on the Hub"),
        (Repository(kept_as_parquet("pqa_labeled", [PUBMED]).files, cut=True), "Server Disconnected"),
        (Repository({"main": {"PubMedQA.py": b"raise"}}), "refs/convert/parquet"),
    ],
)
def test_a_fault_of_the_hub_is_told_with_what_to_do(ask, fault, said):
    with pytest.raises(UsageError) as caught:
        ask("pubmed_qa", {"qiaojin/PubMedQA": fault})
    assert "the data set qiaojin/PubMedQA cannot be read from the hub" in str(caught.value)
    assert said in str(caught.value)
    assert "hf download qiaojin/PubMedQA --repo-type dataset --local-dir FOLDER" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_hub_that_is_down_ends_the_command_in_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with asked_by_datasets("http://127.0.0.1:9", tmp_path / "cache"):
        ran = run("eval", "main_points", "--dataset", "pubmed_qa", "--dry-run", module="optimize.cli.app")
    assert ran.code == 2
    assert ran.stderr.count("Error: the data set qiaojin/PubMedQA cannot be read from the hub") == 1
    assert "check the network" in ran.stderr


def test_a_prompt_of_an_own_folder_needs_one_of_the_labels(tmp_path):
    folder = write(tmp_path / "e", {"prompts": [{**PROMPT, "label": "invalid prompt"}]})
    (folder / "nxml").mkdir()
    (folder / "nxml" / "PMC100.nxml").write_text(JATS.format(pmc="100"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"prompts\.jsonl:1: the column label should hold one of significantly"):
        load_dataset(f"evidence_inference={folder}")
