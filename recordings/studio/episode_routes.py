"""Routes of one episode: its view, its curves, its raw events."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recordings.disk import EVENTS
from recordings.errors import RecordingError
from recordings.reading import read_bytes
from recordings.studio.answers import answer
from recordings.studio.stamps import Stamp, is_live, seconds_of, stamp_of
from recordings.studio.state import FURTHEST, Studio, studio, track_named, whole
from recordings.studio.tracks import open_track

MOST_EVENTS = 500
"""Events of one answer."""

LONGEST_TEXT = 4000
"""Characters of a text of an event; what is beyond is counted."""

LONGEST_AT_ONCE_S = 120.0
"""Calls up to this long are gone through while somebody waits: that takes no longer than a page does."""

_KEPT_VIEWS = 16


async def episode_route(request: Request) -> Response:
    """All that is shown of an episode; with `outline=1` of a long one what can be told at once."""
    here, id = studio(request), request.path_params["id"]
    folder = here.library.episode(id)
    outline = request.query_params.get("outline") == "1"
    live = await to_thread.run_sync(is_live, folder)
    stamp = await to_thread.run_sync(stamp_of, folder)
    tag = f'"{hashlib.sha256(repr((stamp, live, outline)).encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(None, 304, headers)
    body = await to_thread.run_sync(_outline if outline else _view, here, folder, id, live)
    return Response(body, 200, headers, "application/json")


def _outline(here: Studio, folder: Path, id: str, live: bool) -> bytes:
    """What can be told at once: of a short call, and of one that was gone through before, all of it."""
    kept = here.views.get(folder)
    if kept is not None and kept[0] == stamp_of(folder) and not live:
        return kept[1]
    if seconds_of(folder) <= LONGEST_AT_ONCE_S:
        return _view(here, folder, id, live)
    threading.Thread(target=_read_ahead, args=(here, folder), name="viva-peaks", daemon=True).start()
    return here.parts.episodes.outline(folder, id, live=live).model_dump_json().encode()


def _read_ahead(here: Studio, folder: Path) -> None:
    """Go through the sound for its waveforms: a page asks for them as soon as it has the outline."""
    for name in ("user", "endpoint"):
        with suppress(RecordingError):
            track = open_track(folder, track_named(name))
            here.peaks.columns(track, 0, max(track.samples, 1), 1)


def _view(here: Studio, folder: Path, id: str, live: bool) -> bytes:
    def make() -> bytes:
        return here.parts.episodes.episode(folder, id, live=live).model_dump_json().encode()

    return make() if live else _remembered(here, here.views, folder, make)


def _remembered(
    here: Studio, kept: dict[Path, tuple[Stamp, bytes]], folder: Path, make: Callable[[], bytes]
) -> bytes:
    """What was made of an episode last, as long as none of its files has changed; else it is made anew."""
    stamp = stamp_of(folder)
    if (found := kept.get(folder)) is not None and found[0] == stamp:
        return found[1]
    with here.making:
        if (found := kept.get(folder)) is not None and found[0] == stamp:
            return found[1]  # somebody else has made it meanwhile
        made = make()
        kept.pop(folder, None)
        kept[folder] = (stamp, made)
        for oldest in list(kept)[:-_KEPT_VIEWS]:
            kept.pop(oldest, None)
        return made


async def curves_route(request: Request) -> Response:
    """Pitch and loudness of the turns."""
    here = studio(request)
    folder = here.library.episode(request.path_params["id"])
    body = await to_thread.run_sync(_curves, here, folder)
    return Response(body, 200, {"Cache-Control": "no-cache"}, "application/json")


def _curves(here: Studio, folder: Path) -> bytes:
    def make() -> bytes:
        return here.parts.episodes.curves(folder).model_dump_json().encode()

    return _remembered(here, here.curves, folder, make)


async def events_route(request: Request) -> Response:
    """The lines of events.jsonl as they are, a page at a time."""
    folder = studio(request).library.episode(request.path_params["id"])
    offset = whole(request, "offset", 0, 0, FURTHEST)
    limit = whole(request, "limit", 100, 0, MOST_EVENTS)
    kind = request.query_params.get("kind", "")
    return await to_thread.run_sync(lambda: answer(_events(folder, offset, limit, kind)))


def _events(folder: Path, offset: int, limit: int, kind: str) -> dict[str, Any]:
    path = folder / EVENTS
    lines = read_bytes(path, "the events of an episode").split(b"\n") if path.exists() else []
    kinds: Counter[str] = Counter()
    chosen: list[tuple[int, bytes]] = []
    for number, line in enumerate(lines):
        if line:
            own = _kind(line)
            kinds[own] += 1
            if kind in ("", own):
                chosen.append((number, line))
    return {
        "total": len(chosen),
        "offset": offset,
        "kinds": dict(kinds.most_common()),
        "events": [_event(number, line) for number, line in chosen[offset : offset + limit]],
    }


def _kind(line: bytes) -> str:
    """The kind of an event, without reading all of it: it stands near the start of the line."""
    head = line[:200]
    at = head.find(b'"kind"')
    if at >= 0:
        part = head[at + 6 :].split(b'"', 2)
        if len(part) == 3:
            return part[1].decode(errors="replace")
    return "torn"


def _event(number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return {"n": number, "kind": "torn", "line": _shorter(line.decode(errors="replace"))}
    return {**_shorter(found), "n": number}


def _shorter(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]} … ({len(value)} characters)"
    if isinstance(value, dict):
        return {key: _shorter(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shorter(item) for item in value]
    return value


ROUTES = (
    Route("/api/episodes/{id}", episode_route),
    Route("/api/episodes/{id}/curves", curves_route),
    Route("/api/episodes/{id}/events", events_route),
)
