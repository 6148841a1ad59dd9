"""``python -m programs mcp``: the suite as tools of the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from programs.cli.console import say
from programs.cli.options import DEFAULT_INDEX, IndexOption, LMOptionsOption, say_outdated, say_state
from programs.errors import UsageError
from programs.extras import require
from programs.lm.options import with_options

if TYPE_CHECKING:
    from collections.abc import Iterator


def mcp(
    index: IndexOption = DEFAULT_INDEX,
    program: Annotated[str, typer.Option(help="Answers questions of the whole index; see `list`.")] = "multi_signal",
    lm: Annotated[
        str, typer.Option(help="ollama/MODEL, any LiteLLM name, or extractive, which uses no model.")
    ] = "extractive",
    lm_option: LMOptionsOption = None,
) -> None:
    """Serve search, ask, table, verify and reading of passages to an assistant that speaks MCP; nothing is written."""
    require("mcp", "`mcp`")
    import dspy

    from programs.evidence_table.evidence_table import EvidenceTable
    from programs.lm import LM
    from programs.lm.provider_errors import translated
    from programs.registry import answering, load
    from programs.retrieval.index import Index
    from programs.server.mcp_tools import Tools, server_of

    if answering(program).asks != "index":
        raise UsageError(f"{program} asks one paper; give a program that asks an index, such as multi_signal")
    name = with_options(lm, lm_option)
    model = LM(name)

    @contextmanager
    def asking() -> Iterator[Any]:
        with ExitStack() as stack:
            stack.enter_context(translated(name))
            stack.enter_context(dspy.context(lm=model))
            yield

    with Index.open(index) as opened:
        say_outdated(opened)
        with dspy.context(lm=model):
            loaded = load(program, index=opened)
        say_state(loaded)
        say(f"Serving {index} over stdin and stdout by MCP; Ctrl-C ends it.")

        def tabulating() -> EvidenceTable:
            found = load("evidence_table", index=opened)
            assert isinstance(found, EvidenceTable)  # noqa: S101 - what the registry says
            return found

        server_of(Tools(opened, loaded, name, asking, tabulating)).run("stdio")
