"""``POST /api/documents?name=paper.pdf``: a paper for the index, where the server was started to take some.

The body is the file. It is kept in the server's folder for such files, read in a process of its own within its bounds,
and indexed; what is not a paper leaves nothing behind. One is taken at a time, and a few may wait.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from programs.errors import IngestError
from programs.ingest.formats import READERS
from programs.retrieval.files import index_files
from programs.retrieval.index import Index
from programs.server.answering import require_there
from programs.server.errors import ALREADY_THERE, BUSY, NO_PAPER, NOT_KEPT, UPLOADS_OFF, WRONG_TYPE, Refusal
from programs.server.options import ServerOptions
from programs.server.replies import Json

logger = logging.getLogger(__name__)

PATH = "/api/documents"
_BYTES = "application/octet-stream"
"""A page elsewhere cannot send it without asking first, and is then refused."""
_NAME = re.compile(r"[\w()\[\]+,&'’][\w ()\[\]+,&'’.-]{0,180}")
"""Begins with no hyphen, which a shell's programs would take for an option."""
_LONGEST_NAME = 255
"""Bytes that a file system takes."""
_MOST_WAITING = 4


class Uploaded(BaseModel):
    """A paper that was taken."""

    id: str
    title: str
    passages: int
    notes: list[str]


def routes(index: Index, options: ServerOptions) -> APIRouter:
    """The endpoint."""
    router = APIRouter()
    one_at_a_time = CapacityLimiter(1)

    @router.post(
        PATH,
        response_model=Uploaded,
        summary="Add a paper to the index",
        openapi_extra={"requestBody": {"content": {_BYTES: {"schema": {"type": "string", "format": "binary"}}}}},
    )
    async def upload(
        request: Request,
        name: Annotated[str, Query(min_length=1, max_length=200, description="The file's name, with its ending.")],
    ) -> Response:
        folder = options.uploads
        if folder is None:
            raise Refusal(UPLOADS_OFF, "this server takes no papers")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _BYTES:
            raise Refusal(WRONG_TYPE, "the request's body is not declared to be a file")
        _check_name(name)
        if one_at_a_time.statistics().tasks_waiting >= _MOST_WAITING:
            raise Refusal(BUSY, f"{_MOST_WAITING} papers are waiting already", Retry_After="10")
        data = await request.body()
        return Json(await to_thread.run_sync(lambda: _taken(index, folder / name, data), limiter=one_at_a_time))

    return router


def _check_name(name: str) -> None:
    """Refuse what is not a plain name of a file that a reader knows."""
    if not _NAME.fullmatch(name) or len(name.encode()) > _LONGEST_NAME:
        raise Refusal(NO_PAPER, f"{name[:80]!r} is not a plain name of a file")
    if Path(name).suffix.lower() not in READERS:
        known = ", ".join(sorted(READERS))
        raise Refusal(
            NO_PAPER, f"no reader for {Path(name).suffix[:20] or 'a file without ending'!r}; there are {known}"
        )


def _taken(index: Index, path: Path, data: bytes) -> dict[str, object]:
    """Keep a file and index it; where that fails, nothing of it stays."""
    require_there(index)
    _keep(path, data)
    try:
        # A handle of its own: the one that answers only reads.
        with Index.open(index.place, embedder=index.embedder) as writing:
            found = index_files(writing, [path], only_new=True, apart=True)
            (paper,) = found.papers or (_refused(path, found.failures),)
            known = writing.description(paper)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    notes = [*found.doubtful.values(), *(f"the same paper as {other}" for other in found.same.values())]
    return {"id": paper, "title": known.get("title", ""), "passages": known["chunks"], "notes": notes}


def _refused(path: Path, failures: Sequence[IngestError]) -> NoReturn:
    said = "; ".join(f"{failure.reason}; {failure.action}" for failure in failures)
    raise Refusal(NO_PAPER, f"{path.name}: {said or 'the index holds this very file already'}")


def _keep(path: Path, data: bytes) -> None:
    """Write a file under an unused name, atomically."""
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        part.write_bytes(data)
        os.link(part, path)
    except FileExistsError as error:
        raise Refusal(ALREADY_THERE, f"there is a paper {path.name!r} already") from error
    except OSError as error:
        logger.warning("%s could not be kept: %s", path.name, error)
        raise Refusal(NOT_KEPT, f"the server could not keep {path.name!r}") from error
    finally:
        part.unlink(missing_ok=True)
