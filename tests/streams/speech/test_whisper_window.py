from __future__ import annotations

from streams.speech.whisper_window import WHOLE, Window

RATE = 16000


def test_a_clip_is_encoded_with_its_tail_in_steps_of_two_and_a_half_seconds() -> None:
    # 2.5 s and 5 s of silence are 7.5 s; 3 s need 10 s, and 5.01 s 12.5 s; nothing needs more than 30 s
    window = Window(500)
    assert [window.encoded(frames) for frames in (250, 300, 500, 501, 2900)] == [
        750,
        1000,
        1000,
        1250,
        3000,
    ]
    assert WHOLE.encoded(100) == 3000


def test_a_decoder_attends_to_what_is_encoded_and_to_silence_up_to_so_much() -> None:
    lengths = [5 * RATE, 5 * RATE + 160, 12 * RATE]
    assert [Window(500).attended(samples) for samples in lengths] == [1000, 1250, 1750]
    assert [Window(500, filled=1500).attended(samples) for samples in lengths] == [1500, 1500, 1750]
