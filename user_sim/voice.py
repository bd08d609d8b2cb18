"""The user's voice: from a line to samples on the wire's rate, made once and measured."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from streams.resample import resample
from streams.speech import workers
from streams.speech.audible import audible_span
from streams.speech.audio_files import read_clip
from streams.speech.interfaces import Speech, SpeechError, Voice
from user_sim.policy import Line
from user_sim.voice_cache import VoiceCache, cache_key


class UserVoiceFailed(RuntimeError):
    """A line could not be spoken: our failure, the episode is void (`user_failed`)."""

    def __init__(self, found: str) -> None:
        self.found = found
        super().__init__(found)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A line as it goes into the microphone.

    Attributes:
        pcm: PCM16 mono at `rate`, nothing trimmed.
        audible_start: First sample that can be heard.
        audible_end: One past the last; latency counts from here.
        spoken: The words that are spoken.
    """

    pcm: bytes
    rate: int
    audible_start: int
    audible_end: int
    spoken: str

    @property
    def samples(self) -> int:
        """Length in samples."""
        return len(self.pcm) // 2


class UserVoice:
    """Speaks lines, or reads their recordings; each line is made once, however often it is asked for.

    Args:
        voice: The persona's voice.
        rate: Samples per second of the wire.
        cache: Keeps what was synthesised over sessions.
        styles: Voices for the named manners of speaking of lines; a style that is not among them is spoken
            in the persona's own voice.
        folder: Where relative paths of recordings begin: the folder of the scenario.
    """

    def __init__(
        self,
        voice: Voice,
        rate: int,
        cache: VoiceCache | None = None,
        styles: Mapping[str, Voice] | None = None,
        folder: Path = Path(),
    ) -> None:
        self.rate = rate
        self._voice = voice
        self._cache = cache
        self._styles = styles or {}
        self._folder = folder
        self._made: dict[tuple[str, str, str], asyncio.Task[Utterance]] = {}
        self._ahead: asyncio.Task[None] | None = None

    async def prepare(self, line: Line) -> Utterance:
        """The line's samples; at once if they are there.

        Raises:
            UserVoiceFailed: The voice failed, the recording can't be read, or nothing in it is audible.
        """
        key = (line.aloud, line.style, line.audio)
        task = self._made.get(key)
        if task is None or _failed(task):
            task = asyncio.create_task(self._make(line), name="user voice")
            task.add_done_callback(
                _failed
            )  # whoever waits is told; a prefetch that nobody waits for is not
            self._made[key] = task
        return await asyncio.shield(task)  # others may wait for the same line

    def prefetch(self, lines: Sequence[Line]) -> None:
        """Prepare lines that may come next, one after the other; what was to come before is given up."""
        if self._ahead is not None:
            self._ahead.cancel()
        self._ahead = asyncio.create_task(self._prepare_all(lines), name="user voice ahead")

    async def _prepare_all(self, lines: Sequence[Line]) -> None:
        for line in lines:
            with contextlib.suppress(UserVoiceFailed):  # told when the line is really wanted
                await self.prepare(line)

    async def _make(self, line: Line) -> Utterance:
        try:
            pcm = await (self._recorded(line.audio) if line.audio else self._synthesised(line))
        except SpeechError as failure:
            raise UserVoiceFailed(f"the user can't say {line.text!r}: {failure}") from failure
        span = await workers.run(audible_span, pcm, self.rate, kind="tts")
        if span is None:
            raise UserVoiceFailed(f"the user can't say {line.text!r}: the sound of it is silence")
        return Utterance(pcm, self.rate, *span, line.aloud)

    async def _recorded(self, path: str) -> bytes:
        return await self._at_wire_rate(await workers.run(read_clip, self._folder / path, kind="disk"))

    async def _synthesised(self, line: Line) -> bytes:
        voice = self._styles.get(line.style, self._voice)
        if self._cache is None:
            return await self._at_wire_rate(await voice.speak(line.aloud))
        key = cache_key(voice.fingerprint, line.aloud, self.rate)
        pcm = await self._cache.get(key, self.rate)
        if pcm is None:
            pcm = await self._at_wire_rate(await voice.speak(line.aloud))
            await self._cache.put(key, pcm, self.rate)
        return pcm

    async def _at_wire_rate(self, speech: Speech) -> bytes:
        if speech.rate == self.rate:
            return speech.pcm
        return await workers.run(resample, speech.pcm, speech.rate, self.rate, kind="tts")


def _failed(task: asyncio.Task[Utterance]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
