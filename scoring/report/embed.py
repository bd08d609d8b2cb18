"""The studio's view of calls inside a report: the same modules, and the calls as data beside them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from recordings.disk import EVENTS
from recordings.errors import RecordingError
from recordings.reader import Episode, Track
from recordings.studio.bundle import STATIC, bundle
from recordings.studio.peaks import BLOCK, Pyramid
from recordings.studio.tracks import open_track
from scoring.episode_view.build import shown_episode
from scoring.episode_view.curves import shown_curves
from scoring.report.page import hash_of
from scoring.report.sound import Audio, Stereo, encoded

STYLES = ("style.css", "episode.css")
"""Of the studio's page, what the view of a call needs."""

MOST_EVENTS = 20_000
"""Raw events of one call that go into a file."""

_LONGEST_LINE = 4000
_TRACKS: tuple[Track, ...] = ("user", "endpoint")


class NoSuchCall(ValueError):
    """A call was named that is not there.

    Attributes:
        name: As it was named.
        known: Some that are.
    """

    def __init__(self, name: str, known: Sequence[str]) -> None:
        self.name = name
        self.known = tuple(known)
        some = ", ".join(known[:8]) + (" ..." if len(known) > 8 else "")
        super().__init__(f"--calls {name}: no such call is shown in this report, expected some of: {some}")


@dataclass(frozen=True, slots=True)
class Export:
    """What goes into a report that is sent to somebody.

    Attributes:
        audio: How sound is written.
        calls: Ids of the episodes to be listened to; none names all that are shown.
        files: The folder for sound beside the page, which must be named in its addresses by `files.name`;
            None puts the sound into the page.
    """

    audio: Audio = Audio.FLAC
    calls: tuple[str, ...] = ()
    files: Path | None = None

    def wants(self, id: str) -> bool:
        """True if this call is to be listened to."""
        return not self.calls or id in self.calls

    def check(self, ids: Sequence[str]) -> None:
        """Every call that is named must be there.

        Raises:
            NoSuchCall: One is not.
        """
        for name in self.calls:
            if name not in ids:
                raise NoSuchCall(name, ids)


@dataclass(frozen=True, slots=True)
class View:
    """The studio's part of a page: code and style with their hashes, and the calls by number."""

    code: Markup
    code_hash: str
    style: Markup
    style_hash: str
    calls: Mapping[int, Markup]


def view_of_calls(calls: Mapping[int, Markup]) -> View:
    """The view, ready for a page.

    Raises:
        NotBundled: A module of ours is not as the bundler has it.
    """
    code = bundle(STATIC / "exported.js")
    style = "".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES)
    # our own files: the page may run and style by nothing else
    return View(Markup(code), hash_of(code), Markup(style), hash_of(style), calls)  # noqa: S704


def call_data(folder: Path, files: Mapping[str, str] | None) -> Markup:
    """Everything the view shows of a call, as JSON that stands inside a page.

    Args:
        folder: Of the episode.
        files: Addresses of sound beside the page, by track; None if it is inside, or nowhere.

    Raises:
        RecordingError: The episode cannot be read.
    """
    shown = shown_episode(folder)
    if shown.live:
        shown = shown.model_copy(update={"live": False})
    data = {
        "episode": shown.model_dump(mode="json"),
        "curves": shown_curves(Episode.load(folder, mapped=True)).model_dump(mode="json"),
        "peaks": {name: _peaks(folder, name) for name in _TRACKS},
        "events": _events(folder),
        "files": files,
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    # ASCII, and no "<": it can neither end the element it stands in nor begin another
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704


def write_sound(sound: Stereo, export: Export, number: int) -> dict[str, str]:
    """Write a call's sound beside the page, both sides and each alone; returns the addresses by track.

    Raises:
        OSError: The disk does not take it.
    """
    assert export.files is not None
    if export.audio is Audio.NONE or not len(sound.samples):
        return {}
    export.files.mkdir(parents=True, exist_ok=True)
    ending = "opus" if export.audio is Audio.OPUS else "flac"
    parts = {"both": sound.samples, "user": sound.samples[:, 0], "endpoint": sound.samples[:, 1]}
    addresses = {}
    for track, samples in parts.items():
        name = f"{number:04}-{track}.{ending}"
        (export.files / name).write_bytes(encoded(samples, sound.rate, export.audio))
        addresses[track] = f"{export.files.name}/{name}"
    return addresses


def _peaks(folder: Path, name: Track) -> dict[str, Any]:
    """Lowest and highest sample of each block of a track, little-endian int16 in base64."""
    pyramid = Pyramid()
    try:
        pyramid.extend(open_track(folder, name))
    except RecordingError:
        pyramid = Pyramid()  # the view says what is wrong with the track
    return {"block": BLOCK, "pairs": base64.b64encode(pyramid.levels[0].astype("<i2").tobytes()).decode()}


def _events(folder: Path) -> list[dict[str, Any]]:
    """The raw events, long texts cut."""
    path = folder / EVENTS
    if not path.is_file():
        return []
    found = []
    with path.open("rb") as lines:
        for number, line in zip(range(MOST_EVENTS), lines, strict=False):
            found.append(_event(number, line))
    return found


def _event(number: int, line: bytes) -> dict[str, Any]:
    if len(line) <= _LONGEST_LINE:
        try:
            event = json.loads(line, parse_constant=str)
        except ValueError:
            event = None
        if isinstance(event, dict):
            return {**event, "n": number}
    text = line[:_LONGEST_LINE].decode(errors="replace")
    return {"n": number, "t": 0, "kind": "long or torn", "line": text}


def with_folder(export: Export, page: Path) -> Export:
    """The same with sound in a folder beside the page: report.html has report_files."""
    return replace(export, files=page.with_name(f"{page.stem}_files"))
