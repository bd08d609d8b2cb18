from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import sample_at
from streams.playback import Speaker
from streams.reference.delivery import Delivery, DeliveryPace

RATE = 8000


def pcm(samples: int) -> bytes:
    return random.Random(samples).randbytes(2 * samples)


@given(
    pace=st.sampled_from(DeliveryPace),
    seed=st.integers(0, 1000),
    stretches=st.lists(st.tuples(st.integers(1, 12_000), st.integers(0, 16_000)), min_size=1, max_size=4),
)
def test_a_delivery_is_whole_in_order_and_heard_without_a_hole_of_its_own(
    pace: DeliveryPace, seed: int, stretches: list[tuple[int, int]]
) -> None:
    delivery = Delivery(pace, RATE, seed)
    speaker = Speaker(RATE)
    ready = end = 0  # in samples
    last_due = 0.0
    for length, later in stretches:
        ready += later
        audio = pcm(length)
        parcels = list(delivery.parcels(audio, at=ready / RATE))
        assert b"".join(parcel.pcm for parcel in parcels) == audio
        expected = max(ready, end)
        for parcel in parcels:
            assert ready / RATE <= parcel.due
            assert last_due <= parcel.due
            last_due = parcel.due
            placed = speaker.play(parcel.pcm, at=parcel.due, item="i")
            assert placed.start == expected
            expected += placed.samples
        end = expected


@pytest.mark.parametrize(
    ("pace", "dues"),
    [
        (DeliveryPace.BURST, [1.0, 1.0, 1.0]),
        (DeliveryPace.REALTIME, [1.0, 1.0, 1.0, 1.0, 1.02, 1.04]),
    ],
)
def test_pieces_are_due_as_the_pace_says(pace: DeliveryPace, dues: list[float]) -> None:
    parcels = list(Delivery(pace, RATE).parcels(pcm(sample_at(0.5, RATE)), at=1.0))
    assert [parcel.due for parcel in parcels][: len(dues)] == pytest.approx(dues)  # 1x, 60 ms ahead


def test_a_ragged_delivery_is_uneven_and_repeatable() -> None:
    def lengths(seed: int) -> list[int]:
        return [len(p.pcm) for p in Delivery(DeliveryPace.RAGGED, RATE, seed).parcels(pcm(RATE * 5), at=0)]

    assert lengths(1) == lengths(1) != lengths(2)
    assert len(set(lengths(1))) > 3
