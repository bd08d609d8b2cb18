"""The user's voice: from a line to samples on the wire's rate, made once and measured."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scenarios import manners
from streams.speech import workers
from streams.speech.audible import audible_span
from streams.speech.audio_files import read_clip
from streams.speech.interfaces import SpeechError, Voice
from streams.speech.voice_cache import VoiceCache, cache_key
from user_sim.behaviours.clips import Joined, joined, parts
from user_sim.behaviours.sounds import noise
from user_sim.manner.apply import fingerprint
from user_sim.manner.spoken import in_manner, levelled
from user_sim.policy import Line


class UserVoiceFailed(RuntimeError):
    """A line could not be spoken: our failure, the episode is void (`user_failed`)."""

    def __init__(self, found: str) -> None:
        self.found = found
        super().__init__(found)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A line as it goes into the microphone.

    Attributes:
        pcm: PCM16 mono at `rate`; nothing is trimmed unless the line asks for it.
        audible_start: First sample that can be heard.
        audible_end: One past the last; latency counts from here.
        spoken: The words that are spoken.
        pauses: Silences that the line asks for: first sample, and one past the last.
        voice: Who speaks, as the scenario has it; "" is the machine's own voice, or a recording.
        style: Manner of speaking, likewise.
        gain_db: What brought a recording to the level of speech; 0 for a voice, which is made at it.
    """

    pcm: bytes
    rate: int
    audible_start: int
    audible_end: int
    spoken: str
    pauses: tuple[tuple[int, int], ...] = ()
    voice: str = ""
    style: str = ""
    gain_db: float = 0.0

    @property
    def samples(self) -> int:
        """Length in samples."""
        return len(self.pcm) // 2


class UserVoice:
    """Speaks lines, or reads their recordings; each line is made once, however often it is asked for.

    Whatever is said has an active speech level of -26 dBov, plus the loudness of its style.

    Args:
        voice: The machine's voice.
        rate: Samples per second of the wire.
        cache: Keeps what was synthesised over sessions.
        who: Who speaks: a voice of `scenarios.manners`, or "".
        style: How, where a line says nothing else: a style of `scenarios.manners`, or "".
        folder: Where relative paths of recordings begin: the folder of the scenario.
    """

    def __init__(
        self,
        voice: Voice,
        rate: int,
        cache: VoiceCache | None = None,
        who: str = "",
        style: str = "",
        folder: Path = Path(),
        spoken_form: Callable[[str], str] = str,
    ) -> None:
        self.rate = rate
        self._voice = voice
        self._cache = cache
        self._who = who
        self._style = style
        self._folder = folder
        self._spoken_form = spoken_form
        self._made: dict[Line, asyncio.Task[Utterance]] = {}
        self._ahead: asyncio.Task[None] | None = None

    async def prepare(self, line: Line) -> Utterance:
        """The line's samples; at once if they are there.

        Raises:
            UserVoiceFailed: The voice failed, there is no such voice or style, the recording can't be read,
                or nothing in it is audible.
        """
        if not (line.spoken or line.audio or line.noise):
            line = replace(line, spoken=self._spoken_form(line.text))
        key = replace(line, text="", spoken=line.aloud)
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
            said = [self._in_words(part) for part in parts(line)]
            sounds = [await self._sound(part) for part in said]
        except (SpeechError, manners.MannerError) as failure:
            raise UserVoiceFailed(f"the user can't say {line.text!r}: {failure}") from failure
        clips = [pcm for pcm, _ in sounds]
        if line.prompt or line.pauses:
            clip = await workers.run(joined, clips, line.pauses, self.rate, kind="tts")
            span = None if clip is None else (0, len(clip.pcm) // 2)
        else:
            clip = Joined(clips[0])
            span = await workers.run(audible_span, clip.pcm, self.rate, kind="tts")
        if clip is None or span is None:
            raise UserVoiceFailed(f"the user can't say {line.text!r}: the sound of it is silence")
        voice, style = ("", "") if line.audio or line.noise else (self._who, line.style or self._style)
        return Utterance(
            clip.pcm,
            self.rate,
            *span,
            " ".join(part.aloud for part in said),
            clip.pauses,
            voice=voice,
            style=style,
            gain_db=round(sounds[0][1], 2),
        )

    def _in_words(self, line: Line) -> Line:
        return replace(line, spoken=self._spoken_form(line.aloud)) if line.as_written else line

    async def _sound(self, line: Line) -> tuple[bytes, float]:
        """PCM16, and the gain that a recording needed."""
        if line.noise:
            return await workers.run(noise, line.noise, self.rate, kind="tts"), 0.0
        if line.audio:
            recording = await workers.run(read_clip, self._folder / line.audio, kind="disk")
            return await workers.run(levelled, recording, self.rate, kind="tts")
        return await self._synthesised(line), 0.0

    async def _synthesised(self, line: Line) -> bytes:
        manner = manners.voice(self._who) + manners.style(line.style or self._style)
        if self._cache is None:
            return await self._spoken(line, manner)
        key = cache_key(self._voice.fingerprint, line.aloud, self.rate, fingerprint(manner))
        pcm = await self._cache.get(key, self.rate)
        if pcm is None:
            pcm = await self._spoken(line, manner)
            await self._cache.put(key, pcm, self.rate)
        return pcm

    async def _spoken(self, line: Line, manner: manners.Manner) -> bytes:
        speech = await self._voice.speak(line.aloud)
        return await workers.run(in_manner, speech, manner, self.rate, kind="tts")


def _failed(task: asyncio.Task[Utterance]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
