from __future__ import annotations

from pathlib import Path

from recordings.format import (
    EndAnnounced,
    EndpointText,
    EpisodeInfo,
    Flushed,
    Noticed,
    Outcome,
    ResponseFinished,
    SessionResumed,
    ToolCall,
    UsageReported,
    UserThinking,
)
from recordings.reader import Episode
from recordings.replay import replay
from recordings.writer import EpisodeWriter
from streams import clock
from streams.endpoints.events import (
    AudioReceived,
    Closed,
    Ending,
    EndpointEvent,
    Flush,
    ItemEnded,
    Notice,
    Party,
    Ready,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    Resumed,
    TextReceived,
    ToolCalled,
    Usage,
)
from streams.playback import Speaker
from tests.recordings.calls import ENDPOINT_RATE, Call, Delivery, episode_info, noise, record


def heard_again(events: list[EndpointEvent], seconds: float) -> tuple[bytes, Speaker]:
    """Plays a replay through an ear, as a session does: what came by the end of a tick, then the tick."""
    speaker = Speaker(ENDPOINT_RATE)
    track = b""
    left = list(events)
    for tick in range(1, round(seconds * 50) + 1):
        while left and left[0].at <= tick / 50:
            event = left.pop(0)
            if isinstance(event, AudioReceived):
                speaker.play(event.pcm, at=event.at, item=event.item, response=event.response)
            elif isinstance(event, Flush):
                speaker.flush(at=event.at)
        track += speaker.heard(tick * ENDPOINT_RATE // 50)
    return track, speaker


def test_a_replayed_session_hears_the_same(tmp_path: Path) -> None:
    deliveries = [
        Delivery(1.1, "i1", noise(12000, 1)),
        Delivery(1.2, "i2", noise(24000, 2)),
        Delivery(2.3, "i2", noise(2400, 3)),
        Delivery(2.5, "i3", noise(9600, 4), response="r2"),
    ]
    record(Call(tmp_path / "e", deliveries=deliveries, cuts=[2.2]))
    episode = Episode.load(tmp_path / "e")
    events = replay(episode)
    track, speaker = heard_again(events, 3)
    assert track == episode.track("endpoint")[0].tobytes()
    assert (speaker.received, speaker.late) == (48000, 1)
    assert [event.text for event in events if isinstance(event, TextReceived)] == [
        event.text for event in episode.events if isinstance(event, EndpointText)
    ]
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert isinstance(events[0], Ready)
    assert isinstance(events[-1], ResponseEnded)


def test_a_flush_parts_what_came_with_it_in_one_instant(tmp_path: Path) -> None:
    async def main() -> None:
        from recordings.format import ReceivedPiece, ResponseBegan

        writer = EpisodeWriter(tmp_path / "e", episode_info())
        writer.event(ResponseBegan(t=0.9, response="r1"))
        writer.event(ResponseBegan(t=0.95, response="r2"))
        writer.received(ReceivedPiece(t=1.0, item="old", offset=0, samples=5, start=24000), noise(5))
        writer.event(Flushed(t=1.0, by="endpoint", at=24000, items=(("old", 0, 5),)))
        writer.event(Flushed(t=1.5, by="user", at=36000))
        writer.received(ReceivedPiece(t=1.0, item="new", offset=5, samples=6, start=24000), noise(6))
        await writer.finish(episode_info(outcome=Outcome.COMPLETED))

    clock.run(main(), simulate=True)
    events = replay(Episode.load(tmp_path / "e"))
    assert events == [
        ResponseStarted(at=0.9, response="r1"),
        ResponseStarted(at=0.95, response="r2"),
        AudioReceived(at=1.0, pcm=noise(5), item="old"),
        Flush(at=1.0, responses=("r1", "r2")),
        AudioReceived(at=1.0, pcm=noise(6), item="new"),
    ]


def test_an_item_ends_with_its_last_audio_where_no_response_ends(tmp_path: Path) -> None:
    deliveries = [
        Delivery(1.1, "alone", noise(240), response=""),
        Delivery(1.2, "alone", noise(240), response=""),
        Delivery(1.3, "of r1", noise(240), response="r1"),
    ]
    record(Call(tmp_path / "e", deliveries=deliveries))
    ends = [event for event in replay(Episode.load(tmp_path / "e")) if isinstance(event, ItemEnded)]
    assert ends == [ItemEnded(at=1.2, item="alone", response="")]


def test_everything_the_endpoint_sent_comes_again_and_nothing_of_ours(tmp_path: Path) -> None:
    async def main() -> None:
        writer = EpisodeWriter(tmp_path / "e", episode_info())
        writer.event(ToolCall(t=0.1, call="c", name="look", arguments="{}"))
        writer.event(UsageReported(t=0.2, unit="tokens", values={"out": 3.0}))
        writer.event(Noticed(t=0.3, level="warning", code="slow", message="m"))
        writer.event(Noticed(t=0.3, by="us", level="warning", code="x", message="m"))
        writer.event(UserThinking(t=0.4, seconds=1))
        writer.event(EndAnnounced(t=0.4, time_left_s=50, reason="goAway", resumable=True))
        writer.event(SessionResumed(t=0.45, gap_s=0.02, held=1))
        writer.event(ResponseFinished(t=0.5, response="r", status="cancelled", reason="turn_detected"))
        writer.user(bytes(640))
        info: EpisodeInfo = episode_info(outcome=Outcome.ENDPOINT_HUNG_UP, reason="bye")
        await writer.finish(info)

    clock.run(main(), simulate=True)
    events = replay(Episode.load(tmp_path / "e"))
    assert [type(event) for event in events if not isinstance(event, Closed)] == [
        ToolCalled,
        Usage,
        Notice,
        Ending,
        Resumed,
        ResponseEnded,
    ]
    assert Ending(at=0.4, time_left_s=50, reason="goAway", resumable=True) in events
    assert Resumed(at=0.45, gap_s=0.02, held=1) in events
    assert (
        ResponseEnded(at=0.5, response="r", status=ResponseStatus.CANCELLED, reason="turn_detected")
        in events
    )
    assert Closed(at=0.02, by=Party.ENDPOINT, reason="bye") in events
