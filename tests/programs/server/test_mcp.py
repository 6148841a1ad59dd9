"""A session with the server of the Model Context Protocol, by the client of its official package."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.command_line import run

pytestmark = [pytest.mark.needs("mcp"), pytest.mark.engine]
ROOT = Path(__file__).resolve().parents[3]
QUESTION = "How much did femur density fall in flight mice?"
FELL = "Femur density fell by 12.4 percent in flight mice after 30 days in orbit."


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mcp")
    (folder / "bone.md").write_text(f"# Bone loss in flight mice\n\n## Results\n\n{FELL} Mice were housed in pairs.\n")
    assert run("index", folder, "--index", folder / "papers.idx").code == 0
    return folder / "papers.idx"


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


COLUMN = {"name": "fall", "question": QUESTION}
REFUSED = (
    ("ask", {"question": " "}, "question is empty"),
    ("search", {"question": QUESTION, "k": 1000}, "top_k: Input should"),
    ("read_passage", {"document_id": "gone", "start": 0, "end": 5}, "gone"),
    ("verify", {"answer": {"answer": "x"}}, "answer"),
    ("table", {"columns": [{**COLUMN, "type": "colour"}]}, "no type"),
    ("table", {"columns": [COLUMN, COLUMN]}, "two columns"),
    ("ask", {"question": "bone " * 100_000}, "question: String should have at most 2000"),
    ("search", {"question": "bone\0density"}, "not a character"),
    ("search", {"question": QUESTION, "filters": {"year": nested(60)}}, "nests deeper"),
    ("table", {"columns": [{**COLUMN, "question": "bone " * 1_000}]}, "question: String should have at most 2000"),
    (
        "table",
        {"columns": [{**COLUMN, "type": "choices", "choices": ["x" * 9_000, "y"]}]},
        "choices.0: String should have at most 200",
    ),
    ("table", {"columns": [COLUMN], "find": "bone " * 1_000}, "find: String should have at most 2000"),
    ("table", {"columns": [COLUMN], "find": "bone", "limit": 10**30}, "limit: Input should be"),
    ("table", {"columns": [COLUMN], "document_ids": ["../../etc/passwd"]}, "no paper '../../etc/passwd'"),
    ("table", {"columns": [{**COLUMN, "path": "/etc/passwd"}]}, "path: Extra inputs"),
    ("read_passage", {"document_id": "../../etc/passwd", "start": 0, "end": 5}, "has no document"),
    ("verify", {"answer": {"answer": nested(60)}}, "nests deeper"),
    ("ask", {"question": QUESTION, "parameters": {"cross_encoder": "some/model"}}, "it takes reader, evidence"),
)


async def _session(place):
    """Everything that a client does, over stdin and stdout of a process: one start for all."""
    from mcp import Client, StdioServerParameters

    command = ["-m", "programs", "mcp", "--index", str(place)]
    async with Client(StdioServerParameters(command=sys.executable, args=command, cwd=str(ROOT))) as client:
        listed = await client.list_tools()
        found = await client.call_tool("search", {"question": QUESTION, "k": 1})
        passage = found.structured_content["passages"][0]
        span = {name: passage[name] for name in ("document_id", "start", "end")}
        read = await client.call_tool("read_passage", span)
        answered = await client.call_tool("ask", {"question": QUESTION})
        proved = await client.call_tool("verify", {"answer": answered.structured_content})
        forged = {**answered.structured_content, "answer": "Femur density rose by 90 percent [1]."}
        refused = await client.call_tool("verify", {"answer": forged})
        asked = {"name": "fall", "question": QUESTION, "type": "number", "unit": "percent"}
        table = await client.call_tool("table", {"columns": [asked]})
        holds = await client.call_tool("verify", {"answer": table.structured_content})
        lied = json.loads(json.dumps(table.structured_content).replace("12.4", "90"))
        lies = await client.call_tool("verify", {"answer": lied})
        errors = [await client.call_tool(tool, given) for tool, given, _ in REFUSED]
    return listed, passage, read, (table, holds, lies), answered, proved, refused, errors


@pytest.fixture(scope="module")
def session(place):
    import anyio

    with ThreadPoolExecutor(1) as alone:  # a browser's test in this process may have an event loop of its own
        return alone.submit(anyio.run, _session, place).result()


def test_the_tools_are_listed_with_what_they_do(session):
    tools = {tool.name: tool for tool in session[0].tools}
    assert tools.keys() == {"search", "read_passage", "ask", "table", "verify"}
    assert all(tool.description for tool in tools.values())


def test_a_passage_is_found_and_read(session):
    _, passage, read, *_ = session
    assert FELL in passage["text"]
    assert read.structured_content["text"] == passage["text"]
    assert read.structured_content["title"] == "Bone loss in flight mice"


def test_an_answer_is_proved_and_a_forged_one_is_not(session):
    *_, answered, proved, refused, _ = session
    assert "12.4" in answered.structured_content["answer"]
    assert answered.structured_content["citations"][0]["verdict"] == "supported"
    result = proved.structured_content
    assert (result["verified"], result["faults"], result["only_models_say"]) == (True, [], [])
    assert result["said_only"] == ["expansion", "notes", "relevance_reason"]
    assert refused.structured_content["verified"] is False


def test_a_table_is_filled_and_proved_and_a_forged_one_is_not(session):
    table, holds, lies = session[3]
    (row,) = table.structured_content["rows"]
    (cell,) = row["cells"]
    assert "12.4" in json.dumps(cell)
    assert (holds.structured_content["verified"], holds.structured_content["faults"]) == (True, [])
    assert lies.structured_content["verified"] is False


def test_errors_reach_the_caller_in_words(session):
    for result, (_, _, wanted) in zip(session[-1], REFUSED, strict=True):
        assert (result.is_error, wanted in result.content[0].text) == (True, True), wanted


def test_a_program_that_asks_one_paper_is_refused(place):
    ran = run("mcp", "--index", place, "--program", "main_points")
    assert ran.code == 2
    assert "asks one paper" in ran.stderr
