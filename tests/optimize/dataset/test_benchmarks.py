import json

import pytest

from optimize.dataset import SHARES, SPLITS, WITHOUT_TEST, groups_of, split_of
from optimize.dataset.benchmark_material import Quotable
from optimize.dataset.loading import load_dataset
from programs.errors import UsageError
from programs.ingest.document import DocumentBuilder
from tests.benchmarks import BENCHMARKS, needs_benchmarks

CORPUS = [
    {"doc_id": 1, "title": "Mice", "abstract": ["Mice slept less.", "They ate more in orbit."], "structured": False},
    {"doc_id": 2, "title": "Cress", "abstract": ["Cress grew towards the lamp."], "structured": False},
    {"doc_id": 3, "title": "Yeast", "abstract": ["Yeast budded as on the ground."], "structured": False},
]


def claim(number, text, paper, label="", sentences=()):
    evidence = {"evidence_doc_id": str(paper) if label else "", "evidence_label": label}
    return {
        "id": number,
        "claim": text,
        **evidence,
        "evidence_sentences": list(sentences),
        "cited_doc_ids": [paper],
    }


TRAIN = [
    claim(10, "Cress turns to light.", 2, "SUPPORT", [0]),
    claim(11, "Mice grow fur in orbit.", 1),
]
VALIDATION = [
    claim(20, "Mice sleep and eat less in space.", 1, "CONTRADICT", [1]),
    claim(20, "Mice sleep and eat less in space.", 1, "CONTRADICT", [0]),
    claim(21, "Mice dream of cheese.", 1),
]
SCIFACT = {"corpus": CORPUS, "claims_train": TRAIN, "claims_validation": VALIDATION}

PUBMED = {
    "pubid": 7,
    "question": "Does light wake mice?",
    "context": {
        "contexts": ["We lit cages.", "Mice in lit cages woke earlier."],
        "labels": ["METHODS", "RESULTS"],
        "meshes": [],
    },
    "long_answer": "Light wakes mice.",
    "final_decision": "yes",
}
ANSWER = {"unanswerable": False, "extractive_spans": [], "yes_no": None, "free_form_answer": "", "evidence": []}
QASPER = {
    "id": "1909.00694",
    "title": "Counting verbs",
    "abstract": "We count verbs.",
    "full_text": {
        "section_name": ["Data ::: Corpus"],
        "paragraphs": [["We use 700 letters BIBREF3 .", "All are old."]],
    },
    "qas": {
        "question": ["How many letters?", "Which GPU?"],
        "question_id": ["a1", "a2"],
        "answers": [
            {"answer": [{**ANSWER, "extractive_spans": ["700 letters"], "evidence": ["We use 700 letters BIBREF3."]}]},
            {"answer": [{**ANSWER, "unanswerable": True}]},
        ],
    },
}
JATS = """<article><front><article-meta><article-id pub-id-type="pmc">{pmc}</article-id>
<title-group><article-title>A trial</article-title></title-group></article-meta></front>
<body><sec><title>Results</title><p>Pain fell by 3&#8211;4 points with the drug ({pmc}).</p></sec></body></article>"""
PROMPT = {
    "prompt_id": 5,
    "pmcid": "PMC100",
    "outcome": "pain &amp; sleep",
    "intervention": "the drug",
    "comparator": "placebo",
    "label": "significantly decreased",
    "evidence": [{"text": "Pain fell by 3-4 points", "start": 0, "end": 5}, {"text": "It rained all day.", "start": 9}],
}


def write(folder, tables):
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def problem(dataset):
    with pytest.raises(UsageError) as caught:
        load_dataset(dataset)
    return str(caught.value)


@pytest.fixture
def scifact(tmp_path):
    return write(tmp_path / "scifact", SCIFACT)


def test_the_rationales_of_a_claim_become_its_evidence_and_claims_on_tested_abstracts_are_left_out(scifact):
    dataset = load_dataset(f"scifact={scifact}")
    contradicted, silent = dataset.split("test")
    assert (contradicted.label, contradicted.document_ids) == ("CONTRADICT", ("1",))
    assert [each.quote for each in contradicted.evidence] == ["They ate more in orbit.", "Mice slept less."]
    assert (silent.label, silent.evidence, silent.answerable) == ("NOT_ENOUGH_INFO", (), True)
    assert set(dataset.documents) == {"1", "2", "3"}
    known = [each.id for split in ("train", "val", "dev") for each in dataset.splits.get(split, ())]
    assert known == ["scifact-10"]
    assert dataset.notes == ("left out of 2 train claims, because a test claim cites the same abstract: 1",)


@pytest.mark.parametrize(
    ("table", "rows", "said"),
    [
        ("claims_train", [{"id": 12}], "claims_train.jsonl:1: there is no column claim; there are id"),
        ("claims_train", [claim(12, "Moss glows.", 99)], "claims_train.jsonl:1: cited_doc_ids names no abstract"),
        ("claims_train", [claim(12, "Moss.", 1, "MAYBE")], "train.jsonl:1: the column evidence_label should hold"),
        ("claims_train", [claim(12, "Moss.", 1, "SUPPORT", [2])], "numbers of sentences of 1, from 0, got '2'"),
        ("claims_train", [{**claim(12, "Moss.", 1), "claim": ["Moss."]}], "the column claim should hold text"),
        ("claims_train", [claim(20, "Cress turns.", 2)], "id scifact-20 is already that of claims_train.jsonl:1"),
        (
            "claims_train",
            [claim(10, "Cress is red.", 2), claim(10, "Cress is blue.", 2)],
            "claims_train.jsonl:2: the id 10 is already that of another claim, at claims_train.jsonl:1",
        ),
        ("corpus", [{"doc_id": 1, "title": "A", "abstract": "one text"}], "the column abstract should hold a list"),
        ("corpus", [*CORPUS, CORPUS[0]], "corpus.jsonl:4: the doc_id 1 is already in the corpus"),
    ],
)
def test_a_wrong_column_or_id_is_named_with_file_and_line(scifact, table, rows, said):
    write(scifact, {table: rows})
    assert said in problem(f"scifact={scifact}")


def test_a_missing_file_or_folder_or_name_is_told_with_what_there_should_be(scifact, tmp_path):
    elsewhere = write(tmp_path / "elsewhere", {"claims": TRAIN})
    for given, said in (
        (
            f"scifact={elsewhere}",
            "should hold one file corpus.jsonl or corpus.parquet, with the columns of allenai/sci",
        ),
        ("scifact=nowhere", "there is no folder 'nowhere'; give --dataset scifact=FOLDER"),
        ("scifact=", "there is no folder ''; give --dataset scifact=FOLDER, or scifact for the hub"),
        (str(scifact), f"a benchmark's folder is named like scifact={scifact}"),
        ("squad", "a benchmark (scifact, pubmed_qa, qasper, evidence_inference)"),
        ("evidence_inference", "give --dataset evidence_inference=FOLDER, where FOLDER/nxml holds JATS"),
    ):
        assert said in problem(given)


@pytest.mark.needs("hub")
def test_the_hubs_own_loader_gives_the_same_examples(scifact, tmp_path, monkeypatch):
    """`datasets` prefers a folder of the data set's name to the hub: the card says which table is which."""
    hub = write(tmp_path / "hub" / "allenai" / "scifact", SCIFACT)
    (hub / "README.md").write_text(
        "---\nconfigs:\n- config_name: corpus\n  data_files:\n  - split: train\n    path: corpus.jsonl\n"
        "- config_name: claims\n  data_files:\n  - split: train\n    path: claims_train.jsonl\n"
        "  - split: validation\n    path: claims_validation.jsonl\n---\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path / "hub")
    assert load_dataset("scifact").splits == load_dataset(f"scifact={scifact}").splits


@pytest.mark.needs("hub")
def test_a_table_in_parquet_is_read_like_one_in_json(scifact):
    import pyarrow
    import pyarrow.parquet

    before = load_dataset(f"scifact={scifact}")
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(CORPUS), scifact / "corpus.parquet")
    (scifact / "corpus.jsonl").unlink()
    assert load_dataset(f"scifact={scifact}") == before


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("corpus.jsonl.gz", b"\x1f\x8b", "; got corpus.jsonl.gz"),
        ("corpus.jsonl", b"{'doc_id': 1}\n", "corpus.jsonl:1: this is not JSON"),
        ("corpus.jsonl", b"[" * 100_000, "corpus.jsonl:1: this is not JSON"),
        ("corpus.jsonl", b'{"doc_id": 1, "title": "Cr\xe9e"}', "corpus.jsonl: not UTF-8 after corpus.jsonl"),
        pytest.param(
            "corpus.parquet",
            b"PAR1 and no more",
            "corpus.parquet cannot be read as Parquet (ArrowInvalid",
            marks=pytest.mark.needs("hub"),
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named(scifact, name, content, said):
    (scifact / "corpus.jsonl").unlink()
    (scifact / name).write_bytes(content)
    assert said in problem(f"scifact={scifact}")


def test_a_byte_order_mark_and_foreign_line_ends_do_not_matter(scifact):
    before = load_dataset(f"scifact={scifact}")
    file = scifact / "corpus.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    assert load_dataset(f"scifact={scifact}") == before


def test_a_packed_table_of_prompts_is_named_and_the_hub_is_not_asked_instead(tmp_path):
    (tmp_path / "nxml").mkdir()
    (tmp_path / "nxml" / "PMC100.nxml").write_text(JATS.format(pmc="100"), encoding="utf-8")
    (tmp_path / "prompts.jsonl.gz").write_bytes(b"\x1f\x8b")
    assert "should hold one file prompts.jsonl or prompts.parquet" in problem(f"evidence_inference={tmp_path}")


@pytest.mark.parametrize(
    ("given", "answers", "answerable"),
    [
        ([{"yes_no": False}], ("No",), True),
        ([{"yes_no": True}, {"unanswerable": True}], ("Yes",), True),
        ([{"unanswerable": True}, {"unanswerable": True}, {"free_form_answer": "BERT"}], (), False),
        ([{"extractive_spans": ["700", "800"]}, {"free_form_answer": "Both"}], ("700, 800", "Both"), True),
    ],
)
def test_every_kind_of_answer_and_several_annotators(tmp_path, given, answers, answerable):
    annotated = [{"answer": [{**ANSWER, **each} for each in given]}]
    qas = {"question": ["How many letters?"], "question_id": ["a1"], "answers": annotated}
    tables = {"train": [{**QASPER, "qas": qas}], "validation": [], "test": []}
    (example,) = load_dataset(f"qasper={write(tmp_path / 'q', tables)}").split("train")
    assert (example.answers, example.answerable) == (answers, answerable)


def test_an_abstract_with_its_conclusion_as_reference(tmp_path):
    dataset = load_dataset(f"pubmed_qa={write(tmp_path / 'p', {'pqa_labeled': [PUBMED]})}")
    (example,) = (each for examples in dataset.splits.values() for each in examples)
    assert (example.label, example.choices, example.answer) == ("yes", ("yes", "no", "maybe"), "Light wakes mice.")
    paper = dataset.documents["7"]
    assert [(each.heading, paper.text[each.start : each.end]) for each in paper.sections] == [
        ("Methods", "We lit cages."),
        ("Results", "Mice in lit cages woke earlier."),
    ]


def pubmed(**changed):
    return "pubmed_qa", {"pqa_labeled": [PUBMED | changed]}


SILENT = {**QASPER, "qas": {**QASPER["qas"], "answers": [{"answer": [ANSWER]}, {"answer": [ANSWER]}]}}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("pubmed_qa", {"pqa_labeled": []}), "it holds no questions"),
        (pubmed(final_decision="Yes!"), "final_decision should hold one of yes, no, maybe, got 'Yes!'"),
        (pubmed(context="text"), "the column context should hold an object"),
        (pubmed(context={"contexts": ["a"], "labels": []}), "labels should hold a label for each of 1 contexts"),
        (
            ("qasper", {"train": [SILENT], "validation": [], "test": []}),
            "the column yes_no should hold true or false, where no other answer is given, got 'None'",
        ),
    ],
)
def test_what_is_wrong_with_a_table_is_named(tmp_path, given, said):
    name, tables = given
    assert said in problem(f"{name}={write(tmp_path / 'set', tables)}")


def test_a_full_paper_with_evidence_and_a_question_without_answer(tmp_path):
    tables = {"train": [QASPER], "validation": [], "test": []}
    dataset = load_dataset(f"qasper={write(tmp_path / 'q', tables)}")
    found, absent = dataset.split("train")
    assert (found.answer, found.answerable) == ("700 letters", True)
    assert [each.quote for each in found.evidence] == ["We use 700 letters BIBREF3 ."]
    assert (absent.answerable, absent.answer, absent.evidence) == (False, "", ())


def test_questions_of_two_annotators_become_one(tmp_path):
    plain = {
        "paper": "Data\n\nWe use 700 letters.",
        "questions": ["How many letters?", "How many letters?", "Which GPU?"],
        "answers": ["700", "700 letters", "Unanswerable"],
    }
    dataset = load_dataset(f"qasper={write(tmp_path / 'q', {'papers_qa': [plain]})}")
    found, absent = (each for examples in dataset.splits.values() for each in examples)
    assert (found.answers, absent.answerable) == (("700", "700 letters"), False)


def test_evidence_is_quoted_as_the_paper_has_it_and_what_is_missing_is_counted(tmp_path):
    folder = write(tmp_path / "e", {"prompts": [PROMPT, {**PROMPT, "prompt_id": 6, "pmcid": "PMC999"}]})
    (folder / "nxml").mkdir()
    (folder / "nxml" / "PMC100.nxml").write_text(JATS.format(pmc="100"), encoding="utf-8")
    dataset = load_dataset(f"evidence_inference={folder}")
    (example,) = (each for examples in dataset.splits.values() for each in examples)
    assert example.question == "What was the effect of the drug compared with placebo on pain & sleep?"
    assert [each.quote for each in example.evidence] == ["Pain fell by 3–4 points"]
    assert dataset.notes == (
        "left out of 2 evidence texts, because the papers as read do not hold them: 1",
        "left out, because nxml/ lacks their papers: 1 prompts",
    )


def test_splits_are_a_fixed_function_of_the_paper_and_papers_of_one_question_hang_together():
    assert [split_of(f"PMC{number}") for number in range(6)] == ["dev", "val", "train", "val", "train", "train"]
    many = [split_of(str(number)) for number in range(4000)]
    assert all(abs(many.count(split) / 4000 - share) < 0.03 for split, share in SHARES.items())
    assert "test" not in {split_of(str(number), WITHOUT_TEST) for number in range(1000)}
    groups = groups_of([("a", "b"), ("c",), ("d", "b"), ("e", "c")])
    assert groups == {"a": "a", "b": "a", "d": "a", "c": "c", "e": "c"}


@pytest.mark.parametrize("question", ["Does light wake mice?", "How was test {0} done {0}?"], ids=["question", "paper"])
def test_almost_the_same_question_and_the_same_paper_stay_in_the_later_split_only(tmp_path, question):
    told = " ".join(f"Mouse {number} slept for {number % 7} hours." for number in range(60))
    given = {**PUBMED, "context": {**PUBMED["context"], "contexts": ["We lit cages.", told]}}
    rows = [{**given, "pubid": number, "question": question.format(number)} for number in range(19)]
    dataset = load_dataset(f"pubmed_qa={write(tmp_path / 'p', {'pqa_labeled': rows})}")
    assert list(dataset.splits) == ["test"]
    assert [each.partition(",")[0] for each in dataset.notes] == [f"left out of {each}" for each in SPLITS[:3]]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Growth slowed in S. cerevisiae", "Growth slowed in S. cerevisiae"),
        ("growth   slowed in S.cerevisiae", "Growth slowed in S. cerevisiae"),
        ("at 3-4 \u00b0C", None),
        ("slowed in S. cerevisiae at 3-4 \u00b0C", "slowed in S. cerevisiae (at 3\u20134\u2009\u00b0C"),
        ("Growth stopped", None),
    ],
)
def test_quotes_are_exact_pieces_of_the_document(wanted, found):
    builder = DocumentBuilder()
    builder.add_paragraph("Growth slowed in S. cerevisiae (at 3\u20134\u2009\u00b0C).")
    quote = Quotable(builder.build(id="P")).find(wanted)
    assert (quote or None) == (found and " ".join(found.split()))


@pytest.mark.slow
@needs_benchmarks
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("scifact", {"train": 291, "val": 108, "dev": 137, "test": 300}),
        ("pubmed_qa", {"train": 199, "val": 107, "dev": 98, "test": 96}),
        ("qasper", {"train": 54, "val": 21, "dev": 24, "test": 50}),
        ("evidence_inference", {"train": 90, "val": 44, "dev": 46, "test": 44}),
    ],
)
def test_the_real_benchmarks_are_read_whole_and_the_tested_claims_are_those_of_beir(name, sizes):
    dataset = load_dataset(f"{name}={BENCHMARKS / name}")
    assert {split: len(dataset.splits[split]) for split in SPLITS} == sizes
    if name == "scifact":
        relevant: dict[str, set[str]] = {}
        for line in (BENCHMARKS / "scifact" / "qrels.beir.test.txt").read_text(encoding="utf-8").splitlines():
            query, _, document, _ = line.split()
            relevant.setdefault(f"scifact-{query}", set()).add(document)
        assert {each.id: set(each.document_ids) for each in dataset.split("test")} == relevant
