"""Plivo's own kit for servers against our adapter: it takes what we send, and we take what it sends."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable
from typing import Any

from streams import g711
from streams.audio import Encoding, Frame
from streams.endpoints.events import AudioReceived, Flush, ItemEnded, Mark
from streams.endpoints.fake import tone
from streams.endpoints.protocol import Message, PlaybackState, Played
from streams.endpoints.twilio.codec import TwilioCodec
from streams.endpoints.twilio.dialects import PLIVO
from streams.endpoints.twilio.messages import CallIds

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from plivo_stream.base import BaseStreamingHandler

PCM = tone(0.02, rate=8000)
WIRE = g711.encode(PCM, Encoding.MULAW)


class Kit(BaseStreamingHandler):  # type: ignore[misc]
    """A server of Plivo's kit, without its socket."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []
        self.got: list[Any] = []
        self.errors: list[Exception] = []
        for listen in (
            self.on_start,
            self.on_media,
            self.on_dtmf,
            self.on_played_stream,
            self.on_cleared_audio,
        ):
            listen(self._note)
        self.on_error(self._note_error)

    async def _note(self, event: Any) -> None:
        self.got.append(event)

    async def _note_error(self, error: Exception) -> None:
        self.errors.append(error)

    async def _send_raw(self, data: str) -> None:
        self.sent.append(data)

    def take(self, messages: Iterable[Message]) -> list[Any]:
        """The kit's events of what we send; it refuses what is not as Plivo has it."""

        async def main() -> None:
            for message in messages:
                await self._process_message(message)

        asyncio.run(main())
        assert self.errors == []
        got, self.got = self.got, []
        return got


def opened() -> tuple[TwilioCodec, Kit]:
    codec, kit = TwilioCodec(CallIds("stream-1", "call-1", "MA1"), {"name": "Mia"}, PLIVO), Kit()
    (start,) = kit.take(codec.opening())
    assert (start.sequence_number, start.extra_headers) == (1, "name=Mia")
    assert (start.start.stream_id, start.start.call_id, start.start.account_id) == (
        "stream-1",
        "call-1",
        "MA1",
    )
    assert (start.start.media_format.encoding, start.start.media_format.sample_rate) == (
        "audio/x-mulaw",
        8000,
    )
    return codec, kit


def test_the_kit_takes_our_audio_and_our_keys() -> None:
    codec, kit = opened()
    first, second, key = kit.take(
        [*codec.audio(Frame(PCM, 8000)), *codec.audio(Frame(PCM, 8000)), *codec.dtmf("5")]
    )
    assert first.get_raw_media() == WIRE
    assert [(each.sequence_number, each.media.chunk, each.media.timestamp) for each in (first, second)] == [
        (2, 1, "0"),
        (3, 2, "20"),
    ]
    assert (key.sequence_number, key.dtmf.digit, key.stream_id) == (4, "5", "stream-1")


def test_we_take_what_the_kit_sends_and_it_hears_of_playback() -> None:
    codec, kit = opened()

    async def speak() -> None:
        await kit.send_media(WIRE)
        await kit.send_checkpoint("said")
        await kit.send_clear_audio()

    asyncio.run(speak())
    media, checkpoint, clear = kit.sent
    heard = g711.decode(WIRE, Encoding.MULAW)
    assert list(codec.receive(media, at=1.0, raw=0)) == [
        AudioReceived(at=1.0, raw=0, pcm=heard, item="reply-1")
    ]
    assert list(codec.receive(checkpoint, at=1.0, raw=1)) == [Mark(at=1.0, raw=1, name="said")]
    (played,) = kit.take(codec.played(Played("reply-1", 160, 160, PlaybackState.PROGRESS)))
    assert (played.name, played.stream_id) == ("said", "stream-1")
    assert list(codec.receive(clear, at=1.1, raw=2)) == [
        ItemEnded(at=1.1, raw=2, item="reply-1"),
        Flush(at=1.1, raw=2),
    ]
    (cleared,) = kit.take(codec.replies())
    assert cleared.event == "clearedAudio"
