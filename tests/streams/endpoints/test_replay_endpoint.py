import asyncio
import dataclasses

from streams import clock
from streams.audio import AudioFormat, Frame
from streams.endpoints.events import AudioReceived, Closed, EndpointEvent, Notice, NoticeLevel, Party, Ready
from streams.endpoints.protocol import Capabilities
from streams.endpoints.replay import ReplayEndpoint

CAPABILITIES = Capabilities(protocol="x", input=AudioFormat(16000), output=AudioFormat(16000))
FRAME = Frame(bytes(640), 16000)


def audio(at: float) -> AudioReceived:
    return AudioReceived(at=at, raw=7, pcm=b"\1\0", item="a")


async def listen(endpoint: ReplayEndpoint) -> list[tuple[float, EndpointEvent]]:
    return [(clock.now(), event) async for event in endpoint.events()]


def replay(*events: EndpointEvent, close_at: float = 9.0) -> list[EndpointEvent]:
    """Events with times since the session's start; the session starts 5 s into the loop's time."""

    async def main() -> list[EndpointEvent]:
        endpoint = ReplayEndpoint(events, CAPABILITIES, "replay:test")
        assert (endpoint.address, endpoint.capabilities) == ("replay:test", CAPABILITIES)
        await endpoint.open()
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(listen(endpoint))
            await asyncio.sleep(5.02)
            await endpoint.send(FRAME)  # holds the 20 ms before: the session starts at 5.0
            await asyncio.sleep(close_at)
            await endpoint.send(FRAME)
            await endpoint.close("done")
        for now, event in listening.result():
            assert now == max(event.at, 5.02)
        return [dataclasses.replace(each, at=round(each.at - 5, 9)) for _, each in listening.result()]

    return clock.run(main(), simulate=True)


def test_every_event_comes_at_its_time_since_the_start() -> None:
    closed = Closed(at=4.25, by=Party.ENDPOINT, code=1001, reason="60 minutes")
    assert replay(audio(1.5), audio(1.25), closed) == [audio(1.25), audio(1.5), closed]


def test_what_happened_before_the_start_comes_at_once() -> None:
    notice = Notice(at=-0.5, level=NoticeLevel.INFO, code="x", message="y")
    assert replay(audio(1.0), notice, Closed(at=2.0, by=Party.ENDPOINT)) == [
        notice, audio(1.0), Closed(at=2.0, by=Party.ENDPOINT),
    ]  # fmt: skip


def test_ready_is_what_open_returns() -> None:
    async def main() -> None:
        endpoint = ReplayEndpoint([audio(1.0), Ready(at=-1.0, session="s")], CAPABILITIES, "replay:test")
        await asyncio.sleep(2)
        assert await endpoint.open() == Ready(at=2.0, session="s")

    clock.run(main(), simulate=True)


def test_without_a_recorded_close_it_stays_silent_until_we_close() -> None:
    assert replay(audio(1.0), close_at=3.0) == [
        audio(1.0), Closed(at=3.02, by=Party.US, code=1000, reason="done"),
    ]  # fmt: skip


def test_our_close_cuts_the_recording() -> None:
    assert replay(audio(1.0), audio(8.0), close_at=3.0) == [
        audio(1.0), Closed(at=3.02, by=Party.US, code=1000, reason="done"),
    ]  # fmt: skip


def test_a_session_that_never_starts_closes() -> None:
    async def main() -> None:
        endpoint = ReplayEndpoint([audio(1.0)], CAPABILITIES, "replay:test")
        await endpoint.open()
        await endpoint.close("early")
        events = [event async for event in endpoint.events()]
        assert events == [Closed(at=0.0, by=Party.US, code=1000, reason="early")]

    clock.run(main(), simulate=True)
