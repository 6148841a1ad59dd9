"""The page at ``/``: the files of one folder, and nothing outside it."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.responses import Response

FOLDER = Path(__file__).parent / "page"
INDEX = "index.html"

# Our own table: Python's asks the machine, which may take a script for something else, and browsers then refuse it.
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}


def routes(folder: Path = FOLDER) -> APIRouter:
    """One route a file: a path that leads elsewhere has no route."""
    router = APIRouter(include_in_schema=False)
    for path in sorted(folder.iterdir()):
        if path.suffix in _TYPES:
            _serve(router, f"/{path.name}", path)
    _serve(router, "/", folder / INDEX)
    return router


def _serve(router: APIRouter, address: str, path: Path) -> None:
    @router.api_route(address, methods=["GET", "HEAD"])
    async def file() -> Response:
        # Read each time: the files are small, and who edits them sees what was edited.
        return Response(path.read_bytes(), media_type=_TYPES[path.suffix], headers={"Cache-Control": "no-cache"})
