"""Responses: JSON that can hold any text, errors, and headers that every response bears."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from programs.server.errors import Problem

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
"""Text of papers and models is shown in the page: should it ever become markup, nothing of it runs or calls home."""


class Json(Response):
    """A JSON response."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - any JSON-ready value
        """As bytes; a lone surrogate, which UTF-8 cannot hold, becomes the escape that JSON has for it."""
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")


def refused(problem: Problem) -> Json:
    """The response that tells of an error."""
    return Json(problem.as_dict(), problem.kind.status, {**problem.headers, **SECURITY_HEADERS})
