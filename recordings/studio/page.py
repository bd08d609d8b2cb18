"""The page's own files: fifty small ones that a browser asks for at once, so they are held in memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recordings.studio.answers import problem
from recordings.studio.bundle import STATIC

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it was read, with the size and time (ns) by which a change is known."""

    stamp: tuple[int, int]
    data: bytes
    tag: str
    type: str


@dataclass
class Page:
    """Answers for the files below a folder; one that was changed is read anew, other names lead nowhere."""

    folder: Path = STATIC
    _kept: dict[str, _File] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in self.folder.rglob("*"):
            if path.suffix in _TYPES:
                self._kept[path.relative_to(self.folder).as_posix()] = _read(path)

    async def answer(self, request: Request) -> Response:
        """A file of the page; a browser asks each time whether it is still the same."""
        name = request.path_params["path"].lstrip("/") or "index.html"  # addresses are put together by hand
        kept = self._kept.get(name)
        if kept is None:
            return problem(404, "no_such_route", "There is nothing at this address.")
        path = self.folder / name
        if kept.stamp != _stamp(path):
            kept = self._kept[name] = _read(path)
        headers = {"ETag": kept.tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == kept.tag:
            return Response(None, 304, headers)
        return Response(kept.data, 200, headers, kept.type)

    @property
    def routes(self) -> list[Route]:
        """Every address that nothing else answers to."""
        return [Route("/{path:path}", self.answer)]


def _read(path: Path) -> _File:
    stamp, data = _stamp(path), path.read_bytes()
    return _File(stamp, data, f'"{hashlib.sha256(data).hexdigest()[:32]}"', _TYPES[path.suffix])


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns
