"""``GET /api/documents/{id}/pages/{page}``: the page of a PDF on which quotes stand, as a picture with them marked.

Only of papers of the index, and only from the very file that was indexed: no path comes from a request.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path as FilePath
from typing import Annotated

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from programs.errors import IngestError
from programs.ingest.document import Document, Place
from programs.ingest.reader import require_file
from programs.results.highlighting import page_image
from programs.retrieval.origins import Origin
from programs.server.answering import Answering
from programs.server.browsing import DocumentId
from programs.server.errors import PAGE_NOT_SHOWN, Refusal

logger = logging.getLogger(__name__)

_AT_ONCE = 2
_MOST_SPANS = 20
_SPAN = re.compile(r"(\d{1,12})-(\d{1,12})")

Span = Annotated[str, Query(pattern=f"^{_SPAN.pattern}$")]


def routes(answering: Answering) -> APIRouter:
    """The endpoint."""
    router = APIRouter(prefix="/api")
    drawing = CapacityLimiter(_AT_ONCE)

    @router.get(
        "/documents/{document_id}/pages/{page}",
        summary="A page of a paper's PDF as a picture, with quotes marked",
        response_class=Response,
        responses={200: {"content": {"image/png": {}}}},
    )
    async def page(
        document_id: DocumentId,
        page: Annotated[int, Path(ge=1, le=100_000, description="Number in the file, from 1.")],
        span: Annotated[
            list[Span] | None,
            Query(max_length=_MOST_SPANS, description="What to mark, START-END in the paper's text; repeat it."),
        ] = None,
        width: Annotated[int, Query(ge=200, le=2000, description="Of the picture, in pixels.")] = 900,
    ) -> Response:
        spans = [(int(found[1]), int(found[2])) for each in span or () if (found := _SPAN.fullmatch(each))]
        picture = await to_thread.run_sync(
            lambda: _picture(answering, document_id, page, spans, width), limiter=drawing
        )
        return Response(picture, media_type="image/png", headers={"Cache-Control": "private, max-age=300"})

    return router


def _picture(answering: Answering, document_id: str, page: int, spans: list[tuple[int, int]], width: int) -> bytes:
    with answering.index.reading():
        document = answering.document(document_id)
        origin = Origin.parse(answering.index.origin(document_id))
    path = _file_of(document, origin)
    if page > max(place.page for place in document.places):
        raise Refusal(PAGE_NOT_SHOWN, f"{document_id!r} has no text on a page {page}")
    marked = [(line, *span) for span in spans for line in _lines(document, page, *span)]
    try:
        return page_image(path, page, marked, width)
    except IngestError as error:
        logger.warning("%s", error)
        raise Refusal(PAGE_NOT_SHOWN, f"page {page} of {document_id!r} could not be drawn") from error


def _lines(document: Document, page: int, start: int, end: int) -> list[Place]:
    return [
        line for line in document.places_of(start, end) if line.page == page and start < line.end and line.start < end
    ]


def _file_of(document: Document, origin: Origin) -> FilePath:
    """The file of a paper, if it is still the one that was indexed; its path is not disclosed."""
    if not document.places:
        raise Refusal(PAGE_NOT_SHOWN, f"{document.id!r} was not read from a PDF with places of its lines")
    if not origin.place:
        raise Refusal(PAGE_NOT_SHOWN, f"the index does not know where the file of {document.id!r} stands")
    path = FilePath(origin.place)
    try:
        require_file(path)
        is_same = origin.is_held_by(path)
    except (OSError, IngestError) as error:
        raise Refusal(PAGE_NOT_SHOWN, f"the file of {document.id!r} is not where it was indexed") from error
    if not is_same:
        raise Refusal(PAGE_NOT_SHOWN, f"the file of {document.id!r} has changed since it was indexed")
    return path
