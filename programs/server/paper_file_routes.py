"""Files of papers: taking one for the index or out of it, and showing a page or a figure of one.

``POST /api/documents?name=paper.pdf``, where the server was started with a folder for uploads: the body is the file. It
is stored in that folder, read in a process of its own within its bounds, and indexed; a file that is not a paper is
deleted again. One is taken at a time, and a few may wait. ``DELETE /api/documents/{id}`` takes a paper out of the
index, and its file out of that folder.

``GET /api/documents/{id}/pages/{page}``: the page of a PDF on which quotes are, as a picture with them marked; and
``GET /api/documents/{id}/figures/{figure}``: a figure, cut from its page. Only of papers of the index, and only from
the very file that was indexed: no path comes from a request.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from pydantic import BaseModel
from starlette.responses import Response

from programs.errors import IngestError
from programs.ingest.document import Document
from programs.ingest.formats import require_file
from programs.ingest.paper_formats import READERS
from programs.results.drawing import figure_image, page_image
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


class Removed(BaseModel):
    """A paper that was taken out of the index."""

    id: str


_AT_ONCE = 2
_MOST_SPANS = 20
_SPAN = re.compile(r"(\d{1,12})-(\d{1,12})")

Span = Annotated[str, Query(pattern=f"^{_SPAN.pattern}$")]
Width = Annotated[int, Query(ge=200, le=2000, description="Of the picture, in pixels.")]
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}}


def routes(answering: Answering, options: ServerOptions) -> APIRouter:
    """The endpoints."""
    router = APIRouter()
    one_at_a_time, drawing = CapacityLimiter(1), CapacityLimiter(_AT_ONCE)

    async def in_turn(work: Callable[[], dict[str, object]]) -> Response:
        """Change the index, one request at a time."""
        if one_at_a_time.statistics().tasks_waiting >= _MOST_WAITING:
            raise Refusal(Kind.BUSY, f"{_MOST_WAITING} papers are waiting already", Retry_After="10")
        return Json(await to_thread.run_sync(work, limiter=one_at_a_time))

    async def picture(drawn: Callable[[], bytes]) -> Response:
        made = await to_thread.run_sync(drawn, limiter=drawing)
        return Response(made, media_type="image/png", headers={"Cache-Control": "private, max-age=300"})

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
        folder = _writable(options)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _BYTES:
            raise Refusal(Kind.WRONG_TYPE, "the request's body is not declared to be a file")
        _check_name(name)
        return await in_turn(partial(_taken, answering.index, folder / name, await request.body()))

    @router.delete(f"{PATH}/{{document_id}}", response_model=Removed, summary="Take a paper out of the index")
    async def remove(document_id: DocumentId) -> Response:
        return await in_turn(partial(_removed, answering, _writable(options), document_id))

    @router.get(
        f"{PATH}/{{document_id}}/pages/{{page}}",
        summary="A page of a paper's PDF as a picture, with quotes marked",
        response_class=Response,
        responses=PICTURE,
    )
    async def page(
        document_id: DocumentId,
        page: Annotated[int, PathParameter(ge=1, le=100_000, description="Number in the file, from 1.")],
        span: Annotated[
            list[Span] | None,
            Query(max_length=_MOST_SPANS, description="What to mark, START-END in the paper's text; repeat it."),
        ] = None,
        width: Width = 900,
    ) -> Response:
        spans = [(int(found[1]), int(found[2])) for each in span or () if (found := _SPAN.fullmatch(each))]
        return await picture(partial(_page, answering, document_id, page, spans, width))

    @router.get(
        f"{PATH}/{{document_id}}/figures/{{figure_id}}",
        summary="A figure of a paper's PDF as a picture; its page where its place on it is not found",
        response_class=Response,
        responses=PICTURE,
    )
    async def figure(
        document_id: DocumentId,
        figure_id: Annotated[str, PathParameter(max_length=80, description="As the paper lists it, such as fig2.")],
        width: Width = 900,
    ) -> Response:
        return await picture(partial(_figure, answering, document_id, figure_id, width))

    return router


def _writable(options: ServerOptions) -> Path:
    if options.uploads is None:
        raise Refusal(Kind.UPLOADS_OFF, "this server adds and removes no papers")
    return options.uploads


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
            (paper,) = found.papers or (_refused(found.failures),)
            known = writing.description(paper)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    notes = [*found.doubtful.values(), *(f"the same paper as {other}" for other in found.same.values())]
    return {"id": paper, "title": known.get("title", ""), "passages": known["chunks"], "notes": notes}


def _refused(failures: Sequence[IngestError]) -> NoReturn:
    if not failures:
        raise Refusal(Kind.ALREADY_THERE, "the index holds this very file already")
    raise Refusal(Kind.NO_PAPER, "; ".join(f"{failure.reason}; {failure.action}" for failure in failures))


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


def _removed(answering: Answering, folder: Path, document_id: str) -> dict[str, object]:
    """Take a paper out of the index, and its file out of the folder for uploads; a file elsewhere stays."""
    answering.document(document_id)
    index = answering.index
    path = Path(Origin.parse(index.origin(document_id)).place)
    with Index.open(index.place, embedder=index.embedder) as writing:
        writing.remove(document_id)
        writing.add(())  # which brings the engine into its best state after the removal
    if path.parent == folder.absolute():
        path.unlink(missing_ok=True)
    return {"id": document_id}


def _page(answering: Answering, document_id: str, page: int, spans: list[tuple[int, int]], width: int) -> bytes:
    document, path = paper_with_file(answering, document_id)
    if page > max(place.page for place in document.places):
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"{document_id!r} has no text on a page {page}")
    marked = [
        (line, start, end)
        for start, end in spans
        for line in document.places_of(start, end)
        if line.page == page and start < line.end and line.start < end
    ]
    with drawn_or_refused(f"page {page} of {document_id!r}"):
        return page_image(path, page, marked, width)


def _figure(answering: Answering, document_id: str, figure_id: str, width: int) -> bytes:
    document, path = paper_with_file(answering, document_id)
    figure = next((each for each in document.figures if each.id == figure_id), None)
    caption = document.places_of(figure.start, figure.end) if figure else ()
    if figure is None or not caption:
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"{document_id!r} has no figure {figure_id!r} with a place on a page")
    page = caption[0].page
    beside = [each for each in document.places if each.page == page and each not in caption]
    lines = [(each, len(document.text[each.start : each.end].split())) for each in beside]
    with drawn_or_refused(f"{figure.label} of {document_id!r}"):
        return figure_image(path, [each for each in caption if each.page == page], lines, width)


@contextmanager
def drawn_or_refused(what: str) -> Iterator[None]:
    """Refuse what cannot be made of a file, without its path."""
    try:
        yield
    except IngestError as error:
        logger.warning("%s", error)
        raise Refusal(Kind.PAGE_NOT_SHOWN, f"{what} could not be drawn") from error


def paper_with_file(answering: Answering, document_id: str) -> tuple[Document, Path]:
    """A paper of the index, and the PDF that it was read from, if that is as it was; its path is not disclosed."""
    with answering.index.reading():
        document = answering.document(document_id)
        origin = Origin.parse(answering.index.origin(document_id))
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
    return document, path
