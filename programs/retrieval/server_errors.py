"""What a Qdrant server refuses, as errors of our own that say what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from programs.errors import IndexNotFound, RetrievalError, StoreUnavailable

_NODE_DOWN = "Tonic status error"


class AlreadyThere(RetrievalError):
    """A collection of that name was made meanwhile."""


@contextmanager
def translated(place: str, collection: str) -> Iterator[None]:
    """Turn the client's exceptions into ours.

    Args:
        place: The server's address.
        collection: The collection that is asked.
    """
    try:
        yield
    except ResponseHandlingException as error:
        who, start = ("none of the nodes", "one of them") if "," in place else ("no Qdrant server", "it")
        raise StoreUnavailable(
            f"{who} answers at {place} ({error.source}); start {start}, or check the address"
        ) from error
    except UnexpectedResponse as error:
        raise _refusal(error, place, collection) from error
    except ApiException as error:
        raise RetrievalError(f"the request to {place} failed: {error}") from error


def _refusal(error: UnexpectedResponse, place: str, collection: str) -> RetrievalError:
    said = _said(error)
    if error.status_code == HTTPStatus.UNAUTHORIZED:
        return StoreUnavailable(
            f"the Qdrant server at {place} refuses the API key; set QDRANT_API_KEY to one that it takes"
        )
    if error.status_code == HTTPStatus.FORBIDDEN:
        return StoreUnavailable(
            f"the key in QDRANT_API_KEY may not do this at {place} ({said}): it is for reading only, or for other "
            "collections; set one that may write"
        )
    if error.status_code == HTTPStatus.NOT_FOUND:
        return IndexNotFound(
            f"the collection {collection!r} is not at {place} any more; make it again with "
            f"`python -m programs index PAPERS --index {place}/{collection}`"
        )
    if error.status_code == HTTPStatus.CONFLICT:
        return AlreadyThere(f"{place}: {said}; run the command again")
    if _NODE_DOWN in said:
        return StoreUnavailable(
            f"a node of the cluster at {place} is down that alone holds a part of {collection!r}; start it again. An "
            "index that is made with --replicas 2 outlives the loss of a node"
        )
    return RetrievalError(f"the Qdrant server at {place} answered {error.status_code}: {said}; see its log")


def _said(error: UnexpectedResponse) -> str:
    """The server's own words, out of ``{"status": {"error": …}}`` where the answer has that form."""
    try:
        return str(json.loads(error.content)["status"]["error"])
    except (ValueError, LookupError, TypeError):
        return error.content.decode(errors="replace").strip() or error.reason_phrase
