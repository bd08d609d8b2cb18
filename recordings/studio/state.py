"""What the routes share, and how they read their parameters."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import HTTPConnection, Request

from recordings.reader import Track
from recordings.studio.answers import Refused
from recordings.studio.library import Library
from recordings.studio.parts import Parts
from recordings.studio.peaks import Peaks
from recordings.studio.stamps import Stamp
from recordings.studio.tracks import TRACKS

FURTHEST = 2**48
"""Samples from the start of a track: years."""


@dataclass(slots=True)
class Studio:
    """The state of the app.

    Attributes:
        views: Views of episodes as JSON, by folder, with the stamp of the files they were made from.
        curves: The same of their curves.
        making: Held while one of either is made: who asks for the same meanwhile gets it too.
    """

    library: Library
    parts: Parts
    peaks: Peaks
    views: dict[Path, tuple[Stamp, bytes]] = field(default_factory=dict)
    curves: dict[Path, tuple[Stamp, bytes]] = field(default_factory=dict)
    making: threading.Lock = field(default_factory=threading.Lock)


def studio(connection: HTTPConnection) -> Studio:
    """The state of the app that a request goes to."""
    found = connection.app.state.studio
    assert isinstance(found, Studio)
    return found


def whole(request: Request, name: str, default: int | None, least: int, most: int) -> int:
    """A parameter that is a whole number.

    Raises:
        Refused: It is missing, no whole number, or out of its bounds.
    """
    text = request.query_params.get(name)
    if text is None and default is not None:
        return default
    try:
        value = int(text or "")
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        expected = f"expected a whole number from {least} to {most}"
        raise Refused(400, "bad_parameter", f"{name} is {text or 'missing'}, {expected}.")
    return value


def track_named(name: str) -> Track:
    """A track by its name.

    Raises:
        Refused: There is none.
    """
    for track in TRACKS:
        if track == name:
            return track
    raise Refused(404, "no_such_track", f"There is no track {name!r}; there are {', '.join(TRACKS)}.")
