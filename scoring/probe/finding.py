"""What a probe's call tells of its endpoint, put together from the recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recordings.format import ReceivedPiece, Side, UnknownMessage
from recordings.reader import Episode
from scoring.metric import Measured, Measurement
from scoring.probe.pace import delivered
from scoring.probe.problems import Evidence, problems
from scoring.probe.rate import speaking
from scoring.score import read_timeline, view_of
from scoring.selftest.sound import clipped_share
from scoring.timeline import Exchange, Timeline
from scoring.timing import endpoint_think, endpoint_wait, first_byte, leading_silence, response_latency
from scoring.usage import session_usage
from scoring.view import EpisodeView
from streams.audio import Pcm

_OURS = frozenset(
    {"session_started", "session_ended", "utterance_started", "utterance_ended", "user_thinking"}
)
"""Events of a recording that are not of the endpoint."""

_OF_THE_EAR = frozenset({"heard_speech", "turn_ended", "playback_reported", "mark_reached", "tick_late"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The answer of `viva endpoint probe`.

    Attributes:
        input: What we send, as "pcm16 24000": encoding and samples per second. None if never connected.
        output: What the endpoint sends.
        pace: "burst" (as fast as it can), "realtime", "lead" (1x, after a head start), "unknown".
        first_audio_ms: From the user's last audible sample to the arrival of the reply's first sound.
        latency_ms: From there to the reply's first audible sample, as heard.
        heard: What our recogniser makes of the reply.
        events: Messages by their name on the wire; of an endpoint without a wire, what it told.
        unknown_events: Messages that the adapter does not know.
        problems: Plain sentences.
        more: What stands below these in JSON.
    """

    protocol: str | None
    connected: bool
    input: str | None = None
    output: str | None = None
    pace: str | None = None
    first_audio_ms: float | None = None
    latency_ms: float | None = None
    heard: str | None = None
    events: Mapping[str, int] = field(default_factory=dict)
    unknown_events: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def answered(self) -> bool:
        """True if a reply was heard."""
        return self.latency_ms is not None

    def to_json(self) -> dict[str, Any]:
        """One object; times in milliseconds."""
        return {
            "protocol": self.protocol,
            "connected": self.connected,
            "input": self.input,
            "output": self.output,
            "pace": self.pace,
            "first_audio_ms": self.first_audio_ms,
            "latency_ms": self.latency_ms,
            "heard": self.heard,
            "events": dict(self.events),
            "unknown_events": dict(self.unknown_events),
            "problems": list(self.problems),
            **self.more,
        }


def finding(
    episode: Episode,
    messages: Mapping[str, int] | None,
    *,
    pinged: bool = False,
    pong_s: float | None = None,
) -> Finding:
    """What a recorded call tells.

    Args:
        episode: Its recording.
        messages: Received messages by name; None if there was no wire.
        pinged: A websocket ping was sent.
        pong_s: Seconds until it was answered; None if it was not.
    """
    view = view_of(episode, read_timeline(episode), None)
    evidence = _evidence(episode, view, (pong_s is not None) if pinged else None)
    able = episode.info.endpoint.capabilities
    return Finding(
        protocol=episode.info.endpoint.protocol,
        connected=True,
        input=_format(able["input"]),
        output=_format(able["output"]),
        pace=evidence.delivered.pace,
        first_audio_ms=_first(first_byte(view)),
        latency_ms=evidence.latency_ms,
        heard=_words(episode)[0],
        events=messages if messages is not None else _told(episode),
        unknown_events=Counter(e.type for e in episode.events if isinstance(e, UnknownMessage)),
        problems=tuple(problems(evidence)),
        more=_more(episode, view, evidence, pong_s),
    )


def _evidence(episode: Episode, view: EpisodeView, answers_pings: bool | None) -> Evidence:
    exchange = _exchange(view)
    pcm = _reply(episode, view.timeline, exchange)
    heard, unheard = _words(episode)
    own = view.texts[0].endpoint_text if view.texts else None
    latency = _first(response_latency(view))
    return Evidence(
        info=episode.info,
        events=tuple(episode.events),
        replied=latency is not None,
        latency_ms=latency,
        head_ms=_first(leading_silence(view)) or 0.0,
        clipped=clipped_share(pcm),
        unheard=unheard,
        delivered=delivered(_pieces(view, exchange), episode.info.endpoint_rate),
        voice=speaking(pcm, episode.info.endpoint_rate, own or heard or "") if pcm.size else None,
        answers_pings=answers_pings,
    )


def _more(episode: Episode, view: EpisodeView, evidence: Evidence, pong_s: float | None) -> dict[str, Any]:
    """What stands below the agreed keys."""
    exchange, info = _exchange(view), episode.info
    return {
        "ahead_s": round(evidence.delivered.ahead_s, 3),
        "reply_s": round(_reply(episode, view.timeline, exchange).size / info.endpoint_rate, 3),
        "latency_parts": {
            "leading_silence_ms": _first(leading_silence(view)),
            "endpoint_wait_ms": _first(endpoint_wait(view)),
            "endpoint_think_ms": _first(endpoint_think(view)),
            "round_trip_ms": None if pong_s is None else round(pong_s * 1000, 3),
        },
        "said": exchange.user.text if exchange else None,
        "session": info.endpoint.session,
        "model": info.endpoint.model,
        "outcome": info.outcome.value,
        "usage": session_usage(info, episode.events).to_json(),
    }


def _exchange(view: EpisodeView) -> Exchange | None:
    return view.timeline.exchanges[0] if view.timeline.exchanges else None


def _format(able: Mapping[str, Any]) -> str:
    return f"{able['encoding']} {able['rate']}"


def _first(measurements: list[Measurement]) -> float | None:
    return next((round(m.value, 3) for m in measurements if isinstance(m, Measured)), None)


def _pieces(view: EpisodeView, exchange: Exchange | None) -> list[ReceivedPiece]:
    """All that was delivered of the first reply, in the order of arrival."""
    stretches = exchange.reply if exchange else ()
    found = {i for stretch in stretches if stretch.delivery for i in stretch.delivery.pieces}
    return [view.received[i] for i in sorted(found)]


def _reply(episode: Episode, timeline: Timeline, exchange: Exchange | None) -> Pcm:
    """The first reply as it was heard."""
    track, _ = episode.track("endpoint")
    if exchange is None or not exchange.reply:
        return np.zeros(0, np.int16)
    step = timeline.endpoint_step
    return track[exchange.reply[0].start // step : exchange.reply[-1].end // step]


def _words(episode: Episode) -> tuple[str | None, str]:
    """What was heard of the endpoint; without words, why."""
    turns = [turn for turn in episode.turns if turn.side is Side.ENDPOINT]
    texts = [turn.heard for turn in turns if turn.heard]
    causes = [turn.unscored["heard"] for turn in turns if "heard" in turn.unscored]
    return (" ".join(texts), "") if texts else (None, causes[0] if causes else "no_speech")


def _told(episode: Episode) -> Counter[str]:
    kinds: Counter[str] = Counter(
        str(event.kind) for event in episode.events if event.kind not in _OURS | _OF_THE_EAR
    )
    if episode.received:
        kinds["audio_received"] = len(episode.received)
    return kinds
