"""Routes of sound: peaks, spectrograms, and the audio itself."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from recordings.studio import peaks, spectrogram
from recordings.studio.answers import Refused
from recordings.studio.sound import Wave
from recordings.studio.state import FURTHEST, studio, track_named, whole
from recordings.studio.tracks import open_track

_RANGE = re.compile(r"bytes=\s*(?:(?P<first>\d{1,18})-(?P<last>\d{0,18})|-(?P<suffix>\d{1,18}))\s*", re.I)


async def peaks_route(request: Request) -> Response:
    """Lowest and highest samples of columns, as pairs of little-endian int16."""
    folder = studio(request).library.episode(request.path_params["id"])
    name = track_named(request.query_params.get("track", ""))
    start, end = _stretch(request)
    width = whole(request, "width", None, 1, peaks.WIDEST)

    def work() -> Response:
        track = open_track(folder, name)
        found = studio(request).peaks.columns(track, start, end, width)
        headers = {"X-Viva-Rate": str(track.rate), "X-Viva-Samples": str(track.samples), **_FRESH}
        return Response(found.astype("<i2").tobytes(), 200, headers, "application/octet-stream")

    return await to_thread.run_sync(work)


async def spectrogram_route(request: Request) -> Response:
    """A picture of a stretch."""
    folder = studio(request).library.episode(request.path_params["id"])
    name = track_named(request.query_params.get("track", ""))
    start, end = _stretch(request)
    width = whole(request, "width", None, 1, spectrogram.WIDEST)
    height = whole(request, "height", None, 1, spectrogram.HIGHEST)
    top = whole(request, "top", 0, 0, 200_000)
    window = whole(request, "window", 0, 0, spectrogram.LONGEST_WINDOW)

    def work() -> Response:
        track = open_track(folder, name)
        drawn = spectrogram.spectrogram(track, start, end, width, height, top_hz=float(top), window=window)
        headers = {"X-Viva-Top-Hz": f"{drawn.top_hz:g}", **_FRESH}
        return Response(drawn.png, 200, headers, "image/png")

    return await to_thread.run_sync(work)


async def audio_route(request: Request) -> Response:
    """A track, or both sides, as a WAV file; a part of it if that is asked for (RFC 9110, 14)."""
    folder = studio(request).library.episode(request.path_params["id"])
    wave = await to_thread.run_sync(_wave, folder, request.path_params["track"])
    headers = {"Accept-Ranges": "bytes", "ETag": wave.tag, **_FRESH}
    span = _span(request, wave)
    if span is None:
        status, (start, end) = 200, (0, wave.size)
    else:
        status, (start, end) = 206, span
        if start >= end:
            return Response(None, 416, {**headers, "Content-Range": f"bytes */{wave.size}"})
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{wave.size}"
    headers["Content-Length"] = str(end - start)
    if request.method == "HEAD":
        return Response(None, status, headers, "audio/wav")
    return StreamingResponse(_in_threads(wave.pieces(start, end)), status, headers, "audio/wav")


def _wave(folder: Path, name: str) -> Wave:
    if name == "both":
        return Wave(open_track(folder, "user"), open_track(folder, "endpoint"))
    return Wave(open_track(folder, track_named(name)))


def _span(request: Request, wave: Wave) -> tuple[int, int] | None:
    """The bytes that are asked for; empty if there are none such, None for the whole file.

    Several ranges at once, other units, and what is no range are passed over, as a server may.
    """
    condition = request.headers.get("if-range")
    found = _RANGE.fullmatch(request.headers.get("range", ""))
    if found is None or (condition is not None and condition != wave.tag):
        return None
    if found["suffix"] is not None:
        return max(wave.size - int(found["suffix"]), 0), wave.size
    first, last = int(found["first"]), int(found["last"] or wave.size)
    if found["last"] and last < first:
        return None
    return first, min(last + 1, wave.size)


async def _in_threads(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    while (piece := await to_thread.run_sync(next, pieces, b"")) != b"":
        yield piece


def _stretch(request: Request) -> tuple[int, int]:
    start = whole(request, "start", 0, -FURTHEST, FURTHEST)
    end = whole(request, "end", None, -FURTHEST, FURTHEST)
    if end <= start:
        raise Refused(400, "bad_parameter", f"end is {end}, expected more than start, {start}.")
    return start, end


_FRESH = {"Cache-Control": "no-cache"}

ROUTES = (
    Route("/api/episodes/{id}/peaks", peaks_route),
    Route("/api/episodes/{id}/spectrogram", spectrogram_route),
    Route("/api/episodes/{id}/audio/{track}", audio_route),
)
