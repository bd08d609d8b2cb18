"""A small session: the real microphone, ear and writer, without an endpoint and without waiting."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from recordings.format import (
    EndpointInfo,
    EndpointText,
    EpisodeInfo,
    Event,
    Flushed,
    Outcome,
    PlaybackReported,
    ReceivedPiece,
    ResponseBegan,
    ResponseFinished,
    SessionEnded,
    SessionStarted,
    Side,
    Turn,
    UtteranceStarted,
)
from recordings.writer import EpisodeWriter
from streams import clock
from streams.audio import FRAME_S, sample_at
from streams.playback import Microphone, Speaker

USER_RATE, ENDPOINT_RATE = 16000, 24000


def noise(samples: int, seed: int = 1) -> bytes:
    values = np.random.default_rng(seed).integers(-20000, 20000, samples, dtype=np.int16)
    values[values == 0] = 1  # no sample of a reply is silent: a hole in the heard track is seen
    return values.tobytes()


def episode_info(**changes: Any) -> EpisodeInfo:
    scenario = {"id": "greeting", "turns": [{"text": "Größe?"}]}
    canonical = json.dumps(scenario, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    values: dict[str, Any] = {
        "id": "e1",
        "scenario": scenario,
        "scenario_sha256": hashlib.sha256(canonical.encode()).hexdigest(),
        "endpoint": EndpointInfo(address="reference://", protocol="reference"),
        "seed": 1,
        "clock": "wall",
        "started_at_utc": "2026-01-01T00:00:00Z",
        "user_rate": USER_RATE,
        "endpoint_rate": ENDPOINT_RATE,
    }
    return EpisodeInfo(**values | changes)


@dataclass
class Delivery:
    t: float
    item: str
    pcm: bytes
    response: str = "r1"


@dataclass
class Call:
    """Plays deliveries and cuts through a `Speaker` and records what happens.

    Attributes:
        cuts: When the endpoint asks for a flush.
        extra: Further events and turns to record, in the order given.
    """

    folder: Path
    seconds: float = 3.0
    says: bytes = noise(16000, 7)
    deliveries: list[Delivery] = field(default_factory=list)
    cuts: list[float] = field(default_factory=list)
    extra: list[Event | Turn] = field(default_factory=list)
    _received: int = field(default=0, init=False)

    async def run(self, *, finish: bool = True) -> EpisodeWriter:
        writer = EpisodeWriter(self.folder, episode_info())
        microphone, speaker = Microphone(USER_RATE), Speaker(ENDPOINT_RATE)
        writer.event(SessionStarted(t=0.0, session="s1"))
        self._speak(writer, microphone)
        ticks = round(self.seconds / FRAME_S)
        for tick in range(1, ticks + 1):
            until = tick * FRAME_S
            self._deliver(writer, speaker, until, raw=tick)
            self._cut(writer, speaker, until)
            frame = microphone.next_frame()
            writer.user(frame.pcm)
            writer.user_clean(frame.pcm)
            writer.endpoint(speaker.heard(tick * ENDPOINT_RATE // 50))
            for item in speaker.completed():
                writer.event(
                    PlaybackReported(
                        t=until, item=item.item, heard=item.heard, received=item.received, state="completed"
                    )
                )
        for record in self.extra:
            writer.turn(record) if isinstance(record, Turn) else writer.event(record)
        end = ticks * FRAME_S
        if self._received:
            writer.event(ResponseFinished(t=end, response="r1", status="completed"))
        writer.event(SessionEnded(t=end, outcome=Outcome.COMPLETED))
        if finish:
            await writer.finish(
                episode_info(
                    outcome=Outcome.COMPLETED,
                    fault="nobody",
                    unheard_tail_ms=1000 * speaker.pending / ENDPOINT_RATE,
                    late_pieces=speaker.late,
                )
            )
        return writer

    def _speak(self, writer: EpisodeWriter, microphone: Microphone) -> None:
        start = microphone.say(self.says, "u1")
        samples = len(self.says) // 2
        writer.event(
            UtteranceStarted(
                t=0.0,
                utterance="u1",
                text="Größe?",
                start=start,
                samples=samples,
                audible_start=start,
                audible_end=start + samples,
            )
        )
        writer.turn(Turn(index=0, side=Side.USER, start=0, end=samples, rate=USER_RATE, intended="Größe?"))

    def _deliver(self, writer: EpisodeWriter, speaker: Speaker, until: float, raw: int) -> None:
        """What arrives within the frame that ends then."""
        for delivery in [d for d in self.deliveries if until - FRAME_S < d.t <= until]:
            t, item, response = delivery.t, delivery.item, delivery.response
            if not self._received:
                writer.event(ResponseBegan(t=t, response=response))
            placed = speaker.play(delivery.pcm, at=t, item=item, response=response)
            piece = ReceivedPiece(
                t=t,
                item=item,
                response=response,
                offset=self._received,
                samples=placed.samples,
                start=placed.start,
                raw=raw,
            )
            self._received += placed.samples
            writer.received(piece, delivery.pcm)
            writer.event(EndpointText(t=t, text=f"say {item}", mode="delta", item=item))
            if delivery is [d for d in self.deliveries if d.item == item][-1]:
                speaker.end_item(item)

    def _cut(self, writer: EpisodeWriter, speaker: Speaker, until: float) -> None:
        for cut in [c for c in self.cuts if until - FRAME_S < c <= until]:
            at = max(sample_at(cut, ENDPOINT_RATE), speaker.position)
            items = tuple((i.item, i.heard, i.received) for i in speaker.flush(at=cut))
            writer.event(Flushed(t=cut, by="endpoint", at=at, items=items))


def record(call: Call, *, finish: bool = True) -> EpisodeWriter:
    """Run a call to its end in simulated time."""
    return clock.run(call.run(finish=finish), simulate=True)
