from tests.command_line import run


def test_the_five_programs_are_listed():
    names = [entry["name"] for entry in run("list", "--format", "json").json]
    assert names == ["main_points", "rag_fusion", "multi_signal", "paper_retriever", "paper_writer"]
    assert "paper_writer" in run("list").stdout
