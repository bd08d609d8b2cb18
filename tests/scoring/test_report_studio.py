"""The studio's view inside a report that is sent to somebody: one file, or one with sound beside it."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html as escaping
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soundfile

from recordings.format import Side
from scoring.report.embed import Export, NoSuchCall, with_folder
from scoring.report.html import render_html, write_html
from scoring.report.sound import Audio, encoded
from scoring.score import RunScores, score
from tests.recordings.studio.browsers import Watched, chromium, needs_chromium, watching
from tests.scoring.episodes import CallMaker, tone

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> \u202egnp.exe"
ENDPOINT_HZ = 1000.0


def call(text: str = "hello there") -> CallMaker:
    made = CallMaker().user(0.5, 2.5, text, heard=text)
    made.reply(3.3, tone(2.0, 24000, hz=ENDPOINT_HZ), response="r0", item="i")
    return made.turn(Side.ENDPOINT, 3.3, 5.3, intended=text, heard=text)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> RunScores:
    run = tmp_path_factory.mktemp("sent") / "run"
    call().write(run / "a", scenario={"id": "x", "title": "First"})
    call(EVIL).write(run / "b", scenario={"id": "y", "title": EVIL}, endpoint=EVIL)
    return asyncio.run(score([run], None))


def data_of(page: str) -> dict[int, Any]:
    found = re.findall(r'<script type="application/json" id="call-(\d+)">(.*?)</script>', page, re.DOTALL)
    return {int(number): json.loads(text) for number, text in found}


def test_the_page_holds_each_call_with_its_peaks_and_events(scored: RunScores) -> None:
    first, second = data_of(render_html(scored, export=Export())).values()
    assert first["episode"]["title"] == "First"
    assert first["events"][0]["kind"] == "utterance_started"
    pairs = np.frombuffer(base64.b64decode(first["peaks"]["user"]["pairs"]), "<i2").reshape(-1, 2)
    pcm = call().user_track
    # blocks of 256 samples, the last one shorter
    assert len(pairs) == -(-pcm.size // 256)
    assert pairs[40].tolist() == [int(pcm[10240:10496].min()), int(pcm[10240:10496].max())]
    assert second["episode"]["turns"][0]["texts"][0]["text"].startswith("</script>")


def test_the_policy_lets_nothing_run_but_our_own_code(scored: RunScores) -> None:
    page = render_html(scored, export=Export())
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = escaping.unescape(policy)
    scripts = re.findall(r'<script(?: id="studio-code")?>(.*?)</script>', page, re.DOTALL)
    styles = re.findall(r"<style[^>]*>(.*?)</style>", page, re.DOTALL)
    assert (len(scripts), len(styles)) == (2, 2)
    for body in (*scripts, *styles):
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; media-src data: blob:; ")
    assert "unsafe" not in policy


def test_words_of_others_cannot_end_the_data_they_stand_in(scored: RunScores) -> None:
    page = render_html(scored, export=Export())
    assert "<script>alert" not in page
    assert "<!--" not in page
    assert "<img" not in page


def test_only_the_calls_that_are_named_are_inside(scored: RunScores) -> None:
    page = render_html(scored, export=Export(calls=("b",)))
    assert [one["episode"]["episode"] for one in data_of(page).values()] == ["b"]
    assert page.count("<audio") == 1
    with pytest.raises(NoSuchCall, match=r"--calls c: no such call .*: a, b"):
        render_html(scored, export=Export(calls=("a", "c")))


def test_without_sound_the_page_has_all_but_the_sound(scored: RunScores) -> None:
    page = render_html(scored, export=Export(audio=Audio.NONE))
    assert "<audio" not in page
    assert len(data_of(page)) == 2


def test_a_report_without_an_export_has_no_studio(scored: RunScores) -> None:
    page = render_html(scored)
    assert data_of(page) == {}
    assert "studio" not in page


def test_opus_is_a_fraction_of_the_samples_and_sounds_the_same() -> None:
    both = np.stack([tone(10.0, 24000), tone(10.0, 24000, hz=ENDPOINT_HZ)], axis=1)
    data = encoded(both, 24000, Audio.OPUS)
    assert len(data) < both.nbytes / 8
    found, rate = soundfile.read(io.BytesIO(data))
    assert found.shape == (10 * rate, 2)
    for channel, hz in ((0, 500.0), (1, ENDPOINT_HZ)):
        spectrum = np.abs(np.fft.rfft(found[rate : 2 * rate, channel]))  # 1 s: a bin is 1 Hz
        assert int(spectrum.argmax()) == hz


def test_opus_takes_any_rate() -> None:
    data = encoded(tone(1.0, 22050), 22050, Audio.OPUS)
    assert soundfile.info(io.BytesIO(data)).duration == pytest.approx(1.0, abs=0.001)


def test_sound_beside_the_page_is_named_by_it(scored: RunScores, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_html(scored, path, with_folder(Export(), path))
    page = path.read_text(encoding="utf-8")
    files = data_of(page)[1]["files"]
    assert files == {side: f"report_files/0001-{side}.flac" for side in ("both", "user", "endpoint")}
    assert 'src="report_files/0001-both.flac"' in page
    user, _ = soundfile.read(tmp_path / files["endpoint"], dtype="int16")
    assert np.array_equal(user, call().endpoint_track)
    assert "data:audio" not in page


@pytest.fixture(scope="module")
def sent(scored: RunScores, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("post")
    write_html(scored, folder / "flac.html", Export())
    write_html(scored, folder / "opus.html", Export(audio=Audio.OPUS))
    write_html(scored, folder / "none.html", Export(audio=Audio.NONE))
    write_html(scored, folder / "beside.html", with_folder(Export(), folder / "beside.html"))
    return folder


@pytest.fixture(scope="module")
def browser(sent: Path) -> Iterator[Browser]:
    """After the files: Playwright keeps an event loop of its own."""
    with chromium() as found:
        yield found


def opened(watched: Watched, page: Path, number: int) -> None:
    watched.page.goto(f"{page.as_uri()}#call-{number}")
    watched.page.get_by_role("tab", name="turn").wait_for()


@needs_chromium
@pytest.mark.wall_clock
class TestInABrowser:
    @pytest.mark.parametrize("name", ["flac", "opus"])
    def test_a_call_is_heard_from_the_file_alone(self, browser: Browser, sent: Path, name: str) -> None:
        with watching(browser) as watched:
            opened(watched, sent / f"{name}.html", 1)
            watched.page.keyboard.press("2")
            watched.page.keyboard.press("]")
            watched.page.keyboard.press("]")
            assert watched.now == pytest.approx(3.3, abs=0.01)
            watched.page.keyboard.press("Space")
            watched.play_until(4.2)
            assert watched.heard() == pytest.approx((0.0707, 0.0707), abs=0.006)  # peak -20 dBFS, over √2
            assert watched.page.evaluate("window.pitch(0)") == pytest.approx(ENDPOINT_HZ, abs=25)
            assert {url.split(":")[0] for url in watched.asked} <= {"file", "data", "blob"}
            assert sum(url.startswith("file:") for url in watched.asked) == 1  # the page itself

    def test_the_report_leads_to_the_call_and_back(self, browser: Browser, sent: Path) -> None:
        with watching(browser) as watched:
            page = watched.page
            page.goto((sent / "flac.html").as_uri())
            page.get_by_role("link", name="Listen and look closer").first.click()
            page.get_by_role("heading", name="First").wait_for()
            assert page.locator("article").first.is_hidden()
            page.keyboard.press("n")  # to the next call, and back
            page.get_by_role("heading", name="script").wait_for()
            page.keyboard.press("b")
            page.get_by_role("heading", name="First").wait_for()
            page.get_by_role("link", name="Report").click()
            assert page.locator("article").first.is_visible()
            assert page.locator("#studio").is_hidden()

    def test_sound_beside_the_page_is_played_side_by_side(self, browser: Browser, sent: Path) -> None:
        with watching(browser) as watched:
            opened(watched, sent / "beside.html", 1)
            watched.page.keyboard.press("1")
            watched.page.keyboard.press("Space")
            watched.play_until(0.6)
            assert any(url.endswith("0001-user.flac") for url in watched.asked)

    def test_words_of_others_are_text_in_the_file_too(self, browser: Browser, sent: Path) -> None:
        with watching(browser) as watched:
            opened(watched, sent / "flac.html", 2)
            for key in "vceat":
                watched.page.keyboard.press(key)
            assert watched.page.locator("#studio img, #studio script").count() == 0
            assert "⟨U+202E⟩gnp.exe" in watched.page.locator("#main").inner_text()

    def test_without_sound_there_is_a_position_and_a_word_about_it(
        self, browser: Browser, sent: Path
    ) -> None:
        with watching(browser) as watched:
            opened(watched, sent / "none.html", 1)
            watched.page.keyboard.press("]")
            assert watched.now == pytest.approx(0.5, abs=0.01)
            watched.page.keyboard.press("Space")
            assert "no sound in this file" in watched.page.locator(".notices").inner_text()

    def test_the_closest_zoom_shows_the_very_samples(self, browser: Browser, sent: Path) -> None:
        with watching(browser) as watched:
            opened(watched, sent / "flac.html", 1)
            page = watched.page
            page.keyboard.press("]")
            page.keyboard.press("]")
            page.keyboard.press("x")
            # the endpoint's wave begins at its peak in the middle of the view; before it there is silence
            lit = (Path(__file__).parent / "wave_reach.js").read_text(encoding="utf-8")
            reach = f"const [before, after] = ({lit})();"
            page.wait_for_function(f"() => {{ {reach} return before < 0.05 && after > 0.35; }}")
