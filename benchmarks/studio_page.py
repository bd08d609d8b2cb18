"""The studio's page in headless Chromium: how soon it shows something, and how smoothly it moves."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.studio import hour_of_call, many_calls
from tests.recordings.studio.browsers import CHROMIUM, chromium
from tests.recordings.studio.servers import client, ids, running

PAINTED = (Path(__file__).parent / "studio_painted.js").read_text(encoding="utf-8")
"""Notes when the page first shows a row, a frame, a wave, a turn; in ms since it was asked for."""

FRAMES = (Path(__file__).parent / "studio_frames.js").read_text(encoding="utf-8")
"""Moves a part of the page, and gives the time between frames."""


@contextmanager
def _page() -> Iterator[Any]:
    if CHROMIUM is None:
        raise RuntimeError("no Chromium here: scripts/system-packages test installs it")
    with chromium() as browser:
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_init_script(PAINTED)
        page = context.new_page()
        page.set_default_timeout(600_000)
        yield page


def an_hour() -> dict[str, Any]:
    """A call of an hour with more than 2,000 events: the first look ever, the next, and movement."""
    folder = Path(tempfile.mkdtemp(prefix="viva-page-"))
    try:
        episode = hour_of_call(folder / "run" / "hour")
        with client(folder) as asked:
            id = ids(asked)["hour"]
        with running(folder) as studio, _page() as page:
            address = f"{studio}/#/episode/{id}"
            first = _looked(page, studio, address)
            again = [_looked(page, studio, address) for _ in range(3)]
            return {
                "events": sum(1 for _ in (episode / "events.jsonl").open("rb")),
                "ever_ms": first,
                "again_ms": {name: max(one[name] for one in again) for name in again[0]},
                "zoom_frames_ms": _gaps(page, ".stage", "zoom"),
                "scroll_frames_ms": _moved(page),
            }
    finally:
        shutil.rmtree(folder)


def ten_thousand() -> dict[str, Any]:
    """The table of ten thousand calls: the first row, and scrolling through all of them."""
    folder = Path(tempfile.mkdtemp(prefix="viva-page-"))
    try:
        run = many_calls(folder / "run", 10_000)
        with running(run) as studio, _page() as page:
            page.goto(studio)
            page.wait_for_function("() => window.painted.row")
            ever = round(page.evaluate("window.painted.row"))
            page.reload()
            page.wait_for_function("() => window.painted.row")
            return {
                "first_row_ever_ms": ever,
                "first_row_ms": round(page.evaluate("window.painted.row")),
                "scroll_frames_ms": _gaps(page, ".rows", "scroll"),
            }
    finally:
        shutil.rmtree(folder)


def _looked(page: Any, studio: str, address: str) -> dict[str, float]:
    """Milliseconds from the request of the page to its first frame, wave and turn; how much moved (CLS)."""
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_function("() => window.painted.waves && window.painted.turn")
    found = page.evaluate("window.painted")
    page.wait_for_load_state("networkidle")
    times = {name: round(value) for name, value in sorted(found.items())}
    return {**times, "layout_shift": round(page.evaluate("window.shifts"), 4)}


def _moved(page: Any) -> dict[str, float]:
    page.keyboard.press("z")  # close to a turn, then sideways
    page.wait_for_timeout(500)
    return _gaps(page, ".stage", "sideways")


def _gaps(page: Any, selector: str, kind: str) -> dict[str, float]:
    gaps = np.array(page.evaluate(FRAMES, [selector, 4, kind]))
    middle, high = np.percentile(gaps, (50, 95))
    return {
        "median": round(float(middle), 1),
        "p95": round(float(high), 1),
        "worst": round(float(gaps.max()), 1),
    }
