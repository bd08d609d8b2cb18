"""Makes the pictures in docs/pictures: console and report of a run, and the studio with the sample calls.

Start it with `make pictures RUN=FOLDER`; it needs chromium, and playwright and pillow (extra: dev).
A run that shows something: `viva run demo --endpoint reference:// --simulated --out FOLDER`.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI

from agent.cli.runs.call_view import CallView
from agent.cli.runs.panel import panel
from agent.observers import Levels
from recordings.format import Side
from recordings.reader import Episode, find_episodes
from scoring.report.html import write_html
from scoring.score import score
from streams.audio import Pcm, peak

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"

WIDTH = 100
"""Columns of the console."""

REPORT_SIZE = (1300, 1400)
"""Pixels of the report that are shown, from its top."""

SAMPLES = Path(__file__).parents[1] / "recordings" / "samples"

STUDIO_SIZE = (1360, 780)

STUDIO: tuple[tuple[str, Literal["light", "dark"], str, tuple[str, ...]], ...] = (
    ("studio-light.png", "light", "interruption", ("]", "]", "]", "]")),
    ("studio-dark.png", "dark", "interruption", ("]", "]", "]", "]", "]", "]", "z", "-", "s")),
)
"""Name of a picture, colours, which call, and the keys that lead to what it shows."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def console_svg(episode: Episode) -> str:
    """The live view of a call in the middle of its last reply but one, as it was on the screen."""
    replies = [turn for turn in episode.turns if turn.side is Side.ENDPOINT]
    reply = replies[-2] if len(replies) > 1 else replies[-1]
    moment = (reply.start_s + reply.end_s) / 2
    view = CallView(episode.info.id, episode.info.endpoint.address)
    for event in episode.events:
        if event.t <= moment:
            view.take(event)
    user, endpoint = (_level(*episode.track(side), moment) for side in ("user", "endpoint"))
    view.levels = Levels(user, endpoint, moment)
    console = Console(
        width=WIDTH, record=True, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(panel(view, WIDTH))
    # without its web fonts: a picture asks nothing of the network
    form = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    svg = console.export_svg(title="viva run", theme=MONOKAI, code_format=form)
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def _level(pcm: Pcm, rate: int, moment: float) -> int:
    """The loudest sample of the tenth of a second before a moment: a meter's reading."""
    at = round(moment * rate)
    return peak(pcm[max(at - rate // 10, 0) : at])


def report_png(run: Path, picture: Path) -> None:
    """The top of a run's report, as a browser shows it."""
    browser = _browser()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        # a relative name: the page shows the run as it was named
        with contextlib.chdir(run.resolve().parent):
            write_html(asyncio.run(score([Path(run.resolve().name)])), page)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"]
        options += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        options += [f"--user-data-dir={folder}/browser", f"--screenshot={picture.resolve()}"]
        size = ",".join(map(str, REPORT_SIZE))
        command = [browser, *options, f"--window-size={size}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603 - a browser on a page of ours


def studio_pngs(samples: Path) -> None:
    """The studio with the sample calls: a call in both colours, and close to an interruption."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    command = [
        sys.executable,
        "-m",
        "agent.cli.main",
        "listen",
        str(samples),
        "--port",
        "0",
        "--no-browser",
    ]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PICTURES.parents[1]) as studio,  # noqa: S603
        sync_playwright() as play,
    ):
        try:
            assert studio.stdout is not None
            address = studio.stdout.readline().strip()
            browser = play.chromium.launch(
                executable_path=_browser(), args=["--no-sandbox", "--disable-gpu"]
            )
            for name, colours, call, keys in STUDIO:
                width, height = STUDIO_SIZE
                page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=colours)
                page.goto(address)
                page.get_by_role("row").nth(1).wait_for()
                page.get_by_role("row").filter(has_text=call).get_by_role("link").click()
                page.get_by_role("tab", name="turn").wait_for()
                page.wait_for_load_state("networkidle")
                for key in keys:
                    page.keyboard.press(key)
                page.wait_for_timeout(2000)  # until the zoom has come to rest and is drawn
                # a palette: a third of the bytes, and hardly another picture
                Image.open(io.BytesIO(page.screenshot())).quantize(256).save(PICTURES / name, optimize=True)
                page.close()
            browser.close()
        finally:
            studio.terminate()


def _browser() -> str:
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise SystemExit(f"no browser found ({', '.join(BROWSERS)}); such as Debian's chromium")
    return browser


def main() -> None:
    """Make all pictures; the run is named on the command line."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: make pictures RUN=FOLDER, a run with a completed call")
    run = Path(sys.argv[1])
    PICTURES.mkdir(parents=True, exist_ok=True)
    episode = Episode.load(find_episodes(run)[0])
    (PICTURES / "console.svg").write_text(console_svg(episode), encoding="utf-8")
    report_png(run, PICTURES / "report.png")
    studio_pngs(SAMPLES)


if __name__ == "__main__":
    main()
