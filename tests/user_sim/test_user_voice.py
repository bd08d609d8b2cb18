from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest
import soundfile

from streams import clock
from streams.audio import silence, to_float, to_pcm, to_pcm16
from streams.levels import active_level, amplified
from streams.resample import resample
from streams.speech.interfaces import ModelIdentity, Speech, SpeechError
from streams.speech.voice_cache import VoiceCache, cache_key
from user_sim.policy import Line
from user_sim.voice import UserVoice, UserVoiceFailed, Utterance


class Whistle:
    """A voice that whistles for 0.1 s per letter, with 0.1 s of silence before and 0.2 s after it."""

    identity = ModelIdentity("test", "whistle", "1")

    def __init__(self, fingerprint: str = "whistle", rate: int = 16000, fails: int = 0) -> None:
        self.fingerprint = fingerprint
        self.rate = rate
        self.fails = fails
        self.spoken: list[str] = []

    async def speak(self, text: str) -> Speech:
        self.spoken.append(text)
        await asyncio.sleep(1.0)
        if self.fails:
            self.fails -= 1
            raise SpeechError("whistle", "it has no breath")
        return Speech(self.sound(len(text)), self.rate)

    def sound(self, letters: int) -> bytes:
        tone = 0.5 * np.cos(2 * np.pi * 1000 * np.arange(letters * self.rate // 10) / self.rate)
        return silence(self.rate // 10) + to_pcm16(tone) + silence(self.rate // 5)


def at_speech_level(pcm: bytes, rate: int = 16000) -> bytes:
    level = active_level(to_float(pcm), rate)
    assert level is not None
    return to_pcm16(amplified(to_float(pcm), -26 - level.dbov))


def prepare(voice: UserVoice, *lines: Line) -> list[Utterance]:
    async def main() -> list[Utterance]:
        return [await voice.prepare(line) for line in lines]

    return clock.run(main(), simulate=True)


def test_a_line_is_spoken_in_its_spoken_form_and_measured() -> None:
    whistle = Whistle()
    (utterance,) = prepare(UserVoice(whistle, 16000), Line("BRCA1", "bracka one"))
    assert whistle.spoken == ["bracka one"] and utterance.spoken == "bracka one"
    # ten letters: 0.1 + 1.0 + 0.2 s; audible from 0.1 to 1.1 s
    assert (utterance.samples, utterance.rate) == (20800, 16000)
    assert utterance.audible_start == 1600
    assert abs(utterance.audible_end - 17600) <= 1  # where the cosine stops
    assert utterance.pcm == at_speech_level(whistle.sound(10))  # nothing is trimmed


def test_speech_is_brought_to_the_wires_rate_once() -> None:
    whistle = Whistle(rate=24000)
    (utterance,) = prepare(UserVoice(whistle, 8000), Line("yes"))
    assert utterance.pcm == at_speech_level(resample(whistle.sound(3), 24000, 8000), 8000)
    assert utterance.samples == 4800  # 0.1 + 0.3 + 0.2 s
    # a tone that is cut hard rings in the resampling filter, here for less than 3 ms above -50 dB
    assert 800 - 24 <= utterance.audible_start <= 800
    assert 3200 <= utterance.audible_end <= 3200 + 24


def test_a_line_that_is_wanted_twice_is_made_once() -> None:
    whistle = Whistle()
    voice = UserVoice(whistle, 16000)

    async def main() -> None:
        voice.prefetch([Line("yes"), Line("no")])
        await asyncio.sleep(0.5)
        first, second = await asyncio.gather(voice.prepare(Line("yes")), voice.prepare(Line("yes")))
        assert first is second and clock.now() == 1.0
        assert await voice.prepare(Line("yes")) is first and clock.now() == 1.0
        await voice.prepare(Line("no"))
        assert clock.now() == 2.0

    clock.run(main(), simulate=True)
    assert whistle.spoken == ["yes", "no"]


def test_a_new_prefetch_gives_up_what_has_not_begun() -> None:
    whistle = Whistle()
    voice = UserVoice(whistle, 16000)

    async def main() -> None:
        voice.prefetch([Line("one"), Line("two")])
        await asyncio.sleep(0.5)
        voice.prefetch([Line("three")])
        await asyncio.sleep(5)
        await voice.prepare(Line("one"))

    clock.run(main(), simulate=True)
    assert whistle.spoken == ["one", "three"]


def test_who_stops_waiting_does_not_stop_the_others() -> None:
    voice = UserVoice(Whistle(), 16000)

    async def main() -> None:
        impatient = asyncio.create_task(voice.prepare(Line("yes")))
        await asyncio.sleep(0.5)
        patient = asyncio.create_task(voice.prepare(Line("yes")))
        await asyncio.sleep(0)
        impatient.cancel()
        assert (await patient).samples == 9600

    clock.run(main(), simulate=True)


def test_a_voice_that_fails_is_our_failure_and_may_be_tried_again() -> None:
    whistle = Whistle(fails=2)
    voice = UserVoice(whistle, 16000)

    async def main() -> None:
        voice.prefetch([Line("yes")])  # fails in silence
        await asyncio.sleep(2)
        with pytest.raises(UserVoiceFailed, match="can't say 'yes': whistle: it has no breath"):
            await voice.prepare(Line("yes"))
        await voice.prepare(Line("yes"))

    clock.run(main(), simulate=True)
    assert len(whistle.spoken) == 3


def test_a_line_that_nobody_could_hear_is_a_failure() -> None:
    with pytest.raises(UserVoiceFailed, match="the sound of it is silence"):
        prepare(UserVoice(Whistle(), 16000), Line("", ""))


def test_a_recording_is_played_instead_of_the_voice(tmp_path: Path) -> None:
    whistle = Whistle()
    path = tmp_path / "yes.flac"
    soundfile.write(path, to_pcm(whistle.sound(5)), 16000)
    (utterance,) = prepare(UserVoice(whistle, 16000), Line("yes", audio=str(path)))
    assert utterance.pcm == at_speech_level(whistle.sound(5)) and whistle.spoken == []


def test_a_recording_that_is_not_there_is_our_failure(tmp_path: Path) -> None:
    with pytest.raises(UserVoiceFailed, match=r"gone\.wav"):
        prepare(UserVoice(Whistle(), 16000), Line("yes", audio=str(tmp_path / "gone.wav")))


def test_a_cached_line_is_not_synthesised_again(tmp_path: Path) -> None:
    first, second, other = Whistle(rate=24000), Whistle(rate=24000), Whistle("another", rate=24000)
    cache = VoiceCache(tmp_path)
    made = prepare(UserVoice(first, 16000, cache), Line("yes"))
    assert prepare(UserVoice(second, 16000, cache), Line("yes")) == made and second.spoken == []
    prepare(UserVoice(other, 16000, cache), Line("yes"))
    prepare(UserVoice(second, 8000, cache), Line("yes"))
    assert (other.spoken, second.spoken) == (["yes"], ["yes"])


@pytest.mark.parametrize("damage", [lambda data: data[:-2], lambda data: b"", lambda data: b"x" + data[1:]])
def test_a_damaged_cache_entry_is_made_again(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    whistle, cache = Whistle(), VoiceCache(tmp_path)
    made = prepare(UserVoice(whistle, 16000, cache), Line("yes"))
    path = cache.path(cache_key("whistle", "yes", 16000))
    sound = path.read_bytes()
    path.write_bytes(damage(sound))
    assert prepare(UserVoice(whistle, 16000, cache), Line("yes")) == made
    assert whistle.spoken == ["yes", "yes"] and path.read_bytes() == sound


def test_a_changed_sample_in_the_cache_is_noticed(tmp_path: Path) -> None:
    cache = VoiceCache(tmp_path)

    async def main() -> None:
        key = cache_key("v", "yes", 16000)
        await cache.put(key, Whistle().sound(3), 16000)
        assert await cache.get(key, 16000) == Whistle().sound(3)
        path = cache.path(key)
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(bytes(data))
        assert await cache.get(key, 16000) is None

    clock.run(main(), simulate=True)


def test_a_cache_that_can_not_be_written_only_costs_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    voice = UserVoice(Whistle(), 16000, VoiceCache(blocked))
    (utterance,) = prepare(voice, Line("yes"))
    assert utterance.samples == 9600


def test_no_half_written_file_stays_in_the_cache(tmp_path: Path) -> None:
    prepare(UserVoice(Whistle(), 16000, VoiceCache(tmp_path)), Line("yes"), Line("no"))
    names = sorted(path.name for path in tmp_path.rglob("*.wav"))
    assert names == sorted(f"{cache_key('whistle', word, 16000)}.wav" for word in ("yes", "no"))


def test_the_key_changes_with_everything_that_changes_the_sound() -> None:
    keys = {
        cache_key(*parts)
        for parts in [("v", "yes", 8000), ("w", "yes", 8000), ("v", "no", 8000), ("v", "yes", 16000)]
    }
    assert len(keys) == 4
