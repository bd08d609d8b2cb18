"""The situations that every adapter goes through, with the one timeline that all of them must come to.

A situation is played on a `Line`; it asserts what must be heard, told and noted. What a protocol has no
concept for is left out, and the table in `docs/protocols.md` says so. Times are seconds, sounds are of the
replies A and B; the expected samples are those times at the endpoint's rate.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from streams.audio import Encoding
from streams.endpoints.events import (
    Edge,
    Ending,
    ItemEnded,
    Mark,
    Notice,
    NoticeLevel,
    ResponseEnded,
    ResponseStatus,
    TextReceived,
    ToolCalled,
    Unknown,
    Usage,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.protocol import PlaybackReport
from tests.streams.conformance.line import Heard, Line, sound
from tests.streams.vendors.vendor import Concept, PlaybackTold, RatedVendor, Reply

A = Reply(response="resp-a", item="item-a")
B = Reply(response="resp-b", item="item-b")

Play = Callable[[Line], None]


@dataclass(frozen=True, slots=True)
class Situation:
    """One thing that happens to adapters.

    Attributes:
        title: As in the table.
        play: Plays it and asserts what came of it.
        needs: Without one of these the protocol cannot get into it.
    """

    title: str
    play: Play
    needs: frozenset[Concept] = frozenset()


SITUATIONS: list[Situation] = []


def situation(title: str, *needs: Concept) -> Callable[[Play], Play]:
    def add(play: Play) -> Play:
        SITUATIONS.append(Situation(title, play, frozenset(needs)))
        return play

    return add


def speak(line: Line, reply: Reply, name: str, at: float, seconds: float, *, every: float = 0.1) -> None:
    """A reply that is delivered at its own pace, in pieces of 100 ms."""
    for number in range(round(seconds / every)):
        piece = line.vendor.audio(reply, sound(name, every, line.speaker.rate))
        line.at(at + number * every, piece)


def burst(line: Line, reply: Reply, name: str, at: float, seconds: float) -> None:
    """A reply that is delivered at once, in pieces of 100 ms."""
    for _ in range(round(seconds * 10)):
        line.at(at, line.vendor.audio(reply, sound(name, 0.1, line.speaker.rate)))


def expect(line: Line, *stretches: tuple[str, float, float]) -> None:
    rate = line.speaker.rate
    assert line.heard() == [Heard(name, round(a * rate), round(b * rate)) for name, a, b in stretches]


def told(line: Line, item: str, seconds: float) -> None:
    """The vendor was told at last how much was heard of an item, where the protocol can tell."""
    if Concept.PLAYED not in line.vendor.concepts:
        return
    assert line.vendor.told, "nothing was told of playback"
    last = line.vendor.told[-1]
    assert last == PlaybackTold(last.item, round(seconds * line.speaker.rate))
    if Concept.ITEM_IDS in line.vendor.concepts:
        assert last.item == item


def statuses(line: Line) -> list[ResponseStatus]:
    return [event.status for event in line.events if isinstance(event, ResponseEnded)]


@situation("clean turn")
def clean_turn(line: Line) -> None:
    vendor = line.vendor
    said = line.talk(0.0, 1.0)
    line.quiet(25)
    # what arrives at the vendor is what was said, sample for sample (0.5 s of silence behind it)
    assert len(vendor.heard) == len(said) + round(0.5 * vendor.input_rate) * 2
    line.at(2.0, vendor.begin(A))
    speak(line, A, "A", 2.0, 1.0)
    if Concept.TEXT in vendor.concepts:
        line.at(2.95, vendor.text(A, "Good ", final=False), vendor.text(A, "Good morning.", final=True))
        texts = [event.text for event in line.events if isinstance(event, TextReceived)]
        assert "Good morning." in (texts[-1].strip(), "".join(texts).strip())
    line.at(2.95, vendor.end(A))
    line.at(4.5)
    expect(line, ("A", 2.0, 3.0))
    if Concept.RESPONSE_BOUNDS in vendor.concepts:
        assert statuses(line) == [ResponseStatus.COMPLETED]


@situation("reply in a burst")
def reply_in_a_burst(line: Line) -> None:
    line.at(2.0, line.vendor.begin(A))
    burst(line, A, "A", 2.0, 1.0)
    line.at(2.0, line.vendor.end(A))
    line.at(4.5)
    expect(line, ("A", 2.0, 3.0))


@situation("ragged bytes")
def ragged_bytes(line: Line) -> None:
    wide = line.codec.capabilities.output.encoding is Encoding.PCM16
    pcm = sound("A", 1.0, line.speaker.rate)
    line.at(2.0, line.vendor.begin(A))
    # 997 bytes a piece cut samples in two; G.711 has one byte a sample, there 998 bytes are 499 samples
    size = 997 if wide else 998
    for place in range(0, len(pcm), size):
        line.at(2.0, line.vendor.audio(A, pcm[place : place + size]))
    line.at(2.0, line.vendor.end(A))
    line.at(4.5)
    expect(line, ("A", 2.0, 3.0))


@situation("barge-in before delivery", Concept.FLUSH, Concept.RESPONSE_BOUNDS, Concept.ITEM_IDS)
def barge_in_before(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    line.at(2.2, vendor.flush(), vendor.end(A, ResponseStatus.CANCELLED))
    line.at(2.5, vendor.audio(A, sound("A", 0.3, line.speaker.rate)))
    line.at(3.0, vendor.begin(B))
    burst(line, B, "B", 3.0, 0.5)
    line.at(3.0, vendor.end(B))
    line.at(4.5)
    expect(line, ("B", 3.0, 3.5))


@situation("barge-in while it is delivered", Concept.FLUSH)
def barge_in_while(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    speak(line, A, "A", 2.0, 0.5)
    line.at(2.45, vendor.flush(), vendor.end(A, ResponseStatus.CANCELLED))
    line.at(4.5)
    expect(line, ("A", 2.0, 2.45))
    told(line, A.item, 0.45)


@situation("barge-in after delivery", Concept.FLUSH)
def barge_in_after(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 1.0)
    line.at(2.0, vendor.end(A))
    line.at(2.4, vendor.flush())
    line.at(4.5)
    # 1 s had arrived, 400 ms of it were heard: more is never claimed
    expect(line, ("A", 2.0, 2.4))
    told(line, A.item, 0.4)


@situation("late audio of a cancelled response", Concept.FLUSH, Concept.ITEM_IDS)
def late_audio(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 1.0)
    line.at(2.4, vendor.flush())
    line.at(2.5, vendor.audio(A, sound("A", 0.3, line.speaker.rate)))
    line.at(2.6, vendor.end(A, ResponseStatus.CANCELLED), vendor.begin(B))
    burst(line, B, "B", 3.0, 0.5)
    line.at(3.0, vendor.end(B))
    line.at(4.5)
    expect(line, ("A", 2.0, 2.4), ("B", 3.0, 3.5))


@situation("two responses in flight", Concept.ITEM_IDS)
def two_responses(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.5)
    line.at(2.1, vendor.begin(B))
    burst(line, B, "B", 2.1, 0.5)
    line.at(2.2, vendor.end(A), vendor.end(B))
    line.at(4.5)
    expect(line, ("A", 2.0, 2.5), ("B", 2.5, 3.0))


@situation("transcripts out of order", Concept.USER_TEXT)
def transcripts_out_of_order(line: Line) -> None:
    vendor = line.vendor
    line.talk(0.0, 0.5)
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.5)
    line.at(2.0, vendor.end(A))
    line.at(
        2.8, vendor.user_text("the second", item="user-2"), vendor.user_text("the first", item="user-1")
    )
    line.at(4.5)
    expect(line, ("A", 2.0, 2.5))
    texts = [event.text for event in line.events if isinstance(event, UserTextReceived)]
    assert [text for text in texts if text] == ["the second", "the first"]


@situation("flush while silent", Concept.FLUSH)
def flush_while_silent(line: Line) -> None:
    vendor = line.vendor
    line.at(1.0, vendor.flush())
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.5)
    line.at(2.0, vendor.end(A))
    line.at(3.0, vendor.flush())
    line.at(4.0, vendor.begin(B))
    burst(line, B, "B", 4.0, 0.5)
    line.at(4.0, vendor.end(B))
    line.at(5.0)
    expect(line, ("A", 2.0, 2.5), ("B", 4.0, 4.5))


@situation("user speech noticed", Concept.USER_SPEECH)
def user_speech(line: Line) -> None:
    line.at(1.0, line.vendor.user_speech(Edge.START))
    line.at(1.5, line.vendor.user_speech(Edge.STOP))
    edges = [event.edge for event in line.events if isinstance(event, UserSpeech)]
    assert edges == [Edge.START, Edge.STOP]


@situation("mark at playout", Concept.MARKS)
def mark_at_playout(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.5)
    line.at(2.0, vendor.mark("here"), vendor.end(A))
    line.at(2.4)
    assert vendor.told == []
    line.at(3.0)
    line.at(3.1)
    assert [event.item for event in vendor.told] == ["here"]
    (mark,) = (event for event in line.events if isinstance(event, Mark))
    assert "here" in mark.name  # Vonage's mark is any JSON, and keeps its name in it


@situation("mark that a clear drops", Concept.MARKS_ON_CLEAR)
def mark_after_clear(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.5)
    line.at(2.0, vendor.mark("here"))
    line.at(2.2, vendor.flush())
    assert [event.item for event in vendor.told] == ["here"]


@situation("tool call", Concept.TOOLS)
def tool_call(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A), vendor.tool("call-1", "weather", '{"city": "Bern"}'))
    (called,) = (event for event in line.events if isinstance(event, ToolCalled))
    assert (called.call, called.name) == ("call-1", "weather")
    assert json.loads(called.arguments) == {"city": "Bern"}
    line.send(line.codec.tool_result("call-1", '{"sky": "blue"}', error=False), 2.5)
    line.at(2.6, vendor.end(A))  # some take results only now
    ((call, output),) = vendor.tool_results
    assert call == "call-1" and "blue" in output


@situation("tool call taken back", Concept.TOOL_CANCEL)
def tool_call_taken_back(line: Line) -> None:
    line.at(2.0, line.vendor.tool("call-1", "weather", "{}"), line.vendor.tool_cancel("call-1"))
    calls = [event for event in line.events if isinstance(event, ToolCalled)]
    assert [(each.call, each.cancelled) for each in calls] == [("call-1", False), ("call-1", True)]


@situation("error mid-reply", Concept.ERRORS)
def error_mid_reply(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.3)
    line.at(2.1, vendor.error("out of memory", fatal=False))
    burst(line, A, "A", 2.2, 0.2)
    line.at(2.2, vendor.end(A))
    line.at(3.0)
    expect(line, ("A", 2.0, 2.5))
    (notice,) = (event for event in line.events if isinstance(event, Notice))
    assert notice.level in (NoticeLevel.ERROR, NoticeLevel.WARNING)
    assert "out of memory" in notice.message and not notice.fatal


@situation("fatal error", Concept.FATAL_ERRORS)
def fatal_error(line: Line) -> None:
    line.at(2.0, line.vendor.error("out of memory", fatal=True))
    (notice,) = (event for event in line.events if isinstance(event, Notice))
    assert (notice.level, notice.fatal) == (NoticeLevel.ERROR, True)
    assert "out of memory" in notice.message


@situation("session limit", Concept.ENDING)
def session_limit(line: Line) -> None:
    line.at(2.0, line.vendor.ending(10.0))
    (ending,) = (event for event in line.events if isinstance(event, Ending))
    assert ending.time_left_s in (10.0, None)


@situation("unknown events")
def unknown_events(line: Line) -> None:
    vendor = line.vendor
    before = len(line.of(Unknown))
    line.at(1.0, vendor.unknown())
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.3)
    line.at(2.1, vendor.unknown(), vendor.end(A))
    line.at(3.0)
    expect(line, ("A", 2.0, 2.3))
    assert len(line.of(Unknown)) - before == 2


@situation("broken messages")
def broken_messages(line: Line) -> None:
    vendor = line.vendor
    before = len(line.of(Unknown)) + len(line.of(Notice))
    broken = vendor.malformed()
    line.at(1.0, broken)
    # each is noted, none of them breaks the call
    assert len(line.of(Unknown)) + len(line.of(Notice)) - before >= len(broken)
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.3)
    line.at(2.0, vendor.end(A))
    line.at(3.0)
    expect(line, ("A", 2.0, 2.3))


@situation("keep-alive", Concept.PING)
def keep_alive(line: Line) -> None:
    line.at(1.0, line.vendor.ping())
    assert line.vendor.pongs == 1


@situation("big frame")
def big_frame(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A), vendor.audio(A, sound("A", 60.0, line.speaker.rate)), vendor.end(A))
    line.at(63.0)
    expect(line, ("A", 2.0, 62.0))


@situation("audio of another rate than declared", Concept.RATE_IN_AUDIO)
def another_rate(line: Line) -> None:
    vendor = cast(RatedVendor, line.vendor)
    line.at(2.0, vendor.begin(A))
    for _ in range(5):
        line.at(2.0, vendor.audio(A, sound("A", 0.1, 16000), rate=16000))
    line.at(2.0, vendor.end(A))
    line.at(3.0)
    (first, *_, last) = line.heard()
    # said once, and resampled: half a second stays half a second, to a millisecond of the filter's edges
    assert [event.level for event in line.events if isinstance(event, Notice)] == [NoticeLevel.WARNING]
    seconds = (last.end - first.start) / line.speaker.rate
    assert abs(seconds - 0.5) < 0.001


@situation("unpadded base64", Concept.BASE64)
def unpadded_base64(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    samples, stripped = line.speaker.rate // 10 + 1, 0
    for extra in range(3):  # lengths of all three remainders: two of them are padded
        pcm = sound("A", (samples + extra) / line.speaker.rate, line.speaker.rate)
        messages = vendor.audio(A, pcm)
        bare = [unpadded(message) for message in messages]
        stripped += bare != list(messages)
        line.at(2.0, bare)
    assert stripped == 2
    line.at(2.0, vendor.end(A))
    line.at(3.0)
    total = 3 * samples + 3
    assert line.heard() == [Heard("A", 2 * line.speaker.rate, 2 * line.speaker.rate + total)]


def unpadded(message: str | bytes) -> str | bytes:
    """The message with the padding of its base64 left out."""
    if isinstance(message, bytes):
        return message.replace(b'="', b'"').replace(b'="', b'"')
    return message.replace('="', '"').replace('="', '"')


@situation("usage", Concept.USAGE)
def usage(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.1)
    line.at(2.0, vendor.usage(tokens=321), vendor.end(A))
    values = [value for event in line.events if isinstance(event, Usage) for value in event.values.values()]
    assert 321 in values


@situation("playback told of a reply heard whole", Concept.PLAYED)
def heard_whole(line: Line) -> None:
    vendor = line.vendor
    line.at(2.0, vendor.begin(A))
    burst(line, A, "A", 2.0, 0.5)
    line.at(2.0, vendor.end(A))
    line.at(3.0)
    line.at(3.1)
    # a protocol that only knows truncation has nothing to tell of what was heard to its end
    if line.codec.capabilities.playback_report is PlaybackReport.TRUNCATE:
        assert vendor.told == []
    else:
        told(line, A.item, 0.5)
    ended = [event for event in line.events if isinstance(event, ItemEnded)]
    assert len(ended) <= 1
