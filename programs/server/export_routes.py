"""``POST /api/export?form=answer.ris``: an answer or a table that this server gave, as a file in another form.

The body is the result as JSON. ``form`` is the file's name: answer.md, .bib, .ris or .csv, table.csv, .md, .html or
.xlsx, cells.csv; or marked.pdf, with ``document_id``: a copy of a cited paper's PDF in which its quotes are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Query
from starlette.responses import Response

from programs.errors import UsageError
from programs.evidence_table.table import Table
from programs.evidence_table.table_export import forms
from programs.plain_input import require_plain
from programs.replay.saved_answer import read_saved
from programs.results.drawing import marked_copy
from programs.results.exports import FORMS
from programs.results.highlighting import marks
from programs.server.error_responses import Kind, Refusal
from programs.server.paper_file_routes import drawn_or_refused, paper_with_file
from programs.server.question_service import Answering

PATH = "/api/export"
LARGEST = 32 * 2**20
"""Bytes of a result."""
_DEEPEST = 40
"""Levels that a result may nest."""
MARKED = "marked.pdf"
_TABLES = forms()
_ALL = ", ".join([*FORMS, *_TABLES, MARKED])


def routes(answering: Answering) -> APIRouter:
    """The endpoint."""
    router, at_once = APIRouter(), CapacityLimiter(2)

    @router.post(PATH, summary="An answer or a table in another form", response_class=Response)
    async def export(
        result: dict[str, Any],
        form: Annotated[str, Query(max_length=40, description=f"{_ALL}.")],
        document_id: Annotated[str, Query(max_length=500, description=f"The paper of {MARKED}.")] = "",
    ) -> Response:
        write: Callable[[], str | bytes]
        if form == MARKED:
            kind, write = "application/pdf", partial(_marked, answering, result, document_id)
        elif form in FORMS:
            kind, write = FORMS[form].media_type, partial(_answer, result, form)
        elif form in _TABLES:
            kind, write = _TABLES[form].media_type, partial(_table, result, form)
        else:
            raise Refusal(Kind.BAD_REQUEST, f"the form {form!r} is unknown; known are {_ALL}")
        made = await to_thread.run_sync(write, limiter=at_once)
        return Response(made, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{form}"'})

    return router


def _answer(result: Mapping[str, Any], form: str) -> str | bytes:
    with _given(result, "an answer"):
        read_saved(result)
        return FORMS[form].write(result)


def _table(result: Mapping[str, Any], form: str) -> str | bytes:
    with _given(result, "a table"):
        return _TABLES[form].write(Table.from_dict(result))


@contextmanager
def _given(result: Mapping[str, Any], what: str) -> Iterator[None]:
    """Refuse what is not of the form that this server gives."""
    try:
        require_plain(dict(result), _DEEPEST)
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise Refusal(Kind.BAD_REQUEST, f"this is not {what} as the server gives it") from error


def _marked(answering: Answering, result: Mapping[str, Any], document_id: str) -> bytes:
    document, path = paper_with_file(answering, document_id)
    try:
        found = marks([result], document, document_id)
    except UsageError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise Refusal(Kind.BAD_REQUEST, "this is not an answer as the server gives it") from error
    with drawn_or_refused(f"the marked copy of {document_id!r}"):
        return marked_copy(path, found)
