"""Error responses: a status, a stable code, a message and a next action; and JSON responses in general.

{"error": {"code": "unknown_filter_field", "message": "no indexed document has the field 'yaer'; …", "next": "…",
           "see": "/api/fields"}}
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any

from starlette.responses import Response

from programs import errors
from programs.ingest.paper_formats import NAMES

logger = logging.getLogger(__name__)


_CORRECT = "Correct the request and send it again."
_LOOK = "Look at the server's log, where the error is in full."
_INDEX = (
    "Make the index available again where the server expects it. After another folder took its place, restart the "
    "server."
)
_MODEL = "Check the language model on the server, or start the server with another one: --lm NAME."
_REMOVED = "It may have been removed; choose one of the papers listed."
_REINDEX = "Open the paper itself; indexing its file again lets the server show its pages."
_MAKE_ROOM = "Make room on the server's disk, and see that the folder of --write is there and can be written."


class Kind(Enum):
    """A kind of error: an HTTP status, a code whose meaning never changes, and what the caller can do next.

    ``next`` is for people, on the page too; ``see`` is the address of the API that helps a program, if one does.
    """

    def __init__(self, status: int, code: str, next: str, see: str = "") -> None:  # noqa: A002 - as the response names it
        self.status, self.code, self.next, self.see = status, code, next, see

    BAD_REQUEST = 400, "bad_request", _CORRECT
    MALFORMED_JSON = 400, "malformed_json", "Send one JSON object with Content-Type: application/json."
    UNKNOWN_FILTER_FIELD = 400, "unknown_filter_field", "Filter by a field that the papers have.", "/api/fields"
    BAD_FILTER = 400, "bad_filter", "Give the filter a value of its field's type.", "/api/fields"
    BAD_COLUMN = 400, "bad_column", "Columns are {name, question, type, unit, choices}; docs/tables.md explains them."
    NO_PAPERS = 400, "no_papers", "Change the papers that are named, the filters or the question.", "/api/documents"
    TABLE_TOO_LARGE = 400, "table_too_large", "Ask for fewer papers or columns, or use `python -m programs table`."
    UNKNOWN_PROGRAM = 400, "unknown_program", "Name a program that answers questions.", "/api/programs"
    UNSUPPORTED_OPTION = 400, "unsupported_option", "Leave it out, or ask another program.", "/api/programs"
    CONTEXT_EXCEEDED = 400, "context_exceeded", "Ask with a smaller top_k, or of a shorter paper."
    BAD_HOST = 400, "bad_host", "Address the server by a name it knows, or start it with --allow-host NAME."
    UNAUTHORIZED = 401, "unauthorized", "Send the server's API key as Authorization: Bearer KEY, or as X-API-Key: KEY."
    NOT_FOUND = 404, "not_found", "Check the address.", "/openapi.json"
    DOCUMENT_NOT_FOUND = 404, "document_not_found", _REMOVED, "/api/documents"
    PAGE_NOT_SHOWN = 404, "page_not_shown", _REINDEX
    UPLOADS_OFF = 403, "uploads_off", "Start it with --write FOLDER to add and remove papers."
    ALREADY_THERE = 409, "already_there", "Ask the paper that is there; rename the file if it is another one."
    NO_PAPER = 422, "no_paper", f"Send a paper as {NAMES}."
    WRONG_TYPE = 415, "wrong_type", "Send the file's bytes with Content-Type: application/octet-stream."
    METHOD_NOT_ALLOWED = 405, "method_not_allowed", "Check the method.", "/openapi.json"
    BODY_TOO_LARGE = 413, "body_too_large", "Send less: a question of at most 2,000 characters and its filters."
    INVALID_REQUEST = 422, "invalid_request", _CORRECT
    CLIENT_GONE = 499, "client_gone", "Ask again."
    INTERNAL = 500, "internal", _LOOK
    STATE_MISMATCH = 500, "state_mismatch", "Compile the program again, or delete its compiled state."
    LM_FAILED = 502, "lm_failed", _MODEL
    LM_OUTPUT_MALFORMED = 502, "lm_output_malformed", "Ask again, or start the server with a model that keeps to forms."
    LM_OUTPUT_TRUNCATED = 502, "lm_output_truncated", "Ask for less, or start the server with another model."
    BUSY = 503, "busy", "Ask again in a few seconds."
    INDEX_BUSY = 503, "index_busy", "Another process writes the index; try again when it has ended."
    INDEX_UNAVAILABLE = 503, "index_unavailable", _INDEX, "/ready"
    EMBEDDER_UNAVAILABLE = 503, "embedder_unavailable", _LOOK
    LM_UNAVAILABLE = 503, "lm_unavailable", "Start the language model's server, then ask again; nothing was lost."
    MODEL_NOT_FOUND = 503, "model_not_found", _MODEL
    LM_MISCONFIGURED = 503, "lm_misconfigured", _MODEL
    NOT_KEPT = 507, "not_kept", _MAKE_ROOM
    TIMEOUT = 504, "timeout", "Ask again, or start the server with a longer --timeout."
    LM_TIMEOUT = 504, "lm_timeout", "Ask again; if it stays so, give the model more time: CORROBORATE_OLLAMA_TIMEOUT."


class Refusal(errors.CorroborateError):
    """One error as it is sent: what was received and what is wrong with it, also by field, and HTTP headers.

    The server refuses a request, or cannot serve it. In names of headers "_" stands for "-".
    """

    def __init__(self, kind: Kind, message: str, details: Sequence[Mapping[str, str]] = (), **headers: str) -> None:
        super().__init__(message)
        self.kind, self.details = kind, details
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def as_dict(self) -> dict[str, Any]:
        """The body of the response."""
        see = {"see": self.kind.see} if self.kind.see else {}
        details = {"details": list(self.details)} if self.details else {}
        return {"error": {"code": self.kind.code, "message": str(self), "next": self.kind.next, **see, **details}}


@contextmanager
def refusing(kind: Kind) -> Iterator[None]:
    """Refuse wrong usage as this kind of error, but for a filter's unknown field, which has its own kind."""
    try:
        yield
    except errors.UnknownFilterField:
        raise
    except errors.UsageError as error:
        raise Refusal(kind, str(error)) from error


_OURS: Mapping[type[BaseException], tuple[Kind, str]] = {
    errors.UnknownFilterField: (Kind.UNKNOWN_FILTER_FIELD, ""),
    errors.UsageError: (Kind.BAD_REQUEST, ""),
    errors.StateMismatch: (Kind.STATE_MISMATCH, ""),
    # Their texts name folders of the server.
    errors.IndexLocked: (Kind.INDEX_BUSY, "the index is being written by another process"),
    errors.RetrievalError: (Kind.INDEX_UNAVAILABLE, "the index cannot be read at present"),
    errors.EmbedderUnavailable: (Kind.EMBEDDER_UNAVAILABLE, "the embedding model cannot be loaded"),
    # Theirs name addresses, and quote what the model's server said.
    errors.LMUnavailable: (Kind.LM_UNAVAILABLE, "the language model's server does not answer, or cannot at present"),
    errors.ModelNotFound: (Kind.MODEL_NOT_FOUND, "the language model's server does not have the model"),
    errors.LMTimeout: (Kind.LM_TIMEOUT, "the language model did not answer in time"),
    errors.LMError: (Kind.LM_FAILED, "the language model did not answer"),
    errors.OutputTruncated: (Kind.LM_OUTPUT_TRUNCATED, "the language model's answer was cut off at its limit"),
    errors.ContextExceeded: (
        Kind.CONTEXT_EXCEEDED,
        "the question with its passages does not fit the language model's context",
    ),
    # Its text quotes what the model wrote, which is not verified.
    errors.MalformedOutput: (Kind.LM_OUTPUT_MALFORMED, "the model's output did not have the form that was asked for"),
    Exception: (Kind.INTERNAL, "the server made a mistake; the request was not served"),
}
"""What errors become, the nearest of their types counting, and what is said instead of their own text, if anything."""


def unsaid(error: Exception) -> Refusal:
    """What a caller is sent for an error, for some without its text, which goes to the log."""
    if isinstance(error, Refusal):
        return error
    kind, said = next(_OURS[each] for each in type(error).__mro__ if each in _OURS)
    return Refusal(kind, said or str(error))


def logged(error: Exception) -> Refusal:
    """The same; errors that are not the caller's or whose text is withheld are logged, internal ones in full."""
    refusal = unsaid(error)
    if refusal.kind.status >= Kind.INTERNAL.status or str(refusal) != str(error):
        logger.error("%s: %s", refusal.kind.code, error, exc_info=error if refusal.kind is Kind.INTERNAL else None)
    return refusal


_MOST_DETAILS = 10
_NO_JSON = frozenset({"json_invalid", "model_attributes_type", "dict_type"})


def invalid_request(found: Any) -> Refusal:  # noqa: ANN401 - pydantic's own form
    """What a caller is sent for the faults that pydantic found in a request."""
    first = found[0]
    if first["loc"] == ("body",) or first["type"] == "json_invalid":
        if first["type"] in _NO_JSON:
            return Refusal(Kind.MALFORMED_JSON, "the body is not a JSON object sent as application/json")
        if first["type"] == "missing":
            return Refusal(Kind.MALFORMED_JSON, "the request has no body")
    # Where and what, without the value: it may be of any size. The place begins with "body", "query" or "path".
    details = []
    for fault in found[:_MOST_DETAILS]:
        place, said = ".".join(str(each)[:60] for each in fault["loc"][1:]), str(fault["msg"])
        details.append({"field": place, "message": said.removeprefix("Value error, ")})
    return Refusal(Kind.INVALID_REQUEST, "; ".join(": ".join(filter(None, each.values())) for each in details), details)


SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""The page shows text of papers and models: should it ever become markup, none of it runs or sends requests."""


class Json(Response):
    """A JSON response."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - any JSON-ready value
        """JSON as bytes; a lone surrogate, which UTF-8 cannot encode, becomes a JSON escape."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")


def refused(refusal: Refusal) -> Json:
    """The response for an error."""
    return Json(refusal.as_dict(), refusal.kind.status, {**refusal.headers, **SECURITY_HEADERS})
