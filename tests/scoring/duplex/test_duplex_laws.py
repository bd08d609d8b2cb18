"""What must not change a full-duplex metric: silence around the call, packets, rates, codecs, pace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from recordings.format import Flushed, ResponseFinished, Role
from scoring.duplex.metrics import DUPLEX
from scoring.metric import Measured, Unscored
from scoring.view import EpisodeView
from streams.audio import Encoding, Pcm
from streams.g711 import decode, encode
from tests.scoring.duplex.test_yielding import seen
from tests.scoring.episodes import CallMaker, tone

FRAME_MS = 20.0


def same(pcm: Pcm) -> Pcm:
    return pcm


def by_telephone(pcm: Pcm) -> Pcm:
    return np.frombuffer(decode(encode(pcm.tobytes(), Encoding.MULAW), Encoding.MULAW), np.int16)


def messy(
    *,
    user_rate: int = 16000,
    endpoint_rate: int = 24000,
    piece_s: float = 0.12,
    paced: bool = False,
    shift: float = 0.0,
    tail: float = 0.0,
    wire: Callable[[Pcm], Pcm] = same,
) -> CallMaker:
    """A pause with a cut-in, a backchannel, a cough that stops the reply, a barge-in, an aside."""
    call = CallMaker(user_rate, endpoint_rate, length=40.0 + shift + tail)

    def reply(at: float, seconds: float, name: str, *, until: float | None = None) -> None:
        every = piece_s if paced else None
        heard = seconds if until is None or not paced else until - at
        pcm = wire(tone(heard, endpoint_rate))
        call.reply(at + shift, pcm, response=name, item=f"i-{name}", piece_s=piece_s, every_s=every)
        if until is not None:
            cut = round((until + shift) * endpoint_rate)
            begun = round((at + shift) * endpoint_rate)
            whole = round(seconds * endpoint_rate)
            call.flush(until + shift).note(
                Flushed(t=until + shift, by="endpoint", at=cut, items=((f"i-{name}", cut - begun, whole),))
            )
        else:
            call.note(ResponseFinished(t=at + seconds + shift, response=name, status="completed"))

    def user(start: float, end: float, role: Role = Role.TURN, *pauses: tuple[float, float]) -> None:
        shifted = [(a + shift, b + shift) for a, b in pauses]
        call.user(start + shift, end + shift, role=role, pauses=shifted)

    user(0.5, 3.5, Role.TURN, (1.5, 2.5))
    reply(1.9, 0.5, "r0")
    reply(4.1, 6.0, "r1")
    user(5.0, 5.4, Role.BACKCHANNEL)
    user(12.0, 13.0)
    reply(13.6, 6.0, "r2", until=15.7)
    user(15.2, 15.5, Role.TIC)
    user(19.0, 20.0)
    reply(20.3, 8.0, "r3", until=22.44)
    user(22.0, 23.0, Role.BARGE_IN)
    reply(23.8, 2.0, "r4")
    user(30.0, 30.5, Role.ASIDE)
    return call


VARIATIONS = {
    "silence before the call": messy(shift=2.0),
    "silence after the call": messy(tail=3.0),
    "small packets": messy(piece_s=0.02),
    "ragged packets": messy(piece_s=0.0731),
    "real-time delivery": messy(paced=True),
    "a wire of 8 kHz": messy(user_rate=8000, endpoint_rate=8000),
    "a wire of 48 kHz": messy(user_rate=48000, endpoint_rate=48000),
    "mu-law": messy(wire=by_telephone),
}


def table(view: EpisodeView) -> dict[str, list[tuple[float, bool] | str]]:
    return {
        metric.name: [
            (item.value, item.censored) if isinstance(item, Measured) else item.cause
            for item in metric.measure(view)
        ]
        for metric in DUPLEX
    }


@pytest.mark.parametrize("name", VARIATIONS)
def test_what_is_not_heard_changes_no_duplex_metric(tmp_path: Path, name: str) -> None:
    plain, varied = table(seen(messy(), tmp_path / "a")), table(seen(VARIATIONS[name], tmp_path / "b"))
    frame = {"time_to_yield": FRAME_MS, "yield_latency": FRAME_MS / 1000, "answer_latency": FRAME_MS / 1000}
    for metric in DUPLEX:
        expected, found = plain[metric.name], varied[metric.name]
        assert len(expected) == len(found), metric.name
        tolerance = frame.get(metric.name, 0.011)  # 20 ms of the 2 s over which EVA's scores fall
        for before, after in zip(expected, found, strict=True):
            if isinstance(before, str) or isinstance(after, str):
                assert before == after, metric.name
            else:
                assert after[0] == pytest.approx(before[0], abs=tolerance), metric.name
                assert after[1] == before[1], metric.name


def test_the_messy_call_exercises_every_metric(tmp_path: Path) -> None:
    view = seen(messy(), tmp_path)
    empty = [
        metric.name
        for metric in DUPLEX
        if not any(not isinstance(item, Unscored) for item in metric.measure(view))
    ]
    assert empty == []
