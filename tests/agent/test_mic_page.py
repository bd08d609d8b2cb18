"""The page's microphone: its websocket, and a real browser with a WAV for a microphone."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import recordings
from agent.cli.judging.judge import JudgeOptions
from agent.cli.mic.page import PageCalls, PageDevice
from agent.cli.runs.request import EngineChoice
from recordings.check import check
from recordings.format import DeviceOpened, UtteranceStarted
from recordings.reader import Episode, find_episodes
from recordings.studio.mic_socket import BadMessage, Captured, Command, mic_routes, read_message, read_wish
from streams.devices.interfaces import DeviceLost
from tests.recordings.studio.browsers import CHROMIUM, FLAGS, needs_chromium
from tests.recordings.studio.servers import HOST, app_of, running
from tests.streams.devices.sounds import speech_like

SAMPLES = Path(recordings.__file__).parent / "samples"


def calls(out: Path) -> PageCalls:
    engines = EngineChoice("none", "none", "energy", "none", "")
    return PageCalls("fake://", "", engines, JudgeOptions("none"), out=out, max_lateness_s=10)


def test_the_first_message_says_what_the_page_has() -> None:
    wish = read_wish('{"type": "call", "rate": 44100, "mode": "guided", "echo_cancellation": true}')
    assert (wish.rate, wish.mode, wish.echo_cancellation) == (44100, "guided", True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"type": "talk"}',
        '{"type": "call", "rate": 4000}',
        '{"type": "call", "rate": "48000"}',
        '{"type": "call", "rate": true}',
        '{"type": "call", "rate": 48000, "mode": "x"}',
    ],
)
def test_a_first_message_that_is_no_call_is_refused(text: str) -> None:
    with pytest.raises(BadMessage):
        read_wish(text)


def test_later_messages_are_sound_or_commands() -> None:
    assert read_message(struct.pack("<Q", 7) + b"\1\0") == Captured(7, b"\1\0")
    assert read_message('{"type": "talk", "on": true}') == Command("talk", True)
    for bad in (b"", bytes(9), bytes(8 + 400_000), '{"type": "call"}'):
        with pytest.raises(BadMessage):
            read_message(bad)


def test_samples_that_the_page_lost_are_known_by_their_numbers() -> None:
    device = PageDevice(48000)
    from streams import clock

    async def main() -> list[int]:
        for first in (0, 480, 1440):
            device.captured(Captured(first, bytes(960)))
        return [block.lost for block in device.blocks()]

    assert clock.run(main(), simulate=True) == [0, 0, 480]


def test_another_site_cannot_take_the_microphone(tmp_path: Path) -> None:
    asked = TestClient(app_of(SAMPLES, routes=mic_routes(calls(tmp_path).take)), base_url=HOST)
    foreign = {"host": "127.0.0.1:8790", "origin": "http://evil.example"}
    with pytest.raises(WebSocketDisconnect) as closed, asked.websocket_connect("/ws/mic", headers=foreign):
        pass
    assert closed.value.reason == "foreign_origin"


def test_a_page_that_talks_nonsense_is_hung_up_on(tmp_path: Path) -> None:
    asked = TestClient(app_of(SAMPLES, routes=mic_routes(calls(tmp_path).take)), base_url=HOST)
    with asked.websocket_connect("/ws/mic", headers={"host": "127.0.0.1:8790"}) as socket:
        socket.send_text('{"type": "call", "rate": 1}')
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert closed.value.code == 1003


def test_a_call_that_cannot_be_begun_tells_the_page_why(tmp_path: Path) -> None:
    async def take(*_: object) -> None:
        raise DeviceLost("page", "no sound", "Plug it in.")

    asked = TestClient(app_of(SAMPLES, routes=mic_routes(take)), base_url=HOST)
    with asked.websocket_connect("/ws/mic", headers={"host": "127.0.0.1:8790"}) as socket:
        socket.send_text('{"type": "call", "rate": 48000, "mode": "free", "echo_cancellation": true}')
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_text()
    assert closed.value.code == 1011 and "no sound" in closed.value.reason


@pytest.mark.wall_clock
@needs_chromium
def test_a_browser_calls_with_a_wav_for_a_microphone(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    # two bursts of noise, which the browser plays in a loop of 4 s; a tone would be like the endpoint's own
    rate = 48000
    times = np.arange(4 * rate) / rate
    said_then = ((times >= 1.0) & (times < 1.5)) | ((times >= 2.5) & (times < 3.0))
    air = speech_like(4, rate) * said_then
    soundfile.write(tmp_path / "said.wav", air, rate, subtype="PCM_16")
    flags = [
        *FLAGS,
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-audio-capture={tmp_path / 'said.wav'}",
        "--autoplay-policy=no-user-gesture-required",
    ]
    app = app_of(SAMPLES, routes=mic_routes(calls(tmp_path / "runs").take), features=["mic"])
    with running(app=app) as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{address}#/mic")
        page.locator("#mic-echo").uncheck()
        page.get_by_role("button", name="Call").click()
        page.get_by_text("Connected").wait_for()
        page.locator(".mic-log li", has_text="you:").nth(3).wait_for()  # what else is told does not count
        page.get_by_role("button", name="Hang up").click()
        page.locator('.mic[data-outcome="completed"]').wait_for()
        browser.close()
    [folder] = find_episodes(tmp_path / "runs")
    episode = Episode.load(folder)
    assert check(episode) == []
    [opened] = [event for event in episode.events if isinstance(event, DeviceOpened)]
    assert opened.device == "browser" and opened.input_rate in (44100, 48000)
    said = [event for event in episode.events if isinstance(event, UtteranceStarted)]
    starts = [event.audible_start / episode.info.user_rate for event in said]
    # 1.5 s from the first burst to the second, 2.5 s from the second to the first of the next round; the
    # call may have begun in the middle of one, and a busy machine may lose one
    gaps = {round(gap, 1) for gap in np.diff(starts[1:])}
    assert gaps & {1.5, 2.5} and gaps <= {1.5, 2.5, 4.0}
    track, _ = episode.track("user")
    # neither louder nor softer: the noise between its 100 ms edges, by its level
    first = round(starts[1] * episode.info.user_rate)
    middle = track[first + episode.info.user_rate // 10 : first + 4 * episode.info.user_rate // 10]
    assert np.sqrt(np.mean(middle.astype(float) ** 2)) == pytest.approx(0.1 * 32768, rel=0.3)
