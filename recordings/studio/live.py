"""A call that is being recorded, as it grows: server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from recordings.errors import RecordingError
from recordings.studio.stamps import is_live, stamp_of
from recordings.studio.state import studio
from recordings.studio.tracks import open_track

LOOK_EVERY_S = 0.5


async def live_route(request: Request) -> Response:
    """Says when an episode has grown, and when it is over."""
    folder = studio(request).library.episode(request.path_params["id"])
    return StreamingResponse(
        _growth(folder), 200, {"Cache-Control": "no-store"}, media_type="text/event-stream"
    )


async def _growth(folder: Path) -> AsyncIterator[str]:
    before = None
    while await to_thread.run_sync(is_live, folder):
        stamp = await to_thread.run_sync(stamp_of, folder)
        if stamp != before:
            before = stamp
            duration = await to_thread.run_sync(_duration_s, folder)
            yield _event("grown", {"duration_s": duration, "live": True})
        await asyncio.sleep(LOOK_EVERY_S)
    yield _event("ended", {"duration_s": await to_thread.run_sync(_duration_s, folder), "live": False})


def _duration_s(folder: Path) -> float:
    try:
        track = open_track(folder, "user")
    except RecordingError:
        return 0.0
    return track.samples / track.rate


def _event(name: str, data: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


ROUTES = (Route("/api/episodes/{id}/live", live_route),)
