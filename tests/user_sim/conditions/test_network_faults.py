from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.conditions import Concealment, Jitter, LossModel, PacketLoss
from streams.audio import to_float, to_pcm16
from user_sim.conditions.network import Delays, Losses

FRAME = 160
LOUD = to_pcm16(np.full(FRAME, 0.5))


def pattern(loss: PacketLoss, frames: int, seed: int = 1) -> list[bool]:
    losses = Losses(loss, FRAME, seed)
    return [losses.carry(LOUD) != LOUD for _ in range(frames)]


def bursts(lost: list[bool]) -> list[int]:
    return [len(list(run)) for gone, run in groupby(lost) if gone]


# --- which frames are lost ----------------------------------------------------------------------


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.05, 0.3, 1.0])
def test_independent_losses_come_at_their_rate_and_by_chance_alone(rate: float) -> None:
    lost = pattern(PacketLoss(rate=rate), 40_000)
    assert np.mean(lost) == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / 40_000))
    if 0 < rate < 1:  # geometric: the mean of a burst is 1 / (1 - rate)
        assert np.mean(bursts(lost)) == pytest.approx(1 / (1 - rate), rel=0.05)


@pytest.mark.parametrize(("rate", "burst"), [(0.05, 4.0), (0.2, 8.0), (0.1, 1.5), (0.5, 1.0)])
def test_gilbert_elliott_loses_at_its_rate_in_bursts_of_its_length(rate: float, burst: float) -> None:
    loss = PacketLoss(rate=rate, model=LossModel.GILBERT_ELLIOTT, burst_frames=burst)
    lost = pattern(loss, 200_000)
    assert np.mean(lost) == pytest.approx(rate, rel=0.05)
    assert np.mean(bursts(lost)) == pytest.approx(burst, rel=0.05)


def test_the_seed_alone_decides_what_is_lost() -> None:
    loss = PacketLoss(rate=0.2)
    assert pattern(loss, 500, seed=3) == pattern(loss, 500, seed=3)
    assert pattern(loss, 500, seed=3) != pattern(loss, 500, seed=4)


# --- what stands in their place -----------------------------------------------------------------


def test_a_lost_frame_is_silence_of_the_same_length() -> None:
    losses = Losses(PacketLoss(rate=1.0), FRAME, 1)
    assert losses.carry(LOUD) == bytes(len(LOUD))
    assert losses.lost == 1


def test_a_repeated_frame_keeps_its_level_for_10_ms_and_is_gone_after_60() -> None:
    loss = PacketLoss(rate=0.9, concealment=Concealment.REPEAT)
    losses = Losses(loss, FRAME, 2)
    out = [losses.carry(LOUD) for _ in range(200)]
    arrived = next(i for i in range(196) if out[i] == LOUD and all(o != LOUD for o in out[i + 1 : i + 5]))
    filled = to_float(b"".join(out[arrived + 1 : arrived + 5]))
    # 8 samples a millisecond: full to 10 ms, 0.9 at 15, half at 35, nothing from 60 on
    assert np.all(filled[:81] == 0.5)
    assert filled[[120, 280, 440]] == pytest.approx([0.45, 0.25, 0.05], abs=1e-4)
    assert not filled[480:].any()


def test_nothing_is_repeated_before_anything_came() -> None:
    loss = PacketLoss(rate=1.0, concealment=Concealment.REPEAT)
    assert Losses(loss, FRAME, 1).carry(LOUD) == bytes(len(LOUD))


# --- delays -------------------------------------------------------------------------------------


@given(
    mean=st.floats(0.5, 200),
    most=st.floats(20, 400),
    seed=st.integers(0, 99),
    skipped=st.sets(st.integers(0, 59)),
)
def test_jitter_loses_nothing_and_never_changes_the_order(
    mean: float, most: float, seed: int, skipped: set[int]
) -> None:
    delays = Delays(Jitter(mean_ms=min(mean, most), max_ms=most), seed)
    came: dict[int, int] = {}
    order: list[int] = []
    for tick in range(60):
        given_now = None if tick in skipped else tick.to_bytes(2, "big")
        for pcm in delays.pass_on(given_now):
            came[int.from_bytes(pcm, "big")] = tick
            order.append(int.from_bytes(pcm, "big"))
    order += [int.from_bytes(pcm, "big") for pcm in delays.rest()]
    assert order == [tick for tick in range(60) if tick not in skipped]
    assert delays.rest() == ()
    # never early; behind another that waits none waits longer, since it came later
    assert all(0 <= tick - frame <= most / 20 for frame, tick in came.items())


def test_the_mean_delay_is_what_was_asked_for_where_frames_do_not_queue() -> None:
    # one frame in ten, so that none waits for the one before it: mean of min(Exp(30), 400) is 30.0 ms
    delays = Delays(Jitter(mean_ms=30, max_ms=400), 1)
    for tick in range(100_000):
        delays.pass_on(b"x" if tick % 20 == 0 else None)
    assert delays.total_ms / 5000 == pytest.approx(30, rel=0.05)
    assert delays.worst_ms <= 400


def test_a_frame_that_does_not_wait_goes_in_its_own_tick() -> None:
    delays = Delays(Jitter(mean_ms=0.001, max_ms=20), 1)
    assert [delays.pass_on(bytes([i])) for i in range(5)] == [(bytes([i]),) for i in range(5)]
