from optimize.dataset.data import load_dataset
from optimize.dataset.example import Example
from optimize.tasks.main_points import about, joined
from programs.ingest.chunking import SENTENCES, chunk


def test_every_span_of_a_joined_paper_is_provable():
    documents = load_dataset("space_biology").documents
    both = [documents["PMC0000001"], documents["PMC0000002"]]
    paper = joined(both)
    assert paper.id == "PMC0000001+PMC0000002"
    texts = [each.text[figure.start : figure.end] for each in both for figure in each.figures]
    assert [paper.text[figure.start : figure.end] for figure in paper.figures] == texts
    assert len({figure.id for figure in paper.figures}) == len(paper.figures)
    apart = [piece.text for each in both for piece in chunk(each, SENTENCES) if piece.kind == "text"]
    assert [piece.text for piece in chunk(paper, SENTENCES) if piece.kind == "text"] == apart


def test_one_paper_stays_as_it_is():
    document = load_dataset("space_biology").documents["PMC0000001"]
    assert joined([document]) is document


def test_gold_ids_become_those_of_the_joined_paper():
    dataset = load_dataset("space_biology")
    example = next(each for each in dataset.split("train") if len(each.document_ids) == 2 and each.evidence)
    paper = joined([dataset.documents[each] for each in example.document_ids])
    posed = about(example, paper)
    assert posed.document_ids == (paper.id,)
    assert {each.document_id for each in posed.evidence} == {paper.id}
    assert all(each.quote in paper.text for each in posed.evidence)
    alone = Example("x", "q", (paper.id,))
    assert about(alone, paper) is alone
