"""What the terminal shows of an answer: what it cites apart from what was only read."""

from __future__ import annotations

from programs.cli.ask import print_answer


def passage(number, paper, *, key="", section="results", title=""):
    described = {"title": title or f"On {paper}", "year": 2014, "section": section, "key": key}
    return {"id": f"{paper}::{number}", "document_id": paper, **described}


def citation(source, marker):
    proof = {"verdict": "supported", "score": 1.0, "sentence": f"It fell [{marker}].", "quote": "It fell."}
    return {
        "passage": source["id"],
        "document_id": source["document_id"],
        "marker": marker,
        "start": 0,
        "end": 8,
        "quotes": [{"document_id": source["document_id"], "quote": "It fell.", "start": 0, "end": 8}],
        "judges": [{"name": "support-check/1", "verdict": "supported"}],
        **proof,
    }


def shown(capsys, passages, citations, answer="It fell."):
    rest = {"figures": [], "unsupported_claims": [], "metrics": {"lm_calls": 3, "latency_ms": 12.0}}
    print_answer({"answer": answer, "passages": passages, "citations": citations, **rest})
    return capsys.readouterr().out.splitlines()


def test_cited_passages_come_first_and_other_papers_after_them_a_line_each(capsys):
    passages = [
        passage(1, "roots"),
        passage(2, "bone"),
        passage(3, "roots", section="methods"),
        passage(4, "bone", section="discussion"),
        passage(5, "bone", section="abstract"),
        passage(6, "yeast"),
    ]
    lines = shown(capsys, passages, [citation(passages[3], "4"), citation(passages[1], "2")])
    assert lines[lines.index("Cited") : lines.index("[6] On yeast (2014)") + 1] == [
        "Cited",
        "[2] On bone (2014) · results",
        "[4] On bone (2014) · discussion",
        "",
        "Also read",
        "[1, 3] On roots (2014)",
        "[6] On yeast (2014)",
    ]


def test_papers_cited_by_their_keys_are_named_once(capsys):
    passages = [passage(number, "PMC7", key="PMC7") for number in (1, 2)] + [
        passage(number, "PMC8", key="PMC8") for number in (3, 4)
    ]
    lines = shown(capsys, passages, [citation(passages[0], "PMC7")])
    assert [line for line in lines if line.startswith("[")] == [
        "[PMC7] On PMC7 (2014) · results",
        "[PMC8] On PMC8 (2014)",
    ]


def test_what_was_read_for_no_answer_is_not_called_cited(capsys):
    lines = shown(capsys, [passage(1, "bone")], [], answer="")
    assert "Cited" not in lines
    assert lines[lines.index("Read") + 1] == "[1] On bone (2014)"


def test_a_title_is_no_markup_and_does_not_steer_the_terminal(capsys):
    lines = shown(capsys, [passage(1, "bone", title="[bold]\x1b[31mred")], [])
    assert "[1] [bold]\ufffd[31mred (2014)" in lines
