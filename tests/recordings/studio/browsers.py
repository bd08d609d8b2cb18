"""Headless Chromium for tests of the page: the system's own, as nothing may be downloaded."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Route

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
FLAGS = ("--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking")

_MISSING = "no Chromium here (scripts/system-packages test installs it)"
if importlib.util.find_spec("playwright") is None:
    _MISSING, CHROMIUM = "playwright is not installed (extra: dev)", None

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason=_MISSING)
"""For a module whose tests need a browser."""

_HERE = Path(__file__).parent

LISTENER = (_HERE / "listener.js").read_text(encoding="utf-8")
"""Stands between the page and the loudspeaker."""


SHIFTS = """window.shifts = 0; new PerformanceObserver((list) => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifts += shift.value;
}).observe({ type: "layout-shift", buffered: true });"""
"""Adds up how much of the page moves by itself (cumulative layout shift)."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, without a window and without a network of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page, and what became of it: addresses it asked for, errors, and dialogs that opened."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        options.setdefault("viewport", {"width": 1280, "height": 800})
        self.context = browser.new_context(**options)
        self.context.add_init_script(LISTENER)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.asked: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", self._opened)
        self.page.on("console", self._said)

    def _opened(self, dialog: Dialog) -> None:
        self.errors.append(f"a dialog opened: {dialog.message}")
        dialog.dismiss()

    def _said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    @property
    def now(self) -> float:
        """Where the playhead is, as the page shows it, in seconds."""
        minutes, seconds = self.page.locator(".time .now").inner_text().split(":")
        return int(minutes) * 60 + float(seconds)

    def play_until(self, seconds: float) -> None:
        """Wait until the playhead has got so far."""
        read = (
            "document.querySelector('.now').textContent.split(':').reduce((m, s) => 60 * m + Number(s), 0)"
        )
        self.page.wait_for_function(f"t => {read} >= t", arg=seconds)

    def heard(self) -> tuple[float, float]:
        """Root mean square of the last 4096 samples that went to the left and the right ear, of 1."""
        left, right = self.page.evaluate("window.heard()")
        return left, right


@contextmanager
def late(page: Page, address: str, times: int | None = None) -> Iterator[None]:
    """What is asked of an address inside the block is answered at its end, and what comes of it is drawn.

    Args:
        address: With wildcards.
        times: How many questions are held up; None holds up all.
    """
    held: list[Route] = []
    page.route(address, lambda route: held.append(route), times=times)
    yield
    assert held
    with page.expect_response(address):
        for route in held:
            route.continue_()
    page.unroute(address)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@contextmanager
def watching(browser: Browser, **options: Any) -> Iterator[Watched]:
    """A page of its own, closed at the end; any error in it is a failure of the test."""
    watched = Watched(browser, **options)
    try:
        yield watched
        assert watched.errors == [], watched.errors
    finally:
        watched.context.close()
