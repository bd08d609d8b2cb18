"""Replies that are known beforehand: the n-th turn of the user gets the n-th answer, whatever was asked.

Nothing is recognised, so that the endpoint works in simulated time far faster than life; with nothing
planted it behaves as a good endpoint does.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

import numpy as np

from streams.audio import FULL_SCALE, to_pcm, to_pcm16
from streams.clock import now, sleep_exactly, sleep_until
from streams.endpoints.protocol import Tool
from streams.reference.attention import Manners
from streams.reference.defects import sound, words
from streams.reference.defects.kinds import Defect, Plan
from streams.reference.defects.voice import spoilt
from streams.reference.delivery import BURST_MS, Delivery, DeliveryPace, Parcel
from streams.reference.dialogue import Message
from streams.reference.rehearsal import Rehearsal
from streams.reference.replies import Piece, ReplyFailed, UserTurn
from streams.resample import resample
from streams.speech import workers
from streams.speech.interfaces import Speech, SpeechError, Voice

DELAY_S = 1.0
"""From the user's last audible sample to the first one of the reply."""

PAUSE_S = 0.25
"""Silence between the sentences of a reply."""

AFTER_ITSELF_S = 0.3
"""Silence between what it said before and a reply that had to wait for the end of that."""

LOUDNESS = 0.5
"""Voices are driven to full scale; this leaves room above, so that nothing clips unless it is planted."""


@dataclass(frozen=True, slots=True)
class RehearsedPlan:
    """How the endpoint is; see `Config` for what is not said here.

    Attributes:
        silence: Seconds of silence that end the user's turn.
        planted: Defects and their doses.
    """

    rehearsal: Rehearsal
    silence: float
    pace: DeliveryPace
    seed: int
    planted: Plan

    @property
    def manners(self) -> Manners:
        """How it takes turns."""
        dose = self.planted.get
        usual = Manners(self.silence)
        after = dose(Defect.YIELDS_TO_BACKCHANNEL) or dose(Defect.YIELDS_LATE) or usual.yields_after
        return Manners(
            silence=self.silence,
            yields_after=None if dose(Defect.NEVER_YIELDS) else after,
            cuts_in=dose(Defect.CUTS_IN),
            talks_over=dose(Defect.TALKS_OVER),
        )


@dataclass(frozen=True, slots=True)
class _Said:
    """A reply before it is delivered.

    Attributes:
        text: What it means to say.
        pcm: What it says, PCM16 from the first audible sample to the last.
    """

    text: str
    pcm: bytes


class Rehearsed:
    """Answers by number; see `Replier`.

    Args:
        plan: What to say, and what to do wrong.
        voice: Speaks it.
    """

    def __init__(self, plan: RehearsedPlan, voice: Voice) -> None:
        self._plan = plan
        self._voice = voice
        self._replies = 0
        self._over = float("-inf")  # when it was last heard

    async def reply(
        self,
        turn: UserTurn,
        messages: Sequence[Message],
        instructions: str,
        rate: int,
        tools: Sequence[Tool] = (),
    ) -> AsyncGenerator[Piece, None]:
        """See `Replier.reply`; it lasts until the last sample has been heard."""
        began = now()
        said = await self._said(turn, rate)
        if said is None:
            return
        if turn.urge is None:
            self._replies += 1
            delay = DELAY_S + (self._plan.planted.get(Defect.LATE) or 0.0)
            due = max(turn.ended_at + delay, self._over + AFTER_ITSELF_S)
        else:
            due = began + (AFTER_ITSELF_S if turn.urge.gives_way else 0.0)
        yield Piece(b"", said.text)
        over = due
        try:
            for parcel in self._parcels(said.pcm, turn.number, due, rate):
                await sleep_exactly(parcel.due)
                yield Piece(parcel.pcm)
                over = max(over, now()) + len(parcel.pcm) / 2 / rate
            await sleep_until(over)
        finally:  # also if it is given up
            self._over = now()

    def _parcels(self, pcm: bytes, number: int, due: float, rate: int) -> Sequence[Parcel]:
        speed = self._plan.planted.get(Defect.FALLS_BEHIND)
        if speed is None:
            delivery = Delivery(self._plan.pace, rate, self._plan.seed + number)
            return list(delivery.parcels(pcm, at=due))
        step = 2 * (rate * BURST_MS // 1000)
        return [Parcel(due + at / 2 / rate / speed, pcm[at : at + step]) for at in range(0, len(pcm), step)]

    # --- words

    async def _said(self, turn: UserTurn, rate: int) -> _Said | None:
        script, dose = self._plan.rehearsal, self._plan.planted.get
        if turn.urge is not None:
            text = script.giving_way if turn.urge.gives_way else script.interjection
            return _Said(text, await self._spoken([text], rate))
        silent_after = dose(Defect.GOES_SILENT)
        if silent_after is not None and self._replies >= silent_after:
            return None
        number = turn.number - round(dose(Defect.ANSWERS_PREVIOUS) or 0)
        sentences = self._sentences(number)
        if dose(Defect.LEAKS) == turn.number + 1:
            sentences = (script.instructions, *sentences)
        sentences += sentences[-1:] * round(dose(Defect.REPEATS) or 0)
        pcm = await self._spoken(self._aloud(sentences, number), rate)
        return _Said(" ".join(sentences), await workers.run(self._spoilt, pcm, number, rate, kind="tts"))

    def _sentences(self, number: int) -> tuple[str, ...]:
        if number < 0:
            return (self._plan.rehearsal.stalling,)
        return self._plan.rehearsal.answer(number).said(
            wrong_fact=self._chosen(Defect.SWAPS_FACT, number),
            wrong_number=self._chosen(Defect.SWAPS_NUMBER, number),
        )

    def _chosen(self, defect: Defect, number: int) -> bool:
        share = self._plan.planted.get(defect)
        return share is not None and words.is_chosen(number, share, self._plan.seed)

    def _aloud(self, sentences: Sequence[str], number: int) -> list[str]:
        share = self._plan.planted.get(Defect.DROPS_WORDS)
        if share is None:
            return list(sentences)
        answer = self._plan.rehearsal.answer(max(number, 0))
        keep = (*answer.fact, *answer.number)
        return [words.drop_words(text, share, f"{self._plan.seed} {text}", keep) for text in sentences]

    # --- sound

    async def _spoken(self, sentences: Sequence[str], rate: int) -> bytes:
        try:
            speeches = [await self._voice.speak(sentence) for sentence in sentences]
        except SpeechError as error:
            raise ReplyFailed(str(error)) from error
        return await workers.run(self._joined, speeches, rate, kind="tts")

    def _joined(self, speeches: Sequence[Speech], rate: int) -> bytes:
        clips = [softened(resample(one.pcm, one.rate, rate)) for one in speeches]
        return sound.in_a_row(clips, self._plan.planted.get(Defect.DEAD_AIR) or PAUSE_S, rate)

    def _spoilt(self, pcm: bytes, number: int, rate: int) -> bytes:
        share = self._plan.planted.get(Defect.STOPS_MID_WORD)
        if share is not None:
            pcm = sound.break_off(pcm, share, rate)
        return spoilt(pcm, self._plan.planted, rate, f"{self._plan.seed} {number}")


def softened(pcm: bytes) -> bytes:
    """A clip 6 dB down."""
    return to_pcm16(to_pcm(pcm).astype(np.float64) / FULL_SCALE * LOUDNESS)
