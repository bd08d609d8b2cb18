from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams import clock
from streams.audio import silence, to_pcm
from streams.endpoints.fake import tone
from streams.speech.audible import audible_span
from streams.speech.fake import ToneVoice
from user_sim.behaviours.clips import joined
from user_sim.policy import Line, Pause
from user_sim.voice import UserVoice, Utterance


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.tuples(st.floats(0, 0.3), st.floats(0.05, 0.4), st.floats(0, 0.3), st.floats(0.05, 3.0)),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([8000, 16000, 24000]),
)
def test_pauses_have_their_length_whatever_the_voice_puts_around_its_words(
    shapes: list[tuple[float, float, float, float]], rate: int
) -> None:
    # silence before, tone, silence after, and the pause that follows
    clips = [
        silence(round(lead * rate)) + tone(seconds, rate=rate) + silence(round(tail * rate))
        for lead, seconds, tail, _ in shapes
    ]
    pauses = [Pause(1, seconds) for *_, seconds in shapes[:-1]]
    whole = joined(clips, pauses, rate)
    assert whole is not None
    lengths = [last - first for first, last in whole.pauses]
    assert lengths == [int(np.ceil(round(pause.seconds * rate, 4))) for pause in pauses]
    samples = to_pcm(whole.pcm)
    assert all(not samples[first:last].any() for first, last in whole.pauses)
    # nothing but the tones and the pauses, and sound at every edge to 2 ms
    edges = [0, *(edge for span in whole.pauses for edge in span), samples.size]
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        assert np.abs(samples[first : first + rate // 500]).max() > 3000
        assert np.abs(samples[last - rate // 500 : last]).max() > 3000
    expected = sum(round(seconds * rate) for _, seconds, _, _ in shapes) + sum(lengths)
    assert abs(samples.size - expected) <= len(shapes) * 3


def test_a_part_without_sound_makes_no_clip() -> None:
    assert joined([tone(0.1), silence(2400)], [Pause(1, 0.5)], 24000) is None


def test_a_prompt_line_is_heard_from_its_first_sample_on() -> None:
    voice = UserVoice(ToneVoice(leading_s=0.25, trailing_s=0.5), 24000)

    async def main() -> tuple[Utterance, Utterance]:
        return await voice.prepare(Line("yes")), await voice.prepare(Line("yes", prompt=True))

    plain, prompt = clock.run(main(), simulate=True)
    assert (plain.audible_start, plain.samples) == (6000, 32400)
    assert (prompt.audible_start, prompt.audible_end, prompt.samples) == (0, 14400, 14400)
    assert audible_span(prompt.pcm, 24000) is not None


@pytest.mark.models
def test_a_synthesised_voice_pauses_exactly() -> None:
    from streams.speech.select import default_voice

    voice = UserVoice(default_voice(), 16000)
    line = Line("What is, um, crisper, and what for?", pauses=(Pause(3, 1.5), Pause(4, 0.7)))

    async def main() -> Utterance:
        return await voice.prepare(line)

    utterance = clock.run(main(), simulate=True)
    assert [last - first for first, last in utterance.pauses] == [24000, 11200]
    pcm = to_pcm(utterance.pcm)
    for first, last in utterance.pauses:
        assert not pcm[first:last].any()
        # the voice is audible in the very 4 ms before and after, above the floor of -60 dBFS
        assert np.ptp(pcm[first - 64 : first].astype(int)) > 65
        assert np.ptp(pcm[last : last + 64].astype(int)) > 65


def test_a_shaped_line_is_still_put_into_words() -> None:
    voice = UserVoice(ToneVoice(), 24000, spoken_form=lambda text: text.replace("9", "nine"))
    line = Line("What is Cas9?", "What is, um, Cas9?", pauses=(Pause(3, 0.5),), as_written=True)

    async def main() -> Utterance:
        return await voice.prepare(line)

    assert clock.run(main(), simulate=True).spoken == "What is, um, Casnine?"
