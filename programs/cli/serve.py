"""``python -m programs serve`` and ``mcp``: the API with its page on a port, and tools for assistants over stdin."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

from programs.cli import console
from programs.cli.console import say
from programs.errors import UsageError
from programs.extras import require
from programs.lm import with_options


def serve(
    index: console.IndexOption = console.DEFAULT_INDEX,
    lm: console.LMOption = console.EXTRACTIVE,
    lm_option: console.LMOptionsOption = None,
    program: Annotated[str, typer.Option(help="Who answers when a request names no program.")] = "multi_signal",
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond this machine only with an API key.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any free one.", min=0, max=65535)] = 8000,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name that browsers may address the server by; repeat it for more.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option(help="A page elsewhere that may call the API (CORS); repeat it for more.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Questions that are answered at the same time.", min=1, max=64)] = 2,
    waiting: Annotated[int, typer.Option(help="Questions that may wait.", min=1)] = 256,
    write: Annotated[
        Path | None,
        typer.Option(help="Let callers add papers to the index, one at a time; their files are kept in this folder."),
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds for one answer.", min=0.1)] = 300.0,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log requests and steps on stderr.")] = False,
) -> None:
    """Serve answers: a page at /, an API under /api, its description at /openapi.json. Ctrl-C stops it.

    With CORROBORATE_API_KEY set, callers of the API have to send that key.
    """
    require("serve", "`serve`")
    from programs.config import is_loopback, settings
    from programs.registry import answering
    from programs.retrieval.index import Index
    from programs.server.app import create_app
    from programs.server.request_queue import ServerOptions
    from programs.server.uvicorn_server import address_of, listening_socket, run

    lm = with_options(lm, lm_option)
    answering(program)
    try:
        if write is not None:
            write.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--write {write} cannot be made a folder ({error.strerror}); name another one") from error
    with listening_socket(host, port) as taken:
        is_local = is_loopback(taken.getsockname()[0])
        if not is_local and settings().api_key is None:
            raise UsageError(
                f"--host {host} lets other machines ask without a key; set CORROBORATE_API_KEY, or leave --host out"
            )
        options = ServerOptions(
            program=program,
            api_key=settings().api_key,
            # Beyond this machine there is a key, which a page elsewhere does not know.
            hosts=tuple(allow_host or ([] if is_local else ["*"])),
            origins=tuple(allow_origin or ()),
            workers=workers,
            waiting=waiting,
            timeout=timeout,
            uploads=write,
        )
        with Index.open(index) as opened:
            console.say_outdated(opened)
            app = create_app(opened, lm, options)
            count = opened.stats().documents
            opened.embedder.embed_query(["Loads the model before the first question."])
            console.say_no_model(lm, "the nearest sentences of the papers are quoted")
            say(f"Answering from {index} ({count} papers) at {address_of(taken)} · Ctrl-C stops")
            level, form = logging.INFO if verbose else logging.WARNING, "%(asctime)s %(levelname)s %(message)s"
            logging.basicConfig(format=form, datefmt="%H:%M:%S", level=level, handlers=[_Said()], force=True)
            run(app, taken)
    say("Stopped.")


class _Said(logging.Handler):
    """Logs like the commands print: without control characters from papers and requests."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        say(self.format(record))


def mcp(
    index: console.IndexOption = console.DEFAULT_INDEX,
    program: Annotated[str, typer.Option(help="Answers questions of the whole index; see `list`.")] = "multi_signal",
    lm: console.LMOption = console.EXTRACTIVE,
    lm_option: console.LMOptionsOption = None,
) -> None:
    """Serve search, ask, table, verify and reading of passages to an assistant that speaks MCP; nothing is written."""
    require("mcp", "`mcp`")
    from programs.lm import LM
    from programs.registry import answering
    from programs.retrieval.index import Index
    from programs.server.mcp_tools import Tools, server_of
    from programs.server.question_service import Answering

    if answering(program).asks != "index":
        raise UsageError(f"{program} asks one paper; give a program that asks an index, such as multi_signal")
    name = with_options(lm, lm_option)
    with Index.open(index) as opened:
        console.say_outdated(opened)
        tools = Tools(Answering(opened, LM(name), name), program)
        say(f"Serving {index} over stdin and stdout by MCP; Ctrl-C ends it.")
        server_of(tools).run("stdio")
