"""Files of papers: taking one for the index, and showing a page of one.

``POST /api/documents?name=paper.pdf``, where the server was started with a folder for uploads: the body is the file. It
is stored in that folder, read in a process of its own within its bounds, and indexed; a file that is not a paper is
deleted again. One is taken at a time, and a few may wait.

``GET /api/documents/{id}/pages/{page}``: the page of a PDF on which quotes are, as a picture with them marked. Only of
papers of the index, and only from the very file that was indexed: no path comes from a request.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NoReturn

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from pydantic import BaseModel
from starlette.responses import Response

from programs.errors import IngestError
from programs.ingest.document import Document
from programs.ingest.formats import require_file
from programs.ingest.paper_formats import READERS
from programs.results.highlighting import page_image
from programs.retrieval.file_indexing import Origin, index_files
from programs.retrieval.index import Index
from programs.server.catalogue_routes import DocumentId
from programs.server.error_responses import Json, Kind, Refusal
from programs.server.question_service import Answering, require_there
from programs.server.request_queue import ServerOptions

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


_AT_ONCE = 2
_MOST_SPANS = 20
_SPAN = re.compile(r"(\d{1,12})-(\d{1,12})")

Span = Annotated[str, Query(pattern=f"^{_SPAN.pattern}$")]


def routes(answering: Answering, options: ServerOptions) -> APIRouter:
    """The endpoints."""
    router = APIRouter()
    one_at_a_time, drawing = CapacityLimiter(1), CapacityLimiter(_AT_ONCE)

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
            raise Refusal(Kind.UPLOADS_OFF, "this server accepts no papers; start it with --write FOLDER to allow them")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _BYTES:
            raise Refusal(Kind.WRONG_TYPE, "the request's body is not declared to be a file")
        _check_name(name)
        if one_at_a_time.statistics().tasks_waiting >= _MOST_WAITING:
            raise Refusal(Kind.BUSY, f"{_MOST_WAITING} papers are waiting already", Retry_After="10")
        data = await request.body()
        taken = partial(_taken, answering.index, folder / name, data)
        return Json(await to_thread.run_sync(taken, limiter=one_at_a_time))

    @router.get(
        f"{PATH}/{{document_id}}/pages/{{page}}",
        summary="A page of a paper's PDF as a picture, with quotes marked",
        response_class=Response,
        responses={200: {"content": {"image/png": {}}}},
    )
    async def page(
        document_id: DocumentId,
        page: Annotated[int, PathParameter(ge=1, le=100_000, description="Number in the file, from 1.")],
        span: Annotated[
            list[Span] | None,
            Query(max_length=_MOST_SPANS, description="What to mark, START-END in the paper's text; repeat it."),
        ] = None,
        width: Annotated[int, Query(ge=200, le=2000, description="Of the picture, in pixels.")] = 900,
    ) -> Response:
        spans = [(int(found[1]), int(found[2])) for each in span or () if (found := _SPAN.fullmatch(each))]
        drawn = partial(_picture, answering, document_id, page, spans, width)
        picture = await to_thread.run_sync(drawn, limiter=drawing)
        return Response(picture, media_type="image/png", headers={"Cache-Control": "private, max-age=300"})

    return router


def _check_name(name: str) -> None:
    """Refuse what is not a plain name of a file that a reader knows."""
    if not _NAME.fullmatch(name) or len(name.encode()) > _LONGEST_NAME:
        raise Refusal(Kind.NO_PAPER, f"{name[:80]!r} is not a plain name of a file")
    if (ending := Path(name).suffix).lower() not in READERS:
        said = f"no reader for {ending[:20] or 'a file without ending'!r}; there are {', '.join(sorted(READERS))}"
        raise Refusal(Kind.NO_PAPER, said)


def _taken(index: Index, path: Path, data: bytes) -> dict[str, object]:
    """Keep a file and index it; where that fails, nothing of it stays."""
    require_there(index)
    _keep(path, data)
    try:
        # Its own handle: the one that answers only reads.
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
    raise Refusal(Kind.NO_PAPER, f"{path.name}: {said or 'the index holds this very file already'}")


def _keep(path: Path, data: bytes) -> None:
    """Write a file under an unused name, atomically."""
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        part.write_bytes(data)
        os.link(part, path)
    except FileExistsError as error:
        raise Refusal(Kind.ALREADY_THERE, f"there is a paper {path.name!r} already") from error
    except OSError as error:
        logger.warning("%s could not be kept: %s", path.name, error)
        raise Refusal(Kind.NOT_KEPT, f"the server could not keep {path.name!r}") from error
    finally:
        part.unlink(missing_ok=True)


def _picture(answering: Answering, document_id: str, page: int, spans: list[tuple[int, int]], width: int) -> bytes:
    with answering.index.reading():
        document = answering.document(document_id)
        origin = Origin.parse(answering.index.origin(document_id))
    path = _file_of(document, origin)
    if page > max(place.page for place in document.places):
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"{document_id!r} has no text on a page {page}")
    marked = [
        (line, start, end)
        for start, end in spans
        for line in document.places_of(start, end)
        if line.page == page and start < line.end and line.start < end
    ]
    try:
        return page_image(path, page, marked, width)
    except IngestError as error:
        logger.warning("%s", error)
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"page {page} of {document_id!r} could not be drawn") from error


def _file_of(document: Document, origin: Origin) -> Path:
    """The file of a paper, if it is still the one that was indexed; its path is not disclosed."""
    if not document.places:
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"{document.id!r} was not read from a PDF with places of its lines")
    if not origin.place:
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"the index does not know where the file of {document.id!r} is")
    path = Path(origin.place)
    try:
        require_file(path)
        is_same = origin.is_held_by(path)
    except (OSError, IngestError) as error:
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"the file of {document.id!r} is not where it was indexed") from error
    if not is_same:
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"the file of {document.id!r} has changed since it was indexed")
    return path
