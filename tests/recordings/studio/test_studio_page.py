"""The page of the studio in a real browser: listening, looking, reading."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.studio import hour_of_call
from recordings.format import Flushed, Outcome, Side, ToolAnswered, ToolCall, Verdict
from scoring.report.collect import collect
from tests.recordings.studio.browsers import Watched, needs_chromium, watching
from tests.recordings.studio.servers import client, ids, running
from tests.scoring.episodes import CallMaker, tone

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium, pytest.mark.wall_clock]

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script> \u202egnp.exe"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three calls: one with all kinds of moments, one whose words attack the page, a void one."""
    run = tmp_path_factory.mktemp("studio") / "tones"
    asked = "what is CRISPR"
    made = CallMaker().user(1.0, 3.0, asked, heard="what is crispy")
    made.reply(3.8, tone(4.0, 24000, hz=1000.0), response="r0", item="i")
    verdict = Verdict(
        judge="rules", label="complete", reason="stated: cutting", evidence=("a pair of scissors",)
    )
    made.turn(
        Side.ENDPOINT,
        3.8,
        7.8,
        intended="a pair of scissors",
        heard="a pair of scissors",
        verdicts=(verdict,),
    )
    made.user(9.0, 10.0, "stop", heard="stop").note(
        Flushed(t=6.0, by="endpoint", at=144000, items=(("i", 96000, 96000),)),
        ToolCall(t=5.0, call="c1", name="find", arguments="{}"),
        ToolAnswered(t=5.5, call="c1", name="find", output="found"),
    )
    made.length = 20.0
    made.write(run / "call", scenario={"id": "gene", "title": "Gene scissors"})
    evil = CallMaker().user(0.5, 1.5, EVIL, heard=EVIL).reply(2.0, tone(1.0, 24000))
    evil.turn(Side.ENDPOINT, 2.0, 3.0, intended=EVIL, heard=EVIL)
    evil.write(run / "evil", scenario={"id": "evil", "title": EVIL}, endpoint=EVIL)
    CallMaker().user(0.5, 1.5).write(run / "late", outcome=Outcome.BEHIND_REAL_TIME)
    asyncio.run(collect([run], again=True))  # as `viva score` does
    return run


@pytest.fixture
def seen(browser: Browser, studio: str, calls: dict[str, str]) -> Iterator[Watched]:
    """The first call, open and drawn."""
    with watching(browser) as watched:
        open_call(watched, studio, calls["call"])
        yield watched


def open_call(watched: Watched, studio: str, id: str, query: str = "") -> None:
    watched.page.goto(f"{studio}/#/episode/{id}{query}")
    watched.page.get_by_role("tab", name="turn").wait_for()
    watched.page.wait_for_function("() => document.querySelector('.quiet-lanes').textContent !== ''")


def test_runs_are_filtered_and_a_call_opened_by_keys_alone(browser: Browser, studio: str) -> None:
    with watching(browser) as watched:
        page = watched.page
        page.goto(studio)
        page.get_by_role("row").nth(3).wait_for()
        assert page.get_by_role("grid").get_attribute("aria-rowcount") == "4"  # three calls, and the head
        page.keyboard.press("/")
        page.keyboard.type("gene")
        assert page.get_by_role("grid").get_attribute("aria-rowcount") == "2"
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Gene scissors").wait_for()
        page.keyboard.press("n")  # there is no other call of that word
        page.keyboard.press("Shift+R")
        page.get_by_role("search").wait_for()
        assert (
            page.get_by_label("Look for words").input_value() == "gene"
        )  # the way back keeps what was asked


def test_the_next_call_is_that_of_the_table(browser: Browser, studio: str) -> None:
    with watching(browser) as watched:
        page = watched.page
        page.goto(studio)
        page.get_by_role("row").nth(3).wait_for()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Gene scissors").wait_for()
        page.keyboard.press("n")
        page.get_by_role("heading", name="img src").wait_for()
        page.keyboard.press("b")
        page.get_by_role("heading", name="Gene scissors").wait_for()


def test_numbers_come_in_while_calls_are_measured(browser: Browser, tmp_path: Path) -> None:
    CallMaker().user(1.0, 2.0).reply(2.9, tone(1.0, 24000)).write(tmp_path / "run" / "new")
    with running(tmp_path) as studio, watching(browser) as watched:
        watched.page.goto(studio)
        # nobody has scored it: a reply at 2.9 s to a turn that ends at 2.0 s
        watched.page.get_by_role("gridcell", name="900", exact=True).wait_for()


def test_a_column_sorts_both_ways_and_what_has_no_value_stands_last(browser: Browser, studio: str) -> None:
    with watching(browser) as watched:
        page = watched.page
        page.goto(studio)
        head = page.get_by_role("columnheader", name="latency")
        read = """() => [...document.querySelectorAll('.call')]
          .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.children[6].textContent)"""
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        up = page.evaluate(read)
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        down = page.evaluate(read)
        assert up[:2] == ["500", "800"]  # ms: a reply at 2.0 s to a turn that ends at 1.5 s; 3.8 s to 3.0 s
        assert down[:2] == ["800", "500"]
        assert up[2] == down[2]


def test_a_call_is_heard_each_side_in_its_ear(seen: Watched) -> None:
    seen.page.keyboard.press("Space")
    seen.play_until(2.0)
    user = seen.heard()
    seen.play_until(4.8)
    endpoint = seen.heard()
    # a tone with a peak of -20 dBFS has a root mean square of 0.1 / √2 = 0.0707
    assert user == pytest.approx((0.0707, 0.0), abs=0.004)
    assert endpoint == pytest.approx((0.0, 0.0707), abs=0.004)


def test_one_side_alone_is_heard_in_both_ears(seen: Watched) -> None:
    seen.page.keyboard.press("1")
    assert seen.page.get_by_role("radio", name="User").is_checked()
    seen.page.keyboard.press("Space")
    seen.play_until(2.0)
    assert seen.heard() == pytest.approx((0.0707, 0.0707), abs=0.004)
    seen.play_until(4.8)
    assert seen.heard() == pytest.approx((0.0, 0.0), abs=0.001)


def test_half_speed_takes_twice_as_long_and_keeps_the_pitch(seen: Watched) -> None:
    for _ in range(2):
        seen.page.keyboard.press("<")
    assert seen.page.get_by_label("Speed").input_value() == "0.5"
    seen.page.keyboard.press("]")  # from before the first turn to it
    seen.page.keyboard.press("]")
    assert seen.now == pytest.approx(3.8, abs=0.01)
    seen.page.keyboard.press("Space")
    seen.play_until(4.2)
    begun = seen.page.evaluate("[performance.now() / 1000, document.querySelector('.now').textContent]")
    seen.play_until(5.2)
    over = seen.page.evaluate("[performance.now() / 1000, document.querySelector('.now').textContent]")
    wall = over[0] - begun[0]
    call = float(over[1].split(":")[1]) - float(begun[1].split(":")[1])
    assert call / wall == pytest.approx(0.5, rel=0.15)
    assert seen.page.evaluate("window.pitch(1)") == pytest.approx(1000.0, abs=25.0)


def test_a_jump_fetches_only_that_part_of_the_sound(seen: Watched) -> None:
    answers: list[tuple[int, str]] = []
    seen.page.on(
        "response",
        lambda r: (
            answers.append((r.status, r.headers.get("content-range", ""))) if "/audio/" in r.url else None
        ),
    )
    seen.page.reload()
    seen.page.get_by_role("tab", name="turn").wait_for()
    seen.page.keyboard.press("End")
    seen.page.keyboard.press("ArrowLeft")
    assert seen.now == pytest.approx(19.0, abs=0.01)
    seen.page.keyboard.press("Space")
    seen.play_until(19.3)
    assert {status for status, _ in answers} == {206}
    # D42: 20 s of stereo at 24 kHz, with a header of 44 bytes
    assert all(text.endswith("/1920044") for _, text in answers)


def test_of_two_jumps_before_the_sound_is_there_the_last_counts(
    seen: Watched, calls: dict[str, str]
) -> None:
    place = seen.page.evaluate(
        """async (url) => {
          const { Player } = await import("/player.js");
          const player = new Player({ sources: { both: url, user: url, endpoint: url } });
          player.seek(2);
          // the length is known, and the player has not yet heard of it
          player.audio.addEventListener("loadedmetadata", () => player.seek(5), { capture: true });
          await new Promise((done) => player.audio.addEventListener("seeked", done, { once: true }));
          return [player.time, player.audio.currentTime];
        }""",
        f"/api/episodes/{calls['call']}/audio/both",
    )
    assert place == [5, 5]


def test_a_selection_is_played_again_and_again(seen: Watched) -> None:
    page = seen.page
    page.keyboard.press("]")
    page.keyboard.press("i")
    for _ in range(20):
        page.keyboard.press(".")  # 20 ms each
    page.keyboard.press("u")
    page.keyboard.press("l")
    page.keyboard.press("Space")
    # where the sound is, once a frame, for 1.5 s: more than three times the selection
    times = page.evaluate(
        """() => new Promise((done) => {
          const found = []; const begun = performance.now();
          const look = () => {
            const [m, s] = document.querySelector('.now').textContent.split(':');
            found.push(Number(m) * 60 + Number(s));
            if (performance.now() - begun < 1500) requestAnimationFrame(look); else done(found);
          };
          requestAnimationFrame(look);
        })"""
    )
    assert min(times) >= 0.99
    assert max(times) <= 1.40 + 0.15  # the selection, and the time of a slow frame
    assert sum(later < earlier for earlier, later in itertools.pairwise(times)) >= 2


def test_a_turn_is_played_to_its_end_and_no_further(seen: Watched) -> None:
    seen.page.get_by_role("button", name="Play turn 3").click()
    seen.page.get_by_role("button", name="Pause").wait_for()
    seen.page.get_by_role("button", name="Play", exact=True).wait_for()
    assert seen.now == pytest.approx(10.0, abs=0.15)


def test_the_evidence_of_a_verdict_leads_to_its_sound(seen: Watched) -> None:
    page = seen.page
    page.locator(".evidence button").first.click()
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("Space")
    assert 3.8 <= seen.now <= 7.8
    assert page.locator(".turn[aria-current]").get_attribute("data-number") == "2"


def test_the_closest_zoom_shows_every_sample(seen: Watched) -> None:
    page = seen.page
    page.keyboard.press("]")
    page.keyboard.press("x")
    with page.expect_response(
        lambda r: "/peaks?" in r.url and "track=user&" in r.url and one_to_one(r.url)
    ) as asked:
        page.keyboard.press("ArrowRight")
    pairs = np.frombuffer(asked.value.body(), "<i2").reshape(-1, 2)
    start = query(asked.value.url)["start"]
    assert np.array_equal(pairs[:, 0], pairs[:, 1])
    made = CallMaker().user(1.0, 3.0)
    made.length = 20.0
    assert np.array_equal(pairs[:, 0], made.user_track[start : start + len(pairs)])


def query(url: str) -> dict[str, int]:
    parts = (part.split("=") for part in url.split("?")[1].split("&"))
    return {name: int(value) for name, value in parts if value.isdigit()}


def one_to_one(url: str) -> bool:
    found = query(url)
    return found["end"] - found["start"] == found["width"]


def test_words_errors_and_terms_are_marked(seen: Watched) -> None:
    turn = seen.page.locator(".turn").first
    assert turn.locator("mark").inner_text().startswith("crispy")
    assert turn.locator("mark").get_attribute("title") == "expected: crispr"
    assert turn.locator(".abbreviation").first.inner_text() == "CRISPR"


def test_every_moment_of_the_lanes_can_be_read_as_text(seen: Watched) -> None:
    page = seen.page
    page.keyboard.press("v")
    page.get_by_label("Which moments").select_option("tools")
    moment = page.get_by_role("list", name="Moments").get_by_role("listitem")
    assert "find" in moment.inner_text()
    moment.get_by_role("button").press("Enter")
    assert seen.now == pytest.approx(5.0, abs=0.01)


def test_raw_events_come_a_page_at_a_time_and_open_in_full(seen: Watched) -> None:
    page = seen.page
    page.keyboard.press("e")
    page.get_by_label("Which events").select_option("flushed")
    page.get_by_role("button", name="flushed, at 6 s").click()
    assert '"at": 144000' in page.get_by_label("The event in full").inner_text()
    assert seen.now == pytest.approx(6.0, abs=0.01)


def test_a_spectrogram_comes_on_demand_and_shows_the_tone(seen: Watched) -> None:
    assert not any("spectrogram" in url for url in seen.asked)
    seen.page.keyboard.press("s")
    # at 5 s the endpoint is a tone of 1 kHz: bright there, dark an octave and two above
    at = """share => {
      const [label] = document.getElementsByClassName("label spectrum:endpoint");
      const canvas = document.querySelector(".stage canvas");
      const scale = canvas.height / canvas.clientHeight;
      const y = label.offsetTop + label.offsetHeight * (1 - share);
      const x = canvas.clientWidth * 5 / 20;
      return canvas.getContext("2d").getImageData(x * scale, y * scale, 1, 1).data[0];
    }"""
    seen.page.wait_for_function(f"() => ({at})(1 / 8) > 180")
    assert seen.page.evaluate(at, 2 / 8) < 80
    assert seen.page.evaluate(at, 4 / 8) < 80
    assert seen.page.get_by_role("button", name="Spectrum").get_attribute("aria-pressed") == "true"


def test_reloading_comes_back_to_the_same_call(seen: Watched) -> None:
    seen.page.reload()
    seen.page.get_by_role("heading", name="Gene scissors").wait_for()
    assert seen.page.locator(".turn").count() == 3


def test_an_address_can_name_a_moment(browser: Browser, studio: str, calls: dict[str, str]) -> None:
    with watching(browser) as watched:
        open_call(watched, studio, calls["call"], "?t=4.5&to=5.0")
        assert watched.now == pytest.approx(4.5, abs=0.01)


@pytest.mark.parametrize("place", ["constructor", "episode/%E0%A4%A", "episode/nothing", "%"])
def test_an_address_that_leads_nowhere_says_so(browser: Browser, studio: str, place: str) -> None:
    with watching(browser) as watched:
        watched.page.goto(f"{studio}/#/{place}")
        shown = watched.page.locator("[role=alert], [role=grid]")
        shown.wait_for()
        assert "is not a function" not in shown.inner_text()
        watched.errors.clear()  # the browser itself notes that it got a 404


def test_words_of_others_are_text_and_nothing_else(
    browser: Browser, studio: str, calls: dict[str, str]
) -> None:
    with watching(browser) as watched:
        page = watched.page
        open_call(watched, studio, calls["evil"])
        for key in "vcea":
            page.keyboard.press(key)
        page.keyboard.press("t")
        assert page.locator("main img, main script").count() == 0
        shown = page.locator("main").inner_text()
        assert "<img src=x onerror=alert(1)>" in shown
        assert "\u202e" not in page.content()
        assert "⟨U+202E⟩gnp.exe" in shown
        page.goto(f"{studio}/#/")
        page.get_by_role("gridcell", name="evil").first.wait_for()
        assert page.locator("main img, main script").count() == 0


def test_nothing_is_asked_of_anybody_else(browser: Browser, studio: str, calls: dict[str, str]) -> None:
    with watching(browser) as watched:
        watched.page.goto(studio)
        watched.page.get_by_role("row").nth(2).wait_for()
        open_call(watched, studio, calls["call"])
        for key in "svce":
            watched.page.keyboard.press(key)
        watched.page.wait_for_load_state("networkidle")
        assert watched.asked
        assert all(url.startswith((studio, "data:", "blob:")) for url in watched.asked)


def test_turns_are_found_by_their_order(seen: Watched) -> None:
    places = []
    for key in "]]][":
        seen.page.keyboard.press(key)
        places.append(seen.now)
    # from 0: the turns at 1.0, 3.8 and 9.0 s, and back
    assert places == pytest.approx([1.0, 3.8, 9.0, 3.8], abs=0.011)


def test_dragging_selects_and_escape_lets_go(seen: Watched) -> None:
    page = seen.page
    box = page.locator(".stage").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 60, steps=4)
    page.mouse.up()
    assert seen.now == pytest.approx(4.0, abs=0.05)  # a fifth of 20 s
    page.keyboard.press("z")  # to the selection: 4 s, with room of 8 % on both sides
    wait_for_share(seen, 0.232)
    page.keyboard.press("Escape")
    page.keyboard.press("0")
    wait_for_share(seen, 1.0)


def wait_for_share(seen: Watched, share: float) -> None:
    """Until this share of the call is in view."""
    width = "document.querySelector('.{}').offsetWidth"
    shown = f"{width.format('frame')} / {width.format('strip')}"
    seen.page.wait_for_function(f"share => Math.abs({shown} - share) < 0.01", arg=share)


def test_a_call_that_is_being_recorded_grows_on_the_page(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "call"
    short = CallMaker().user(1.0, 2.0, "first")
    short.length = 4.0
    short.write(folder, outcome=Outcome.UNFINISHED)
    with running(tmp_path) as studio, client(tmp_path) as asked, watching(browser) as watched:
        open_call(watched, studio, ids(asked)["call"])
        page = watched.page
        assert page.locator(".chip.live").is_visible()
        assert page.locator(".turn").count() == 1
        longer = short.user(5.0, 6.0, "second")
        longer.length = 8.0
        longer.write(folder, outcome=Outcome.UNFINISHED)
        page.locator(".turn").nth(1).wait_for()
        assert page.locator(".time").inner_text().endswith("0:08.0")
        longer.write(folder, outcome=Outcome.COMPLETED)
        page.locator(".episode-head .chip.good").wait_for()
        assert page.locator(".chip.live").count() == 0


def test_an_hour_is_shown_without_fetching_its_sound(browser: Browser, tmp_path: Path) -> None:
    hour_of_call(tmp_path / "run" / "hour")
    with running(tmp_path) as studio, client(tmp_path) as asked, watching(browser) as watched:
        page = watched.page
        page.set_default_timeout(120_000)
        fetched: dict[str, int] = {}
        page.on("response", lambda r: fetched.update({r.url: int(r.headers.get("content-length", 0))}))
        open_call(watched, studio, ids(asked)["hour"])
        page.locator(".turn").nth(479).wait_for(state="attached")  # 240 questions, and their replies
        page.wait_for_load_state("networkidle")
        page.keyboard.press("End")
        with page.expect_response(lambda r: "/peaks?" in r.url and one_to_one(r.url)):
            page.keyboard.press("x")
        page.keyboard.press("0")
        wait_for_share(watched, 1.0)
        page.wait_for_load_state("networkidle")
        peaks = {url: size for url, size in fetched.items() if "/peaks?" in url}
        # tiles of 2048 pairs of 16 bits, whatever the zoom
        assert max(peaks.values()) <= 2048 * 4
        # an hour of it is 345 MB
        assert sum(size for url, size in fetched.items() if "/audio/" not in url) < 5_000_000
