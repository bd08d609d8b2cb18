"""What the studio's page asks for first, and what becomes of a view that comes late: in a real browser."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlparse

import pytest

from benchmarks.studio import hour_of_call
from recordings.format import Outcome
from recordings.studio.episode_routes import LONGEST_AT_ONCE_S
from scoring.report.collect import collect
from tests.recordings.studio.browsers import SHIFTS, late, needs_chromium, watching
from tests.recordings.studio.servers import client, ids, running
from tests.scoring.episodes import CallMaker, tone

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Browser, Route

pytestmark = [needs_chromium, pytest.mark.wall_clock]

QUESTIONS = 9
"""Of the long call: one every 15 s, 135 s in all."""


ENDED = """window.EventSource = class extends EventSource {
  constructor(url) { super(url); this.addEventListener("ended", () => { window.ended = true; }); }
};"""
"""Notes that the page was told of the end of a call."""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A call that is too long to be gone through while somebody waits, and short ones, in two runs."""
    folder = tmp_path_factory.mktemp("studio")
    assert QUESTIONS * 15.0 > LONGEST_AT_ONCE_S
    hour_of_call(folder / "run" / "long", seconds=QUESTIONS * 15.0)
    for run, name in (("run", "first"), ("run", "second"), ("other", "third")):
        call = CallMaker().user(0.5, 1.5).reply(2.0, tone(0.5, 24000))
        call.write(folder / run / name, scenario={"id": name, "title": f"The {name} call"})
    for run in ("run", "other"):  # as `viva score` does: else the table comes again and again
        asyncio.run(collect([folder / run], again=True))
    return folder


def test_a_call_that_comes_late_does_not_take_the_place_of_another(
    browser: Browser, studio: str, calls: dict[str, str]
) -> None:
    with watching(browser) as watched:
        page = watched.page
        with late(page, f"**/api/episodes/{calls['first']}*"):
            with page.expect_request(lambda asked: asked.url.endswith("?outline=1")):
                page.goto(f"{studio}/#/episode/{calls['first']}")
            page.evaluate("id => { location.hash = `#/episode/${id}`; }", calls["second"])
            page.get_by_role("heading", name="The second call").wait_for()
        page.keyboard.press("]")
        assert watched.now == pytest.approx(0.5, abs=0.01)  # the keys are those of the call that is shown
        assert page.get_by_role("heading", level=1).all_inner_texts() == ["The second call"]
        assert page.title().startswith("The second call")


def test_a_table_that_comes_late_does_not_take_the_place_of_a_call(
    browser: Browser, studio: str, calls: dict[str, str]
) -> None:
    with watching(browser) as watched:
        page = watched.page
        with late(page, "**/api/catalogue"):
            with page.expect_request("**/api/catalogue"):
                page.goto(studio)
            page.evaluate("id => { location.hash = `#/episode/${id}`; }", calls["first"])
            page.get_by_role("heading", name="The first call").wait_for()
        assert page.get_by_role("grid").count() == 0
        page.keyboard.press("ArrowDown")  # a key of the table
        page.keyboard.press("Enter")  # plays the turn: of the call
        page.get_by_role("button", name="Pause").wait_for()


def test_a_comparison_that_comes_late_is_not_shown(browser: Browser, studio: str) -> None:
    with watching(browser) as watched:
        page = watched.page
        with late(page, "**/api/compare?*", times=1):
            with page.expect_request("**/api/compare?*"):
                page.goto(f"{studio}/#/compare")
            page.get_by_label("Run B").select_option("")
            shown = page.get_by_role("region", name="What differs")
            shown.locator(".empty, .notice").wait_for()  # the calls of one run have one endpoint
            before = shown.inner_text()
        assert shown.inner_text() == before


def test_that_a_call_has_ended_is_seen_even_while_it_is_being_fetched(
    browser: Browser, tmp_path: Path
) -> None:
    call = CallMaker(length=4.0).user(0.5, 1.5, "first")
    call.write(tmp_path / "run" / "call", outcome=Outcome.UNFINISHED)
    with running(tmp_path) as studio, client(tmp_path) as asked, watching(browser) as watched:
        watched.context.add_init_script(ENDED)
        page, id = watched.page, ids(asked)["call"]
        page.goto(f"{studio}/#/episode/{id}")
        page.locator(".chip.live").wait_for()
        page.wait_for_load_state("load")
        stale: list[tuple[Route, APIResponse]] = []
        page.route(f"**/api/episodes/{id}", lambda route: stale.append((route, route.fetch())), times=1)
        call.user(2.0, 3.0, "second").write(tmp_path / "run" / "call", outcome=Outcome.UNFINISHED)
        for _ in range(500):  # at most ten seconds
            if stale:
                break
            page.wait_for_timeout(20)
        call.write(tmp_path / "run" / "call", outcome=Outcome.COMPLETED)
        page.wait_for_function("() => window.ended")
        ((route, answer),) = stale
        route.fulfill(response=answer)  # as it was before the end
        page.locator(".episode-head .chip.good").wait_for()


def test_of_a_long_call_the_waves_come_before_what_takes_its_time(
    browser: Browser, studio: str, calls: dict[str, str]
) -> None:
    with watching(browser) as watched:
        watched.context.add_init_script(SHIFTS)
        page = watched.page
        slow = watched.context.new_cdp_session(page)
        slow.send("Emulation.setCPUThrottlingRate", {"rate": 4})  # so that turns come in many pieces
        page.goto(f"{studio}/#/episode/{calls['long']}")
        page.locator(".turn").nth(2 * QUESTIONS - 1).wait_for(state="attached")  # and their replies
        page.get_by_text("measuring …").wait_for(state="detached")
        page.wait_for_load_state("networkidle")
        asked = [urlparse(url) for url in watched.asked if calls["long"] in url]
        order = [url.query.partition("=")[0] or url.path.rpartition("/")[2] for url in asked]
        assert order.count("outline") == order.count(calls["long"]) == 1
        assert order[0] == "outline"
        assert order.index("track") < order.index(calls["long"])  # peaks, before the whole view
        assert page.evaluate("window.shifts") == 0


@pytest.mark.parametrize("place", ["", "#/"])
def test_the_table_is_asked_for_once(place: str, browser: Browser, studio: str) -> None:
    with watching(browser) as watched:
        watched.page.goto(f"{studio}/{place}")
        watched.page.get_by_role("row").nth(1).wait_for()
        assert len([url for url in watched.asked if url.endswith("/api/catalogue")]) == 1


def test_the_focus_goes_to_the_view_that_was_opened(browser: Browser, studio: str) -> None:
    with watching(browser) as watched:
        page = watched.page
        page.goto(studio)
        page.get_by_role("row").nth(1).wait_for()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.get_by_role("toolbar").wait_for()
        page.wait_for_function("() => document.activeElement.id === 'main'")
        page.keyboard.press("Tab")  # into the view, not to the top of the page
        assert page.evaluate("document.activeElement.ariaLabel") == "Previous turn"
