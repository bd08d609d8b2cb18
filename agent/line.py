"""The user's line in a call: carries its voice, and reports what became of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recordings.format import Event, LineCondition, LineReport, Noticed, UtteranceEnded, UtteranceStarted
from scenarios.conditions import Codec, Conditions
from streams.audio import FULL_SCALE, Frame, dbfs, rms, to_float
from streams.endpoints.protocol import Capabilities
from streams.levels import active_level
from streams.speech import workers
from streams.speech.interfaces import Voice
from streams.speech.voice_cache import VoiceCache
from user_sim.conditions.line import Line
from user_sim.conditions.prepare import prepare_beds
from user_sim.conditions.telephone import TELEPHONE_RATE


async def prepare_line(
    conditions: Conditions,
    capabilities: Capabilities,
    seed: int,
    voice: Voice,
    cache: VoiceCache | None,
    folder: Path,
) -> UserLine | None:
    """The line of a call, ready to carry its first frame; None if the voice reaches the wire as it is.

    Raises:
        UnfitCodec: The codec cannot be applied at the wire's rate.
        SpeechError: The voice of the others failed, or a noise file cannot be read.
    """
    if conditions.clean:
        return None
    rate = capabilities.input.rate
    beds = await prepare_beds(conditions, voice, rate, cache, folder)
    # in a thread, since designing filters brings in a large library
    line = await workers.run(Line, conditions, rate, capabilities.output.rate, seed, beds, kind="line")
    return UserLine(line, conditions)


class UserLine:
    """One line, and the book of what was said into it."""

    def __init__(self, line: Line, conditions: Conditions) -> None:
        self.line = line
        self._conditions = conditions
        self._spoken: dict[int, bytes] = {}
        self._started: list[UtteranceStarted] = []
        self._said: dict[str, int] = {}

    @property
    def rates(self) -> tuple[int, int]:
        """Samples per second to the endpoint, and from it."""
        return self.line.rate, self.line.endpoint_rate

    def carry(self, frame: Frame, heard: bytes, *, skipped: bool) -> tuple[bytes, tuple[Frame, ...]]:
        """One tick: what is on the wire in it, and what the endpoint gets now; see `Line.frame`."""
        if not frame.silent:
            self._spoken[self.line.position // frame.samples] = frame.pcm
        sent = self.line.frame(frame.pcm, heard, skipped=skipped)
        return sent.pcm, tuple(Frame(pcm, frame.rate) for pcm in sent.frames)

    def rest(self) -> tuple[Frame, ...]:
        """Frames that are still on their way at the end of the call."""
        return tuple(Frame(pcm, self.line.rate) for pcm in self.line.rest())

    def note(self, event: Event) -> None:
        """Something is going into the record: utterances are remembered for the report."""
        if isinstance(event, UtteranceStarted):
            self._started.append(event)
        elif isinstance(event, UtteranceEnded):
            self._said[event.utterance] = event.samples

    def condition(self) -> LineCondition:
        """What is applied in this call."""
        return LineCondition(t=0.0, settings=self.line.settings(), delay_samples=self.line.delay_samples)

    def without_effect(self) -> Noticed | None:
        """A word on what cannot be heard on this wire, if there is such a thing."""
        if self._conditions.codec is not Codec.NARROWBAND or self.line.rate > TELEPHONE_RATE:
            return None
        found = f"codec: narrowband changes nothing on a wire of {self.line.rate} Hz"
        return Noticed(t=0.0, by="us", level="warning", code="line_condition", message=found)

    async def report(self, t: float) -> LineReport:
        """What the line did, at the end of the call."""
        utterances = await workers.run(self._levels, kind="line")
        values = self.line.report()
        return LineReport(t=t, values={**values, "utterances": utterances} if utterances else values)

    def _levels(self) -> list[dict[str, Any]]:
        """Active speech level of each utterance as it was said, and of the noise beside it; dBov, dB."""
        rows = []
        for started in self._started:
            samples = self._said.get(started.utterance, started.samples)
            row: dict[str, Any] = {"utterance": started.utterance}
            speech = active_level(to_float(self._clean(started.start, samples)), self.line.rate)
            if speech is None:
                row["unscored"] = "no_speech"
            else:
                row["speech_dbov"] = round(speech.dbov, 2)
            if self._conditions.noise and samples:
                noise = self.line.noise(started.start, samples)
                noise_dbov = dbfs(FULL_SCALE * rms(noise))
                row["noise_dbov"] = round(noise_dbov, 2)
                if speech is not None:
                    row["snr_db"] = round(speech.dbov - noise_dbov, 2)
            rows.append(row)
        return rows

    def _clean(self, start: int, samples: int) -> bytes:
        frame = self.line.frame_samples
        silence = bytes(2 * frame)
        first, last = start // frame, -(-(start + samples) // frame)
        pcm = b"".join(self._spoken.get(number, silence) for number in range(first, last))
        return pcm[2 * (start - first * frame) :][: 2 * samples]
