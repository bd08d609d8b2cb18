from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import silence
from streams.reference.ears import Began, Ears, Ended, Heard, LevelEars, OpenEars, VoiceEars
from streams.reference.settings import TurnTaking
from streams.speech.energy import EnergyDetector
from tests.streams.reference.reference_calls import simulate, speech

RATE = 16000


def listen(ears: Ears, pcm: bytes, piece: int = 320) -> list[Heard]:
    async def main() -> list[Heard]:
        heard: list[Heard] = []
        for at in range(0, len(pcm), 2 * piece):
            heard += await ears.hear(pcm[at : at + 2 * piece])
        return heard

    return simulate(main())


@given(
    before=st.integers(0, 5000),
    samples=st.integers(100, 9000).map(lambda n: n // 40 * 40),
    piece=st.integers(50, 4000),
)
def test_level_ears_are_exact_for_any_size_of_message(before: int, samples: int, piece: int) -> None:
    pcm = silence(before) + speech(samples / RATE, RATE) + silence(8000)
    began, ended = listen(LevelEars(0.1, RATE), pcm, piece)
    assert began == Began(before / RATE)
    assert isinstance(began, Began) and isinstance(ended, Ended)
    assert ended.at_s == (before + samples) / RATE


def test_what_is_below_60_db_is_no_sound() -> None:
    faint = (32).to_bytes(2, "little") * 16000  # -60.2 dBFS
    loud = (33).to_bytes(2, "little") * 160
    assert listen(LevelEars(0.1, RATE), faint) == []
    assert listen(LevelEars(0.1, RATE), loud) == [Began(0.0)]


def test_a_later_stream_has_later_times() -> None:
    assert listen(LevelEars(0.1, RATE, start_s=10.0), speech(0.1, RATE))[0] == Began(10.0)


@pytest.mark.parametrize("rate", [8000, 16000, 24000, 48000])
def test_voice_ears_hear_the_same_at_any_rate(rate: int) -> None:
    pcm = silence(3 * rate) + speech(1.0, rate) + silence(2 * rate)
    ears = VoiceEars(EnergyDetector(), TurnTaking(silence_s=0.4), rate)
    began, ended = listen(ears, pcm, rate // 50)
    assert isinstance(began, Began) and isinstance(ended, Ended)
    assert began.at_s == pytest.approx(3.0, abs=0.011)
    assert ended.at_s == pytest.approx(4.0, abs=0.011)
    assert ended.clip.size / 16000 == pytest.approx(0.3 + 1.0 + 0.2, abs=0.021)


def test_voice_ears_do_not_keep_silence() -> None:
    ears = VoiceEars(EnergyDetector(), TurnTaking(), RATE)
    listen(ears, silence(60 * RATE))
    assert len(ears._held) < 2 * RATE  # less than a second of a minute


def test_open_ears_keep_all_until_it_is_taken() -> None:
    ears = OpenEars(24000)
    assert ears.take() is None
    assert listen(ears, speech(0.5, 24000) + silence(12000), 480) == []
    taken = ears.take()
    assert taken is not None
    assert (taken.at_s, taken.clip.size) == (1.0, 16000)
    assert ears.take() is None
